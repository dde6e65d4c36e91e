-- All blockers of a start at once, each with ids for a link and a message (specification: Starting a sprint run
-- 1). For both kinds of runs: p_sprint is null for a run without a sprint. p_task_ids are the run's tasks, p_story_ids
-- the stories whose questions and PBIs are checked: all open ones of the sprint, or those of the tasks. Beyond the
-- contract's blockers: a sprint that is not active, no tasks, an unfinished run, tasks in another run, and chosen tasks
-- that are done or wait for a review.
create function private.run_blockers(
  p_sprint public.sprints, p_product public.products, p_task_ids uuid[], p_story_ids uuid[], p_plan_first boolean,
  p_use_description boolean
) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
begin
  return (
    with scope as materialized (select * from private.tasks_in_order(p_task_ids))
    select coalesce(jsonb_agg(jsonb_build_object('type', b.type, 'message', b.message,
      'task_id', b.task_id, 'task_code', b.task_code, 'story_id', b.story_id, 'story_code', b.story_code,
      'pbi_id', b.pbi_id, 'pbi_code', b.pbi_code, 'question_id', b.question_id, 'sprint_run_id', b.run_id)
      order by b.rank, b.place), '[]')
    from (
      select 1 as rank, 0 as place, 'sprint_not_active' as type,
        format('Sprint %s is %s. Start the sprint first.', p_sprint.code, lower(p_sprint.status::text)) as message,
        null::uuid as task_id, null as task_code, null::uuid as story_id, null as story_code,
        null::uuid as pbi_id, null as pbi_code, null::uuid as question_id, null::uuid as run_id
      where p_sprint.status <> 'ACTIVE'
      union all
      select 2, 0, case when r.are_open then 'only_reviews' else 'no_tasks' end,
        case when r.are_open then 'There is nothing to start: what is left waits for a review.'
          when p_sprint.id is null then 'There are no unfinished tasks.'
          else format('Sprint %s has no unfinished tasks.', p_sprint.code) end,
        null, null, null, null, null, null, null, null
      from (select exists (select from public.tasks t where t.story_id = any (p_story_ids) and t.status = 'REVIEW') as are_open) r
      where not exists (select from scope)
      union all
      select 3, 0, 'run_unfinished',
        format('A run of sprint %s is %s. Wait for it, resume it or cancel it.', p_sprint.code, lower(r.status::text)),
        null, null, null, null, null, null, null, r.id
      from public.sprint_runs r
      where r.sprint_id = p_sprint.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      union all
      select 3, sc.place, case when p_sprint.id is null then 'run_unfinished' else 'task_in_run' end,
        format('Task %s is in a run of %s that is %s. Wait for that run, resume it or cancel it.', sc.task_code, h.subject, h.status),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, h.run_id
      from private.held_by_runs(p_product.id, p_sprint.id is not null) h
      join scope sc on sc.task_id = h.task_id
      union all
      select 3, sc.place, case t.status when 'DONE' then 'task_done' else 'task_in_review' end,
        format(case t.status when 'DONE' then 'Task %s is done. Open it again, or leave it out.'
          else 'Task %s waits for a review. Review it, or leave it out.' end, sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.status from public.tasks k where k.id = sc.task_id offset 0) t
      where sc.task_id <> all (private.tasks_to_start(array[sc.task_id]))
      union all
      select 4, sc.place, 'task_no_plan', format(case when t.implementation_plan ~ '\S'
          then 'Task %s has a plan that no person wrote or approved. Write it yourself, or let its agent plan first.'
          else 'Task %s has no implementation plan.' end, sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      -- Each by its key: how long the list is cannot be foreseen, and a plan for many would read all tasks of all products.
      cross join lateral (
        select k.implementation_plan, k.description, k.status from public.tasks k where k.id = sc.task_id offset 0) t
      where not p_plan_first and t.status not in ('DONE', 'REVIEW')
        and case when p_product.plan_review = 'person' then private.decision_for('plan', sc.task_id) is null
          else coalesce(t.implementation_plan, '') !~ '\S' end
        and not (p_use_description and coalesce(t.implementation_plan, '') !~ '\S' and t.description ~ '\S'
          and not (p_product.plan_review = 'person' and private.is_token()))
      union all
      select 5, row_number() over (order by q.created_at, q.id)::integer, 'open_question',
        case when q.reader_id is null or q.reader_id = auth.uid() then format('Story %s has an open question: %s', s.code, left(q.question, 200))
          else format('Story %s waits for a permission that only %s can give.', s.code, private.username(q.reader_id)) end,
        q.task_id, t.code, s.id, s.code, s.pbi_id, null, q.id, null
      from public.stories s
      join public.agent_questions q on q.story_id = s.id
      left join public.tasks t on t.id = q.task_id
      where s.id = any (p_story_ids) and s.status <> 'DONE' and q.status = 'OPEN' and q.expires_at > v_now
        -- What is asked about a task that a run of its own leaves alone says nothing about the others.
        and (p_sprint.id is not null or q.task_id is null or q.task_id = any (p_task_ids))
      union all
      select distinct on (b.id) case b.status when 'BLOCKED' then 6 else 7 end, 0,
        case b.status when 'BLOCKED' then 'pbi_blocked' else 'pbi_failed' end,
        format('PBI %s is %s.', b.code, lower(b.status::text)) || case b.status when 'FAILED' then coalesce((
          select format(' Task %s failed: start it again, or set it to todo.', k.code)
          from public.stories f join public.tasks k on k.story_id = f.id
          where f.pbi_id = b.id and k.status = 'FAILED' order by f.sort_order, k.sort_order limit 1), '') else '' end,
        null::uuid, null, s.id, s.code, b.id, b.code, null::uuid, null::uuid
      from public.stories s
      cross join lateral (select k.id, k.code, k.status from public.pbis k where k.id = s.pbi_id offset 0) b
      where s.id = any (p_story_ids) and s.status <> 'DONE' and b.status in ('BLOCKED', 'FAILED')
      union all
      select 8, sc.place, 'task_cross_repo',
        format('Task %s belongs to %s, and a batch run only works in the product''s repository.', sc.task_code, t.repo_url),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.repo_url from public.tasks k where k.id = sc.task_id offset 0) t
      where p_product.pr_strategy = 'SPRINT_BATCH'
        and btrim(coalesce(t.repo_url, '')) not in ('', btrim(p_product.repo_url))
    ) b
  ) || private.dependency_blockers(p_sprint.id, p_task_ids, p_story_ids)
    || private.deadlock_blockers(p_product, p_task_ids, p_story_ids);
end;
$$;

-- The tasks of a run: those of its jobs, or in a batch of its execution records (specification: Sprint run).
create function private.run_tasks(p_sprint_run_id uuid)
returns table (task_id uuid, "position" integer) language plpgsql stable set search_path = '' as $$
begin
  return query
    select j.task_id, j.position from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.kind = 'TASK_IMPLEMENTATION'
    union all
    select e.task_id, e.position from public.task_executions e where e.sprint_run_id = p_sprint_run_id;
end;
$$;

-- Before a run is created, the chosen remedies are applied, and the remaining blockers reported at once. Tasks without
-- a plan are planned by their agent (p_plan_first, or the product's setting), or use their description as plan. With
-- p_leave_out the run starts with what is ready, and says why the rest is left out. PT409 with `blockers` when nothing
-- is left, or when a blocker affects all tasks. Called under the product lock (specification: Starting a sprint run 1).
create function private.settle_scope(
  p_sprint public.sprints, p_product public.products, inout task_ids uuid[], p_plan_first boolean, p_use_description boolean,
  p_leave_out boolean, out plan_first boolean, out left_out jsonb)
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_task_ids uuid[] := task_ids;
  v_story_ids uuid[] := case when p_sprint.id is null then private.stories_of_tasks(task_ids)
    else array(select s.id from public.stories s where s.sprint_id = p_sprint.id) end;
  v_plan_first boolean := private.plans_first(p_product, p_plan_first);
  v_all jsonb;
  v_blockers jsonb;
  v_next jsonb;
  v_left_out jsonb := '[]';
begin
  loop
    v_blockers := private.run_blockers(p_sprint, p_product, v_task_ids, v_story_ids, v_plan_first, coalesce(p_use_description, false));
    exit when v_blockers = '[]';
    v_all := coalesce(v_all, v_blockers);
    v_next := case when p_leave_out then private.kept_back(v_blockers, v_task_ids) else '[]' end;
    if v_next = '[]' then
      perform private.refuse(409, private.blockers_sentence(v_blockers), jsonb_build_object('blockers', v_blockers));
    end if;
    v_left_out := v_left_out || v_next;
    v_task_ids := array(
      select i from unnest(v_task_ids) i
      where i not in (select (x ->> 'task_id')::uuid from jsonb_array_elements(v_next) x));
    if v_task_ids = '{}' then
      perform private.refuse(409, private.blockers_sentence(v_all), jsonb_build_object('blockers', v_all));
    end if;
    v_story_ids := private.stories_of_tasks(v_task_ids);
  end loop;

  if p_use_description then
    update public.tasks t
    set implementation_plan = t.description
    where t.id = any (v_task_ids) and coalesce(t.implementation_plan, '') !~ '\S' and t.description ~ '\S';
  end if;
  task_ids := v_task_ids;
  plan_first := v_plan_first;
  left_out := v_left_out;
end;
$$;

-- A blocker keeps out its task, or all of its story or PBI. Each task gets its first reason, in run order.
create function private.kept_back(p_blockers jsonb, p_task_ids uuid[])
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('task_id', k.task_id, 'task_code', k.task_code, 'type', k.type, 'reason', k.message)
      order by k.place), '[]')
    from (
      select distinct on (sc.place) sc.place, sc.task_id, sc.task_code, b.value ->> 'type' as type, b.value ->> 'message' as message
      from jsonb_array_elements(p_blockers) with ordinality b
      join private.tasks_in_order(p_task_ids) sc on case
        when (b.value ->> 'task_id')::uuid = any (p_task_ids) then sc.task_id = (b.value ->> 'task_id')::uuid
        when b.value ->> 'pbi_code' is not null then sc.pbi_id = (b.value ->> 'pbi_id')::uuid
        else sc.story_id = (b.value ->> 'story_id')::uuid end
      order by sc.place, b.ordinality
    ) k
  );
end;
$$;

-- A refused start: the first three blockers in full, then how many more (specification: Starting a sprint run 1).
create function private.blockers_sentence(p_blockers jsonb)
returns text language plpgsql immutable set search_path = '' as $$
begin
  return 'The run cannot start. '
    || (
      select string_agg(b.value ->> 'message', ' ' order by b.ordinality)
      from jsonb_array_elements(p_blockers) with ordinality b
      where b.ordinality <= 3
    )
    || case when jsonb_array_length(p_blockers) > 3
      then format(' And %s more.', jsonb_array_length(p_blockers) - 3) else '' end;
end;
$$;

-- A sprint run works on the tasks of its sprint that a start takes (specification: Starting a sprint run 2).
create function private.sprint_task_ids(p_sprint_id uuid)
returns uuid[] language plpgsql stable set search_path = '' as $$
begin
  return private.tasks_to_start(array(
    select t.id
    from public.stories s
    -- Story by story: a plan for many stories would read all tasks of all products.
    cross join lateral (select k.id from public.tasks k where k.story_id = s.id offset 0) t
    where s.sprint_id = p_sprint_id));
end;
$$;

-- For a run without a sprint, the stories of its tasks are checked.
create function private.stories_of_tasks(p_task_ids uuid[])
returns uuid[] language plpgsql stable set search_path = '' as $$
begin
  return array(
    select distinct t.story_id
    from unnest(p_task_ids) i (id)
    cross join lateral (select k.story_id from public.tasks k where k.id = i.id offset 0) t);
end;
$$;

-- The tasks of a run in PBI, story, task order. Jobs, executions and blockers all start from this list, for the
-- tasks of a sprint and for chosen ones (specification: Starting a sprint run).
create function private.tasks_in_order(p_task_ids uuid[])
returns table (task_id uuid, task_code text, story_id uuid, story_code text, pbi_id uuid, place integer)
language plpgsql stable set search_path = '' as $$
begin
  return query
    select t.id, t.code, s.id, s.code, b.id,
      row_number() over (order by b.priority, b.sort_order, b.created_at, b.id,
        s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id)::integer
    from unnest(p_task_ids) i (id)
    -- Task by task: a plan for many tasks would read all tasks, stories and PBIs of all products.
    cross join lateral (
      select k.id, k.code, k.story_id, k.sort_order, k.created_at from public.tasks k where k.id = i.id offset 0) t
    cross join lateral (
      select k.id, k.code, k.pbi_id, k.sort_order, k.created_at from public.stories k where k.id = t.story_id offset 0) s
    cross join lateral (
      select k.id, k.priority, k.sort_order, k.created_at from public.pbis k where k.id = s.pbi_id offset 0) b;
end;
$$;
