-- What a story has changed, attempt by attempt in the order in which it was made, with the last verdict of a person
-- on each. Only finished attempts: those that are done or wait for a verdict. Who asks only which these are leaves the
-- files out; p_paths and p_most bound what is read of them. Refusals: 404, 403. Definer: access is checked first (docs/review.md).
create function operations.get_story_changes(p_story_id uuid, p_with_files boolean default true, p_paths jsonb default null,
  p_most integer default null)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_access('story', p_story_id);
  return json_build_object('open_tasks', private.open_tasks_of(p_story_id), 'attempts', (
    with attempts as materialized (select * from private.story_attempts(p_story_id))
    select coalesce(json_agg(json_build_object('task', json_build_object('id', t.id, 'code', t.code, 'title', t.title),
      'waits', a.waits, 'job_id', j.id, 'attempt', d.attempt, 'base_sha', d.base_sha, 'head_sha', d.head_sha,
      'files', case when not p_with_files then '[]' when p_most is null then d.files else f.files end,
      'marks', x.former -> 'marks', 'mark_paths', x.former -> 'mark_paths',
      'marked', (
        select coalesce(json_agg(json_build_object('mark', m.mark, 'path', m.path, 'hunk', m.hunk) order by private.mark_place(m.mark), m.path), '[]')
        from private.marks_of(j, d.marks) m),
      'chapters', (
        select g.chapters from public.job_guides g
        where p_with_files and g.job_id = j.id and g.attempt = d.attempt and g.head_sha = d.head_sha),
      'verdict', a.verdict) order by a.place), '[]')
    from attempts a
    join public.tasks t on t.id = a.task_id
    join public.agent_jobs j on j.id = a.job_id
    join public.job_diffs d on d.job_id = a.job_id and d.attempt = a.attempt
    left join private.read_diffs((select array_agg(r.job_id order by r.place) from attempts r where p_with_files and p_most is not null),
      (select array_agg(r.attempt order by r.place) from attempts r), p_paths, p_most) f on f.job_id = a.job_id
    -- For processes of 0.4.0, which know fewer marks.
    cross join lateral private.former_marks(private.marks_json(array[j.id])) x (former)));
end;
$$;
grant execute on function operations.get_story_changes to authenticated;

-- The finished attempts at the tasks of a story in the order of their changes: what waits, and what a person said last.
create function private.story_attempts(p_story_id uuid)
returns table (task_id uuid, job_id uuid, attempt integer, waits boolean, verdict text, place bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
    select t.id, j.id, d.attempt, j.status = 'QUEUED',
      coalesce((select v.verdict from public.pending_verdicts v where v.job_id = j.id), (
        select r.verdict from public.job_reviews r
        -- Without an author it is CI or the landing queue, which return work and never approve it.
        where r.job_id = j.id and r.attempt = d.attempt and (r.author_id is not null or r.verdict = 'approve')
        order by r.created_at desc, r.id limit 1)),
      row_number() over (order by d.created_at, j.position, j.id)
    from public.tasks t
    join public.agent_jobs j on j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION'
      and (j.status = 'DONE' or (j.status = 'QUEUED' and j.phase = 'review'))
    join public.job_diffs d on d.job_id = j.id and d.attempt = j.attempt
    where t.story_id = p_story_id;
end;
$$;

-- The newest attempts of their tasks that no one has judged.
create function private.unjudged_attempts(p_story_id uuid)
returns table (task_id uuid, job_id uuid, attempt integer, waits boolean, place bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
    select x.task_id, x.job_id, x.attempt, x.waits, x.place
    from (select distinct on (a.task_id) a.* from private.story_attempts(p_story_id) a order by a.task_id, a.place desc) x
    where x.verdict is null;
end;
$$;

-- How many tasks are neither done nor wait for a verdict, or are being sent back: without any, approving the rest finishes the story.
create function private.open_tasks_of(p_story_id uuid)
returns integer language plpgsql stable set search_path = '' as $$
begin
  return (
    select count(*) from public.tasks t
    where t.story_id = p_story_id and (t.status <> 'DONE' and not exists (
        select from public.agent_jobs j where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review')
      or exists (
        select from public.pending_verdicts v join public.agent_jobs j on j.id = v.job_id
        where j.task_id = t.id and v.verdict = 'request_changes')));
end;
$$;

-- One verdict for several attempts of a story, all or none. p_attempts names what the page showed: with another
-- attempt or an earlier verdict in between nothing is judged. Changes are requested of the last one first, so that the
-- first comes first in its branch queue. p_confirm is by job. Refusals: 404, 403, 409, 422, 429. Definer: reviews are written by functions
-- only (docs/review.md).
create function operations.review_story(p_story_id uuid, p_verdict text, p_attempts jsonb, p_summary text default null,
  p_criteria jsonb default null, p_confirm jsonb default null, p_undo_seconds integer default 0)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_attempts jsonb;
  v_reviews jsonb;
begin
  if exists (
    select from jsonb_array_elements(p_attempts) a
    where not exists (
      select from public.agent_jobs j join public.tasks t on t.id = j.task_id
      where j.id = (a ->> 'job_id')::uuid and j.product_id = v_product_id and t.story_id = p_story_id))
  then
    perform private.refuse(422, 'This job does not belong to the story. Send those that the changes of the story list.');
  end if;
  select jsonb_agg(a.value || jsonb_build_object('confirm', case when p_confirm is not null then coalesce(p_confirm -> (a.value ->> 'job_id'), '[]') end)
    order by case when upper(p_verdict) = 'APPROVE' then a.place else -a.place end)
  into v_attempts
  from jsonb_array_elements(p_attempts) with ordinality a (value, place);
  v_reviews := private.give_verdict(v_attempts, p_verdict, p_summary, p_criteria, p_undo_seconds);
  return json_build_object('reviews', (select jsonb_agg(r - 'job') from jsonb_array_elements(v_reviews) r), 'undo_until', v_reviews -> 0 -> 'undo_until');
end;
$$;
grant execute on function operations.review_story to authenticated;
