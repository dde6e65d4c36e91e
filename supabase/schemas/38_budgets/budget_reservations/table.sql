-- Why: a claim reserves the expected usage of its work, so that parallel workers never spend the same remainder. It is
-- in force while its attempt holds the job; what the attempt has used counts as spent and is deducted from it.
-- seen, step  usage at the last heartbeat, and the most used between two of them: a job whose next step might exceed
--             its reservation asks for more, or stops
create table public.budget_reservations (
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  unit text not null,
  attempt integer not null,
  product_id uuid not null references public.products (id) on delete cascade,
  amount numeric(20, 6) not null default 0,
  seen numeric(20, 6) not null default 0,
  step numeric(20, 6) not null default 0,
  primary key (job_id, unit)
);

comment on table public.budget_reservations is 'What held jobs may still use of the budgets that they fall under.';

create index budget_reservations_product_id_idx on public.budget_reservations (product_id);

alter table public.budget_reservations enable row level security;

create policy budget_reservations_select on public.budget_reservations for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.budget_reservations to authenticated;
grant select, insert, update, delete on public.budget_reservations to service_role;
