-- Why: the history for burn-down and cycle time. Written by triggers, never by clients. A row whose two statuses are
-- equal records only a sprint: the task joined or left it with its story. product_id has no foreign key, because its
-- check would make all writers of a product contend for the product's row.
create table public.task_status_changes (
  id bigint generated always as identity primary key,
  task_id uuid not null references public.tasks (id) on delete cascade,
  story_id uuid not null,
  product_id uuid not null,
  sprint_id uuid,
  from_status public.task_status,
  to_status public.task_status not null,
  changed_at timestamptz not null default private.now()
);

comment on table public.task_status_changes is 'Every status a task had and every sprint it was in (specification: States, Task).';

create index task_status_changes_task_id_idx on public.task_status_changes (task_id);
create index task_status_changes_product_id_idx on public.task_status_changes (product_id, changed_at);
create index task_status_changes_sprint_id_idx on public.task_status_changes (sprint_id, changed_at)
  where sprint_id is not null;

alter table public.task_status_changes enable row level security;

-- Written by triggers, read by everybody who may read the product.
create policy task_status_changes_select on public.task_status_changes for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.task_status_changes to authenticated;
grant select, insert, update, delete on public.task_status_changes to service_role;
