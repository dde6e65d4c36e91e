-- Why: tasks (specification: Task). `product_id` repeats the story's; the composite key keeps them equal.
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
  estimated_minutes integer constraint tasks_estimated_minutes_range check (estimated_minutes between 0 and 1000000),
  label_ids uuid[] not null default '{}',
  external_id text constraint tasks_external_id_length check (char_length(external_id) between 1 and 300),
  version integer not null default 1,
  field_versions jsonb not null default '{}',
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint tasks_product_code_key unique (product_id, code),
  constraint tasks_id_product_key unique (id, product_id),
  constraint tasks_story_fkey foreign key (story_id, product_id)
    references public.stories (id, product_id) on delete cascade
);

comment on table public.tasks is 'Tasks (specification: Task).';

comment on column public.tasks.field_versions is 'Of each changed field: the version that changed it, who did, and when.';

comment on column public.tasks.label_ids is 'Its labels (29_labels), in the order of their names.';

comment on column public.tasks.external_id is 'What it was in the file that it was imported from, so that the same file brings it once.';

comment on column public.tasks.repo_url_by is 'Who wrote the repository of its own.';

create unique index tasks_external_id_key on public.tasks (product_id, external_id) where external_id is not null;
create index tasks_repo_url_by_idx on public.tasks (repo_url_by) where repo_url_by is not null;
create index tasks_story_idx on public.tasks (story_id, product_id, sort_order, created_at, id);
create index tasks_search_idx on public.tasks
  using gin (private.scoped_words(product_id, code, title, description)) with (fastupdate = off);

alter table public.tasks enable row level security;

-- Everybody in the product reads; members and the owner write while it is not archived. Restrictive policies stop demo
-- accounts, whatever else is allowed (specification: Authentication 3, 4).
create policy tasks_select on public.tasks for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy tasks_insert on public.tasks for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy tasks_update on public.tasks for update to authenticated
  using (product_id in (select private.writable_product_ids()))
  with check (product_id in (select private.writable_product_ids()));
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
    verify_required, requires_opus, estimated_minutes, label_ids),
  update (story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only,
    verify_required, requires_opus, estimated_minutes, label_ids),
  delete on public.tasks to authenticated;

grant select, insert, update, delete on public.tasks to service_role;
