-- Why: what a run works on: the tasks of the sprint that are not done, in PBI, story, task order. Jobs, executions and
-- blockers all start from this one list (specification: Starting a sprint run).
create function private.sprint_scope(p_sprint_id uuid)
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
    from public.stories s
    -- Story by story: a plan for many stories would read all PBIs and all tasks of all products.
    cross join lateral (
      select k.id, k.priority, k.sort_order, k.created_at from public.pbis k where k.id = s.pbi_id offset 0) b
    cross join lateral (
      select k.id, k.code, k.sort_order, k.created_at from public.tasks k
      where k.story_id = s.id and k.status <> 'DONE' offset 0) t
    where s.sprint_id = p_sprint_id;
end;
$$;

comment on function private.sprint_scope is
  'Unfinished tasks of a sprint in PBI, story, task order (specification: Starting a sprint run 2).';
