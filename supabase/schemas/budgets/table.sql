-- A claim weighs each budget once, and passes the result on to the reservation and to the worker.
-- room     what is left of it minus reservations of others; null if not computed, because no job may begin anyway
-- need     what a task is expected to use
-- is_full  no job may begin under it now
create type private.budget_room as (
  budget_id uuid,
  unit text,
  room numeric,
  need numeric,
  is_full boolean
);

-- Limits on what a run, a sprint, a task, or a product per day, week or month may use, in a currency or in tokens
-- (fresh input, output and cache write). Currencies are never added: a budget in dollars ignores euros.
-- due_at          a claim found nothing left: the next holder of the product's lock checks whether it is reached
-- reached_at      no job may begin under it until it is raised or its window ends
-- spent_before    what an earlier run that this one continues had spent
-- finish_job_ids  jobs that a person allows to finish anyway
-- overshoot       the most ever spent beyond it, in earlier windows or before it was raised
create table public.budgets (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  scope text not null constraint budgets_scope_known check (scope in ('product', 'sprint', 'run', 'task')),
  period text constraint budgets_period_known check (period in ('day', 'week', 'month')),
  sprint_id uuid references public.sprints (id) on delete cascade,
  sprint_run_id uuid references public.sprint_runs (id) on delete cascade,
  task_id uuid references public.tasks (id) on delete cascade,
  unit text not null constraint budgets_unit_form check (unit = 'tokens' or unit ~ '^[A-Z]{3}$'),
  amount numeric(20, 6) not null constraint budgets_amount_range check (amount > 0 and amount <= 1000000000000),
  spent_before numeric(20, 6) not null default 0,
  due_at timestamptz,
  reached_at timestamptz,
  warned_at timestamptz,
  overshoot numeric(20, 6) not null default 0,
  finish_job_ids uuid[] not null default '{}',
  created_by uuid references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint budgets_scope_target check (
    num_nonnulls(sprint_id, sprint_run_id, task_id) = case scope when 'product' then 0 else 1 end
    and (scope = 'product') = (period is not null)
    and (scope = 'sprint') = (sprint_id is not null)
    and (scope = 'run') = (sprint_run_id is not null)
    and (scope = 'task') = (task_id is not null)
  ),
  constraint budgets_one_each unique nulls not distinct (product_id, scope, period, sprint_id, sprint_run_id, task_id, unit)
);

comment on table public.budgets is 'Budgets and how much of them is used. Only the product''s owner changes them.';
create index budgets_sprint_id_idx on public.budgets (sprint_id);
create index budgets_sprint_run_id_idx on public.budgets (sprint_run_id);
create index budgets_task_id_idx on public.budgets (task_id);
create index budgets_created_by_idx on public.budgets (created_by);
create index budgets_unsettled_idx on public.budgets (product_id) where due_at is not null or reached_at is not null;

alter table public.budgets enable row level security;

create policy budgets_select on public.budgets for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.budgets to authenticated;

-- Settings for all budgets of a product: its time zone, whether agents that report no usage may work under a
-- budget, and a task's expected usage before enough have finished. No row: the defaults.
create table public.budget_settings (
  product_id uuid primary key references public.products (id) on delete cascade,
  time_zone text not null default 'UTC' constraint budget_settings_time_zone_length check (char_length(time_zone) between 1 and 64),
  unreported text not null default 'allow' constraint budget_settings_unreported_known check (unreported in ('allow', 'refuse')),
  expected_tokens bigint not null default 200000 constraint budget_settings_expected_tokens_positive check (expected_tokens > 0),
  expected_cost numeric(16, 6) not null default 1 constraint budget_settings_expected_cost_positive check (expected_cost > 0)
);

comment on table public.budget_settings is 'Settings for the budgets of a product: time zone, agents without usage, expectations.';
comment on column public.budget_settings.expected_cost is 'Expected cost of one task, in the currency of its budget.';

alter table public.budget_settings enable row level security;

create policy budget_settings_select on public.budget_settings for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.budget_settings to authenticated;
