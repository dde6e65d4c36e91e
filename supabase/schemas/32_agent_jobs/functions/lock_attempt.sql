-- Why: whatever is added to an attempt comes one after the other. A job that was claimed past the triggers has no row of its attempt yet.
create function private.lock_attempt(p_job public.agent_jobs, p_attempt integer)
returns public.job_attempts
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_attempt public.job_attempts;
begin
  select a.* into v_attempt from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt for update;
  if not found then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at)
    values (p_job.id, p_attempt, p_job.product_id, p_job.worker_id,
      (select w.name from public.agent_workers w where w.id = p_job.worker_id), coalesce(p_job.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    select a.* into v_attempt from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt for update;
  end if;
  return v_attempt;
end;
$$;

comment on function private.lock_attempt is 'The row of an attempt, locked (specification: Agent job; attempts).';
