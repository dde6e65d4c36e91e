-- Why: a batch has one job for many tasks. Each task has its own record here, with the plan and verification
-- requirement frozen when the run began (specification: Sprint run, sprint task execution).
create table public.task_executions (
  id uuid primary key default gen_random_uuid(),
  sprint_run_id uuid not null references public.sprint_runs (id) on delete cascade,
  task_id uuid not null references public.tasks (id) on delete cascade,
  position integer not null,
  status public.task_execution_status not null default 'PENDING',
  plan_snapshot text,
  verify_required public.verify_required not null,
  verify_result public.verify_result,
  head_sha text constraint task_executions_head_sha_length check (char_length(head_sha) <= 64),
  failure_reason text constraint task_executions_failure_reason_length check (char_length(failure_reason) <= 4000),
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default private.now(),
  constraint task_executions_sprint_run_id_task_id_key unique (sprint_run_id, task_id),
  constraint task_executions_finished check (
    (status in ('DONE', 'FAILED', 'SKIPPED')) = (finished_at is not null)
  )
);

comment on table public.task_executions is
  'Sprint task executions (specification: Sprint run): one a task of a batch run, with frozen plan and verify_required.';

create index task_executions_task_id_idx on public.task_executions (task_id);
create index task_executions_order_idx on public.task_executions (sprint_run_id, position);

alter table public.task_executions enable row level security;

create policy task_executions_select on public.task_executions for select to authenticated
  using (sprint_run_id in (
    select r.id from public.sprint_runs r where r.product_id in (select private.accessible_product_ids())));

grant select on public.task_executions to authenticated;
grant select, insert, update, delete on public.task_executions to service_role;
