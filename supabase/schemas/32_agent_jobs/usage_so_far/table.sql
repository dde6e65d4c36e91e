-- Why: an attempt's usage since the last line of the ledger, as its heartbeats report it. Ledger lines are never
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

comment on table public.usage_so_far is
  'Tokens of turns that are under way, one row a model, told by heartbeats (specification: Agent job, token usage).';
comment on column public.usage_so_far.after_seq is 'The last line of the ledger that the worker had told of this attempt.';

create index usage_so_far_product_id_idx on public.usage_so_far (product_id, told_at);
create index usage_so_far_task_id_idx on public.usage_so_far (task_id);
create index usage_so_far_sprint_run_id_idx on public.usage_so_far (sprint_run_id);
create index usage_so_far_worker_id_idx on public.usage_so_far (worker_id);

alter table public.usage_so_far enable row level security;

create policy usage_so_far_select on public.usage_so_far for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.usage_so_far to authenticated;
grant select, insert, update, delete on public.usage_so_far to service_role;
