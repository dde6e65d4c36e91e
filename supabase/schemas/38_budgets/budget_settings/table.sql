-- Why: settings for all budgets of a product: its time zone, whether agents that report no usage may work under a
-- budget, and a task's expected usage before enough have finished. No row: the defaults.
create table public.budget_settings (
  product_id uuid primary key references public.products (id) on delete cascade,
  time_zone text not null default 'UTC' constraint budget_settings_time_zone_length check (char_length(time_zone) between 1 and 64),
  unreported text not null default 'allow' constraint budget_settings_unreported_known check (unreported in ('allow', 'refuse')),
  expected_tokens bigint not null default 200000 constraint budget_settings_expected_tokens_positive check (expected_tokens > 0),
  expected_cost numeric(16, 6) not null default 1 constraint budget_settings_expected_cost_positive check (expected_cost > 0)
);

comment on table public.budget_settings is 'Settings for the budgets of a product: time zone, agents without usage, expectations.';
comment on column public.budget_settings.expected_cost is 'Of one task, in whatever currency its budget has.';

alter table public.budget_settings enable row level security;

create policy budget_settings_select on public.budget_settings for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.budget_settings to authenticated;
grant select, insert, update, delete on public.budget_settings to service_role;
