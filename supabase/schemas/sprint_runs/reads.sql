-- A run with jobs in order, executions, question, tokens and cost. Definer: checked first (specification: Sprint run).
create function operations.get_sprint_run(p_sprint_run_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_run(p_sprint_run_id);
  return (select private.run_json(r, true) from public.sprint_runs r where r.id = p_sprint_run_id);
end;
$$;
grant execute on function operations.get_sprint_run to authenticated;

-- The first line of every operation on a run. Returns its product; PT404, then PT403 (specification: Errors).
create function private.require_run(p_sprint_run_id uuid)
returns uuid language plpgsql stable set search_path = '' as $$
declare
  v_product_id uuid;
begin
  select r.product_id into v_product_id from public.sprint_runs r where r.id = p_sprint_run_id;
  if v_product_id is null then
    perform private.refuse(404, 'No such sprint run. Check the ID: list the runs of the product.');
  end if;
  perform private.require_product_access(v_product_id);
  return v_product_id;
end;
$$;

-- The runs of a product or of one sprint, newest first, in pages. Definer: access is checked first; RLS would check it again for each row (specification: Sprint run).
create function operations.list_sprint_runs(
  p_product_id uuid, p_sprint_id uuid default null, p_limit integer default 20, p_cursor text default null
) returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_limit integer := least(greatest(coalesce(p_limit, 20), 1), 100);
begin
  perform private.require_product_access(p_product_id);
  return (select private.page_json('runs', array_agg(private.run_json(r, false) order by r.created_at desc, r.id desc),
    array_agg(private.cursor_of(r.id, private.microseconds(r.created_at)) order by r.created_at desc, r.id desc), v_limit)
  from (
    select x.* from public.sprint_runs x
    where x.product_id = p_product_id
      and (p_sprint_id is null or x.sprint_id = p_sprint_id)
      and (p_cursor is null or (x.created_at, x.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) r);
end;
$$;
grant execute on function operations.list_sprint_runs to authenticated;

-- The unfinished run of a task, by its job or its execution record in a batch (specification: Task, becomes failed).
create function private.active_run_of_task(p_task_id uuid)
returns public.sprint_runs language plpgsql stable set search_path = '' as $$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run
  from public.sprint_runs r
  where r.status in ('QUEUED', 'RUNNING', 'PAUSED')
    and r.id in (
      select j.sprint_run_id from public.agent_jobs j where j.task_id = p_task_id
      union all
      select e.sprint_run_id from public.task_executions e where e.task_id = p_task_id
    )
  limit 1;
  return v_run;
end;
$$;

-- Codes become parts of branch names, and git refuses some of what codes may contain (`..`, a dot at an end, `.lock`).
-- A changed code gets a piece of its id, so that two codes never share a branch (specification: Sprint run, branch).
create function private.branch_part(p_code text, p_id uuid)
returns text language plpgsql immutable set search_path = '' as $$
begin
  if p_code ~ '^[A-Za-z0-9_][A-Za-z0-9_-]*$' then
    return p_code;
  end if;
  return trim('-' from regexp_replace(p_code, '[^A-Za-z0-9_-]+', '-', 'g')) || '-' || left(p_id::text, 8);
end;
$$;

-- Work returns to its run, and branch queues advance, only until its end (specification: Sprint run).
create function private.is_run_unfinished(p_sprint_run_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.sprint_runs r where r.id = p_sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'));
end;
$$;

-- What the jobs of a run are shown as, in order: work that waits for a review is not waiting for a worker.
create function private.job_states(p_sprint_run_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(case when j.status = 'QUEUED' and j.phase = 'review' then 'REVIEW' else j.status::text end order by j.position, j.id), '[]')
    from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id);
end;
$$;
grant execute on function private.job_states to authenticated;

-- The contract's fields, job counts, tokens and cost; optionally jobs and executions (specification: Sprint run).
create function private.run_json(p_run public.sprint_runs, p_with_jobs boolean)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_totals jsonb;
  v_run jsonb;
  v_costs jsonb;
begin
  -- One sum per currency (specification: Model price).
  select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]') into v_costs
  from (
    select e.currency, round(sum(e.cost), 6) as cost from public.usage_events e
    where e.product_id = p_run.product_id and e.sprint_run_id = p_run.id and e.cost is not null and not e.subscription
    group by e.currency) s;
  select jsonb_build_object(
    'jobs_total', count(*),
    'counts', jsonb_build_object(
      'queued', count(*) filter (where j.status = 'QUEUED'),
      'claimed', count(*) filter (where j.status = 'CLAIMED'),
      'running', count(*) filter (where j.status = 'RUNNING'),
      'done', count(*) filter (where j.status = 'DONE'),
      'failed', count(*) filter (where j.status = 'FAILED'),
      'cancelled', count(*) filter (where j.status = 'CANCELLED'),
      'skipped', count(*) filter (where j.status = 'SKIPPED')),
    'input_tokens', sum(j.input_tokens),
    'output_tokens', sum(j.output_tokens),
    'cache_read_tokens', sum(j.cache_read_tokens),
    'cache_write_tokens', sum(j.cache_write_tokens),
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end)
  into v_totals
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id;

  v_run := to_jsonb(p_run) || v_totals || jsonb_build_object(
    'status', lower(p_run.status::text),
    'sprint_code', (select s.code from public.sprints s where s.id = p_run.sprint_id),
    'subject', private.run_subject(p_run),
    'waits_for', private.run_waits(p_run),
    'started_by_name', private.username(p_run.started_by));
  if not p_with_jobs then
    return v_run;
  end if;

  return v_run || jsonb_build_object(
    'jobs', (
      select coalesce(jsonb_agg(private.job_json(j) order by j.position, j.id), '[]')
      from public.agent_jobs j where j.sprint_run_id = p_run.id),
    'executions', (
      select coalesce(jsonb_agg(private.execution_json(e) order by e.position), '[]')
      from public.task_executions e where e.sprint_run_id = p_run.id),
    'overlaps', private.run_overlaps(p_run),
    'pause_question', (
      select private.question_json(q) from public.agent_questions q where q.id = p_run.pause_question_id
        and (q.reader_id is null or q.reader_id = auth.uid())));
end;
$$;

-- Messages and pages name what a run works on: its sprint, its only task or story, or the first of several tasks.
create function private.run_subject(p_run public.sprint_runs)
returns text language plpgsql stable set search_path = '' as $$
begin
  if p_run.sprint_id is not null then
    return 'sprint ' || (select s.code from public.sprints s where s.id = p_run.sprint_id);
  end if;
  return (
    select case
        when count(*) = 0 then 'no task'
        when count(*) = 1 then min(t.code)
        when count(distinct t.story_id) = 1 then min(s.code)
        else format('%s and %s more', (array_agg(t.code order by x.position))[1], count(*) - 1) end
    from private.run_tasks(p_run.id) x
    join public.tasks t on t.id = x.task_id
    join public.stories s on s.id = t.story_id);
end;
$$;

-- The one place that says whether a run waits only for people: no one works, nothing can be claimed, and reviews or
-- answers are open. Returns how many of each, otherwise null. Pages name such a run by this.
-- Definer: a question for someone else is hidden from the caller, and is waited for all the same (docs/running.md).
create function private.run_waits(p_run public.sprint_runs)
returns jsonb language plpgsql stable security definer set search_path = '' as $$
declare
  v record;
begin
  if p_run.status not in ('QUEUED', 'RUNNING') then
    return null;
  end if;
  select count(*) filter (where j.phase = 'review' and p.done_requires <> 'ci') as reviews,
    count(*) filter (where q.status = 'OPEN') as answers,
    bool_or(j.status <> 'QUEUED') as works
  into v
  from public.agent_jobs j
  join public.products p on p.id = p_run.product_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  -- The gates of each job are read last, and of most runs not at all.
  if v.works or v.reviews + v.answers = 0 or exists (
    select from public.agent_jobs j
    where j.sprint_run_id = p_run.id and j.status = 'QUEUED'
      and not (select g.gates from private.job_gates g where g.id = j.id) && '{review,question,plan,dependency,order}')
  then
    return null;
  end if;
  return jsonb_build_object('reviews', v.reviews, 'answers', v.answers);
end;
$$;
grant execute on function private.run_waits to authenticated;

-- A story has one branch, which its next run continues. It gets a new numbered name once that branch is at work in
-- another run, has landed, or was abandoned because a person started the story over. Products of one owner that share a
-- repository never share a branch, and no name equals the folder of another branch (specification: Sprint run, branch).
create function private.story_branch(p_story_id uuid) returns text language plpgsql stable set search_path = '' as $$
declare
  v_story public.stories;
  v_part text;
  v_base text;
  v_newest record;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  v_part := private.branch_part(v_story.code, v_story.id);
  if lower(v_part) in ('kept', 'work')
    or exists (select from public.products p where lower(private.branch_part(p.code, p.id)) = lower(v_part))
    or exists (
      select from public.products p
      join public.products o on o.owner_id = p.owner_id and o.repo_url = p.repo_url and o.repo_url <> '' and o.id <> p.id
      join public.stories s on s.product_id = o.id and s.code = v_story.code
      join public.tasks t on t.story_id = s.id
      cross join lateral (
        select j.sprint_run_id from public.agent_jobs j where j.task_id = t.id
        union all
        select e.sprint_run_id from public.task_executions e where e.task_id = t.id) x
      join public.sprint_runs r on r.id = x.sprint_run_id and r.sprint_id is null
      where p.id = v_story.product_id)
  then
    v_part := v_part || '-' || left(v_story.id::text, 8);
  end if;
  v_base := (select p.branch_prefix from public.products p where p.id = v_story.product_id) || '/' || v_part;

  select u.branch, u.at_work, u.has_work, coalesce(nullif(substring(u.branch from length(v_base) + 2), '')::integer, 1) as number into v_newest
  from (
    select x.branch, bool_or(x.at_work) as at_work, bool_or(x.has_work) as has_work
    from public.tasks t
    cross join lateral (
      select a.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED') as at_work, a.pushed_at is not null or a.status = 'DONE' as has_work
      from private.works a join public.sprint_runs r on r.id = a.sprint_run_id
      where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and r.sprint_id is null
      union all
      select r.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED'), e.status = 'DONE'
      from public.task_executions e join public.sprint_runs r on r.id = e.sprint_run_id
      where e.task_id = t.id and r.sprint_id is null
    ) x
    where t.story_id = p_story_id and starts_with(x.branch, v_base) and substr(x.branch, length(v_base) + 1) ~ '^(-[1-9][0-9]{0,5})?$'
    group by x.branch
  ) u
  order by number desc
  limit 1;
  if v_newest.branch is null then
    return v_base;
  end if;
  if not v_newest.at_work and (not v_newest.has_work
    or exists (select from private.unlanded_work(array[p_story_id]) w where w.branch = v_newest.branch))
  then
    return v_newest.branch;
  end if;
  return v_base || '-' || v_newest.number + 1;
end;
$$;

-- The one place that decides which tasks a run takes when it starts, resumes or retries: those that are neither
-- done nor waiting for a review. Work in review is done as far as agents go; doing it again would pay twice and
-- change the work under its reviewer (specification: Starting a sprint run 2).
create function private.tasks_to_start(p_task_ids uuid[])
returns uuid[] language plpgsql stable set search_path = '' as $$
begin
  return array(
    select t.id
    from unnest(p_task_ids) i (id)
    -- Task by task: a plan for many would read all tasks of all products.
    cross join lateral (select k.id, k.status from public.tasks k where k.id = i.id offset 0) t
    where t.status not in ('DONE', 'REVIEW'));
end;
$$;
