-- Why: usage that an attempt reported for a turn it never finished becomes an estimated line of the ledger: a killed
-- worker has used it all the same. Called when no more reports of the attempt can come.
create function private.keep_usage_so_far(p_job_id uuid, p_attempt integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  with told as (
    delete from public.usage_so_far s where s.job_id = p_job_id and s.attempt = p_attempt returning s.*
  )
  insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id, input_tokens,
    output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, estimated, subscription)
  select t.product_id, t.job_id, t.task_id, t.sprint_run_id, t.worker_id, t.attempt,
    least(coalesce((
      select min(e.seq) from public.usage_events e where e.job_id = p_job_id and e.attempt = p_attempt), 0), 0)
      - row_number() over (order by t.model_id),
    nullif(t.model_id, ''), t.input_tokens, t.output_tokens, t.cache_read_tokens, t.cache_write_tokens, t.reported_cost, t.rates,
    t.cost, t.currency, t.source, true, t.subscription
  from told t;
  if found then
    perform private.sum_usage(p_job_id, null);
  end if;
end;
$$;

comment on function private.keep_usage_so_far is
  'The last known usage of an attempt that died becomes part of the ledger (specification: Agent job, token usage).';
