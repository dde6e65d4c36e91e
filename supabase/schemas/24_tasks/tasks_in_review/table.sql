-- Why: tasks in review, for the inbox: a handful of a million. A separate table, because with an index on the status
-- every step of a task would rewrite all index entries of its row, including the words of its description.
create table public.tasks_in_review (
  task_id uuid primary key references public.tasks (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  since timestamptz not null default private.now()
);

comment on table public.tasks_in_review is 'Tasks whose status is review, and since when (specification: States, Task).';

create index tasks_in_review_product_id_idx on public.tasks_in_review (product_id);

alter table public.tasks_in_review enable row level security;

-- Written by triggers, read by everybody who may read the product.
create policy tasks_in_review_select on public.tasks_in_review for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.tasks_in_review to authenticated;
grant select, insert, update, delete on public.tasks_in_review to service_role;
