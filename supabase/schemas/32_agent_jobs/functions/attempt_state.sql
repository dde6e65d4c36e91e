-- Why: each claim is a numbered attempt, and every later word of a worker carries the number. Answers how the given
-- attempt stands: held, cancelled, finished, handed_over (to another phase), parked, requeued or lost. Only the user of the worker that claimed can hold it.
-- A lease that has run out but was not taken away yet still counts as held: nobody else works on the job.
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
    when p_job.failure_class = 'rate_limited' then 'requeued'
    when exists (select from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt and a.outcome = 'done') then 'handed_over'
    when num_nonnulls(p_job.parked_question_id, p_job.stopped_by_budget_id) > 0 and p_job.failure_class is null then 'parked'
    else 'lost'
  end;
end;
$$;

comment on function private.attempt_state is 'Whether an attempt still holds its job (specification: Agent job; attempts).';
