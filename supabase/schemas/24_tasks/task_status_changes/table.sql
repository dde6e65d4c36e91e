-- Why: the history from which burn-down and cycle time are read. Written by triggers, never by a client. A row with the
-- same status twice tells of the sprint only: the task came to it with its story, or left it.
-- product_id is the task's and no reference of its own: each one makes all who write under a product meet at its row.
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

-- Written by triggers, read by those who may see what they are about.
create policy task_status_changes_select on public.task_status_changes for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.task_status_changes to authenticated;
grant select, insert, update, delete on public.task_status_changes to service_role;
