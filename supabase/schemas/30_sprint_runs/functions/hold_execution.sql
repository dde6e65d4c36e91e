-- Why: only the attempt that holds the batch job may report its tasks.
create function private.hold_execution(p_job public.agent_jobs, p_task_id uuid)
returns public.task_executions
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_execution public.task_executions;
begin
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'This job is not a batch. Report it with update_job_status.');
  end if;
  select e.* into v_execution from public.task_executions e
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id for update;
  if not found then
    perform private.refuse(404, 'This task is not, or no longer, part of the batch run. You still hold the job: continue with the next task.');
  end if;
  return v_execution;
end;
$$;

comment on function private.hold_execution is
  'The execution of a task in a batch run (specification: Sprint run, executions).';
