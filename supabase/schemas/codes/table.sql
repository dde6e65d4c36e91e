-- Why: generated codes come from counter rows, not from the highest code plus one, so that two concurrent creations
-- never get the same code (specification: Entity codes 3, 4). The scope is a product, or the user for ideas.
create table public.code_counters (
  scope_id uuid not null,
  kind text not null constraint code_counters_kind check (kind in ('pbi', 'story', 'task', 'sprint', 'idea')),
  last_number bigint not null default 0 constraint code_counters_last_number check (last_number >= 0),
  primary key (scope_id, kind)
);

comment on table public.code_counters is 'Last generated number per scope and kind (specification: Entity codes). Service only.';

alter table public.code_counters enable row level security;
create policy code_counters_service on public.code_counters for all to service_role using (true) with check (true);

-- Only private.next_code uses the counters.
