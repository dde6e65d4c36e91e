-- Why: a lost attempt changes nothing and is told so, with what to do next.
create function private.refuse_attempt(p_job public.agent_jobs, p_attempt integer, p_state text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.refuse(409,
    case p_state
      when 'cancelled' then 'This job was cancelled. Stop working on it and ask for the next one.'
      when 'finished' then format('This job is already %s. Ask for the next one.', lower(p_job.status::text))
      when 'handed_over' then 'Your work on this job is done; it waits for another worker or a person to look at it. Ask for the next one.'
      when 'parked' then 'This job waits for the answer to a question. It comes back to a worker once it is answered.'
      when 'requeued' then 'This job went back to the queue until the rate limit ends. Ask for the next one.'
      else format('Attempt %s no longer holds this job (it is at attempt %s, %s). Stop working on it and ask for the next one.',
        coalesce(p_attempt::text, '?'), p_job.attempt, lower(p_job.status::text))
    end,
    jsonb_build_object('state', p_state, 'status', lower(p_job.status::text), 'attempt', p_job.attempt));
end;
$$;

comment on function private.refuse_attempt is
  'PT409 for an attempt that does not hold its job (specification: Agent job; attempts).';
