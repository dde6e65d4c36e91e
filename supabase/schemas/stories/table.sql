-- States of a story (specification: Story), derived from its tasks and its sprint.
create type public.story_status as enum ('OPEN', 'IN_SPRINT', 'DONE', 'FAILED', 'TRIAGE', 'TEMPLATE');

-- Kind of a story log entry (specification: Story log entry).
create type public.story_log_type as enum ('IMPLEMENTATION_PLAN', 'TEST_RESULT', 'COMMIT');

-- Outcome of a TEST_RESULT entry (specification: Story log entry).
create type public.story_log_status as enum ('PASSED', 'FAILED');

-- Stories (specification: Story). Composite keys tie sprint, PBI and assignee to the story's product, so no path
-- can mix two products. Triggers derive `status` from the tasks and the sprint, and `sort_order` from the code.
create table public.stories (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  pbi_id uuid not null,
  code text not null constraint stories_code_form check (code ~ '^[A-Za-z0-9._-]{1,30}$'),
  title text not null constraint stories_title_length check (char_length(title) between 1 and 300),
  description text not null default ''
    constraint stories_description_length check (char_length(description) <= 100000),
  acceptance_criteria text not null default ''
    constraint stories_acceptance_criteria_length check (char_length(acceptance_criteria) <= 100000),
  priority integer not null default 3 constraint stories_priority_range check (priority between 0 and 1000000),
  agent text constraint stories_agent_form check (agent ~ '^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$'),
  model text constraint stories_model_form check (model ~ '^[A-Za-z0-9][][A-Za-z0-9:./_@+-]{0,199}$'),
  effort text constraint stories_effort_known check (effort in ('low', 'medium', 'high')),
  status public.story_status not null default 'OPEN',
  sort_order bigint not null,
  sprint_id uuid,
  assignee_id uuid,
  label_ids uuid[] not null default '{}',
  in_triage boolean not null default false,
  is_template boolean not null default false,
  template_id uuid references public.stories (id) on delete set null,
  external_id text constraint stories_external_id_length check (char_length(external_id) between 1 and 300),
  external_url text constraint stories_external_url_form check (external_url ~* '^https?://' and char_length(external_url) <= 2000),
  origin text constraint stories_origin check (origin in ('hook', 'forge')),
  version integer not null default 1,
  field_versions jsonb not null default '{}',
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint stories_template_set_aside check (in_triage or not is_template),
  constraint stories_product_code_key unique (product_id, code),
  constraint stories_id_product_key unique (id, product_id),
  constraint stories_pbi_fkey foreign key (pbi_id, product_id)
    references public.pbis (id, product_id) on delete cascade,
  constraint stories_sprint_fkey foreign key (sprint_id, product_id)
    references public.sprints (id, product_id) on delete set null (sprint_id),
  constraint stories_assignee_fkey foreign key (product_id, assignee_id)
    references public.product_members (product_id, user_id) on delete set null (assignee_id)
);

comment on table public.stories is 'Stories (specification: Story).';

comment on column public.stories.field_versions is 'Of each changed field: the version that changed it, who did, and when.';
comment on column public.stories.agent is 'Who does its tasks, before its product; so are model and effort (private.job_gates).';
comment on column public.stories.label_ids is 'Its labels (labels), in the order of their names.';
comment on column public.stories.in_triage is 'Set aside: it must be accepted before it is part of the backlog (its status is TRIAGE), or is a template.';
comment on column public.stories.is_template is
  'It recurs (recurrences) and is never worked on itself: set aside like what waits in triage, with the status TEMPLATE.';
comment on column public.stories.template_id is 'The template that made it.';
comment on column public.stories.external_id is 'ID in the imported file or the sending service. Prevents duplicates.';
comment on column public.stories.external_url is 'URL at the sending service.';
comment on column public.stories.origin is 'Source: incoming webhook or issues of a Git host. Null for people, tokens and imports.';
create unique index stories_external_id_key on public.stories (product_id, external_id) where external_id is not null;
create index stories_of_issues_idx on public.stories (product_id) where origin = 'forge';
create index stories_pbi_idx on public.stories (pbi_id, product_id, sort_order, created_at, id);
create index stories_sprint_idx on public.stories (sprint_id, product_id, sort_order, created_at, id);
create index stories_assignee_idx on public.stories (product_id, assignee_id);
create index stories_search_idx on public.stories
  using gin (private.scoped_words(product_id, code, title, description)) with (fastupdate = off);

-- When a story ends, its PBI's status depends on whether any story failed or is not done. With these indexes the
-- cost does not grow with the number of stories (private.derived_pbi_status).
create index stories_failed_idx on public.stories (pbi_id) where status = 'FAILED';
create index stories_unfinished_idx on public.stories (pbi_id) where status <> 'DONE';
create index stories_template_idx on public.stories (template_id) where template_id is not null;
create index stories_triage_idx on public.stories (product_id, created_at, id) where in_triage;

alter table public.stories enable row level security;

-- Everyone in the product reads; members and the owner write while it is not archived. Restrictive policies stop demo
-- accounts, even if other policies allow it (specification: Authentication 3, 4).
create policy stories_select on public.stories for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy stories_insert on public.stories for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy stories_update on public.stories for update to authenticated
  using (product_id in (select private.writable_product_ids()));
create policy stories_delete on public.stories for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy stories_no_demo_insert on public.stories as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy stories_no_demo_update on public.stories as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy stories_no_demo_delete on public.stories as restrictive for delete to authenticated
  using (not (select private.is_demo()));
grant select on public.stories to authenticated;
grant insert (id, pbi_id, code, title, description, acceptance_criteria, priority, agent, model, effort, sprint_id, assignee_id, label_ids, in_triage),
  update (pbi_id, code, title, description, acceptance_criteria, priority, agent, model, effort, sprint_id, assignee_id, label_ids, in_triage),
  delete on public.stories to authenticated;
