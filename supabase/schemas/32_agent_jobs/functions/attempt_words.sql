-- Why: one message for an attempt that does not hold its job, in refusals and heartbeats alike: how it ended, and what
-- to do next.
create function private.attempt_words(p_job public.agent_jobs, p_attempt integer, p_state text)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_state = 'lost' and p_attempt = p_job.attempt and p_job.status in ('CLAIMED', 'RUNNING') then
    return format('Attempt %s of this job is held by %s. Only tokens of that user can report for it. Ask for a job of your own.',
      p_attempt, coalesce((
        select format('worker %s of %s', w.name, coalesce(private.username(w.user_id), 'another user'))
        from public.agent_workers w where w.id = p_job.worker_id), 'a worker of another user'));
  end if;
  return case p_state
    when 'cancelled' then format('This job was cancelled%s. Stop working on it and ask for the next one.',
      coalesce(': ' || rtrim(p_job.failure_reason, '. '), ''))
    when 'finished' then format('This job is already %s. Ask for the next one.', lower(p_job.status::text))
    when 'handed_over' then 'Your work on this job is done; it is waiting for a review by another worker or a person. Ask for the next one.'
    when 'parked' then 'This job is waiting for the answer to a question. It goes back to a worker once it is answered.'
    when 'budget' then coalesce((select private.budget_stop_text(b) from public.budgets b where b.id = p_job.stopped_by_budget_id),
      'This job was stopped by a budget. Ask for the next one.')
    when 'requeued' then 'This job went back to the queue until the rate limit ends. Ask for the next one.'
    when 'sent_home' then 'The work of this attempt does not merge, and the job went back to the queue with both versions. Ask for the next one.'
    when 'failed_look' then 'You could not review this work, so the job went back to the queue. Ask for the next one.'
    when 'returned' then 'This job was given back to the queue. Ask for the next one.'
    when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
    else format('Attempt %s no longer holds this job (it is at attempt %s, %s). Stop working on it and ask for the next one.',
      coalesce(p_attempt::text, '?'), p_job.attempt, lower(p_job.status::text))
  end;
end;
$$;

comment on function private.attempt_words is 'What a worker is told whose attempt does not hold its job (specification: Agent job; attempts).';
