-- Why: each claim is a numbered attempt, and every later call of a worker carries the number. Returns the state of an
-- attempt: held; a state of its own (cancelled, finished, handed_over to another phase, parked with a question, stopped
-- by a budget, requeued by a limit, sent_home by a conflict, returned by its worker, failed_look of a verifier) while
-- nobody else has the job; or lost. The outcome is kept in the attempt's row, which later changes of the job do not
-- touch. Only the user of the claiming worker can hold it.
-- An expired lease that was not taken back yet still counts as held: nobody else works on the job.
create function private.attempt_state(p_job public.agent_jobs, p_attempt integer)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_attempt is distinct from p_job.attempt or p_job.attempt = 0 then
    return 'lost';
  end if;
  if not exists (
    select from public.agent_workers w where w.id = p_job.worker_id and w.user_id = auth.uid()
  ) then
    return 'lost';
  end if;
  return case
    when p_job.status in ('CLAIMED', 'RUNNING') then 'held'
    when p_job.status = 'CANCELLED' then 'cancelled'
    when p_job.status <> 'QUEUED' then 'finished'
    else coalesce((
      select case a.outcome
        when 'rate_limited' then 'requeued'
        when 'done' then 'handed_over'
        when 'question' then 'parked'
        when 'budget' then 'budget'
        when 'conflict' then 'sent_home'
        when 'returned' then 'returned'
        when 'failed_look' then 'failed_look'
      end
      from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt), 'lost')
  end;
end;
$$;

comment on function private.attempt_state is 'Whether an attempt still holds its job (specification: Agent job; attempts).';
