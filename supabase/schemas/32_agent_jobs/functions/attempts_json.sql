-- Why: the attempts of a job: worker, times, outcome and usage (docs/agents.md).
create function private.attempts_json(p_job_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'worker_id', a.worker_id, 'worker_name', a.worker_name,
      'confinement', a.confinement,
      'started_at', a.started_at, 'ended_at', a.ended_at, 'outcome', a.outcome, 'head_sha', a.head_sha,
      'session_id', a.session_id, 'kept_ref', a.kept_ref, 'last_seq', a.last_seq, 'output_bytes', a.output_bytes, 'usage', private.attempt_usage_json(a.job_id, a.attempt))
      order by a.attempt), '[]')
    from public.job_attempts a
    where a.job_id = p_job_id
  );
end;
$$;

comment on function private.attempts_json is 'The attempts of a job, oldest first (specification: Agent job; attempts).';

-- Why: the usage of one attempt. Null means "never reported"; the sources tell whether its cost was reported,
-- calculated from prices, or unknown.
create function private.attempt_usage_json(p_job_id uuid, p_attempt integer)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('input_tokens', sum(e.input_tokens), 'output_tokens', sum(e.output_tokens),
      'cache_read_tokens', sum(e.cache_read_tokens), 'cache_write_tokens', sum(e.cache_write_tokens),
      'estimated', coalesce(bool_or(e.estimated), false),
      'sources', coalesce(jsonb_agg(distinct e.source), '[]'),
      'costs', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
        from (
          select x.currency, round(sum(x.cost), 6) as cost
          from public.usage_events x
          where x.job_id = p_job_id and x.attempt = p_attempt and x.cost is not null and not x.subscription
          group by x.currency
        ) s))
    from public.usage_events e
    where e.job_id = p_job_id and e.attempt = p_attempt
  );
end;
$$;

comment on function private.attempt_usage_json is 'Tokens and cost of one attempt (specification: Agent job, token usage).';
