-- Why: a sprint run works on the sprint's tasks that are not done.
create function private.sprint_task_ids(p_sprint_id uuid)
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
begin
  return array(
    select t.id
    from public.stories s
    -- Story by story: a plan for many stories would read all tasks of all products.
    cross join lateral (select k.id from public.tasks k where k.story_id = s.id and k.status <> 'DONE' offset 0) t
    where s.sprint_id = p_sprint_id);
end;
$$;

comment on function private.sprint_task_ids is 'Unfinished tasks of a sprint (specification: Starting a sprint run 2).';
