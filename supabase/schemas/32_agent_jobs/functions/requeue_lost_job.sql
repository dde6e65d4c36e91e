-- Why: a lost lease (expired, or its worker restarted) requeues the job with one more retry; after three retries it
-- fails and keeps the reason. Called under the product lock. The triggers carry a failure upwards.
create function private.requeue_lost_job(p_job public.agent_jobs, p_reason text)
returns public.agent_job_status
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = case when j.retry_count >= 3 then 'FAILED' else 'QUEUED' end::public.agent_job_status,
      retry_count = least(j.retry_count + 1, 3),
      failure_class = 'infrastructure',
      failure_reason = case when j.retry_count >= 3 then 'All 3 retries are used up. ' else '' end || p_reason,
      lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  if v_status is not null then
    perform nextval('private.lost_lease_seq');
  end if;
  return v_status;
end;
$$;

comment on function private.requeue_lost_job is
  'QUEUED again with a retry, or FAILED after three (specification: Agent job; lease lost).';
