-- Why: the ledger of tokens and money: usage is written once, with the prices of that moment, and never changed, so
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

comment on column public.usage_events.subscription is
  'Paid by a subscription: the cost is what the list price would be, and no money that anybody spends.';

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
grant select, insert, update, delete on public.usage_events to service_role;
