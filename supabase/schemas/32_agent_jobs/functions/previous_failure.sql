-- Why: whoever takes a task up again is told why the last attempt failed, also one of an earlier run.
create function private.previous_failure(p_job public.agent_jobs)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(p_job.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id and j.status = 'FAILED' and j.id <> p_job.id
    order by j.finished_at desc limit 1));
end;
$$;

comment on function private.previous_failure is 'Why the work failed the last time (specification: Agent job).';
