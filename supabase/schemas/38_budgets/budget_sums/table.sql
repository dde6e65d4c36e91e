-- Why: not every claim and heartbeat should add up a ledger of a hundred thousand lines. This is the sum of the lines
-- up to last_id, for the window that begins at from_at; only later lines are added to it. Written under the exclusive
-- product lock: writers of lines hold a share of it, so no line with a smaller id can appear later. A budget without a
-- row, or with one of an earlier window, is summed from its lines.
create table private.budget_sums (
  budget_id uuid primary key references public.budgets (id) on delete cascade,
  from_at timestamptz not null,
  last_id bigint not null,
  amount numeric not null
);

comment on table private.budget_sums is 'What the ledger has for a budget up to a line of it (private.sum_budget).';

alter table private.budget_sums enable row level security;

-- Only for the functions of this folder, which are definer.
create policy budget_sums_service on private.budget_sums for all to service_role using (true) with check (true);

grant select, insert, update, delete on private.budget_sums to service_role;
