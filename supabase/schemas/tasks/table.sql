-- States of a task (specification: Task).
create type public.task_status as enum ('TO_DO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'FAILED');

-- Which verification results let a task pass (specification: Task).
create type public.verify_required as enum ('ALIGNED', 'ALIGNED_OR_PARTIAL', 'ANY');

-- Tasks (specification: Task). `product_id` repeats the story's; the composite key keeps them equal.
create table public.tasks (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  story_id uuid not null,
  code text not null constraint tasks_code_form check (code ~ '^[A-Za-z0-9._-]{1,30}$'),
  title text not null constraint tasks_title_length check (char_length(title) between 1 and 300),
  description text not null default ''
    constraint tasks_description_length check (char_length(description) <= 100000),
  implementation_plan text
    constraint tasks_implementation_plan_length check (char_length(implementation_plan) <= 100000),
  priority integer not null default 3 constraint tasks_priority_range check (priority between 0 and 1000000),
  sort_order bigint not null,
  status public.task_status not null default 'TO_DO',
  repo_url text constraint tasks_repo_url_length check (char_length(repo_url) between 1 and 2000)
    constraint tasks_repo_url_form check (repo_url !~* '^[[:space:]]*(javascript|data|vbscript):'),
  repo_url_by uuid references public.users (id) on delete set null,
  verify_only boolean not null default false,
  verify_required public.verify_required not null default 'ALIGNED_OR_PARTIAL',
  requires_opus boolean not null default false,
  agent text constraint tasks_agent_form check (agent ~ '^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$'),
  model text constraint tasks_model_form check (model ~ '^[A-Za-z0-9][][A-Za-z0-9:./_@+-]{0,199}$'),
  effort text constraint tasks_effort_known check (effort in ('low', 'medium', 'high')),
  estimated_minutes integer constraint tasks_estimated_minutes_range check (estimated_minutes between 0 and 1000000),
  label_ids uuid[] not null default '{}',
  external_id text constraint tasks_external_id_length check (char_length(external_id) between 1 and 300),
  version integer not null default 1,
  field_versions jsonb not null default '{}',
  plan_decision jsonb,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint tasks_product_code_key unique (product_id, code),
  constraint tasks_id_product_key unique (id, product_id),
  constraint tasks_story_fkey foreign key (story_id, product_id)
    references public.stories (id, product_id) on delete cascade
);

comment on table public.tasks is 'Tasks (specification: Task).';

comment on column public.tasks.field_versions is 'Of each changed field: the version that changed it, who did, and when.';
comment on column public.tasks.plan_decision is 'The last plan that a person wrote or approved: { hash, verify_only, user_id, at }; null from before it was kept.';
comment on column public.tasks.agent is 'Who does it, before its story and product; so are model and effort (private.job_gates).';
comment on column public.tasks.label_ids is 'Its labels (labels), in the order of their names.';
comment on column public.tasks.external_id is 'ID in the imported file. Prevents duplicates.';
comment on column public.tasks.repo_url_by is 'User who set the task''s repository.';
create unique index tasks_external_id_key on public.tasks (product_id, external_id) where external_id is not null;
create index tasks_repo_url_by_idx on public.tasks (repo_url_by) where repo_url_by is not null;
create index tasks_story_idx on public.tasks (story_id, product_id, sort_order, created_at, id);
create index tasks_search_idx on public.tasks
  using gin (private.scoped_words(product_id, code, title, description)) with (fastupdate = off);

alter table public.tasks enable row level security;

-- Everyone in the product reads; members and the owner write while it is not archived. Restrictive policies stop demo
-- accounts, even if other policies allow it (specification: Authentication 3, 4).
create policy tasks_select on public.tasks for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy tasks_insert on public.tasks for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy tasks_update on public.tasks for update to authenticated
  using (product_id in (select private.writable_product_ids()));
create policy tasks_delete on public.tasks for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy tasks_no_demo_insert on public.tasks as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy tasks_no_demo_update on public.tasks as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy tasks_no_demo_delete on public.tasks as restrictive for delete to authenticated
  using (not (select private.is_demo()));
grant select on public.tasks to authenticated;
grant insert (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only,
    verify_required, requires_opus, agent, model, effort, estimated_minutes, label_ids),
  update (story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only,
    verify_required, requires_opus, agent, model, effort, estimated_minutes, label_ids),
  delete on public.tasks to authenticated;

-- The history for burn-down and cycle time. Written by triggers, never by clients. A row whose two statuses are
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

-- Written by triggers, read by everyone who may read the product.
create policy task_status_changes_select on public.task_status_changes for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.task_status_changes to authenticated;

-- Tasks that were moved to review, for the inbox: a handful of a million. A separate table, because with an index on the status
-- every step of a task would rewrite all index entries of its row, including the words of its description.
create table public.tasks_in_review (
  task_id uuid primary key references public.tasks (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  since timestamptz not null default private.now()
);

comment on table public.tasks_in_review is 'Tasks that were moved to review, and since when (specification: States, Task).';
create index tasks_in_review_product_id_idx on public.tasks_in_review (product_id);

alter table public.tasks_in_review enable row level security;

-- Written by triggers, read by everyone who may read the product.
create policy tasks_in_review_select on public.tasks_in_review for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.tasks_in_review to authenticated;
