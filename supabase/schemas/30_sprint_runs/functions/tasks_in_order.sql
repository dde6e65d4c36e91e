-- Why: the tasks of a run in PBI, story, task order. Jobs, executions and blockers all start from this list, for the
-- tasks of a sprint and for chosen ones (specification: Starting a sprint run).
create function private.tasks_in_order(p_task_ids uuid[])
returns table (task_id uuid, task_code text, story_id uuid, story_code text, pbi_id uuid, place integer)
language plpgsql
stable
set search_path = ''
as $$
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

comment on function private.tasks_in_order is 'Tasks in PBI, story, task order (specification: Starting a sprint run 2).';
