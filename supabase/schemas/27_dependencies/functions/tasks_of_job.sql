-- Why: the task of a job, or all tasks of a batch.
create function private.tasks_of_job(p_job public.agent_jobs)
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.tasks_of_work(p_job.kind, p_job.task_id, p_job.sprint_run_id);
end;
$$;

comment on function private.tasks_of_job is 'The tasks that a job works on.';
