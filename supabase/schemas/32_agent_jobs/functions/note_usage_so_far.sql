-- Why: a heartbeat reports the attempt's usage since the last line of the ledger. Called while the job's row is locked,
-- so that a line written in between is seen: it already includes these tokens.
create function private.note_usage_so_far(p_job public.agent_jobs, p_usage jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_after bigint := coalesce((p_usage ->> 'after_seq')::bigint, 0);
begin
  delete from public.usage_so_far s where s.job_id = p_job.id and s.attempt = p_job.attempt and s.after_seq < v_after;
  if exists (
    select from public.usage_events e where e.job_id = p_job.id and e.attempt = p_job.attempt and e.seq > v_after
  ) then
    return;
  end if;
  insert into public.usage_so_far as s (job_id, attempt, model_id, after_seq, product_id, task_id, sprint_run_id, worker_id,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, subscription)
  select distinct on (x.model_id) p_job.id, p_job.attempt, x.model_id, v_after, p_job.product_id, p_job.task_id,
    p_job.sprint_run_id, p_job.worker_id, e.input_tokens, e.output_tokens, e.cache_read_tokens, e.cache_write_tokens,
    (u.value ->> 'cost')::numeric, p.rates, p.cost, p.currency, p.source, coalesce((u.value ->> 'subscription')::boolean, false)
  from jsonb_array_elements(p_usage -> 'models') u
  cross join lateral jsonb_to_record(u.value)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint)
  cross join lateral (select coalesce(left(u.value ->> 'model_id', 200), '') as model_id) x
  cross join lateral private.price_usage(u.value) p
  on conflict (job_id, attempt, model_id) do update
  set after_seq = excluded.after_seq, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
      cache_read_tokens = excluded.cache_read_tokens, cache_write_tokens = excluded.cache_write_tokens,
      reported_cost = excluded.reported_cost, rates = excluded.rates, cost = excluded.cost, currency = excluded.currency,
      source = excluded.source, subscription = excluded.subscription, told_at = private.now();
end;
$$;

comment on function private.note_usage_so_far is
  'Keeps what an attempt has used so far (specification: Agent job, token usage).';
