-- Why: all processes on one database share the counts, and a restart does not reset them (specification: Limits).
-- One row per action and key (a user id or a client address); private.take_rate_limit is the only writer.
create table public.rate_limit_counters (
  action text not null,
  key text not null,
  window_start timestamptz not null,
  count integer not null default 0,
  primary key (action, key)
);

comment on table public.rate_limit_counters is
  'Counters of the rate limits (specification: Limits), one row per action and key. Service only.';
create index rate_limit_counters_window_start_idx on public.rate_limit_counters (window_start);

alter table public.rate_limit_counters enable row level security;
create policy rate_limit_counters_service on public.rate_limit_counters for all to service_role using (true) with check (true);

-- No one reads or resets counters directly.
