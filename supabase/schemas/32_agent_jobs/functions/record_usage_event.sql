-- Why: one line of the ledger, with the rates of this moment. The same seq of an attempt counts once.
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
