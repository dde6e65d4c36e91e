-- Why: most reports are only accepted from the attempt that holds the job, and each renews the lease as a heartbeat
-- does. Returns the job under the product lock, or PT409.
create function private.hold_job(p_job_id uuid, p_attempt integer)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_state text := private.attempt_state(v_job, p_attempt);
begin
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  update public.agent_jobs j set lease_until = private.now() + private.lease() where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$$;

comment on function private.hold_job is 'A job held by the given attempt, its lease renewed, or PT409 (specification: Agent job).';
