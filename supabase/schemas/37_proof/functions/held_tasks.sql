-- Why: the last task of a story in a batch is done for the batch, but stays in review until its story is proven.
create function private.held_tasks(p_sprint_run_id uuid)
returns setof public.tasks
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
  select t.* from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_sprint_run_id and e.status = 'DONE' and t.status = 'REVIEW';
end;
$$;

comment on function private.held_tasks is 'Tasks of a batch that wait for the proof of their story (docs/proof.md).';
