-- Why: a worker that stops normally returns its job: nothing went wrong, so no retry or failure is recorded. Called
-- under the product lock.
create function private.give_back_job(p_job public.agent_jobs)
returns public.agent_job_status
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = 'QUEUED', failure_class = null, lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  return v_status;
end;
$$;

comment on function private.give_back_job is
  'QUEUED again without a retry: its worker stopped in order (specification: Agent job).';
