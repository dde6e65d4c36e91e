-- Why: a lost attempt changes nothing; the refusal says what to do next.
create function private.refuse_attempt(p_job public.agent_jobs, p_attempt integer, p_state text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.refuse(409, private.attempt_words(p_job, p_attempt, p_state),
    jsonb_build_object('state', p_state, 'status', lower(p_job.status::text), 'attempt', p_job.attempt));
end;
$$;

comment on function private.refuse_attempt is
  'PT409 for an attempt that does not hold its job (specification: Agent job; attempts).';
