-- Why: tasks keep their given order, except that blockers come before what they block. Tasks and stories are nodes (a
-- blocked story starts after the end of its blocker); each node is visited after everything it needs.
create function private.order_by_dependencies(p_task_ids uuid[])
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
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

comment on function private.order_by_dependencies is 'Tasks in their order, each after what it waits for.';
