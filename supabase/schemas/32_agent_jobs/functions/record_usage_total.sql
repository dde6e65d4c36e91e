-- Why: the contract's report carries totals of an attempt. What the ledger does not hold yet of them becomes a line, so that
-- a total sent twice, or after its single events, counts once. Null says nothing about a number.
create function private.record_usage_total(
  p_job public.agent_jobs, p_attempt integer, p_model_id text, p_input bigint, p_output bigint, p_cache_read bigint,
  p_cache_write bigint)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_so_far record;
begin
  if least(p_input, p_output, p_cache_read, p_cache_write) < 0 then
    perform private.refuse(422, 'Token counts must not be negative.');
  end if;
  if num_nonnulls(p_input, p_output, p_cache_read, p_cache_write) = 0 then
    return;
  end if;
  select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
    sum(e.cache_write_tokens) as cache_write, least(coalesce(min(e.seq), 0), 0) - 1 as seq
  into v_so_far
  from public.usage_events e
  where e.job_id = p_job.id and e.attempt = p_attempt;

  if (p_input, p_output, p_cache_read, p_cache_write) is not distinct from (
    case when p_input is null then null else v_so_far.input end, case when p_output is null then null else v_so_far.output end,
    case when p_cache_read is null then null else v_so_far.cache_read end,
    case when p_cache_write is null then null else v_so_far.cache_write end) then
    return;
  end if;
  perform private.record_usage_event(p_job, p_attempt, jsonb_build_object(
    'seq', v_so_far.seq, 'model_id', coalesce(p_model_id, p_job.model_id),
    'input_tokens', p_input - coalesce(v_so_far.input, 0), 'output_tokens', p_output - coalesce(v_so_far.output, 0),
    'cache_read_tokens', p_cache_read - coalesce(v_so_far.cache_read, 0),
    'cache_write_tokens', p_cache_write - coalesce(v_so_far.cache_write, 0)));
end;
$$;

comment on function private.record_usage_total is
  'Writes what a total of an attempt adds to the ledger (specification: Agent job, token usage).';
