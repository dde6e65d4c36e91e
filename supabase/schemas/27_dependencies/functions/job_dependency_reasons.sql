-- Why: for a job of one task the reasons of its task; for a batch those of its unfinished tasks that do not come with
-- the batch.
create function private.job_dependency_reasons(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_job.kind = 'TASK_IMPLEMENTATION' then
    return private.dependency_reasons(array[p_job.task_id]);
  end if;
  return private.dependency_reasons(array(
    select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')), p_job.sprint_run_id);
end;
$$;

comment on function private.job_dependency_reasons is 'What a job waits for, in codes and words (specification: Agent job).';
