-- Why: a ledger of a hundred thousand lines is not added up for every claim and heartbeat. This is the sum of the lines up to
-- one of them, for the window that begins at from_at; only what came after it is added. Written under the whole lock of the
-- product: whoever writes lines holds a share of it, so that no line with a smaller id can appear later.
-- A budget without a row, or with one of an earlier window, is added up from its lines.
create table private.budget_sums (
  budget_id uuid primary key references public.budgets (id) on delete cascade,
  from_at timestamptz not null,
  last_id bigint not null,
  amount numeric not null
);

comment on table private.budget_sums is 'What the ledger has for a budget up to a line of it (private.sum_budget).';

alter table private.budget_sums enable row level security;

-- Nobody but the functions of this folder, which are definer.
create policy budget_sums_service on private.budget_sums for all to service_role using (true) with check (true);

grant select, insert, update, delete on private.budget_sums to service_role;
