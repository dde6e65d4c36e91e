-- Why: totals of the attempt and single events may come mixed and repeatedly; the job's numbers follow. They replace
-- what was reported of the current turn so far.
create function private.record_usage(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_has_totals boolean := num_nonnulls(p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens,
    p_report.cache_write_tokens) > 0;
begin
  if not v_has_totals and num_nonnulls(p_report.model_id, p_report.events) = 0 then
    return p_job;
  end if;
  if p_report.events is not null then
    perform private.record_usage_event(p_job, p_attempt, e.value) from jsonb_array_elements(p_report.events) e;
  end if;
  perform private.record_usage_total(p_job, p_attempt, p_report);
  delete from public.usage_so_far s
  where s.job_id = p_job.id and s.attempt = p_attempt and (v_has_totals or s.after_seq < (
    select max((e.value ->> 'seq')::bigint) from jsonb_array_elements(p_report.events) e));
  return private.sum_usage(p_job.id, p_report.model_id);
end;
$$;

comment on function private.record_usage is 'Writes down what a worker tells of its tokens (specification: Agent job, token usage).';

-- Why: the contract's report carries totals of an attempt. The part not yet in the ledger becomes a line, so that a
-- total sent twice, or after its single events, counts once. Null says nothing about a number.
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

-- Why: one line of the ledger, with the current rates. The same seq of an attempt counts once.
create function private.record_usage_event(p_job public.agent_jobs, p_attempt integer, p_event jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_priced record;
begin
  select * into v_priced from private.price_usage(p_event);
  insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, estimated,
    subscription)
  select p_job.product_id, p_job.id, p_job.task_id, p_job.sprint_run_id, p_job.worker_id, p_attempt,
    (p_event ->> 'seq')::bigint, left(p_event ->> 'model_id', 200), e.input_tokens, e.output_tokens, e.cache_read_tokens,
    e.cache_write_tokens, (p_event ->> 'cost')::numeric, v_priced.rates, v_priced.cost, v_priced.currency, v_priced.source,
    coalesce((p_event ->> 'estimated')::boolean, false), coalesce((p_event ->> 'subscription')::boolean, false)
  from jsonb_to_record(p_event)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint)
  on conflict (job_id, attempt, seq) do nothing;
end;
$$;

comment on function private.record_usage_event is
  'Writes one line of the ledger with the rates of this moment (specification: Agent job, token usage; Model price).';
