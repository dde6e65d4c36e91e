-- Why: a sprint run works on the tasks of its sprint that a start takes.
create function private.sprint_task_ids(p_sprint_id uuid)
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.tasks_to_start(array(
    select t.id
    from public.stories s
    -- Story by story: a plan for many stories would read all tasks of all products.
    cross join lateral (select k.id from public.tasks k where k.story_id = s.id offset 0) t
    where s.sprint_id = p_sprint_id));
end;
$$;

comment on function private.sprint_task_ids is 'The tasks that a run of a sprint takes (specification: Starting a sprint run 2).';
