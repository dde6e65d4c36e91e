-- The states of the agent side in database form (specification: States and transitions).
create type public.sprint_run_status as enum ('QUEUED', 'RUNNING', 'PAUSED', 'DONE', 'FAILED', 'CANCELLED');

-- States of a sprint task execution record (specification: Sprint run).
create type public.task_execution_status as enum ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'SKIPPED');

-- A run groups the jobs of one start: of a sprint (specification: Sprint run), or of chosen tasks without a
-- sprint. At most one unfinished run per sprint: the partial unique index decides every race.
create table public.sprint_runs (
  id uuid primary key default gen_random_uuid(),
  sprint_id uuid references public.sprints (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  status public.sprint_run_status not null default 'QUEUED',
  pr_strategy public.pr_strategy not null,
  branch text not null constraint sprint_runs_branch_length check (char_length(branch) between 1 and 200),
  pause_context jsonb,
  pause_question_id uuid,
  previous_run_id uuid references public.sprint_runs (id) on delete set null,
  started_by uuid references public.users (id) on delete set null,
  started_at timestamptz,
  finished_at timestamptz,
  failure jsonb,
  plan_first boolean not null default false,
  plan_review public.plan_review not null default 'none',
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint sprint_runs_pause_context check ((status = 'PAUSED') = (pause_context is not null)),
  constraint sprint_runs_finished check ((status in ('DONE', 'FAILED', 'CANCELLED')) = (finished_at is not null))
);

-- Runs, jobs, workers and questions reference each other; these foreign keys can only follow once all four exist.
alter table public.sprint_runs
  add constraint sprint_runs_pause_question_id_fkey
  foreign key (pause_question_id) references public.agent_questions (id) on delete set null;

comment on table public.sprint_runs is
  'Sprint runs (specification: Sprint run): one start of a sprint, or of chosen tasks, its branch, its pause and its end.';
comment on column public.sprint_runs.sprint_id is 'Null for a run without a sprint.';
comment on column public.sprint_runs.plan_first is 'Whether its agents write the plans that are missing, before they begin.';
comment on column public.sprint_runs.plan_review is 'Whether a person approves these plans before the work begins.';
comment on column public.sprint_runs.pause_context is 'Null or { reason, pr_url, conflict_files }.';
comment on column public.sprint_runs.failure is 'Null or { task_id, task_code, job_id, failure_class, reason }: why the run ended.';
create unique index sprint_runs_one_unfinished_key on public.sprint_runs (sprint_id)
  where status in ('QUEUED', 'RUNNING', 'PAUSED');

-- Starting a run checks which of the product's tasks are already in a run.
create index sprint_runs_unfinished_idx on public.sprint_runs (product_id) where status in ('QUEUED', 'RUNNING', 'PAUSED');
create index sprint_runs_sprint_id_idx on public.sprint_runs (sprint_id, created_at);
create index sprint_runs_product_id_idx on public.sprint_runs (product_id, created_at);
create index sprint_runs_previous_run_id_idx on public.sprint_runs (previous_run_id);
create index sprint_runs_started_by_idx on public.sprint_runs (started_by);
create index sprint_runs_pause_question_id_idx on public.sprint_runs (pause_question_id);

alter table public.sprint_runs enable row level security;

-- Members read what belongs to their products; no one writes here directly (specification: Authentication 3, 4). A
-- worker's presence is visible to people who share a product with its user. Ideas and their questions belong to one
-- user.
create policy sprint_runs_select on public.sprint_runs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.sprint_runs to authenticated;
