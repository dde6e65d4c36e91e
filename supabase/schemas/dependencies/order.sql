-- Which jobs can run at once and which come later, by branch queue and blockers. Definer: access is checked first.
create function private.run_order(p_sprint_run_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_run(p_sprint_run_id);
  return (
    select coalesce(json_agg(json_build_object('job_id', j.id, 'lane', j.lane_id, 'blocked_by', (
      select coalesce(json_agg(json_build_object('id', b.blocker_id, 'code', b.code, 'resolved', b.resolved) order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = j.task_id)) order by j.position, j.id), '[]')
    from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.kind = 'TASK_IMPLEMENTATION'
  );
end;
$$;
grant execute on function private.run_order to authenticated;

-- Kept for processes of 0.4.0, whose page of a run calls it until they are replaced.
create function operations.list_run_order(p_sprint_run_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  return private.run_order(p_sprint_run_id);
end;
$$;
grant execute on function operations.list_run_order to authenticated;

-- A blocker of a task in a batch may come with the batch: what has ended on its branch is there, even if a person
-- has yet to review it or has reopened it, and what this run has yet to do (unless p_ended) will be there in time. True
-- if every task of the blocker is there, or is done elsewhere with its code available. For a task worked on twice on
-- this branch, the last time counts (docs/dependencies.md).
create function private.comes_with_batch(
  p_sprint_run_id uuid, p_waiting_id uuid, p_kind text, p_blocker_id uuid, p_ended boolean
) returns boolean language plpgsql stable set search_path = '' as $$
declare
  v_branch text := (select r.branch from public.sprint_runs r where r.id = p_sprint_run_id);
begin
  return (
    select count(e.status) > 0 and bool_and(
      coalesce(e.status in ('DONE', 'SKIPPED')
        or not p_ended and e.sprint_run_id = p_sprint_run_id and e.status in ('PENDING', 'RUNNING'), false)
      or t.status = 'DONE' and private.has_arrived(p_waiting_id, 'task', t.id, t.product_id, v_branch))
    from public.tasks t
    left join lateral (
      select x.status, x.sprint_run_id
      from public.task_executions x
      join public.sprint_runs r on r.id = x.sprint_run_id
      where x.task_id = t.id and r.product_id = t.product_id and r.branch = v_branch
      order by r.created_at desc, r.id desc
      limit 1
    ) e on true
    where p_kind = 'task' and t.id = p_blocker_id or p_kind = 'story' and t.story_id = p_blocker_id
  );
end;
$$;

-- A run orders itself, so nothing in it is blocked forever, with one exception: if work must be on the main branch to
-- release others and each story has its own branch, two branches whose tasks block each other can never be merged:
-- neither is complete before the other is merged. Returns each dependency of such a cycle, so that a person can remove
-- it. Looks at stories by their open tasks; work on main blocks nothing (docs/dependencies.md).
create function private.deadlock_blockers(p_product public.products, p_task_ids uuid[], p_story_ids uuid[])
returns jsonb language plpgsql volatile set search_path = '' as $$
begin
  if p_product.dependency_release <> 'merged' or p_product.pr_strategy <> 'STORY' then
    return '[]';
  end if;
  return (
    with recursive edges as materialized (
      select k.kind, k.blocker_id, k.code as blocker_code, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        s.sort_order, bs.id as blocker_story_id, bs.code as blocker_story_code
      from unnest(p_task_ids) i (id)
      cross join lateral (select x.* from public.tasks x where x.id = i.id offset 0) t
      join public.stories s on s.id = t.story_id
      join private.task_blockers k on k.task_id = t.id and not k.resolved
      left join public.tasks b on b.id = k.blocker_id
      join public.stories bs on bs.id = coalesce(b.story_id, k.blocker_id) and bs.id = any (p_story_ids) and bs.id <> s.id
    ), reach (from_id, to_id) as (
      select e.story_id, e.blocker_story_id from edges e
      union
      select r.from_id, e.blocker_story_id from reach r join edges e on e.story_id = r.to_id
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', 'dependency_deadlock',
      'message', format('%s needs the code of %s, but the branches of %s and %s depend on each other: neither can be merged first.',
        c.code, c.blocker_code, c.story_code, c.blocker_story_code),
      'task_id', c.task_id, 'task_code', c.task_code, 'story_id', c.story_id, 'story_code', c.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', c.kind, 'id', c.id, 'code', c.code, 'blocker_id', c.blocker_id, 'blocker_code', c.blocker_code,
        'joining_story_id', null, 'joining_story_code', null)
    ) order by c.sort_order, c.code, c.blocker_code), '[]')
    from (
      select distinct e.kind, case e.kind when 'task' then e.task_id else e.story_id end as id,
        case e.kind when 'task' then e.task_code else e.story_code end as code, e.blocker_id, e.blocker_code,
        case e.kind when 'task' then e.task_id end as task_id, case e.kind when 'task' then e.task_code end as task_code,
        e.story_id, e.story_code, e.sort_order, e.blocker_story_code
      from edges e
      where exists (select from reach r where r.from_id = e.blocker_story_id and r.to_id = e.story_id)
    ) c
  );
end;
$$;

-- Tasks keep their given order, except that blockers come before what they block. Tasks and stories are nodes (a
-- blocked story starts after the end of its blocker); each node is visited after everything it needs.
create function private.order_by_dependencies(p_task_ids uuid[])
returns uuid[] language plpgsql stable set search_path = '' as $$
declare
  v_count integer := cardinality(p_task_ids);
  v_nodes integer;
  v_from integer[];
  v_needs integer[];
  v_next integer[];
  v_last integer[];
  v_state integer[];
  v_stack integer[] := '{}';
  v_depth integer := 0;
  v_node integer;
  v_need integer;
  v_ordered uuid[] := '{}';
  v_placed integer := 0;
begin
  if not exists (
    select from public.task_dependencies d where d.blocked_id = any (p_task_ids) and d.blocker_id = any (p_task_ids)
    union all
    select from public.story_dependencies d
    where d.blocked_id in (select t.story_id from public.tasks t where t.id = any (p_task_ids))
  ) then
    return p_task_ids;
  end if;

  -- Nodes 1 to n are the tasks, after them a start and an end for each story.
  with tasks as (
    select t.id, t.story_id, x.place::integer as node
    from unnest(p_task_ids) with ordinality x (id, place) join public.tasks t on t.id = x.id
  ), stories as (
    select s.story_id as id, v_count + 2 * row_number() over (order by s.first)::integer as ending
    from (select t.story_id, min(t.node) as first from tasks t group by t.story_id) s
  ), needs (node, need) as (
    select b.node, a.node from public.task_dependencies d join tasks b on b.id = d.blocked_id join tasks a on a.id = d.blocker_id
    union all
    select t.node, s.ending - 1 from tasks t join stories s on s.id = t.story_id
    union all
    select b.ending - 1, a.ending from public.story_dependencies d
    join stories b on b.id = d.blocked_id join stories a on a.id = d.blocker_id
    union all
    select s.ending, t.node from tasks t join stories s on s.id = t.story_id
  )
  select v_count + 2 * (select count(*) from stories), array_agg(n.node order by n.node, n.need), array_agg(n.need order by n.node, n.need)
  into v_nodes, v_from, v_needs
  from needs n;

  v_state := array_fill(0, array[v_nodes]);
  v_next := array_fill(1, array[v_nodes]);
  v_last := array_fill(0, array[v_nodes]);
  for v_edge in 1 .. coalesce(cardinality(v_from), 0) loop
    v_node := v_from[v_edge];
    if v_last[v_node] = 0 then
      v_next[v_node] := v_edge;
    end if;
    v_last[v_node] := v_edge;
  end loop;

  for v_start in 1 .. v_count loop
    continue when v_state[v_start] > 0;
    v_state[v_start] := 1;
    v_depth := 1;
    v_stack[1] := v_start;
    while v_depth > 0 loop
      v_node := v_stack[v_depth];
      if v_next[v_node] <= v_last[v_node] then
        v_need := v_needs[v_next[v_node]];
        v_next[v_node] := v_next[v_node] + 1;
        if v_state[v_need] = 0 then
          v_state[v_need] := 1;
          v_depth := v_depth + 1;
          v_stack[v_depth] := v_need;
        end if;
        continue;
      end if;
      v_depth := v_depth - 1;
      if v_node <= v_count then
        v_placed := v_placed + 1;
        v_ordered[v_placed] := p_task_ids[v_node];
      end if;
    end loop;
  end loop;
  return v_ordered;
end;
$$;

-- A dependency may be added during a run. Jobs that have not begun are then reordered, so that nothing comes before its
-- blockers; what has begun keeps its place. Called under the exclusive product lock (specification: Sprint run).
create function private.order_runs(p_product_id uuid) returns void language plpgsql volatile set search_path = '' as $$
declare
  v_run_id uuid;
begin
  for v_run_id in
    select r.id from public.sprint_runs r where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED') order by r.id
  loop
    with waiting as (
      select array_agg(j.task_id order by j.position) as ids, array_agg(j.position order by j.position) as places
      from public.agent_jobs j
      where j.sprint_run_id = v_run_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'QUEUED' and j.attempt = 0
    ), ordered as (
      select x.id, w.places[x.place] as position
      from waiting w cross join lateral unnest(private.order_by_dependencies(w.ids)) with ordinality x (id, place)
    )
    update public.agent_jobs j
    set position = o.position
    from ordered o
    where j.sprint_run_id = v_run_id and j.task_id = o.id and j.position <> o.position;
    perform private.pass_turn(v_run_id, l.lane_id)
    from (select distinct j.lane_id from public.agent_jobs j where j.sprint_run_id = v_run_id and j.status = 'QUEUED') l;

    with waiting as (
      select array_agg(e.task_id order by e.position) as ids, array_agg(e.position order by e.position) as places
      from public.task_executions e where e.sprint_run_id = v_run_id and e.status = 'PENDING'
    ), ordered as (
      select x.id, w.places[x.place] as position
      from waiting w cross join lateral unnest(private.order_by_dependencies(w.ids)) with ordinality x (id, place)
    )
    update public.task_executions e
    set position = o.position
    from ordered o
    where e.sprint_run_id = v_run_id and e.task_id = o.id and e.position <> o.position;
  end loop;
end;
$$;

-- The jobs of a branch queue run one after another, but one that is blocked elsewhere must not hold up unblocked
-- jobs behind it. Only a job that never began passes its turn on, because one that began has work on the branch; except
-- when its blocker is in the same queue, or nothing would ever begin. A job in review has no turn to pass on, and while
-- a job of the queue is held no one gets one: its end brings the next (specification: Agent job).
create function private.pass_turn(p_sprint_run_id uuid, p_lane_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_next_id uuid;
begin
  select n.id into v_next_id
  from public.agent_jobs n
  where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id
    and n.status = 'QUEUED' and not n.in_turn and n.open_blockers = 0 and n.phase <> 'review' and not private.awaits_choice(n)
  order by n.position
  limit 1;
  if v_next_id is null then
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_sprint_run_id and j.lane_id = p_lane_id
    and j.in_turn and j.status = 'QUEUED' and j.phase <> 'review' and j.open_blockers > 0
    and (j.attempt = 0 or exists (
      select from private.task_blockers b
      join public.tasks t on b.blocker_id in (t.id, t.story_id)
      join public.agent_jobs w on w.task_id = t.id and w.sprint_run_id = j.sprint_run_id and w.lane_id = j.lane_id
      where b.task_id = j.task_id and not b.resolved and w.status = 'QUEUED'));
  if found and not private.is_lane_held(p_sprint_run_id, p_lane_id) then
    update public.agent_jobs j set in_turn = true where j.id = v_next_id;
  end if;
end;
$$;

-- A run's tasks: dependencies first, then the contract's order (specification: Starting a sprint run 2).
create function private.run_scope(p_task_ids uuid[])
returns table (task_id uuid, story_id uuid, story_code text, place integer)
language plpgsql stable set search_path = '' as $$
declare
  v_ordered uuid[] := private.order_by_dependencies(
    (select coalesce(array_agg(s.task_id order by s.place), '{}') from private.tasks_in_order(p_task_ids) s));
begin
  return query
    select x.id, s.id, s.code, x.place::integer
    from unnest(v_ordered) with ordinality x (id, place)
    join public.tasks t on t.id = x.id
    join public.stories s on s.id = t.story_id
    order by x.place;
end;
$$;

-- The task of a job, or all tasks of a batch.
create function private.tasks_of_job(p_job public.agent_jobs)
returns uuid[] language plpgsql stable set search_path = '' as $$
begin
  return private.tasks_of_work(p_job.kind, p_job.task_id, p_job.sprint_run_id);
end;
$$;
