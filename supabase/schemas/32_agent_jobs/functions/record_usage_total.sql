-- Why: the contract's report carries totals of an attempt. What the ledger does not hold yet of them becomes a line, so that
-- a total sent twice, or after its single events, counts once. Null says nothing about a number.
create function private.record_usage_total(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_so_far record;
begin
  if least(p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens, p_report.cache_write_tokens) < 0 then
    perform private.refuse(422, 'Token counts must not be negative.');
  end if;
  if num_nonnulls(p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens, p_report.cache_write_tokens) = 0 then
    return;
  end if;
  select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
    sum(e.cache_write_tokens) as cache_write, least(coalesce(min(e.seq), 0), 0) - 1 as seq
  into v_so_far
  from public.usage_events e
  where e.job_id = p_job.id and e.attempt = p_attempt;

  if coalesce(p_report.input_tokens = v_so_far.input, p_report.input_tokens is null)
    and coalesce(p_report.output_tokens = v_so_far.output, p_report.output_tokens is null)
    and coalesce(p_report.cache_read_tokens = v_so_far.cache_read, p_report.cache_read_tokens is null)
    and coalesce(p_report.cache_write_tokens = v_so_far.cache_write, p_report.cache_write_tokens is null) then
    return;
  end if;
  perform private.record_usage_event(p_job, p_attempt, jsonb_build_object(
    'seq', v_so_far.seq, 'model_id', coalesce(p_report.model_id, p_job.model_id),
    'input_tokens', p_report.input_tokens - coalesce(v_so_far.input, 0), 'output_tokens', p_report.output_tokens - coalesce(v_so_far.output, 0),
    'cache_read_tokens', p_report.cache_read_tokens - coalesce(v_so_far.cache_read, 0),
    'cache_write_tokens', p_report.cache_write_tokens - coalesce(v_so_far.cache_write, 0)));
end;
$$;

comment on function private.record_usage_total is
  'Writes what a total of an attempt adds to the ledger (specification: Agent job, token usage).';
