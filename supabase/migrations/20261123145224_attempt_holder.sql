-- Why: who speaks for an attempt that another user holds is told who that is, not that the attempt "no longer holds" its own job.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.attempt_words(p_job public.agent_jobs, p_attempt integer, p_state text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
    when 'handed_over' then 'Your work on this job is done; it waits for another worker or a person to look at it. Ask for the next one.'
    when 'parked' then 'This job waits for the answer to a question. It comes back to a worker once it is answered.'
    when 'budget' then coalesce((select private.budget_stop_text(b) from public.budgets b where b.id = p_job.stopped_by_budget_id),
      'This job was stopped by a budget. Ask for the next one.')
    when 'requeued' then 'This job went back to the queue until the rate limit ends. Ask for the next one.'
    when 'sent_home' then 'The work of this attempt does not merge, and the job went back to the queue with both versions. Ask for the next one.'
    when 'returned' then 'This job was given back to the queue. Ask for the next one.'
    when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
    else format('Attempt %s no longer holds this job (it is at attempt %s, %s). Stop working on it and ask for the next one.',
      coalesce(p_attempt::text, '?'), p_job.attempt, lower(p_job.status::text))
  end;
end;
$function$;
