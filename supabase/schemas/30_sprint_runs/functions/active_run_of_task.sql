-- Why: a task belongs to a run by its job, or in a batch by its execution record. Returns the unfinished run, if any.
create function private.active_run_of_task(p_task_id uuid)
returns public.sprint_runs
language plpgsql
stable
set search_path = ''
as $$
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

comment on function private.active_run_of_task is
  'The unfinished run that a task belongs to (specification: Task, becomes failed).';
