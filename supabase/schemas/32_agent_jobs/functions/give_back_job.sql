-- Why: a worker that ends in order hands its job back: nothing went wrong, so no retry is counted and no failure is noted.
-- Called under the product lock.
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
