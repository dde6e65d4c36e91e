-- Why: one line of the ledger. What the tool itself knows of its cost is kept as reported; else the model's price of this
-- moment makes it; else it has none. The same seq of an attempt counts once.
create function private.record_usage_event(p_job public.agent_jobs, p_attempt integer, p_event jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_price public.model_prices;
  v_reported numeric := (p_event ->> 'cost')::numeric;
begin
  select m.* into v_price from public.model_prices m where m.model_id = p_event ->> 'model_id';
  insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, estimated)
  select p_job.product_id, p_job.id, p_job.task_id, p_job.sprint_run_id, p_job.worker_id, p_attempt,
    (p_event ->> 'seq')::bigint, left(p_event ->> 'model_id', 200), e.input_tokens, e.output_tokens, e.cache_read_tokens,
    e.cache_write_tokens, v_reported,
    case when v_price.model_id is not null then jsonb_build_object('input', v_price.input_per_million,
      'output', v_price.output_per_million, 'cache_read', v_price.cache_read_per_million,
      'cache_write', v_price.cache_write_per_million, 'currency', v_price.currency) end,
    coalesce(v_reported, priced.cost),
    case when v_reported is not null then coalesce(p_event ->> 'currency', 'USD') when priced.cost is not null then v_price.currency end,
    case when v_reported is not null then 'reported' when priced.cost is not null then 'list_price' else 'unpriced' end,
    coalesce((p_event ->> 'estimated')::boolean, false)
  from jsonb_to_record(p_event)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint)
  cross join lateral (
    select case when v_price.model_id is not null
      and num_nonnulls(e.input_tokens, e.output_tokens, e.cache_read_tokens, e.cache_write_tokens) > 0
    then (
      coalesce(e.input_tokens, 0) * v_price.input_per_million + coalesce(e.output_tokens, 0) * v_price.output_per_million
      + coalesce(e.cache_read_tokens, 0) * v_price.cache_read_per_million
      + coalesce(e.cache_write_tokens, 0) * v_price.cache_write_per_million) / 1000000 end as cost
  ) priced
  on conflict (job_id, attempt, seq) do nothing;
end;
$$;

comment on function private.record_usage_event is
  'Writes one line of the ledger with the rates of this moment (specification: Agent job, token usage; Model price).';
