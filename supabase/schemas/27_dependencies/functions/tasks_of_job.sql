-- Why: the task of a job, or all tasks of a batch.
create function private.tasks_of_job(p_job public.agent_jobs)
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return array(select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id);
  end if;
  return array_remove(array[p_job.task_id], null);
end;
$$;

comment on function private.tasks_of_job is 'The tasks that a job works on.';
