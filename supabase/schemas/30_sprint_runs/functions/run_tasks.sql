-- Why: the tasks of a run: those of its jobs, or in a batch of its execution records.
create function private.run_tasks(p_sprint_run_id uuid)
returns table (task_id uuid, "position" integer)
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
    select j.task_id, j.position from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.kind = 'TASK_IMPLEMENTATION'
    union all
    select e.task_id, e.position from public.task_executions e where e.sprint_run_id = p_sprint_run_id;
end;
$$;

comment on function private.run_tasks is 'The tasks of a run with their places (specification: Sprint run).';
