-- What a person should judge first. One order with its reasons: what approving frees, then the whole hours that
-- the work has waited, then the smaller change. Attempts that wait for CI and archived products are left out. The cursor
-- is the time of the first page, from which the hours of all pages count, and the key of the last row: verdicts between
-- two pages leave out no row. A page is shorter where criteria are long. Refusals: 404, 403. Definer: limits the products itself (docs/review.md).
create function operations.list_waiting_reviews(p_product_id uuid default null, p_cursor text default null, p_limit integer default 50)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_after record := private.read_cursor(p_cursor, 5);
  v_asked bigint := coalesce(v_after.place[1], private.microseconds(private.now()));
  v_products uuid[];
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_products := array(
    select w.id from private.writable_product_ids() w (id) where p_product_id is null or w.id = p_product_id);
  return (
    with page as (
      select r.*, private.microseconds(r.waiting_since) as since
      from private.waiting_reviews(v_products, private.time_at(v_asked)) r
      where p_cursor is null or (-r.frees_tasks, -r.hours, r.lines, private.microseconds(r.waiting_since), r.job_id)
        > (v_after.place[2], v_after.place[3], v_after.place[4], v_after.place[5], v_after.id)
      order by r.place limit v_limit + 1
    ), shown as (
      select x.* from (
        select p.*, row_number() over w as n, sum(private.criteria_letters(p.job_id)) over w as letters from page p window w as (order by p.place)) x
      where x.n = 1 or x.n <= v_limit and x.letters <= 500000
    )
    select json_build_object(
      'reviews', coalesce(json_agg(private.waiting_review_json(s.job_id, s.waiting_since, s.frees_tasks, s.frees_jobs) order by s.place), '[]'),
      'next_cursor', case when count(*) < (select count(*) from page) then
        (array_agg(private.cursor_of(s.job_id, v_asked, -s.frees_tasks, -s.hours, s.lines, s.since) order by s.place desc))[1] end)
    from shown s);
end;
$$;
grant execute on function operations.list_waiting_reviews to authenticated;

-- Kept for processes of 0.4.0, which know fewer marks, until they are replaced. Definer: as list_waiting_reviews.
create function operations.list_reviews(p_product_id uuid default null, p_cursor text default null, p_limit integer default 50)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_page jsonb := operations.list_waiting_reviews(p_product_id, p_cursor, p_limit);
begin
  return v_page || jsonb_build_object('reviews', (
    select coalesce(jsonb_agg(private.former_marks(r.value) order by r.place), '[]')
    from jsonb_array_elements(v_page -> 'reviews') with ordinality r (value, place)));
end;
$$;
grant execute on function operations.list_reviews to authenticated;

-- The rows of list_waiting_reviews in their order, before they are described: ten thousand must cost little. A task that
-- waits for nothing else starts when this one is approved; so do those that wait for its story, where it is the last of it.
create function private.waiting_reviews(p_products uuid[], p_asked timestamptz)
returns table (job_id uuid, waiting_since timestamptz, hours integer, lines integer, frees_tasks integer, frees_jobs integer, task_id uuid, place bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
    with w as materialized (
      select j.id, j.task_id, t.story_id, t.status <> 'DONE' as is_open, coalesce(i.since, j.updated_at) as since, coalesce(j.additions + j.deletions, 0) as lines
      from public.agent_jobs j
      join public.products p on p.id = j.product_id and p.done_requires <> 'ci'
      join public.tasks t on t.id = j.task_id
      left join public.tasks_in_review i on i.task_id = j.task_id
      where j.product_id = any (p_products) and j.status = 'QUEUED' and j.phase = 'review'
        and not exists (select from public.pending_verdicts v where v.job_id = j.id)
    ), before_stories as materialized (
      -- As in finishes_story, but of all at once: ten thousand calls take a second.
      select w.id, w.task_id, w.story_id, d.blocked_id from w join public.story_dependencies d on d.blocker_id = w.story_id
      where w.is_open and not exists (
        select from public.tasks o where o.story_id = w.story_id and o.id <> w.task_id and o.status <> 'DONE')
    ), behind as (
      select w.id, w.task_id as blocker_id, w.story_id, d.blocked_id as task_id
      from w join public.task_dependencies d on d.blocker_id = w.task_id
      union
      select s.id, s.task_id, s.story_id, t.id
      from before_stories s join public.tasks t on t.story_id = s.blocked_id
    ), freed as (
      select b.id, count(*)::integer as tasks, count(q.id)::integer as jobs
      from behind b
      join public.tasks t on t.id = b.task_id and t.status in ('TO_DO', 'FAILED')
      left join public.agent_jobs q on q.task_id = b.task_id and q.status = 'QUEUED'
      where not exists (
        select from private.task_blockers o
        where o.task_id = b.task_id and not o.resolved and o.blocker_id not in (b.blocker_id, b.story_id))
      group by b.id
    )
    select x.*, row_number() over (order by -x.tasks, -x.hours, x.lines, x.since, x.id)
    from (
      select w.id, w.since, floor(extract(epoch from p_asked - w.since) / 3600)::integer as hours, w.lines,
        coalesce(f.tasks, 0) as tasks, coalesce(f.jobs, 0), w.task_id
      from w left join freed f on f.id = w.id) x;
end;
$$;

-- How long the criteria are that a line of the queue counts, each with its proof: a list counts 500,000 letters of them.
create function private.criteria_letters(p_job_id uuid)
returns integer language plpgsql stable set search_path = '' as $$
begin
  return (
    select length(s.acceptance_criteria) + length(p.definition_of_done)
    from public.agent_jobs j
    join public.products p on p.id = j.product_id
    join public.tasks t on t.id = j.task_id
    join public.stories s on s.id = t.story_id
    where j.id = p_job_id);
end;
$$;

-- One line of the queue: what, why now, how sure. The last work of a story represents all that is judged with it (docs/review.md).
create function private.waiting_review_json(p_job_id uuid, p_since timestamptz, p_tasks integer, p_jobs integer)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('job_id', j.id, 'attempt', j.attempt, 'head_sha', j.head_sha,
      'product', jsonb_build_object('id', p.id, 'code', p.code, 'name', p.name),
      'story', jsonb_build_object('id', s.id, 'code', s.code, 'title', s.title),
      'task', jsonb_build_object('id', t.id, 'code', t.code, 'title', t.title),
      'waiting_since', p_since, 'frees', jsonb_build_object('tasks', p_tasks, 'jobs', p_jobs),
      'tasks', cardinality(w.job_ids),
      'size', (
        select jsonb_build_object('files', count(distinct f ->> 'path'),
          'additions', coalesce(sum((f ->> 'additions')::integer), 0), 'deletions', coalesce(sum((f ->> 'deletions')::integer), 0))
        from public.agent_jobs k
        join public.job_diffs d on d.job_id = k.id and d.attempt = k.attempt
        cross join lateral jsonb_array_elements(d.files) f
        where k.id = any (w.job_ids)),
      'criteria', (
        select jsonb_build_object('proven', count(*) filter (where c.state in ('proven', 'waived')), 'total', count(*))
        from private.story_proof(s.id) c)) || private.marks_json(w.job_ids)
    from public.agent_jobs j
    join public.products p on p.id = j.product_id
    join public.tasks t on t.id = j.task_id
    join public.stories s on s.id = t.story_id
    left join public.job_diffs d on d.job_id = j.id and d.attempt = j.attempt
    -- Only the last of a story is asked for the rest of it, or a large story is read once for each of its tasks.
    cross join lateral (select case
      when d.job_id is null or exists (
        select from public.tasks o
        join public.agent_jobs k on k.task_id = o.id and k.status = 'QUEUED' and k.phase = 'review'
        join public.job_diffs e on e.job_id = k.id and e.attempt = k.attempt
        where o.story_id = s.id and (e.created_at, k.position, k.id) > (d.created_at, j.position, j.id)) then array[j.id]
      when (private.review_place(j.id) ->> 'is_whole')::boolean then array(select u.job_id from private.unjudged_attempts(s.id) u)
      else array[j.id] end as job_ids) w
    where j.id = p_job_id);
end;
$$;

-- Other stories' work that waits for a verdict and changes the same files as a job, or as its whole story: who approves
-- both merges both. Only the newest fifty. Refusals: 404, 403. Definer: access is checked first (docs/review.md).
create function operations.list_same_files(p_job_id uuid, p_whole_story boolean default false)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
  v_story_id uuid := (select t.story_id from public.tasks t where t.id = v_job.task_id);
begin
  return (
    with mine as materialized (
      select distinct f ->> 'path' as path
      from public.tasks t
      join public.agent_jobs j on j.task_id = t.id and (p_whole_story or j.id = p_job_id)
      join public.job_diffs d on d.job_id = j.id and d.attempt = j.attempt
      cross join lateral jsonb_array_elements(d.files) f
      where t.story_id = v_story_id
    ), waiting as (
      select j.id, j.attempt, t.code from public.agent_jobs j
      join public.tasks t on t.id = j.task_id
      where j.product_id = v_job.product_id and j.status = 'QUEUED' and j.phase = 'review'
        and t.story_id <> v_story_id and not exists (select from public.pending_verdicts v where v.job_id = j.id)
      order by j.updated_at desc, j.id limit 50
    )
    select coalesce(json_agg(json_build_object('job_id', w.id, 'code', w.code, 'paths', x.paths) order by w.code), '[]')
    from waiting w
    cross join lateral (
      select (array_agg(m.path order by m.path))[1:4] as paths
      from public.job_diffs d cross join lateral jsonb_array_elements(d.files) f
      join mine m on m.path = f ->> 'path'
      where d.job_id = w.id and d.attempt = w.attempt
    ) x
    where x.paths is not null);
end;
$$;
grant execute on function operations.list_same_files to authenticated;

-- The first time that a person opens the changes, kept as a time of the job. Only a session looks: a token's
-- reading does not count, nor does a look of someone who may not judge. Answers how long the work had waited, once. Refusals: 404, 403. Definer: jobs are written by functions only (docs/review.md).
create function operations.note_first_look(p_job_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  perform private.require_no_demo();
  perform private.require_product_write(v_job.product_id);
  if v_job.first_seen_at is null and not private.is_token() and (v_job.status = 'DONE' or v_job.phase = 'review') then
    perform private.lock_job(p_job_id, true);
    update public.agent_jobs j set first_seen_at = private.now() where j.id = p_job_id and j.first_seen_at is null;
    if found then
      return json_build_object('waited_seconds', private.waited_seconds(p_job_id, private.now()));
    end if;
  end if;
  return json_build_object('waited_seconds', null);
end;
$$;
grant execute on function operations.note_first_look to authenticated;
