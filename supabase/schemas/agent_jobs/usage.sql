-- The ledger of tokens and money: usage is written once, with the prices of that moment, and never changed, so
-- later price changes affect only the future. The counts are disjoint: cached input is not in `input_tokens`. Null
-- means "never reported", zero "reported as zero". A total sent instead of single events is stored as the difference to
-- the attempt's earlier lines, with a negative seq. Rows stay when their job is cleaned up.
create table public.usage_events (
  id bigint generated always as identity primary key,
  product_id uuid not null references public.products (id) on delete cascade,
  job_id uuid references public.agent_jobs (id) on delete set null,
  task_id uuid references public.tasks (id) on delete set null,
  sprint_run_id uuid references public.sprint_runs (id) on delete set null,
  worker_id uuid references public.agent_workers (id) on delete set null,
  attempt integer not null,
  seq bigint not null constraint usage_events_seq_not_zero check (seq <> 0),
  model_id text constraint usage_events_model_id_length check (char_length(model_id) <= 200),
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  reported_cost numeric(16, 8),
  rates jsonb,
  cost numeric(16, 8),
  currency text constraint usage_events_currency_form check (currency ~ '^[A-Z]{3}$'),
  source text not null constraint usage_events_source_known check (source in ('reported', 'list_price', 'unpriced')),
  estimated boolean not null default false,
  subscription boolean not null default false,
  created_at timestamptz not null default private.now(),
  constraint usage_events_once unique (job_id, attempt, seq),
  constraint usage_events_cost_has_currency check ((cost is null) = (currency is null)),
  constraint usage_events_source_fits check ((source = 'unpriced') = (cost is null))
);

comment on table public.usage_events is
  'Tokens and cost of agents, written once with the prices of the moment (specification: Agent job, token usage; Model price).';

comment on column public.usage_events.subscription is 'Paid by a subscription: cost is the list price, and not charged.';
create index usage_events_product_id_idx on public.usage_events (product_id, created_at);

-- Later lines of a budget's subject; the last line of a worker.
create index usage_events_product_lines_idx on public.usage_events (product_id, id);
create index usage_events_task_id_idx on public.usage_events (task_id, id);
create index usage_events_sprint_run_id_idx on public.usage_events (sprint_run_id, id);
create index usage_events_worker_id_idx on public.usage_events (worker_id, id);

alter table public.usage_events enable row level security;

create policy usage_events_select on public.usage_events for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.usage_events to authenticated;

-- An attempt's usage since the last line of the ledger, as its heartbeats report it. Ledger lines are never
-- changed, and the usage of a turn is only certain at its end; until then this is the best estimate. The turn's lines
-- replace it. If the attempt dies before, it becomes a line marked as estimated.
create table public.usage_so_far (
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  attempt integer not null,
  model_id text not null default '' constraint usage_so_far_model_id_length check (char_length(model_id) <= 200),
  after_seq bigint not null default 0,
  product_id uuid not null references public.products (id) on delete cascade,
  task_id uuid references public.tasks (id) on delete set null,
  sprint_run_id uuid references public.sprint_runs (id) on delete set null,
  worker_id uuid references public.agent_workers (id) on delete set null,
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  reported_cost numeric(16, 8),
  rates jsonb,
  cost numeric(16, 8),
  currency text constraint usage_so_far_currency_form check (currency ~ '^[A-Z]{3}$'),
  source text not null constraint usage_so_far_source_known check (source in ('reported', 'list_price', 'unpriced')),
  subscription boolean not null default false,
  told_at timestamptz not null default private.now(),
  primary key (job_id, attempt, model_id)
);

comment on table public.usage_so_far is 'Tokens of turns in progress, one row per model, reported by heartbeats (specification: Agent job, token usage).';
comment on column public.usage_so_far.after_seq is 'Last ledger line the worker had reported for this attempt.';
create index usage_so_far_product_id_idx on public.usage_so_far (product_id, told_at);
create index usage_so_far_task_id_idx on public.usage_so_far (task_id);
create index usage_so_far_sprint_run_id_idx on public.usage_so_far (sprint_run_id);
create index usage_so_far_worker_id_idx on public.usage_so_far (worker_id);

alter table public.usage_so_far enable row level security;

create policy usage_so_far_select on public.usage_so_far for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.usage_so_far to authenticated;

-- Reports tokens during the work: single events with a seq each, or totals of the attempt. Sending either twice counts
-- once. An ended attempt may still report its usage until someone else takes the job. Refusals: 404, 403, 409 for a
-- lost attempt, 422. Definer: jobs are written by functions only (specification: Agent job).
create function operations.report_job_usage(p_job_id uuid, p_attempt integer, p_usage jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  if private.require_known_attempt(v_job, p_attempt) = 'held' then
    update public.agent_jobs j set lease_until = private.now() + private.lease() where j.id = p_job_id returning j.* into v_job;
  end if;
  -- A statement of its own: what follows must see the new lines.
  v_job := private.record_usage(v_job, p_attempt, jsonb_populate_record(null::private.job_report, p_usage));
  -- Stored sums follow the ledger closely enough that few lines are left to add, but not at every line.
  perform private.sum_budget(b)
  from public.budgets b
  left join private.budget_sums s on s.budget_id = b.id
  where b.product_id = v_job.product_id and coalesce(s.last_id, 0) < private.last_line(v_job.product_id) - 100
    and private.budget_covers(b, v_job);
  return private.job_json(v_job);
end;
$$;
grant execute on function operations.report_job_usage to authenticated;
comment on function operations.report_job_usage is 'scope work';

-- Totals of the attempt and single events may come mixed and repeatedly; the job's numbers follow. They replace
-- what was reported of the current turn so far (specification: Agent job, token usage).
create function private.record_usage(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
returns public.agent_jobs language plpgsql volatile set search_path = '' as $$
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

-- The contract's report carries totals of an attempt. What is not yet in the ledger becomes a line, so that a total
-- sent twice, or after its events, counts once. Null says nothing (specification: Agent job, token usage).
create function private.record_usage_total(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
returns void language plpgsql volatile set search_path = '' as $$
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

-- One line of the ledger, at current rates. An attempt's seq counts once (specification: Agent job, token usage).
create function private.record_usage_event(p_job public.agent_jobs, p_attempt integer, p_event jsonb)
returns void language plpgsql volatile set search_path = '' as $$
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

-- The one place that prices usage: the cost the tool reports; else the model's current price; else none
-- (specification: Model price).
create function private.price_usage(
  p_usage jsonb, out rates jsonb, out cost numeric, out currency text, out source text)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_price public.model_prices;
  v_reported numeric := (p_usage ->> 'cost')::numeric;
  v_counts record;
begin
  v_price := private.price_of(p_usage ->> 'model_id');
  if v_price.model_id is not null then
    rates := jsonb_build_object('input', v_price.input_per_million, 'output', v_price.output_per_million,
      'cache_read', v_price.cache_read_per_million, 'cache_write', v_price.cache_write_per_million, 'currency', v_price.currency);
  end if;
  if v_reported is not null then
    cost := v_reported;
    currency := coalesce(p_usage ->> 'currency', 'USD');
    source := 'reported';
    return;
  end if;
  source := 'unpriced';
  select * into v_counts from jsonb_to_record(p_usage)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint);
  if v_price.model_id is null
    or num_nonnulls(v_counts.input_tokens, v_counts.output_tokens, v_counts.cache_read_tokens, v_counts.cache_write_tokens) = 0 then
    return;
  end if;
  cost := (coalesce(v_counts.input_tokens, 0) * v_price.input_per_million
    + coalesce(v_counts.output_tokens, 0) * v_price.output_per_million
    + coalesce(v_counts.cache_read_tokens, 0) * v_price.cache_read_per_million
    + coalesce(v_counts.cache_write_tokens, 0) * v_price.cache_write_per_million) / 1000000;
  currency := v_price.currency;
  source := 'list_price';
end;
$$;

-- A job's four token counts are the sums of its lines in the ledger, over all attempts (specification: Agent job).
create function private.sum_usage(p_job_id uuid, p_model_id text)
returns public.agent_jobs language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs;
begin
  update public.agent_jobs j
  set model_id = coalesce(left(p_model_id, 200), used.model_id, j.model_id),
      input_tokens = used.input, output_tokens = used.output,
      cache_read_tokens = used.cache_read, cache_write_tokens = used.cache_write
  from (
    select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
      sum(e.cache_write_tokens) as cache_write, (array_agg(e.model_id order by e.id desc) filter (where e.model_id is not null))[1] as model_id
    from public.usage_events e where e.job_id = p_job_id
  ) used
  where j.id = p_job_id
  returning j.* into v_job;
  return v_job;
end;
$$;

-- Usage that an attempt reported for a turn it never finished becomes an estimated line: a killed worker has used it
-- all the same. Called when no more reports of the attempt can come (specification: Agent job, token usage).
create function private.keep_usage_so_far(p_job_id uuid, p_attempt integer)
returns void language plpgsql volatile set search_path = '' as $$
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

-- A heartbeat reports the attempt's usage since the last line of the ledger. Called while the job's row is locked,
-- so that a line written in between is seen: it already includes these tokens (specification: Agent job, token usage).
create function private.note_usage_so_far(p_job public.agent_jobs, p_usage jsonb)
returns void language plpgsql volatile set search_path = '' as $$
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
