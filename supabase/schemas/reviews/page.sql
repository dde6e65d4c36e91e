-- What a person judges on one page, in one read: a story, one of its tasks, or one job, with the job's own page where it is
-- one. For a job of a story that is asked for alone only the place of its page. p_most bounds the patches of a
-- story. Refusals: 404, 403. Definer: access is checked first (docs/review.md).
create function operations.get_review_page(p_story_id uuid default null, p_task_id uuid default null, p_job_id uuid default null,
  p_attempt integer default null, p_since text default null, p_most integer default null)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_product_id uuid := case when p_story_id is not null then private.require_access('story', p_story_id) end;
  v_job public.agent_jobs;
  v_shown uuid[];
  v_one uuid;
  v_attempt jsonb;
begin
  if p_job_id is not null then
    v_job := private.require_job_reader(p_job_id);
    v_product_id := v_job.product_id;
    if p_story_id is null and v_job.task_id is not null and v_job.kind = 'TASK_IMPLEMENTATION' then
      return json_build_object('leads_to', private.review_place(p_job_id));
    end if;
  end if;
  if p_story_id is not null and (p_job_id is not null and v_job.task_id is distinct from p_task_id
    or p_task_id is not null and not exists (select from public.tasks t where t.id = p_task_id and t.story_id = p_story_id))
  then
    perform private.refuse(404, 'The story has no such task or job. Open the story to see what it has.');
  end if;
  v_shown := case
    when p_job_id is not null then array[p_job_id]
    when p_task_id is not null then array_remove(array[private.reviewed_job_of(p_task_id)], null)
    else array(select u.job_id from private.unjudged_attempts(p_story_id) u order by u.place) end;
  if cardinality(v_shown) = 1 then
    v_one := v_shown[1];
    v_attempt := private.reviewed_attempt(v_one, p_attempt, p_since);
  end if;
  return json_build_object('leads_to', null,
    'product', (select jsonb_build_object('id', p.id, 'name', p.name) from public.products p where p.id = v_product_id),
    'story', (select jsonb_build_object('id', s.id, 'code', s.code, 'title', s.title) from public.stories s where s.id = p_story_id),
    'open_tasks', private.open_tasks_of(p_story_id),
    'unjudged', (
      select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'code', t.code, 'title', t.title, 'job_id', u.job_id, 'attempt', u.attempt,
        'waits', u.waits) order by u.place), '[]')
      from private.unjudged_attempts(p_story_id) u join public.tasks t on t.id = u.task_id),
    'attempts', case when cardinality(v_shown) > 1 then operations.get_story_changes(p_story_id, p_most => p_most)::jsonb -> 'attempts' end,
    'one', v_attempt,
    'of', case when v_one is not null then operations.get_job_page(v_one) end,
    'parts', (
      select coalesce(jsonb_agg(jsonb_build_object('job', private.job_json(j),
        'is_unseen', j.first_seen_at is null and (j.status = 'DONE' or j.phase = 'review'),
        'said', operations.list_job_comments(j.id)) order by array_position(v_shown, j.id)), '[]')
      from public.agent_jobs j where j.id = any (v_shown)),
    'viewed', (
      select coalesce(jsonb_agg(jsonb_build_object('job_id', a.job_id, 'path', x.path)), '[]')
      from (
        select s.job_id, s.attempt from private.story_attempts(p_story_id) s where v_one is null
        union all
        select v_one, (v_attempt -> 'diff' ->> 'attempt')::integer
      ) a
      cross join lateral json_array_elements_text(operations.list_viewed(a.job_id, a.attempt) -> 'paths') x (path)
      where a.attempt is not null),
    'proofs', case
      when p_story_id is not null then jsonb_build_array(private.proof_json(p_story_id))
      when p_job_id is not null then jsonb_path_query_array(operations.get_job_proof(p_job_id)::jsonb, '$.stories[*].proof')
      else '[]' end,
    'same_files', coalesce((
      select operations.list_same_files(x.job_id, v_one is null)
      from (
        select v_one as job_id where v_one is not null
        union all
        select u.job_id from private.unjudged_attempts(p_story_id) u where v_one is null and u.waits
      ) x limit 1), '[]'),
    'queue', private.place_in_queue(v_shown));
end;
$$;
grant execute on function operations.get_review_page to authenticated;

-- What follows these jobs in the queue of reviews. Definer: limits the products itself (docs/review.md).
create function operations.get_review_place(p_job_ids jsonb)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  return private.place_in_queue(array(select j::uuid from jsonb_array_elements_text(p_job_ids) j));
end;
$$;
grant execute on function operations.get_review_place to authenticated;

-- The changes of one attempt with their guide and marks, and those to compare them with: p_since is an attempt, or looked for
-- what the caller saw last of each file. The next round opens on that, or else on what they asked to be changed.
create function private.reviewed_attempt(p_job_id uuid, p_attempt integer, p_since text)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_newest integer := (select max(d.attempt) from public.job_diffs d where d.job_id = p_job_id);
  v_attempt integer := case when p_attempt is null then v_newest
    else (select d.attempt from public.job_diffs d where d.job_id = p_job_id and d.attempt = p_attempt) end;
  v_looked integer := (
    select max(v.attempt) from public.viewed_files v
    join public.job_diffs d on d.job_id = v.job_id and d.attempt = v.attempt
    where v.user_id = auth.uid() and v.job_id = p_job_id and v.attempt < v_attempt);
  v_asked integer := (
    select max(r.attempt) from public.job_reviews r
    join public.job_diffs d on d.job_id = r.job_id and d.attempt = r.attempt
    where r.job_id = p_job_id and r.author_id = auth.uid() and r.verdict = 'request_changes' and r.attempt < v_attempt);
  v_since text := case
    when p_since is not null then p_since
    when p_attempt is not null then null
    when v_looked is not null then 'looked'
    else v_asked::text end;
  v_before integer := case when v_since = 'looked' then v_looked when v_since ~ '^\d{1,6}$' then v_since::integer end;
begin
  return jsonb_build_object('job_id', p_job_id,
    'diff', case when v_attempt is not null then operations.get_job_diff(p_job_id, v_attempt) end,
    'guide', case when v_attempt is not null then operations.get_job_guide(p_job_id, v_attempt) end,
    'marked', case when v_attempt = v_newest then operations.get_job_marks(p_job_id) -> 'marks' else '[]'::json end,
    'since', v_since,
    'before', case when v_before is not null then operations.get_job_diff(p_job_id, v_before) end,
    'seen', case when v_since = 'looked' and v_before is not null then operations.list_viewed(p_job_id, v_before) -> 'paths' end);
end;
$$;

-- The place of these jobs in the caller's queue of reviews, in the order of list_waiting_reviews, and what is before and behind
-- them: from the last on to the first.
create function private.place_in_queue(p_job_ids uuid[])
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    with queue as materialized (
      select r.* from private.waiting_reviews(array(select private.writable_product_ids()), private.now()) r
    ), own as materialized (
      select q.* from queue q where q.job_id = any (p_job_ids) order by q.place limit 1
    ), others as materialized (
      select q.job_id, q.place, q.place > coalesce(o.place, 0) as is_behind
      from queue q left join own o on true where q.job_id <> all (p_job_ids)
    )
    select json_build_object('position', o.place, 'total', (select count(*) from queue), 'frees_tasks', coalesce(o.frees_tasks, 0),
      'waiting_since', o.waiting_since,
      'next', (select private.review_place(x.job_id) from others x order by not x.is_behind, x.place limit 1),
      'before', (select private.review_place(x.job_id) from others x order by x.is_behind, x.place desc limit 1))
    from (select) as one left join own o on true);
end;
$$;

-- Where a job is reviewed. The last work of a story is reviewed with all that no one has judged of it.
create function private.review_place(p_job_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select json_build_object('job_id', j.id, 'story_id', t.story_id, 'task_id', t.id,
      'is_newest', coalesce(j.id = private.reviewed_job_of(t.id), false),
      'is_whole', j.status = 'QUEUED' and j.phase = 'review' and private.open_tasks_of(t.story_id) = 0 and coalesce((
        select count(*) > 1 and (array_agg(u.job_id order by u.place desc) filter (where u.waits))[1] = j.id
        from private.unjudged_attempts(t.story_id) u), false))
    -- A batch has a task as well, and is of no one story.
    from public.agent_jobs j left join public.tasks t on t.id = j.task_id and j.kind = 'TASK_IMPLEMENTATION'
    where j.id = p_job_id);
end;
$$;

-- The job whose changes the page of a task shows: the newest that has some.
create function private.reviewed_job_of(p_task_id uuid)
returns uuid language plpgsql stable set search_path = '' as $$
begin
  return (
    select j.id from public.agent_jobs j
    where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION'
    order by exists (select from public.job_diffs d where d.job_id = j.id) desc, j.created_at desc, j.id limit 1);
end;
$$;
