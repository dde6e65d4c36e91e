-- Why: what waits in review, for the inbox: a handful of a million. A table of its own, because an index over the status would
-- have every step of a task write all indexes of its row anew, the words of its description among them.
create table public.tasks_in_review (
  task_id uuid primary key references public.tasks (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  since timestamptz not null default private.now()
);

comment on table public.tasks_in_review is 'Tasks whose status is review, and since when (specification: States, Task).';

create index tasks_in_review_product_id_idx on public.tasks_in_review (product_id);

alter table public.tasks_in_review enable row level security;

-- Written by triggers, read by those who may see what they are about.
create policy tasks_in_review_select on public.tasks_in_review for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.tasks_in_review to authenticated;
grant select, insert, update, delete on public.tasks_in_review to service_role;
