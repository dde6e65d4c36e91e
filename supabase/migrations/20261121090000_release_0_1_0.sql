-- Why: everything that clients must not call by name lives in `private`, which the Data API does not expose; and nothing
-- new is reachable by anyone until a grant names it, whatever the project's default privileges were.
create schema if not exists private;

comment on schema private is 'Helpers, trigger functions and definer bodies; not exposed by the Data API.';

revoke all on schema private from public;
grant usage on schema private to authenticated, service_role;
grant usage on schema public to anon, authenticated, service_role;

alter default privileges revoke execute on functions from public;
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;

-- Why: every rule about time asks this one clock, so that a test can stand at any moment (`backloom.now`, which no API
-- client can set) and a waiting transaction does not decide by the stale time of its start.
create function private.now()
returns timestamptz
language plpgsql
volatile
set search_path = ''
as $$
begin
  return coalesce(nullif(current_setting('backloom.now', true), '')::timestamptz, clock_timestamp());
end;
$$;

comment on function private.now() is 'The clock of all rules about time (specification: States and transitions, Limits).';

grant execute on function private.now() to authenticated, service_role;

-- The states of the backlog in database form (specification: Conventions; States and transitions).
create type public.pbi_status as enum ('READY', 'BLOCKED', 'DONE', 'FAILED');
create type public.story_status as enum ('OPEN', 'IN_SPRINT', 'DONE', 'FAILED');
create type public.task_status as enum ('TO_DO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'FAILED');
create type public.sprint_status as enum ('PLANNED', 'ACTIVE', 'COMPLETED', 'FAILED', 'CANCELLED');
create type public.idea_status as enum ('DRAFT', 'DISCUSSING', 'READY', 'PLANNED');

comment on type public.pbi_status is 'States of a PBI (specification: PBI). BLOCKED is set by hand only.';
comment on type public.story_status is 'States of a story (specification: Story), derived from its tasks and its sprint.';
comment on type public.task_status is 'States of a task (specification: Task).';
comment on type public.sprint_status is 'States of a sprint (specification: Sprint).';
comment on type public.idea_status is 'States of an idea (specification: Idea). PLANNED means promoted to a PBI.';

-- Enumerations of the backlog that are no states (specification: Product, Task, Story log entry).
create type public.pr_strategy as enum ('SPRINT', 'STORY', 'SPRINT_BATCH');
create type public.member_role as enum ('OWNER', 'MEMBER');
create type public.verify_required as enum ('ALIGNED', 'ALIGNED_OR_PARTIAL', 'ANY');
create type public.story_log_type as enum ('IMPLEMENTATION_PLAN', 'TEST_RESULT', 'COMMIT');
create type public.story_log_status as enum ('PASSED', 'FAILED');

comment on type public.pr_strategy is 'How a sprint run cuts pull requests (specification: Product).';
comment on type public.member_role is 'Role in a product: its one owner, or a member (specification: Authentication 4).';
comment on type public.verify_required is 'Which verification results let a task pass (specification: Task).';
comment on type public.story_log_type is 'Kind of a story log entry (specification: Story log entry).';
comment on type public.story_log_status is 'Outcome of a TEST_RESULT entry (specification: Story log entry).';

-- The states of the agent side in database form (specification: States and transitions).
create type public.sprint_run_status as enum ('QUEUED', 'RUNNING', 'PAUSED', 'DONE', 'FAILED', 'CANCELLED');
create type public.agent_job_status as enum ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED');
create type public.task_execution_status as enum ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'SKIPPED');
create type public.agent_question_status as enum ('OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED');
create type public.user_question_status as enum ('PENDING', 'ANSWERED');

comment on type public.sprint_run_status is 'States of a sprint run (specification: Sprint run).';
comment on type public.agent_job_status is 'States of an agent job (specification: Agent job).';
comment on type public.task_execution_status is 'States of a sprint task execution record (specification: Sprint run).';
comment on type public.agent_question_status is 'States of an agent question (specification: Agent question).';
comment on type public.user_question_status is 'States of a user question (specification: Other records).';

-- Enumerations of the agent side that are no states (specification: Agent job, Agent question).
create type public.agent_job_kind as enum ('TASK_IMPLEMENTATION', 'PLAN_CHAT', 'SPRINT_IMPLEMENTATION');
create type public.verify_result as enum ('ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT');
create type public.question_expiry as enum ('STOP', 'RECOMMENDED', 'ESCALATE');

comment on type public.agent_job_kind is 'What a job does (specification: Agent job).';
comment on type public.verify_result is 'Result of the verification gate (specification: Agent job).';
comment on type public.question_expiry is 'What happens when a question expires unanswered.';

-- What a user may do beside the membership of products (specification: Other records, User).
create type public.user_role as enum ('DEVELOPER', 'ADMIN');

comment on type public.user_role is 'Role of a user (specification: Other records). Registration never grants ADMIN.';

-- How the pages look for a user; SYSTEM follows the device.
create type public.user_theme as enum ('SYSTEM', 'LIGHT', 'DARK');

comment on type public.user_theme is 'Colour scheme that a user chose in the settings.';

-- The states of a login pairing (specification: States and transitions, Login pairing).
create type public.pairing_status as enum ('PENDING', 'APPROVED', 'CONSUMED', 'CANCELLED');

comment on type public.pairing_status is 'States of a login pairing (specification: Login pairing).';

-- Why: the profile beside Supabase Auth. auth.users holds e-mail and password, this table what the service knows.
-- A trigger on auth.users makes the row; the flags are read here on every request, never from the cookie.
-- The reference of active_product_id follows in a later file, because products come after users.
create table public.users (
  id uuid primary key references auth.users (id) on delete cascade,
  username text not null
    constraint users_username_pattern check (username ~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$'),
  email text not null constraint users_email_length check (char_length(email) <= 254),
  role public.user_role not null default 'DEVELOPER',
  is_demo boolean not null default false,
  must_reset_password boolean not null default false,
  min_quota_pct integer not null default 20
    constraint users_min_quota_pct_range check (min_quota_pct between 1 and 100),
  active_product_id uuid,
  theme public.user_theme not null default 'SYSTEM',
  avatar bytea constraint users_avatar_size check (octet_length(avatar) <= 1048576),
  avatar_mime text constraint users_avatar_mime
    check (avatar_mime in ('image/png', 'image/jpeg', 'image/webp', 'image/gif')),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint users_avatar_complete check ((avatar is null) = (avatar_mime is null))
);

comment on table public.users is
  'Profile of a user (specification: Other records, User): role, demo flag, quota threshold, active product.';

create unique index users_username_key on public.users (lower(username));
create index users_email_idx on public.users (lower(email));
create index users_active_product_id_idx on public.users (active_product_id);

alter table public.users enable row level security;

-- Why: the sealed cookie names a row here, so that a session can be listed, ended and made to expire at once.
-- A paired session ends 8 hours after its claim whatever happens; the others slide (specification: Authentication 2 and 5).
create table public.user_sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  user_agent text constraint user_sessions_user_agent_length check (char_length(user_agent) <= 255),
  ip text constraint user_sessions_ip_length check (char_length(ip) <= 45),
  paired boolean not null default false,
  paired_expires_at timestamptz,
  expires_at timestamptz not null,
  last_seen_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint user_sessions_paired_deadline check (paired = (paired_expires_at is not null))
);

comment on table public.user_sessions is
  'Signed-in browsers of a user (specification: Authentication): devices page, revocation, paired expiry.';

create index user_sessions_user_id_idx on public.user_sessions (user_id);

alter table public.user_sessions enable row level security;

-- Why: bearer tokens of agents and scripts. The token itself is shown once and never stored, only its SHA-256.
create table public.api_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  label text not null constraint api_tokens_label_length check (char_length(label) between 1 and 100),
  prefix text not null constraint api_tokens_prefix_length check (char_length(prefix) between 1 and 20),
  token_hash bytea not null unique constraint api_tokens_hash_length check (octet_length(token_hash) = 32),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);

comment on table public.api_tokens is
  'API tokens (specification: Authentication 1): one user each, stored as SHA-256, optional expiry, revocable.';

create index api_tokens_user_id_idx on public.api_tokens (user_id);

alter table public.api_tokens enable row level security;

-- Why: a desktop that waits to be signed in by a phone (specification: Login pairing).
-- Two distinct secrets exist, the phone's and the desktop's; only their SHA-256 is stored.
-- The constraints make impossible rows impossible: who approved, when, and when it was used.
create table public.login_pairings (
  id uuid primary key default gen_random_uuid(),
  status public.pairing_status not null default 'PENDING',
  user_id uuid references public.users (id) on delete cascade,
  session_id uuid references public.user_sessions (id) on delete set null,
  mobile_secret_hash bytea not null
    constraint login_pairings_mobile_hash_length check (octet_length(mobile_secret_hash) = 32),
  desktop_token_hash bytea not null
    constraint login_pairings_desktop_hash_length check (octet_length(desktop_token_hash) = 32),
  desktop_ua text constraint login_pairings_ua_length check (char_length(desktop_ua) <= 255),
  desktop_ip text constraint login_pairings_ip_length check (char_length(desktop_ip) <= 45),
  check_code text not null constraint login_pairings_check_code_form check (check_code ~ '^[0-9]{3} [0-9]{3}$'),
  failed_attempts integer not null default 0,
  expires_at timestamptz not null,
  approved_at timestamptz,
  consumed_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint login_pairings_two_secrets check (mobile_secret_hash <> desktop_token_hash),
  constraint login_pairings_approval check (
    (status = 'PENDING' and user_id is null and approved_at is null and consumed_at is null)
    or (status = 'APPROVED' and user_id is not null and approved_at is not null and consumed_at is null)
    or (status = 'CONSUMED' and user_id is not null and approved_at is not null and consumed_at is not null)
    or (status = 'CANCELLED' and consumed_at is null)
  )
);

comment on table public.login_pairings is
  'Login pairings (specification: Login pairing): state machine, two deadlines, two hashed secrets.';

create index login_pairings_user_id_idx on public.login_pairings (user_id);
create index login_pairings_session_id_idx on public.login_pairings (session_id);
create index login_pairings_pending_expiry_idx on public.login_pairings (expires_at) where status = 'PENDING';
create index login_pairings_created_at_idx on public.login_pairings (created_at);

alter table public.login_pairings enable row level security;

-- Why: all processes on one database share the counts, and a restart does not reset them (specification: Limits).
-- One row per action and key (a user id or a client address); private.take_rate_limit is the only writer.
create table public.rate_limit_counters (
  action text not null,
  key text not null,
  window_start timestamptz not null,
  count integer not null default 0,
  primary key (action, key)
);

comment on table public.rate_limit_counters is
  'Counters of the rate limits (specification: Limits), one row per action and key. Service only.';

create index rate_limit_counters_window_start_idx on public.rate_limit_counters (window_start);

alter table public.rate_limit_counters enable row level security;

-- Why: sign-ins, pairings, token and role changes leave a trace that a user (own) and an administrator (all) can read.
-- A row outlives the user it is about; it never holds a secret.
create table public.audit_events (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references public.users (id) on delete set null,
  actor_id uuid references public.users (id) on delete set null,
  kind text not null constraint audit_events_kind_form check (kind ~ '^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$'),
  detail jsonb not null default '{}',
  ip text constraint audit_events_ip_length check (char_length(ip) <= 45),
  created_at timestamptz not null default clock_timestamp()
);

comment on table public.audit_events is
  'Audit trail of sign-ins, pairings, token and role changes: whom it concerns, who did it, from where.';

create index audit_events_user_id_idx on public.audit_events (user_id, created_at desc);
create index audit_events_actor_id_idx on public.audit_events (actor_id);
create index audit_events_created_at_idx on public.audit_events (created_at desc);

alter table public.audit_events enable row level security;

-- Why: the root of everything that people and agents share (specification: Product).
-- The owner also has a row in product_members, kept by a trigger; access is looked up there and nowhere else.
create table public.products (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null default auth.uid() references public.users (id) on delete restrict,
  code text not null
    constraint products_code_form check (code ~ '^[A-Za-z0-9._-]{1,30}$'),
  name text not null constraint products_name_length check (char_length(name) between 1 and 200),
  description text not null default ''
    constraint products_description_length check (char_length(description) <= 100000),
  repo_url text not null default '' constraint products_repo_url_length check (char_length(repo_url) <= 2000)
    constraint products_repo_url_form check (repo_url !~* '^[[:space:]]*(javascript|data|vbscript):'),
  definition_of_done text not null default ''
    constraint products_definition_of_done_length check (char_length(definition_of_done) <= 100000),
  auto_pr boolean not null default false,
  pr_strategy public.pr_strategy not null default 'SPRINT',
  archived_at timestamptz,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint products_owner_code_key unique (owner_id, code)
);

comment on table public.products is 'Products (specification: Product). Archived ones can be read and not written.';

alter table public.products enable row level security;

-- Why: who may use a product (specification: Authentication 4). One row for the owner too, so that access is one look-up.
create table public.product_members (
  product_id uuid not null references public.products (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  role public.member_role not null default 'MEMBER',
  created_at timestamptz not null default private.now(),
  primary key (product_id, user_id)
);

comment on table public.product_members is 'Owner and members of each product (specification: Authentication 4).';

create index product_members_user_id_idx on public.product_members (user_id, product_id);
create unique index product_members_one_owner_key on public.product_members (product_id) where role = 'OWNER';

alter table public.product_members enable row level security;

-- Why: generated codes come from counter rows, never from the highest code plus one, so that two creates can not meet
-- (specification: Entity codes 3, 4). The scope is a product, or the user for ideas.
create table public.code_counters (
  scope_id uuid not null,
  kind text not null constraint code_counters_kind check (kind in ('pbi', 'story', 'task', 'sprint', 'idea')),
  last_number bigint not null default 0 constraint code_counters_last_number check (last_number >= 0),
  primary key (scope_id, kind)
);

comment on table public.code_counters is 'Last generated number per scope and kind (specification: Entity codes). Service only.';

alter table public.code_counters enable row level security;

-- Why: product backlog items (specification: PBI), ordered by priority and a float sort_order.
-- `status` is READY, DONE or FAILED as its stories say, or BLOCKED by hand; triggers keep that.
create table public.pbis (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  code text not null constraint pbis_code_form check (code ~ '^[A-Za-z0-9._-]{1,30}$'),
  title text not null constraint pbis_title_length check (char_length(title) between 1 and 300),
  description text not null default ''
    constraint pbis_description_length check (char_length(description) <= 100000),
  priority integer not null default 3 constraint pbis_priority_range check (priority between 0 and 1000000),
  sort_order double precision not null
    constraint pbis_sort_order_finite check (sort_order > '-Infinity' and sort_order < 'Infinity'),
  status public.pbi_status not null default 'READY',
  pr_url text
    constraint pbis_pr_url_form check (pr_url ~* '^https?://' and char_length(pr_url) <= 2000),
  pr_merged_at timestamptz,
  idea_id uuid,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint pbis_product_code_key unique (product_id, code),
  constraint pbis_id_product_key unique (id, product_id)
);

comment on table public.pbis is 'Product backlog items (specification: PBI).';

create index pbis_order_idx on public.pbis (product_id, priority, sort_order, created_at, id);
create index pbis_idea_id_idx on public.pbis (idea_id) where idea_id is not null;
create index pbis_search_idx on public.pbis
  using gin (to_tsvector('simple', code || ' ' || title || ' ' || left(description, 20000)));

alter table public.pbis enable row level security;

-- Why: sprints group stories of one product (specification: Sprint). At most one is ACTIVE per product.
create table public.sprints (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  code text not null
    constraint sprints_code_form check (code ~ '^SP-[0-9]+$' and char_length(code) <= 30),
  sprint_goal text not null default ''
    constraint sprints_sprint_goal_length check (char_length(sprint_goal) <= 10000),
  status public.sprint_status not null default 'PLANNED',
  start_date date,
  end_date date,
  started_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint sprints_dates_in_order check (end_date >= start_date),
  constraint sprints_product_code_key unique (product_id, code),
  constraint sprints_id_product_key unique (id, product_id)
);

comment on table public.sprints is 'Sprints (specification: Sprint).';

create unique index sprints_one_active_key on public.sprints (product_id) where status = 'ACTIVE';

alter table public.sprints enable row level security;

-- Why: stories (specification: Story). Sprint, PBI and assignee are tied to the story's product by composite keys, so no
-- path can mix two products. `status` is derived from the tasks and the sprint, `sort_order` from the code; triggers keep both.
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
  status public.story_status not null default 'OPEN',
  sort_order bigint not null,
  sprint_id uuid,
  assignee_id uuid,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
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

create index stories_pbi_idx on public.stories (pbi_id, product_id, sort_order, created_at, id);
create index stories_sprint_idx on public.stories (sprint_id, product_id, sort_order, created_at, id);
create index stories_assignee_idx on public.stories (product_id, assignee_id);
create index stories_search_idx on public.stories
  using gin (to_tsvector('simple', code || ' ' || title || ' ' || left(description, 20000)));

alter table public.stories enable row level security;

-- Why: tasks (specification: Task). `product_id` repeats the story's product, and the composite key holds it there.
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
  verify_only boolean not null default false,
  verify_required public.verify_required not null default 'ALIGNED_OR_PARTIAL',
  requires_opus boolean not null default false,
  estimated_minutes integer constraint tasks_estimated_minutes_range check (estimated_minutes between 0 and 1000000),
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint tasks_product_code_key unique (product_id, code),
  constraint tasks_id_product_key unique (id, product_id),
  constraint tasks_story_fkey foreign key (story_id, product_id)
    references public.stories (id, product_id) on delete cascade
);

comment on table public.tasks is 'Tasks (specification: Task).';

create index tasks_story_idx on public.tasks (story_id, product_id, sort_order, created_at, id);
create index tasks_search_idx on public.tasks
  using gin (to_tsvector('simple', code || ' ' || title || ' ' || left(description, 20000)));

alter table public.tasks enable row level security;

-- Why: the history from which burn-down and cycle time are read. Written by a trigger, never by a client.
create table public.task_status_changes (
  id bigint generated always as identity primary key,
  task_id uuid not null references public.tasks (id) on delete cascade,
  story_id uuid not null,
  product_id uuid not null references public.products (id) on delete cascade,
  sprint_id uuid,
  from_status public.task_status,
  to_status public.task_status not null,
  changed_at timestamptz not null default private.now()
);

comment on table public.task_status_changes is 'Every status a task had, with the sprint it was in (specification: States, Task).';

create index task_status_changes_task_id_idx on public.task_status_changes (task_id);
create index task_status_changes_product_id_idx on public.task_status_changes (product_id, changed_at);
create index task_status_changes_sprint_id_idx on public.task_status_changes (sprint_id, changed_at)
  where sprint_id is not null;

alter table public.task_status_changes enable row level security;

-- Why: what was planned, tested and committed for a story (specification: Story log entry). Entries are only added.
-- A field of another type makes the row impossible. `job_id` names the agent job that wrote the entry, if one did.
create table public.story_logs (
  id uuid primary key default gen_random_uuid(),
  story_id uuid not null,
  product_id uuid not null references public.products (id) on delete cascade,
  type public.story_log_type not null,
  content text not null constraint story_logs_content_length check (char_length(content) between 1 and 100000),
  status public.story_log_status,
  commit_hash text constraint story_logs_commit_hash_length check (char_length(commit_hash) between 1 and 200),
  commit_message text constraint story_logs_commit_message_length check (char_length(commit_message) between 1 and 100000),
  metadata jsonb
    constraint story_logs_metadata_object check (jsonb_typeof(metadata) = 'object')
    constraint story_logs_metadata_size check (octet_length(metadata::text) <= 131072),
  user_id uuid default auth.uid() references public.users (id) on delete set null,
  job_id uuid,
  created_at timestamptz not null default private.now(),
  constraint story_logs_status_of_test_result check ((type = 'TEST_RESULT') = (status is not null)),
  constraint story_logs_commit_fields check (
    (type = 'COMMIT') = (commit_hash is not null) and (type = 'COMMIT') = (commit_message is not null)
  ),
  constraint story_logs_story_fkey foreign key (story_id, product_id)
    references public.stories (id, product_id) on delete cascade
);

comment on table public.story_logs is 'Story log entries (specification: Story log entry).';

create index story_logs_story_idx on public.story_logs (story_id, product_id, created_at, id);
create index story_logs_product_id_idx on public.story_logs (product_id);
create index story_logs_user_id_idx on public.story_logs (user_id);

alter table public.story_logs enable row level security;

-- Why: notes of one user for one product (specification: Idea). PLANNED means promoted to a PBI; archived is a flag beside it.
create table public.ideas (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references public.users (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  code text not null constraint ideas_code_form check (code ~ '^IDEA-[0-9]{3,}$' and char_length(code) <= 30),
  title text not null constraint ideas_title_length check (char_length(title) between 1 and 300),
  description text not null default ''
    constraint ideas_description_length check (char_length(description) <= 100000),
  status public.idea_status not null default 'DRAFT',
  archived_at timestamptz,
  pbi_id uuid references public.pbis (id) on delete set null,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint ideas_user_code_key unique (user_id, code),
  constraint ideas_pbi_only_when_planned check (pbi_id is null or status = 'PLANNED')
);

comment on table public.ideas is 'Ideas (specification: Idea), coded by a counter per user.';

create index ideas_product_id_idx on public.ideas (product_id);
create index ideas_open_idx on public.ideas (user_id, product_id, created_at, id)
  where archived_at is null and status <> 'PLANNED';
create index ideas_pbi_id_idx on public.ideas (pbi_id) where pbi_id is not null;
create index ideas_search_idx on public.ideas
  using gin (to_tsvector('simple', code || ' ' || title || ' ' || left(description, 20000)));

alter table public.ideas enable row level security;

-- Completes pbis once ideas exist: the idea that a PBI was promoted from.
alter table public.pbis
  add constraint pbis_idea_id_fkey foreign key (idea_id) references public.ideas (id) on delete set null;

-- Why: further products of an idea (specification: Idea): unique per pair, gone with either side.
create table public.idea_products (
  idea_id uuid not null references public.ideas (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  primary key (idea_id, product_id)
);

comment on table public.idea_products is 'Secondary products of an idea (specification: Idea).';

create index idea_products_product_id_idx on public.idea_products (product_id, idea_id);

alter table public.idea_products enable row level security;

-- Why: what happened to an idea, for its page: created, edited, moved, linked, promoted, asked, answered.
create table public.idea_logs (
  id uuid primary key default gen_random_uuid(),
  idea_id uuid not null references public.ideas (id) on delete cascade,
  user_id uuid references public.users (id) on delete set null,
  kind text not null constraint idea_logs_kind_form check (kind ~ '^[A-Z][A-Z_]{1,39}$'),
  content text not null default '' constraint idea_logs_content_length check (char_length(content) <= 100000),
  created_at timestamptz not null default private.now()
);

comment on table public.idea_logs is 'The log of an idea (specification: Other records, idea log). Written by triggers.';

create index idea_logs_idea_id_idx on public.idea_logs (idea_id, created_at);
create index idea_logs_user_id_idx on public.idea_logs (user_id);

alter table public.idea_logs enable row level security;

-- Why a job failed or went back to the queue; decides what happens next (specification: Agent job).
create type public.failure_class as enum
  ('agent_error', 'verification_failed', 'rate_limited', 'infrastructure', 'cancelled');

comment on type public.failure_class is 'Classes of failures of a job (specification: Agent job).';

-- The states of one delivery to a phone or a webhook.
create type public.notice_status as enum ('PENDING', 'DELIVERED', 'FAILED');

comment on type public.notice_status is 'States of a notice in the outbox (specification: Agent question; push, webhooks).';

-- Why: a run groups the jobs of one sprint start (specification: Sprint run).
-- At most one unfinished run a sprint: the partial unique index decides, whatever races.
create table public.sprint_runs (
  id uuid primary key default gen_random_uuid(),
  sprint_id uuid not null references public.sprints (id) on delete cascade,
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
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint sprint_runs_pause_context check ((status = 'PAUSED') = (pause_context is not null)),
  constraint sprint_runs_finished check ((status in ('DONE', 'FAILED', 'CANCELLED')) = (finished_at is not null))
);

comment on table public.sprint_runs is
  'Sprint runs (specification: Sprint run): one start of a sprint, its branch, its pause and its end.';
comment on column public.sprint_runs.pause_context is 'Null or { reason, pr_url, conflict_files }.';
comment on column public.sprint_runs.failure is 'Null or { task_id, task_code, job_id, failure_class, reason }: what ended the run.';

create unique index sprint_runs_one_unfinished_key on public.sprint_runs (sprint_id)
  where status in ('QUEUED', 'RUNNING', 'PAUSED');
create index sprint_runs_sprint_id_idx on public.sprint_runs (sprint_id, created_at);
create index sprint_runs_product_id_idx on public.sprint_runs (product_id, created_at);
create index sprint_runs_previous_run_id_idx on public.sprint_runs (previous_run_id);
create index sprint_runs_started_by_idx on public.sprint_runs (started_by);

alter table public.sprint_runs enable row level security;

-- Why: who works for whom, when it was last seen and how much quota it has left (specification: Other records, Agent worker).
-- A worker is named by its user; the name stays the same across restarts, so that a restart can close what it held.
create table public.agent_workers (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  name text not null constraint agent_workers_name_length check (char_length(name) between 1 and 100),
  hostname text constraint agent_workers_hostname_length check (char_length(hostname) <= 255),
  version text constraint agent_workers_version_length check (char_length(version) <= 50),
  last_seen_at timestamptz not null default private.now(),
  last_quota_pct integer constraint agent_workers_quota_range check (last_quota_pct between 0 and 100),
  last_quota_check_at timestamptz,
  current_job_id uuid,
  stopped_at timestamptz,
  created_at timestamptz not null default private.now(),
  constraint agent_workers_user_id_name_key unique (user_id, name)
);

comment on table public.agent_workers is
  'Presence of workers (specification: Agent worker): last seen, quota, current job.';

create index agent_workers_last_seen_at_idx on public.agent_workers (last_seen_at);
create index agent_workers_current_job_id_idx on public.agent_workers (current_job_id);

alter table public.agent_workers enable row level security;

-- Why: the queue of the workers (specification: Agent job). The contract's columns, and four that keep the order cheap:
-- lane_id    jobs that share a branch run one after another; they share a lane (the run, the story, or the job itself)
-- position   the place in PBI, story, task order within the run
-- in_turn    true once every earlier job of the lane is finished, so that a claim reads only claimable jobs
-- claim_rank 0 for a job that comes back with an answer (it goes first), else 1
create table public.agent_jobs (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  task_id uuid references public.tasks (id) on delete cascade,
  idea_id uuid references public.ideas (id) on delete cascade,
  kind public.agent_job_kind not null,
  status public.agent_job_status not null default 'QUEUED',
  sprint_run_id uuid references public.sprint_runs (id) on delete cascade,
  lane_id uuid not null,
  position integer not null default 0,
  in_turn boolean not null default true,
  claim_rank smallint not null default 1,
  branch text constraint agent_jobs_branch_length check (char_length(branch) <= 200),
  plan_snapshot text,
  pushed_at timestamptz,
  pr_url text constraint agent_jobs_pr_url_form check (pr_url ~ '^https?://' and char_length(pr_url) <= 2000),
  verify_result public.verify_result,
  retry_count integer not null default 0 constraint agent_jobs_retry_count_positive check (retry_count >= 0),
  attempt integer not null default 0 constraint agent_jobs_attempt_positive check (attempt >= 0),
  worker_id uuid references public.agent_workers (id) on delete set null,
  claimed_at timestamptz,
  started_at timestamptz,
  lease_until timestamptz,
  not_before timestamptz,
  base_sha text constraint agent_jobs_base_sha_length check (char_length(base_sha) <= 64),
  head_sha text constraint agent_jobs_head_sha_length check (char_length(head_sha) <= 64),
  model_id text constraint agent_jobs_model_id_length check (char_length(model_id) <= 200),
  input_tokens bigint constraint agent_jobs_input_tokens_positive check (input_tokens >= 0),
  output_tokens bigint constraint agent_jobs_output_tokens_positive check (output_tokens >= 0),
  cache_read_tokens bigint constraint agent_jobs_cache_read_tokens_positive check (cache_read_tokens >= 0),
  cache_write_tokens bigint constraint agent_jobs_cache_write_tokens_positive check (cache_write_tokens >= 0),
  earlier_usage jsonb,
  evidence jsonb,
  failure_class public.failure_class,
  failure_reason text constraint agent_jobs_failure_reason_length check (char_length(failure_reason) <= 4000),
  summary text constraint agent_jobs_summary_length check (char_length(summary) <= 20000),
  parked_question_id uuid,
  created_by uuid references public.users (id) on delete set null,
  finished_at timestamptz,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint agent_jobs_task_or_idea check (num_nonnulls(task_id, idea_id) = 1),
  constraint agent_jobs_kind_target check (
    (kind = 'PLAN_CHAT') = (idea_id is not null)
    and (kind <> 'SPRINT_IMPLEMENTATION' or sprint_run_id is not null)
  ),
  constraint agent_jobs_finished check (
    (status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED')) = (finished_at is not null)
  )
);

comment on table public.agent_jobs is
  'Agent jobs (specification: Agent job): one a task of a run, one a batch run, or one a question about an idea.';
comment on column public.agent_jobs.earlier_usage is
  'Tokens of attempts that ended without an end of the job; a report counts its own attempt on top.';
comment on column public.agent_jobs.evidence is 'What a worker gave for verification: changed files, the result of the tests.';

-- A claim walks this index: the claimable jobs of one product in claim order.
create index agent_jobs_claim_order_idx on public.agent_jobs (product_id, claim_rank, created_at, position, id)
  where status = 'QUEUED' and in_turn;
-- The order within a lane, and whether a run has unfinished jobs.
create index agent_jobs_unfinished_idx on public.agent_jobs (sprint_run_id, lane_id, position)
  where status in ('QUEUED', 'CLAIMED', 'RUNNING');
create index agent_jobs_lease_idx on public.agent_jobs (lease_until) where status in ('CLAIMED', 'RUNNING');
create index agent_jobs_sprint_run_id_idx on public.agent_jobs (sprint_run_id, position);
create index agent_jobs_task_id_idx on public.agent_jobs (task_id);
create index agent_jobs_idea_id_idx on public.agent_jobs (idea_id) where idea_id is not null;
create index agent_jobs_worker_id_idx on public.agent_jobs (worker_id);
create index agent_jobs_parked_question_id_idx on public.agent_jobs (parked_question_id)
  where parked_question_id is not null;
create index agent_jobs_created_by_idx on public.agent_jobs (created_by);
create index agent_jobs_product_id_idx on public.agent_jobs (product_id, created_at, id);
create index agent_jobs_cleanup_idx on public.agent_jobs (finished_at) where status in ('FAILED', 'CANCELLED');

alter table public.agent_jobs enable row level security;

-- Why: a batch run has one job for many tasks; each task in its scope has a record of its own, with the plan and the
-- verification demand frozen when the run began (specification: Sprint run, sprint task execution).
create table public.task_executions (
  id uuid primary key default gen_random_uuid(),
  sprint_run_id uuid not null references public.sprint_runs (id) on delete cascade,
  task_id uuid not null references public.tasks (id) on delete cascade,
  position integer not null,
  status public.task_execution_status not null default 'PENDING',
  plan_snapshot text,
  verify_required public.verify_required not null,
  verify_result public.verify_result,
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

-- Why: tokens become money by these prices per one million tokens (specification: Other records, Model price).
create table public.model_prices (
  model_id text primary key constraint model_prices_model_id_length check (char_length(model_id) between 1 and 200),
  input_per_million numeric(12, 4) not null default 0 check (input_per_million >= 0),
  output_per_million numeric(12, 4) not null default 0 check (output_per_million >= 0),
  cache_read_per_million numeric(12, 4) not null default 0 check (cache_read_per_million >= 0),
  cache_write_per_million numeric(12, 4) not null default 0 check (cache_write_per_million >= 0),
  currency text not null default 'USD' constraint model_prices_currency_form check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now()
);

comment on table public.model_prices is
  'Model prices (specification: Other records): per million input, output, cache read and cache write tokens.';

alter table public.model_prices enable row level security;

-- Why: an agent asks a person and may wait for the answer (specification: Agent question).
-- Bound to exactly one of story and idea. Past its expiry an open question counts as expired everywhere at once;
-- expire_questions writes it down and carries out on_expiry.
create table public.agent_questions (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  story_id uuid references public.stories (id) on delete cascade,
  idea_id uuid references public.ideas (id) on delete cascade,
  task_id uuid references public.tasks (id) on delete set null,
  assignee_id uuid references public.users (id) on delete set null,
  job_id uuid references public.agent_jobs (id) on delete set null,
  sprint_run_id uuid references public.sprint_runs (id) on delete set null,
  asked_by uuid references public.users (id) on delete set null,
  status public.agent_question_status not null default 'OPEN',
  question text not null constraint agent_questions_question_length check (char_length(question) between 1 and 4000),
  options jsonb not null default '[]'
    constraint agent_questions_options check (jsonb_typeof(options) = 'array' and jsonb_array_length(options) <= 8),
  recommended_option integer,
  answer text constraint agent_questions_answer_length check (char_length(answer) <= 4000),
  answered_by uuid references public.users (id) on delete set null,
  answered_at timestamptz,
  expires_at timestamptz not null default private.now() + interval '7 days',
  on_expiry public.question_expiry not null default 'STOP',
  escalate_to uuid references public.users (id) on delete set null,
  park boolean not null default false,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint agent_questions_story_or_idea check (num_nonnulls(story_id, idea_id) = 1),
  constraint agent_questions_recommended check (
    recommended_option is null or recommended_option between 0 and jsonb_array_length(options) - 1
  ),
  constraint agent_questions_answered check ((status = 'ANSWERED') <= (answer is not null))
);

comment on table public.agent_questions is
  'Agent questions (specification: Agent question): open, answered, cancelled or expired; bound to a story or an idea.';
comment on column public.agent_questions.options is 'Array of { label, description? }, at most 8.';
comment on column public.agent_questions.recommended_option is 'Index into options, from 0.';

create index agent_questions_open_idx on public.agent_questions (product_id, created_at) where status = 'OPEN';
create index agent_questions_due_idx on public.agent_questions (expires_at) where status = 'OPEN';
create index agent_questions_product_id_idx on public.agent_questions (product_id, created_at, id);
create index agent_questions_story_id_idx on public.agent_questions (story_id);
create index agent_questions_idea_id_idx on public.agent_questions (idea_id);
create index agent_questions_task_id_idx on public.agent_questions (task_id);
create index agent_questions_assignee_id_idx on public.agent_questions (assignee_id);
create index agent_questions_job_id_idx on public.agent_questions (job_id);
create index agent_questions_sprint_run_id_idx on public.agent_questions (sprint_run_id);
create index agent_questions_asked_by_idx on public.agent_questions (asked_by);
create index agent_questions_answered_by_idx on public.agent_questions (answered_by);
create index agent_questions_escalate_to_idx on public.agent_questions (escalate_to);

alter table public.agent_questions enable row level security;

-- Why: a user asks about an idea, a worker answers (specification: Other records, User question).
create table public.user_questions (
  id uuid primary key default gen_random_uuid(),
  idea_id uuid not null references public.ideas (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  question text not null constraint user_questions_question_length check (char_length(question) between 1 and 4000),
  answer text constraint user_questions_answer_length check (char_length(answer) <= 20000),
  status public.user_question_status not null default 'PENDING',
  job_id uuid references public.agent_jobs (id) on delete set null,
  answered_at timestamptz,
  created_at timestamptz not null default private.now(),
  constraint user_questions_answered check ((status = 'ANSWERED') = (answer is not null))
);

comment on table public.user_questions is
  'User questions about ideas (specification: Other records): pending until the worker''s answer closes them.';

create index user_questions_idea_id_idx on public.user_questions (idea_id, created_at);
create index user_questions_user_id_idx on public.user_questions (user_id, created_at);
create index user_questions_job_id_idx on public.user_questions (job_id);

alter table public.user_questions enable row level security;

-- Why: runs, jobs, workers and questions point at each other; these references can only follow once all four exist.
alter table public.sprint_runs
  add constraint sprint_runs_pause_question_id_fkey
  foreign key (pause_question_id) references public.agent_questions (id) on delete set null;
create index sprint_runs_pause_question_id_idx on public.sprint_runs (pause_question_id);

alter table public.agent_jobs
  add constraint agent_jobs_parked_question_id_fkey
  foreign key (parked_question_id) references public.agent_questions (id) on delete set null;

alter table public.agent_workers
  add constraint agent_workers_current_job_id_fkey
  foreign key (current_job_id) references public.agent_jobs (id) on delete set null;

-- Why: every end of a story asks whether its PBI has one that failed or is not done; with these the answer does not grow
-- dearer with the number of stories (private.derived_pbi_status).
create index stories_failed_idx on public.stories (pbi_id) where status = 'FAILED';
create index stories_unfinished_idx on public.stories (pbi_id) where status <> 'DONE';

-- Why: a browser that agreed to be told at once (specification: Other records, Push subscription: belongs to one user).
-- An endpoint that the push service calls gone is disabled, not tried for ever.
create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  endpoint text not null unique
    constraint push_subscriptions_endpoint_form check (endpoint ~ '^https?://' and char_length(endpoint) <= 2000),
  p256dh text not null constraint push_subscriptions_p256dh_length check (char_length(p256dh) between 1 and 200),
  auth text not null constraint push_subscriptions_auth_length check (char_length(auth) between 1 and 100),
  user_agent text constraint push_subscriptions_user_agent_length check (char_length(user_agent) <= 255),
  last_error text constraint push_subscriptions_last_error_length check (char_length(last_error) <= 1000),
  disabled_at timestamptz,
  created_at timestamptz not null default private.now()
);

comment on table public.push_subscriptions is 'Web push subscriptions (specification: Other records), one user each.';

create index push_subscriptions_user_id_idx on public.push_subscriptions (user_id);

alter table public.push_subscriptions enable row level security;

-- Why: other systems are told about questions, runs and reviews of a product by signed requests.
-- The secret signs each request; it is shown once, when the webhook is made.
create table public.webhooks (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  url text not null constraint webhooks_url_form check (url ~ '^https?://' and char_length(url) <= 2000),
  secret text not null constraint webhooks_secret_length check (char_length(secret) between 32 and 200),
  events jsonb not null default '[]'
    constraint webhooks_events check (jsonb_typeof(events) = 'array' and jsonb_array_length(events) between 1 and 10),
  active boolean not null default true,
  created_by uuid references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now()
);

comment on table public.webhooks is 'Outbound webhooks of a product: address, signing secret, chosen events.';

create index webhooks_product_id_idx on public.webhooks (product_id);
create index webhooks_created_by_idx on public.webhooks (created_by);

alter table public.webhooks enable row level security;

-- Why: the outbox. What people and webhooks must hear is written in the transaction that changed something, and sent
-- after it is committed: nothing is lost, nothing is sent for a change that was rolled back. A row is also its own
-- delivery log. The id is the idempotency id of a webhook request.
create table public.notices (
  id uuid primary key default gen_random_uuid(),
  kind text not null constraint notices_kind check (kind in
    ('question_opened', 'question_answered', 'question_expired', 'run_paused', 'run_failed', 'run_done',
     'review_needed', 'ping')),
  product_id uuid references public.products (id) on delete cascade,
  user_id uuid references public.users (id) on delete cascade,
  webhook_id uuid references public.webhooks (id) on delete cascade,
  payload jsonb not null,
  status public.notice_status not null default 'PENDING',
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default private.now(),
  response_status integer,
  last_error text constraint notices_last_error_length check (char_length(last_error) <= 1000),
  delivered_at timestamptz,
  created_at timestamptz not null default private.now(),
  constraint notices_one_target check (num_nonnulls(user_id, webhook_id) = 1)
);

comment on table public.notices is 'Outbox and delivery log of push messages and webhook requests. Service only.';

create index notices_due_idx on public.notices (next_attempt_at) where status = 'PENDING';
create index notices_done_idx on public.notices (created_at) where status <> 'PENDING';
create index notices_user_id_idx on public.notices (user_id);
create index notices_webhook_id_idx on public.notices (webhook_id, created_at, id);
create index notices_product_id_idx on public.notices (product_id);

alter table public.notices enable row level security;

-- Completes users once products exist: a deleted product is nobody's active product.
alter table public.users
  add constraint users_active_product_id_fkey
  foreign key (active_product_id) references public.products (id) on delete set null;

-- Why: two or more app processes share one database, and each entry of the schedule must run once.
-- The process that inserts the row for (name, due_at) runs the entry; the others find it taken.
create table public.schedule_runs (
  name text not null check (char_length(name) between 1 and 100),
  due_at timestamptz not null,
  claimed_at timestamptz not null default clock_timestamp(),
  primary key (name, due_at)
);

comment on table public.schedule_runs is
  'Which entry of the in-process schedule was taken for which due time (specification: Schedules). Service only.';

alter table public.schedule_runs enable row level security;

revoke all on public.schedule_runs from anon, authenticated;
grant select, insert, delete on public.schedule_runs to service_role;

-- The service role passes row level security; this policy only states that nobody else has a row here.
create policy schedule_runs_service on public.schedule_runs
  for all to service_role using (true) with check (true);

-- Why: the demo flag is read from the database on every request, never from a token or cookie. Definer, because a user may
-- not read the profile table freely. A caller without profile counts as demo: nobody writes without an account.
create function private.is_demo()
returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return coalesce((select u.is_demo from public.users u where u.id = auth.uid()), true);
end;
$$;

comment on function private.is_demo() is 'Whether the caller may only read (specification: Authentication 3).';

grant execute on function private.is_demo() to authenticated, service_role;

-- Why: the one look-up of product access, used by every policy. Definer, because product_members is itself protected by it.
create function private.accessible_product_ids()
returns setof uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return query select m.product_id from public.product_members m where m.user_id = auth.uid();
end;
$$;

comment on function private.accessible_product_ids() is
  'Products that the caller owns or is a member of (specification: Authentication 4).';

grant execute on function private.accessible_product_ids() to authenticated, service_role;

-- Why: policies of writes. Definer for the same reason as accessible_product_ids. Archived products are read-only.
create function private.writable_product_ids()
returns setof uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return query
    select m.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id
    where m.user_id = auth.uid() and p.archived_at is null;
end;
$$;

comment on function private.writable_product_ids() is
  'Reachable products that are not archived (specification: Authentication 4).';

grant execute on function private.writable_product_ids() to authenticated, service_role;

-- Why: settings, archive and members of a product belong to its owner. Definer: product_members is protected by RLS.
create function private.owned_product_ids()
returns setof uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return query
    select m.product_id from public.product_members m where m.user_id = auth.uid() and m.role = 'OWNER';
end;
$$;

comment on function private.owned_product_ids() is 'Products that the caller owns (specification: Authentication 4).';

grant execute on function private.owned_product_ids() to authenticated, service_role;

-- Why: the access question for one product, in words. Definer: product_members is protected by RLS.
create function private.has_product_access(p_product_id uuid)
returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return exists (
    select from public.product_members m where m.product_id = p_product_id and m.user_id = auth.uid()
  );
end;
$$;

comment on function private.has_product_access(uuid) is
  'Whether the caller is owner or member of a product (specification: Authentication 4).';

grant execute on function private.has_product_access(uuid) to authenticated, service_role;

-- Why: refuses in the order of the contract: an unknown product is 404, one of others is 403.
-- Definer, because RLS hides the difference between the two.
create function private.require_product_access(p_product_id uuid)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_member boolean;
begin
  select exists (select from public.product_members m where m.product_id = p.id and m.user_id = auth.uid())
  into v_member
  from public.products p
  where p.id = p_product_id;

  if v_member is null then
    raise exception using errcode = 'PT404', message = 'No such product.';
  end if;

  if not v_member then
    raise exception using errcode = 'PT403',
      message = 'You have no access to this product. Ask its owner to add you as a member.';
  end if;
end;
$$;

comment on function private.require_product_access(uuid) is
  'PT404 for an unknown product, PT403 for one that the caller may not use (specification: Authentication 4).';

grant execute on function private.require_product_access(uuid) to authenticated, service_role;

-- Why: demo accounts read everything and write nothing, on every path; policies refuse them too, without a sentence.
create function private.require_no_demo()
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if private.is_demo() then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;
end;
$$;

comment on function private.require_no_demo() is 'PT403 for demo accounts (specification: Authentication 3).';

grant execute on function private.require_no_demo() to authenticated, service_role;

-- Why: demo accounts read only, archived products are read-only. Call it under the product lock and after
-- require_product_access. Definer, because it reads the profile of the caller.
create function private.require_product_write(p_product_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_no_demo();

  if exists (select from public.products p where p.id = p_product_id and p.archived_at is not null) then
    raise exception using errcode = 'PT403',
      message = 'This product is archived and can only be read. Restore it to make changes.';
  end if;
end;
$$;

comment on function private.require_product_write(uuid) is
  'PT403 for demo accounts and archived products (specification: Authentication 3).';

grant execute on function private.require_product_write(uuid) to authenticated, service_role;

-- Why: settings, members and the archive of a product are its owner's. Definer: membership is protected by RLS.
create function private.require_product_owner(p_product_id uuid)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);

  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER'
  ) then
    raise exception using errcode = 'PT403', message = 'Only the owner of the product may do this.';
  end if;
end;
$$;

comment on function private.require_product_owner(uuid) is
  'PT404, PT403 without access, PT403 for members who do not own the product (specification: Authentication 4).';

grant execute on function private.require_product_owner(uuid) to authenticated, service_role;

-- Why: whoever changes a task, story, PBI, sprint, run or job holds its product's lock, taken before anything that the
-- cascades depend on is read. The setting remembers the lock for the rest of the transaction, so that triggers of direct
-- writes know whether they still have to take it.
create function private.lock_product(p_product_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if current_setting('backloom.locked_product', true) = p_product_id::text then
    return;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('product:' || p_product_id::text, 0));
  perform set_config('backloom.locked_product', p_product_id::text, true);
end;
$$;

comment on function private.lock_product(uuid) is
  'Takes the one lock of a product until the end of the transaction (specification: States and transitions).';

grant execute on function private.lock_product(uuid) to authenticated, service_role;

-- Why: every operation on a part of a product starts with the question whose product it is. Definer, so that an unknown id
-- (404) and a foreign one (403, decided by the caller of this) can be told apart under RLS.
create function private.product_of(p_kind text, p_id uuid)
returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_product_id uuid;
begin
  case p_kind
    when 'task' then
      select t.product_id into v_product_id from public.tasks t where t.id = p_id;
    when 'story' then
      select s.product_id into v_product_id from public.stories s where s.id = p_id;
    when 'pbi' then
      select b.product_id into v_product_id from public.pbis b where b.id = p_id;
    when 'sprint' then
      select s.product_id into v_product_id from public.sprints s where s.id = p_id;
    when 'product' then
      select p.id into v_product_id from public.products p where p.id = p_id;
  end case;

  if v_product_id is null then
    raise exception using errcode = 'PT404',
      message = format('No such %s.', case p_kind when 'pbi' then 'PBI' else p_kind end);
  end if;

  return v_product_id;
end;
$$;

comment on function private.product_of(text, uuid) is
  'The product of a task, story, pbi, sprint or product; PT404 when there is none (specification: Errors).';

grant execute on function private.product_of(text, uuid) to authenticated, service_role;

-- Why: the first line of every read of one thing: 404, then 403. Answers its product.
create function private.require_access(p_kind text, p_id uuid)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product_id uuid := private.product_of(p_kind, p_id);
begin
  perform private.require_product_access(v_product_id);
  return v_product_id;
end;
$$;

comment on function private.require_access(text, uuid) is
  'The product of a thing that the caller may read; PT404, then PT403 (specification: Authentication 4, Errors).';

grant execute on function private.require_access(text, uuid) to authenticated, service_role;

-- Why: the first line of every write to one thing: 404, 403, then the product lock, then demo and archive under the lock.
-- Definer, so that a write costs one look-up of the product and one of the membership. Answers the product.
create function private.require_write(p_kind text, p_id uuid)
returns uuid
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_access(p_kind, p_id);
begin
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  return v_product_id;
end;
$$;

comment on function private.require_write(text, uuid) is
  'The locked product of a thing that the caller may change; PT404, then PT403 (specification: Authentication 3, 4).';

grant execute on function private.require_write(text, uuid) to authenticated, service_role;

-- Why: an idea belongs to one user; a member of its product may not touch it. Definer, because RLS hides foreign ideas.
-- Answers the idea's product.
create function private.require_own_idea(p_idea_id uuid)
returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_idea public.ideas;
begin
  select i.* into v_idea from public.ideas i where i.id = p_idea_id;

  if v_idea.id is null then
    raise exception using errcode = 'PT404', message = 'No such idea.';
  end if;

  if v_idea.user_id is distinct from auth.uid() then
    raise exception using errcode = 'PT403', message = 'This idea belongs to somebody else.';
  end if;

  return v_idea.product_id;
end;
$$;

comment on function private.require_own_idea(uuid) is
  'PT404 for an unknown idea, PT403 for one of another user (specification: Idea).';

grant execute on function private.require_own_idea(uuid) to authenticated, service_role;

-- Why: the order of stories and tasks is the trailing number of their code; without one, or past the largest safe integer,
-- they sort last (specification: Ordering rules 1).
create function private.sort_order_from_code(p_code text)
returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return coalesce(
    least(substring(p_code from '[0-9]+$')::numeric, 9007199254740991)::bigint,
    9007199254740991
  );
end;
$$;

comment on function private.sort_order_from_code(text) is
  'The trailing number of a code, at most 9007199254740991 (specification: Ordering rules 1).';

grant execute on function private.sort_order_from_code(text) to authenticated, service_role;

-- Why: lpad truncates, so ST-1000 would become ST-100. Numbers are padded to 3 digits for stories and ideas, never cut.
create function private.format_code(p_kind text, p_number bigint)
returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_digits text := p_number::text;
begin
  if p_kind in ('story', 'idea') then
    v_digits := lpad(v_digits, greatest(3, length(v_digits)), '0');
  end if;

  return case p_kind
    when 'pbi' then 'PBI-'
    when 'story' then 'ST-'
    when 'task' then 'T-'
    when 'sprint' then 'SP-'
    when 'idea' then 'IDEA-'
  end || v_digits;
end;
$$;

comment on function private.format_code(text, bigint) is
  'PBI-1, ST-001, T-1, SP-1, IDEA-001 (specification: Entity codes 3, 6, 7).';

grant execute on function private.format_code(text, bigint) to authenticated, service_role;

-- Why: a supplied code may stand where the counter is going. Definer, because triggers ask it for rows of any user.
create function private.code_taken(p_scope_id uuid, p_kind text, p_code text)
returns boolean
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  case p_kind
    when 'task' then
      return exists (select from public.tasks t where t.product_id = p_scope_id and t.code = p_code);
    when 'story' then
      return exists (select from public.stories s where s.product_id = p_scope_id and s.code = p_code);
    when 'pbi' then
      return exists (select from public.pbis b where b.product_id = p_scope_id and b.code = p_code);
    when 'sprint' then
      return exists (select from public.sprints s where s.product_id = p_scope_id and s.code = p_code);
    when 'idea' then
      return exists (select from public.ideas i where i.user_id = p_scope_id and i.code = p_code);
  end case;
end;
$$;

comment on function private.code_taken(uuid, text, text) is
  'Whether a code is in use within its scope (specification: Entity codes 2).';

-- Why: the next generated code of a kind within a product (or user, for ideas). The counter row serialises creations;
-- numbers that a supplied code has taken are skipped, so a creation never fails for a generated code.
-- Definer: nobody writes counters directly.
create function private.next_code(p_scope_id uuid, p_kind text)
returns text
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_number bigint;
  v_code text;
begin
  insert into public.code_counters as c (scope_id, kind, last_number)
  values (p_scope_id, p_kind, 1)
  on conflict (scope_id, kind) do update set last_number = c.last_number + 1
  returning c.last_number into v_number;

  v_code := private.format_code(p_kind, v_number);
  if not private.code_taken(p_scope_id, p_kind, v_code) then
    return v_code;
  end if;

  while private.code_taken(p_scope_id, p_kind, v_code) loop
    v_number := v_number + 1;
    v_code := private.format_code(p_kind, v_number);
  end loop;

  update public.code_counters c set last_number = v_number where c.scope_id = p_scope_id and c.kind = p_kind;
  return v_code;
end;
$$;

comment on function private.next_code(uuid, text) is
  'The next free generated code of a scope and kind (specification: Entity codes 3, 4, 6, 7).';

-- Why: all limits of the contract in one list that can be read aloud: how many, within how many seconds.
create function private.rate_limit(p_action text, out p_max integer, out p_seconds integer)
language plpgsql
immutable
set search_path = ''
as $$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also per account)
      ('login', 10, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('api_token', 10, 3600),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$$;

comment on function private.rate_limit(text) is 'Every rate limit: the count and the seconds (specification: Limits).';

grant execute on function private.rate_limit(text) to authenticated, service_role;

-- Why: one count per action and key (a user id, or an address) in the database, shared by all processes and exact under
-- concurrency: the counter row serialises the takers. The window opens with the first of its takes. Inside an operation
-- the count is undone together with a refused operation; who wants failed tries to count (login) calls it on its own.
-- Definer: nobody writes counters directly.
create function private.take_rate_limit(p_action text, p_key text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_max integer;
  v_window interval;
  v_count integer;
  v_start timestamptz;
  v_retry_after integer;
begin
  select l.p_max, make_interval(secs => l.p_seconds) into v_max, v_window from private.rate_limit(p_action) l;

  insert into public.rate_limit_counters as c (action, key, window_start, count)
  values (p_action, p_key, v_now, 1)
  on conflict (action, key) do update
  set window_start = case when c.window_start <= v_now - v_window then v_now else c.window_start end,
      count = case when c.window_start <= v_now - v_window then 1 else c.count + 1 end
  returning c.count, c.window_start into v_count, v_start;

  if v_count <= v_max then
    return;
  end if;

  v_retry_after := greatest(1, ceil(extract(epoch from v_start + v_window - v_now)))::integer;
  raise exception using errcode = 'PT429',
    message = format('Too many requests of this kind (%s in %s seconds). Try again in %s seconds.',
      v_max, extract(epoch from v_window)::integer, v_retry_after),
    detail = json_build_object('retry_after', v_retry_after)::text;
end;
$$;

comment on function private.take_rate_limit(text, text) is
  'Counts one use of a limited action, or PT429 with retry_after (specification: Limits).';

grant execute on function private.take_rate_limit(text, text) to authenticated, service_role;

-- Why: pages show who owns, is assigned or wrote something, and a user may not read the profiles of others. Definer; it is
-- only called for people who share a product with the caller.
create function private.username(p_user_id uuid)
returns text
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (select u.username from public.users u where u.id = p_user_id);
end;
$$;

comment on function private.username(uuid) is 'The name of a user, or null.';

grant execute on function private.username(uuid) to authenticated, service_role;

-- Why: the status of a story is a function of its tasks and its sprint: failed before done, done needs at least one task,
-- else in the sprint or open. Definer, so that the answer never depends on what the caller may see.
create function private.derived_story_status(p_story_id uuid, p_sprint_id uuid)
returns public.story_status
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_failed boolean;
  v_done boolean;
begin
  select bool_or(t.status = 'FAILED'), bool_and(t.status = 'DONE')
  into v_failed, v_done
  from public.tasks t
  where t.story_id = p_story_id;

  return case
    when v_failed then 'FAILED'
    when v_done then 'DONE'
    when p_sprint_id is not null then 'IN_SPRINT'
    else 'OPEN'
  end;
end;
$$;

comment on function private.derived_story_status(uuid, uuid) is
  'The status that the tasks and the sprint of a story call for (specification: States and transitions, Story).';

-- Why: a PBI that nobody blocked follows its stories: failed when one failed, done when all are done, else ready.
-- One look into a partial index each, however many stories there are. Definer, so that the answer never depends on what the caller may see.
create function private.derived_pbi_status(p_pbi_id uuid)
returns public.pbi_status
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if exists (select from public.stories s where s.pbi_id = p_pbi_id and s.status = 'FAILED') then
    return 'FAILED';
  end if;
  if exists (select from public.stories s where s.pbi_id = p_pbi_id and s.status <> 'DONE')
    or not exists (select from public.stories s where s.pbi_id = p_pbi_id) then
    return 'READY';
  end if;
  return 'DONE';
end;
$$;

comment on function private.derived_pbi_status(uuid) is
  'The status that the stories of a PBI call for (specification: States and transitions, PBI).';

-- The six fields that the contract shows of a product (specification: Product, GET /api/products).
create view private.product_shape with (security_invoker = true) as
select p.id, p.code, p.name, p.description, p.repo_url, p.definition_of_done
from public.products p;

comment on view private.product_shape is 'A product as GET /api/products shows it (specification: Product).';

grant select on private.product_shape to authenticated;

-- Every field of a product, for its settings and for tools (specification: Product).
create view private.product_detail_shape with (security_invoker = true) as
select
  p.id, p.code, p.name, p.description, p.repo_url, p.definition_of_done, p.auto_pr, p.pr_strategy, p.owner_id,
  to_char(p.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as archived_at,
  to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
from public.products p;

comment on view private.product_detail_shape is 'A product with all fields (specification: Product).';

grant select on private.product_detail_shape to authenticated;

-- A PBI as the backlog shows it: the fields of the contract, title, description and created_at (specification: PBI).
create view private.pbi_shape with (security_invoker = true) as
select
  b.id, b.product_id, b.code, b.title, b.description, b.priority, b.sort_order,
  lower(b.status::text) as status,
  b.pr_url,
  to_char(b.pr_merged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as pr_merged_at,
  to_char(b.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
from public.pbis b;

comment on view private.pbi_shape is 'A PBI in REST form (specification: PBI).';

grant select on private.pbi_shape to authenticated;

-- A story as the backlog shows it (specification: Story).
create view private.story_shape with (security_invoker = true) as
select
  s.id, s.product_id, s.pbi_id, s.code, s.title, s.description, s.acceptance_criteria, s.priority,
  lower(s.status::text) as status,
  s.sort_order, s.sprint_id, s.assignee_id,
  to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
from public.stories s;

comment on view private.story_shape is 'A story in REST form (specification: Story).';

grant select on private.story_shape to authenticated;

-- A task as the backlog shows it: without the four fields that only the detail has (specification: Task, GET /api/tasks/:id).
create view private.task_shape with (security_invoker = true) as
select
  t.id, t.story_id, t.product_id, t.code, t.title, t.description, t.priority, t.sort_order,
  case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
  t.repo_url, t.verify_only, t.verify_required,
  to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
from public.tasks t;

comment on view private.task_shape is 'A backlog task in REST form (specification: Task).';

grant select on private.task_shape to authenticated;

-- The detail of a task: the backlog task and four more fields; the acceptance criteria are its story's
-- (specification: GET /api/tasks/:id).
create view private.task_detail_shape with (security_invoker = true) as
select
  t.*, true as _detail,
  k.implementation_plan, s.acceptance_criteria, k.requires_opus, k.estimated_minutes
from private.task_shape t
join public.tasks k on k.id = t.id
join public.stories s on s.id = t.story_id;

comment on view private.task_detail_shape is 'A task in detail (specification: GET /api/tasks/:id).';

grant select on private.task_detail_shape to authenticated;

-- A sprint in REST form (specification: Sprint).
create view private.sprint_shape with (security_invoker = true) as
select
  s.id, s.product_id, s.code, s.sprint_goal,
  lower(s.status::text) as status,
  s.start_date, s.end_date,
  to_char(s.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as started_at,
  to_char(s.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as completed_at,
  to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
from public.sprints s;

comment on view private.sprint_shape is 'A sprint in REST form (specification: Sprint).';

grant select on private.sprint_shape to authenticated;

-- A story log entry (specification: Story log entry), with the name of its author.
create view private.story_log_shape with (security_invoker = true) as
select
  l.id, l.story_id, l.type, l.content, l.status, l.commit_hash, l.commit_message, l.metadata,
  l.user_id, private.username(l.user_id) as username, l.job_id,
  to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
from public.story_logs l;

comment on view private.story_log_shape is 'A story log entry (specification: Story log entry).';

grant select on private.story_log_shape to authenticated;

-- An idea as its owner sees it (specification: Idea).
create view private.idea_shape with (security_invoker = true) as
select
  i.id, i.code, i.product_id, i.title, i.description,
  lower(i.status::text) as status,
  i.pbi_id,
  (
    select coalesce(json_agg(l.product_id order by l.created_at, l.product_id), '[]')
    from public.idea_products l
    where l.idea_id = i.id
  ) as secondary_product_ids,
  to_char(i.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as archived_at,
  to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
from public.ideas i;

comment on view private.idea_shape is 'An idea in REST form (specification: Idea).';

grant select on private.idea_shape to authenticated;

-- Who asks, as the service sees it on this very request (specification: Authentication).
create type private.principal as (
  user_id uuid,
  username text,
  email text,
  role public.user_role,
  is_demo boolean,
  must_reset_password boolean,
  min_quota_pct integer,
  active_product_id uuid,
  theme public.user_theme,
  has_avatar boolean,
  session_id uuid,
  paired boolean,
  paired_expires_at timestamptz,
  token_id uuid
);

comment on type private.principal is 'A resolved credential (specification: Authentication).';

-- Why: shows on the devices and tokens pages when a credential was last used, and lets normal sessions slide:
-- 30 days from their last use. A paired session keeps its deadline (specification: Authentication 5).
-- Called by private.resolve_credential at most once a minute for each credential. Concurrent requests of one
-- credential never wait for each other here: whoever finds the row locked leaves it to the other.
create function private.touch_credential(p_session_id uuid, p_token_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_session_id is not null then
    update public.user_sessions
    set last_seen_at = private.now(),
        expires_at = case when paired then expires_at else private.now() + interval '30 days' end
    where id in (select id from public.user_sessions where id = p_session_id for update skip locked);
    return;
  end if;

  update public.api_tokens
  set last_used_at = private.now()
  where id in (select id from public.api_tokens where id = p_token_id for update skip locked);
end;
$$;

comment on function private.touch_credential(uuid, uuid) is
  'Notes the use of a session or token and lets a normal session slide (specification: Authentication).';

-- Why: the one place that decides who a credential is. Everything is read from the database on each request:
-- revocation, expiry, the end of a paired session, role, demo flag. The cookie is believed for nothing but its id.
-- Called by public.call_as and public.authenticate. Unknown, expired or revoked: PT401.
create function private.resolve_credential(p_credential jsonb)
returns private.principal
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_used_at timestamptz := v_now;
  v_principal private.principal;
begin
  if p_credential ? 'token_hash' then
    select u.id, u.username, u.email, u.role, u.is_demo, u.must_reset_password, u.min_quota_pct,
           u.active_product_id, u.theme, u.avatar is not null, null, false, null, t.id, coalesce(t.last_used_at, '-infinity')
    into v_principal.user_id, v_principal.username, v_principal.email, v_principal.role,
         v_principal.is_demo, v_principal.must_reset_password, v_principal.min_quota_pct,
         v_principal.active_product_id, v_principal.theme, v_principal.has_avatar, v_principal.session_id, v_principal.paired,
         v_principal.paired_expires_at, v_principal.token_id, v_used_at
    from public.api_tokens t
    join public.users u on u.id = t.user_id
    where t.token_hash = decode(p_credential ->> 'token_hash', 'hex')
      and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > v_now);
  elsif p_credential ? 'session_id' then
    select u.id, u.username, u.email, u.role, u.is_demo, u.must_reset_password, u.min_quota_pct,
           u.active_product_id, u.theme, u.avatar is not null, s.id, s.paired, s.paired_expires_at, null, s.last_seen_at
    into v_principal.user_id, v_principal.username, v_principal.email, v_principal.role,
         v_principal.is_demo, v_principal.must_reset_password, v_principal.min_quota_pct,
         v_principal.active_product_id, v_principal.theme, v_principal.has_avatar, v_principal.session_id, v_principal.paired,
         v_principal.paired_expires_at, v_principal.token_id, v_used_at
    from public.user_sessions s
    join public.users u on u.id = s.user_id
    where s.id = (p_credential ->> 'session_id')::uuid
      and s.revoked_at is null
      and s.expires_at > v_now
      and (s.paired_expires_at is null or s.paired_expires_at > v_now);
  else
    select u.id, u.username, u.email, u.role, u.is_demo, u.must_reset_password, u.min_quota_pct,
           u.active_product_id, u.theme, u.avatar is not null, false
    into v_principal.user_id, v_principal.username, v_principal.email, v_principal.role,
         v_principal.is_demo, v_principal.must_reset_password, v_principal.min_quota_pct,
         v_principal.active_product_id, v_principal.theme, v_principal.has_avatar, v_principal.paired
    from public.users u
    where u.id = (p_credential ->> 'user_id')::uuid;
  end if;

  if v_principal.user_id is null then
    raise exception using errcode = 'PT401',
      message = 'Not signed in: the token or session is missing, unknown, expired or revoked. Sign in, or create a token in the settings.';
  end if;

  if v_used_at <= v_now - interval '1 minute' then
    perform private.touch_credential(v_principal.session_id, v_principal.token_id);
  end if;

  return v_principal;
end;
$$;

comment on function private.resolve_credential(jsonb) is
  'The principal behind a token hash, session id or trusted user id, or PT401 (specification: Authentication).';

-- Why: pages and streams need to know who asks before they decide what to call.
-- Called by the app with the secret key. Answers the principal, or PT401 (specification: Authentication).
create function public.authenticate(p_credential jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
begin
  return row_to_json(v_principal);
end;
$$;

comment on function public.authenticate(jsonb) is
  'The principal of a credential, or PT401 (specification: Authentication). Service only.';

revoke execute on function public.authenticate(jsonb) from public, anon, authenticated;
grant execute on function public.authenticate(jsonb) to service_role;

-- Why: call_as receives the name of an operation and its arguments as JSON; this makes the SQL that calls it.
-- Safe by construction: the function is one of `public` that signed-in users may execute, names are quoted,
-- types come from the catalogue, and the values stay in the single parameter $1.
-- No such operation, or an argument that it does not have: PT404, as the Data API answers.
create function private.build_call(p_function text, p_arguments jsonb, out p_statement text, out p_writes boolean)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_names text[];
  v_types oid[];
  v_type text;
  v_separator text := '';
begin
  select p.proargnames, p.proargtypes::oid[], p.provolatile = 'v'
  into v_names, v_types, p_writes
  from pg_catalog.pg_proc p
  where p.proname = p_function
    and p.pronamespace = 'public'::regnamespace
    and p.prokind = 'f'
    and p.proargmodes is null
    and has_function_privilege('authenticated', p.oid, 'execute');

  if not found then
    raise exception using errcode = 'PT404', message = format('There is no operation %s.', p_function);
  end if;

  p_statement := '';
  for i in 1 .. coalesce(cardinality(v_names), 0) loop
    continue when not p_arguments ? v_names[i];
    v_type := format_type(v_types[i - 1], null);
    p_statement := p_statement
      || v_separator || quote_ident(v_names[i]) || ' => '
      || case
           when v_type in ('jsonb', 'json') then 'nullif($1 -> ' || quote_literal(v_names[i]) || ', ''null''::jsonb)::' || v_type
           else '($1 ->> ' || quote_literal(v_names[i]) || ')::' || v_type
         end;
    v_separator := ', ';
  end loop;

  if p_arguments - coalesce(v_names, '{}') <> '{}' then
    raise exception using errcode = 'PT404',
      message = format('The operation %s does not take the arguments %s.', p_function,
        p_arguments - coalesce(v_names, '{}'));
  end if;

  p_statement := 'select public.' || quote_ident(p_function) || '(' || p_statement || ')';
end;
$$;

comment on function private.build_call(text, jsonb) is
  'The SQL of one operation call with named arguments, and whether it writes. Used by call_as only.';

-- Why: one request is one round trip. The credential is resolved, the role and the claims of its user are taken on
-- for this transaction, and the operation runs as that user under row level security, all in one statement.
-- Called by the app with the secret key (service_role only); invoker, because only an invoker can change the role.
-- Refusals in this order: PT401 credential, PT404 unknown operation, PT403 a demo account calling a volatile
-- operation (specification: Authentication 3), then whatever the operation refuses.
create function public.call_as(p_credential jsonb, p_function text, p_arguments jsonb default '{}')
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
  v_caller text := current_setting('role');
  v_claims text := coalesce(current_setting('request.jwt.claims', true), '');
  v_statement text;
  v_writes boolean;
  v_answer json;
begin
  select c.p_statement, c.p_writes into v_statement, v_writes
  from private.build_call(p_function, p_arguments) c;

  if v_writes and v_principal.is_demo then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', v_principal.user_id, 'role', 'authenticated',
      'session_id', v_principal.session_id, 'token_id', v_principal.token_id))::text, true),
    set_config('role', 'authenticated', true);

  execute v_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true);
  return v_answer;
end;
$$;

comment on function public.call_as(jsonb, text, jsonb) is
  'Runs one operation as the user behind a credential (specification: Authentication). Service only.';

revoke execute on function public.call_as(jsonb, text, jsonb) from public, anon, authenticated;
grant execute on function public.call_as(jsonb, text, jsonb) to service_role;

-- Why: the tasks of a story as agents read them, shared by the agent context, the next story and the sprint context.
-- Definer: only called by functions that have checked access.
create function private.agent_tasks(p_story_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        t.id, t.code, t.title, t.description, t.implementation_plan, t.priority, t.sort_order,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
      from public.tasks t
      where t.story_id = p_story_id
      order by t.sort_order, t.created_at, t.id
    ) x
  );
end;
$$;

comment on function private.agent_tasks(uuid) is
  'Tasks of a story as agents read them (specification: GET /api/products/:id/agent-context).';

grant execute on function private.agent_tasks(uuid) to authenticated, service_role;

-- Why: the next story is the first of the sprint that is neither done nor failed, by sort_order, then age, then id.
-- Definer: only called by functions that have checked access.
create function private.first_open_story(p_product_id uuid, p_sprint_id uuid)
returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select s.id
    from public.stories s
    where s.sprint_id = p_sprint_id and s.product_id = p_product_id and s.status not in ('DONE', 'FAILED')
    order by s.sort_order, s.created_at, s.id
    limit 1
  );
end;
$$;

comment on function private.first_open_story(uuid, uuid) is
  'First open story of a sprint (specification: GET /api/products/:id/next-story).';

grant execute on function private.first_open_story(uuid, uuid) to authenticated, service_role;

-- Why: the one call with which an agent begins. Hot: definer, so that row level security is not asked once per table;
-- access is checked first, in the statement that reads the product.
create function private.get_agent_context(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
  v_product json;
  v_member boolean;
  v_sprint_id uuid;
  v_sprint json;
  v_story_id uuid;
  v_story json;
  v_ideas json;
begin
  select row_to_json(p), exists (select from public.product_members m where m.product_id = p.id and m.user_id = v_user_id)
  into v_product, v_member
  from private.product_shape p
  where p.id = p_product_id;

  if v_member is not true then
    perform private.require_product_access(p_product_id);
  end if;

  select x.id, row_to_json(x)
  into v_sprint_id, v_sprint
  from (
    select s.id, s.sprint_goal, s.status from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE'
  ) x;

  if v_sprint_id is not null then
    v_story_id := private.first_open_story(p_product_id, v_sprint_id);
  end if;

  if v_story_id is not null then
    select row_to_json(x)
    into v_story
    from (
      select
        s.id, s.code, s.title, s.description, s.acceptance_criteria, s.priority, lower(s.status::text) as status,
        private.agent_tasks(s.id) as tasks
      from public.stories s
      where s.id = v_story_id
    ) x;
  end if;

  select coalesce(json_agg(row_to_json(x)), '[]')
  into v_ideas
  from (
    select
      i.id, i.code, i.title, i.description, lower(i.status::text) as status,
      to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    from (
      select o.* from public.ideas o
      where o.user_id = v_user_id and o.product_id = p_product_id and o.archived_at is null and o.status <> 'PLANNED'
      union all
      select o.* from public.idea_products l
      join public.ideas o on o.id = l.idea_id
      where l.product_id = p_product_id and o.user_id = v_user_id and o.product_id <> p_product_id
        and o.archived_at is null and o.status <> 'PLANNED'
    ) i
    order by i.created_at, i.id
    limit 50
  ) x;

  return json_build_object('product', v_product, 'active_sprint', v_sprint, 'next_story', v_story, 'open_ideas', v_ideas);
end;
$$;

comment on function private.get_agent_context(uuid) is
  'Body of get_agent_context (specification: GET /api/products/:id/agent-context).';

grant execute on function private.get_agent_context(uuid) to authenticated, service_role;

-- Called by GET /api/products/:id/agent-context and the MCP tool get_context. The answer is passed through unparsed.
create function public.get_agent_context(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_agent_context(p_product_id);
end;
$$;

comment on function public.get_agent_context(uuid) is
  'Product, active sprint, next story and open ideas (specification: GET /api/products/:id/agent-context).';

revoke execute on function public.get_agent_context(uuid) from public, anon;
grant execute on function public.get_agent_context(uuid) to authenticated;

-- Why: hot read of agents. Definer, so that row level security is not asked once per table; access is checked first.
-- Without an active sprint or an open story: PT404.
create function private.get_next_story(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_sprint_id uuid;
  v_story_id uuid;
begin
  perform private.require_product_access(p_product_id);

  select s.id into v_sprint_id from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE';
  if v_sprint_id is null then
    raise exception using errcode = 'PT404', message = 'This product has no active sprint. Start one first.';
  end if;

  v_story_id := private.first_open_story(p_product_id, v_sprint_id);
  if v_story_id is null then
    raise exception using errcode = 'PT404', message = 'The active sprint has no open story. Add stories to it, or complete it.';
  end if;

  return (
    select row_to_json(x)
    from (
      select
        s.id, s.code, s.title, s.description, s.acceptance_criteria, lower(s.status::text) as status,
        private.agent_tasks(s.id) as tasks
      from public.stories s
      where s.id = v_story_id
    ) x
  );
end;
$$;

comment on function private.get_next_story(uuid) is
  'Body of get_next_story (specification: GET /api/products/:id/next-story).';

grant execute on function private.get_next_story(uuid) to authenticated, service_role;

-- Called by GET /api/products/:id/next-story. The answer is passed through unparsed.
create function public.get_next_story(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_next_story(p_product_id);
end;
$$;

comment on function public.get_next_story(uuid) is
  'First open story of the active sprint, or PT404 (specification: GET /api/products/:id/next-story).';

revoke execute on function public.get_next_story(uuid) from public, anon;
grant execute on function public.get_next_story(uuid) to authenticated;

-- Why: hot read of agents. Definer, so that row level security is not asked once per table; access is checked first.
-- Ordered by the story's and the task's sort_order, then age, then id; priority plays no part.
create function private.list_sprint_tasks(p_sprint_id uuid, p_limit integer)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_access('sprint', p_sprint_id);
begin
  if p_limit is null or p_limit not between 1 and 50 then
    raise exception using errcode = 'PT422', message = 'limit is an integer from 1 to 50.',
      detail = '{"issues":[{"path":"limit","message":"Must be an integer from 1 to 50."}]}';
  end if;

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        t.id, t.code, t.title, t.description, t.implementation_plan, t.story_id, s.code as story_code, t.priority,
        t.sort_order, case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
      from public.stories s
      join public.tasks t on t.story_id = s.id
      where s.sprint_id = p_sprint_id and s.product_id = v_product_id
      order by s.sort_order, t.sort_order, t.created_at, t.id
      limit p_limit
    ) x
  );
end;
$$;

comment on function private.list_sprint_tasks(uuid, integer) is
  'Body of list_sprint_tasks (specification: GET /api/sprints/:id/tasks).';

grant execute on function private.list_sprint_tasks(uuid, integer) to authenticated, service_role;

-- Called by GET /api/sprints/:id/tasks. The answer is passed through unparsed.
create function public.list_sprint_tasks(p_sprint_id uuid, p_limit integer default 10)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_sprint_tasks(p_sprint_id, p_limit);
end;
$$;

comment on function public.list_sprint_tasks(uuid, integer) is
  'The first tasks of a sprint, 10 by default and 50 at most (specification: GET /api/sprints/:id/tasks).';

revoke execute on function public.list_sprint_tasks(uuid, integer) from public, anon;
grant execute on function public.list_sprint_tasks(uuid, integer) to authenticated;

-- Why: the whole backlog in one answer, thousands of rows: rows are read in order, written as JSON once and never parsed
-- again. The columns are those of the shape views, spelled out because a join back for the order would cost a fifth.
-- Definer, so that row level security is not asked three times; access is checked first.
create function private.get_backlog(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_pbis json;
  v_stories json;
  v_tasks json;
begin
  perform private.require_product_access(p_product_id);

  select coalesce(json_agg(x), '[]')
  into v_pbis
  from (
    select
      b.id, b.product_id, b.code, b.title, b.description, b.priority, b.sort_order, lower(b.status::text) as status, b.pr_url,
      to_char(b.pr_merged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as pr_merged_at,
      to_char(b.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    from public.pbis b
    where b.product_id = p_product_id
    order by b.priority, b.sort_order, b.created_at, b.id
  ) x;

  select coalesce(json_object_agg(b.id, coalesce(g.list, '[]')), '{}')
  into v_stories
  from public.pbis b
  left join (
    select x.pbi_id, json_agg(x) as list
    from (
      select
        s.id, s.product_id, s.pbi_id, s.code, s.title, s.description, s.acceptance_criteria, s.priority,
        lower(s.status::text) as status, s.sort_order, s.sprint_id, s.assignee_id,
        to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
      from public.stories s
      where s.product_id = p_product_id
      order by s.pbi_id, s.sort_order, s.created_at, s.id
    ) x
    group by x.pbi_id
  ) g on g.pbi_id = b.id
  where b.product_id = p_product_id;

  select coalesce(json_object_agg(s.id, coalesce(g.list, '[]')), '{}')
  into v_tasks
  from public.stories s
  left join (
    select x.story_id, json_agg(x) as list
    from (
      select
        t.id, t.story_id, t.product_id, t.code, t.title, t.description, t.priority, t.sort_order,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.repo_url, t.verify_only, t.verify_required,
        to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
      from public.tasks t
      where t.product_id = p_product_id
      order by t.story_id, t.sort_order, t.created_at, t.id
    ) x
    group by x.story_id
  ) g on g.story_id = s.id
  where s.product_id = p_product_id;

  return json_build_object(
    'product', (select row_to_json(p) from private.product_shape p where p.id = p_product_id),
    'pbis', v_pbis, 'storiesByPbi', v_stories, 'tasksByStory', v_tasks
  );
end;
$$;

comment on function private.get_backlog(uuid) is
  'Body of get_backlog (specification: GET /api/products/:id/backlog).';

grant execute on function private.get_backlog(uuid) to authenticated, service_role;

-- Called by GET /api/products/:id/backlog and the backlog page. The answer is passed through unparsed.
create function public.get_backlog(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_backlog(p_product_id);
end;
$$;

comment on function public.get_backlog(uuid) is
  'Snapshot of a whole backlog (specification: GET /api/products/:id/backlog).';

revoke execute on function public.get_backlog(uuid) from public, anon;
grant execute on function public.get_backlog(uuid) to authenticated;

-- Called by GET /api/products and the MCP tool list_products: products that the caller may use, archived ones left out.
create function public.list_products()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(row_to_json(p) order by k.created_at, k.id), '[]')
    from private.product_shape p
    join public.products k on k.id = p.id
    where k.archived_at is null and k.id in (select private.accessible_product_ids())
  );
end;
$$;

comment on function public.list_products() is
  'Active products of the caller (specification: GET /api/products).';

revoke execute on function public.list_products() from public, anon;
grant execute on function public.list_products() to authenticated;

-- Called by the dashboard: the caller's products with role and counts; archived ones only when asked for.
create function public.list_product_overviews(p_archived boolean default false)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        p.*, m.role,
        (select count(*) from public.product_members o where o.product_id = p.id) as member_count,
        (select count(*) from public.pbis b where b.product_id = p.id) as pbi_count,
        (select count(*) from public.stories s where s.product_id = p.id) as story_count,
        (select count(*) from public.stories s where s.product_id = p.id and s.status = 'DONE') as done_story_count,
        (select count(*) from public.tasks t where t.product_id = p.id) as task_count,
        (select count(*) from public.tasks t where t.product_id = p.id and t.status = 'DONE') as done_task_count,
        (
          select row_to_json(a)
          from (
            select s.id, s.code, s.sprint_goal, s.status, s.start_date, s.end_date from private.sprint_shape s
            where s.product_id = p.id and s.status = 'active'
          ) a
        ) as active_sprint
      from private.product_detail_shape p
      join public.product_members m on m.product_id = p.id and m.user_id = (select auth.uid())
      where (p.archived_at is not null) = p_archived
      order by p.name, p.id
    ) x
  );
end;
$$;

comment on function public.list_product_overviews(boolean) is
  'Dashboard list of products with role and counts (specification: Product).';

revoke execute on function public.list_product_overviews(boolean) from public, anon;
grant execute on function public.list_product_overviews(boolean) to authenticated;

-- Called by the product pages, the settings and tools: all fields, the caller's role, and whether it can be written.
create function public.get_product(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);

  return (
    select row_to_json(x)
    from (
      select
        p.*, private.username(p.owner_id) as owner_username, m.role,
        (
          select row_to_json(a)
          from (
            select s.id, s.code, s.sprint_goal, s.status, s.start_date, s.end_date from private.sprint_shape s
            where s.product_id = p.id and s.status = 'active'
          ) a
        ) as active_sprint
      from private.product_detail_shape p
      join public.product_members m on m.product_id = p.id and m.user_id = (select auth.uid())
      where p.id = p_product_id
    ) x
  );
end;
$$;

comment on function public.get_product(uuid) is
  'One product with all fields and the role of the caller (specification: Product).';

revoke execute on function public.get_product(uuid) from public, anon;
grant execute on function public.get_product(uuid) to authenticated;

-- Called by the members page: owner first, then by name.
create function public.list_product_members(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        m.user_id, private.username(m.user_id) as username, m.role,
        to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
      from public.product_members m
      where m.product_id = p_product_id
      order by m.role, lower(private.username(m.user_id))
    ) x
  );
end;
$$;

comment on function public.list_product_members(uuid) is
  'Owner and members of a product (specification: Authentication 4).';

revoke execute on function public.list_product_members(uuid) from public, anon;
grant execute on function public.list_product_members(uuid) to authenticated;

-- Called by GET /api/pbis/:id/stories. The answer is passed through unparsed.
create function public.list_pbi_stories(p_pbi_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('pbi', p_pbi_id);

  return (
    select coalesce(json_agg(row_to_json(s) order by s.sort_order, k.created_at, s.id), '[]')
    from private.story_shape s
    join public.stories k on k.id = s.id
    where s.pbi_id = p_pbi_id
  );
end;
$$;

comment on function public.list_pbi_stories(uuid) is
  'Stories of a PBI in their order (specification: GET /api/pbis/:id/stories).';

revoke execute on function public.list_pbi_stories(uuid) from public, anon;
grant execute on function public.list_pbi_stories(uuid) to authenticated;

-- Called by GET /api/stories/:id/tasks. The answer is passed through unparsed.
create function public.list_story_tasks(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('story', p_story_id);

  return (
    select coalesce(json_agg(row_to_json(t) order by t.sort_order, k.created_at, t.id), '[]')
    from private.task_shape t
    join public.tasks k on k.id = t.id
    where t.story_id = p_story_id
  );
end;
$$;

comment on function public.list_story_tasks(uuid) is
  'Tasks of a story in their order (specification: GET /api/stories/:id/tasks).';

revoke execute on function public.list_story_tasks(uuid) from public, anon;
grant execute on function public.list_story_tasks(uuid) to authenticated;

-- Called by GET /api/tasks/:id and the MCP tool get_task. The answer is passed through unparsed.
create function public.get_task_detail(p_task_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('task', p_task_id);
  return (select row_to_json(t) from private.task_detail_shape t where t.id = p_task_id);
end;
$$;

comment on function public.get_task_detail(uuid) is
  'Backlog task with its detail fields (specification: GET /api/tasks/:id).';

revoke execute on function public.get_task_detail(uuid) from public, anon;
grant execute on function public.get_task_detail(uuid) to authenticated;

-- Called by the pages and tools that show one PBI: its fields, the idea it came from (to its author) and its stories.
create function public.get_pbi(p_pbi_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('pbi', p_pbi_id);

  return (
    select row_to_json(x)
    from (
      select
        b.*,
        (
          select json_build_object('id', i.id, 'code', i.code, 'title', i.title)
          from public.pbis k
          join public.ideas i on i.id = k.idea_id
          where k.id = b.id
        ) as idea,
        public.list_pbi_stories(b.id) as stories
      from private.pbi_shape b
      where b.id = p_pbi_id
    ) x
  );
end;
$$;

comment on function public.get_pbi(uuid) is
  'One PBI with its stories (specification: PBI).';

revoke execute on function public.get_pbi(uuid) from public, anon;
grant execute on function public.get_pbi(uuid) to authenticated;

-- Called by the story page: newest first, in pages. The cursor is the id of the last entry seen.
create function public.list_story_logs(p_story_id uuid, p_limit integer default 50, p_cursor uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_items json;
  v_count integer;
  v_last uuid;
begin
  perform private.require_access('story', p_story_id);

  select coalesce(json_agg(row_to_json(l) order by x.created_at desc, x.id desc), '[]'), count(*),
    (array_agg(x.id order by x.created_at, x.id))[1]
  into v_items, v_count, v_last
  from (
    select k.id, k.created_at
    from public.story_logs k
    left join public.story_logs c on c.id = p_cursor
    where k.story_id = p_story_id and (p_cursor is null or (k.created_at, k.id) < (c.created_at, c.id))
    order by k.created_at desc, k.id desc
    limit v_limit
  ) x
  join private.story_log_shape l on l.id = x.id;

  return json_build_object('items', v_items, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

comment on function public.list_story_logs(uuid, integer, uuid) is
  'Log of a story, newest first (specification: Story log entry).';

revoke execute on function public.list_story_logs(uuid, integer, uuid) from public, anon;
grant execute on function public.list_story_logs(uuid, integer, uuid) to authenticated;

-- Called by the story page and tools: the story, where it stands, its tasks with plans, and the newest of its log.
create function public.get_story(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('story', p_story_id);

  return (
    select row_to_json(x)
    from (
      select
        s.*,
        (select json_build_object('id', b.id, 'code', b.code, 'title', b.title) from public.pbis b where b.id = s.pbi_id) as pbi,
        (
          select json_build_object('id', p.id, 'code', p.code, 'sprint_goal', p.sprint_goal, 'status', p.status)
          from private.sprint_shape p
          where p.id = s.sprint_id
        ) as sprint,
        private.username(s.assignee_id) as assignee_username,
        (
          select coalesce(json_agg(row_to_json(t) order by t.sort_order, k.created_at, t.id), '[]')
          from private.task_detail_shape t
          join public.tasks k on k.id = t.id
          where t.story_id = s.id
        ) as tasks,
        public.list_story_logs(s.id) as logs
      from private.story_shape s
      where s.id = p_story_id
    ) x
  );
end;
$$;

comment on function public.get_story(uuid) is
  'One story with PBI, sprint, tasks and log (specification: Story).';

revoke execute on function public.get_story(uuid) from public, anon;
grant execute on function public.get_story(uuid) to authenticated;

-- Called by the sprints page and tools: newest first, with how far each one is.
create function public.list_sprints(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        s.*, coalesce(c.story_count, 0) as story_count, coalesce(c.done_story_count, 0) as done_story_count,
        coalesce(c.task_count, 0) as task_count, coalesce(c.done_task_count, 0) as done_task_count
      from private.sprint_shape s
      join public.sprints k on k.id = s.id
      left join (
        select
          st.sprint_id, count(distinct st.id) as story_count,
          count(distinct st.id) filter (where st.status = 'DONE') as done_story_count,
          count(t.id) as task_count, count(t.id) filter (where t.status = 'DONE') as done_task_count
        from public.stories st
        left join public.tasks t on t.story_id = st.id
        where st.product_id = p_product_id and st.sprint_id is not null
        group by st.sprint_id
      ) c on c.sprint_id = s.id
      where s.product_id = p_product_id
      order by k.created_at desc, k.id desc
    ) x
  );
end;
$$;

comment on function public.list_sprints(uuid) is
  'Sprints of a product, newest first, with counts (specification: Sprint).';

revoke execute on function public.list_sprints(uuid) from public, anon;
grant execute on function public.list_sprints(uuid) to authenticated;

-- Called by the sprint board: the sprint, its stories and their tasks, each list in its order.
create function public.get_sprint(p_sprint_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('sprint', p_sprint_id);

  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'stories', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select s.*, b.code as pbi_code, private.username(s.assignee_id) as assignee_username
        from private.story_shape s
        join public.stories k on k.id = s.id
        join public.pbis b on b.id = s.pbi_id
        where s.sprint_id = p_sprint_id
        order by s.sort_order, k.created_at, s.id
      ) x
    ),
    'tasks', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select t.*, s.code as story_code, k.implementation_plan is not null as has_plan
        from private.task_shape t
        join public.tasks k on k.id = t.id
        join public.stories s on s.id = t.story_id
        where s.sprint_id = p_sprint_id
        order by s.sort_order, t.sort_order, k.created_at, t.id
      ) x
    )
  );
end;
$$;

comment on function public.get_sprint(uuid) is
  'Sprint board: sprint, stories, tasks (specification: Sprint).';

revoke execute on function public.get_sprint(uuid) from public, anon;
grant execute on function public.get_sprint(uuid) to authenticated;

-- Called by the MCP tool get_sprint_context: the sprint with its stories and their tasks as agents read them, cut at
-- `p_limit` stories. The cursor is the id of the last story seen.
create function public.get_sprint_context(p_sprint_id uuid, p_limit integer default 10, p_cursor uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_access('sprint', p_sprint_id);
  v_limit integer := least(greatest(coalesce(p_limit, 10), 1), 50);
  v_stories json;
  v_count integer;
  v_last uuid;
begin
  select coalesce(json_agg(row_to_json(x)), '[]'), count(*), (array_agg(x.id))[count(*)]
  into v_stories, v_count, v_last
  from (
    select
      s.id, s.code, s.title, s.description, s.acceptance_criteria, s.priority, s.sort_order,
      lower(s.status::text) as status, s.assignee_id, private.agent_tasks(s.id) as tasks
    from public.stories s
    left join public.stories c on c.id = p_cursor
    where s.sprint_id = p_sprint_id and s.product_id = v_product_id
      and (p_cursor is null or (s.sort_order, s.created_at, s.id) > (c.sort_order, c.created_at, c.id))
    order by s.sort_order, s.created_at, s.id
    limit v_limit
  ) x;

  return json_build_object(
    'product', (select row_to_json(p) from private.product_shape p where p.id = v_product_id),
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'stories', v_stories,
    'next_cursor', case when v_count = v_limit then v_last end
  );
end;
$$;

comment on function public.get_sprint_context(uuid, integer, uuid) is
  'A sprint with stories and tasks for an agent, cut with a cursor (specification: Sprint).';

revoke execute on function public.get_sprint_context(uuid, integer, uuid) from public, anon;
grant execute on function public.get_sprint_context(uuid, integer, uuid) to authenticated;

-- Called by the ideas page and tools: the caller's ideas, oldest first, in pages. The cursor is the id of the last one seen.
create function public.list_ideas(
  p_product_id uuid default null,
  p_archived boolean default false,
  p_limit integer default 100,
  p_cursor uuid default null
)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 100), 1), 200);
  v_items json;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  select coalesce(json_agg(row_to_json(i) order by x.created_at, x.id), '[]'), count(*),
    (array_agg(x.id order by x.created_at desc, x.id desc))[1]
  into v_items, v_count, v_last
  from (
    select k.id, k.created_at
    from public.ideas k
    left join public.ideas c on c.id = p_cursor
    where k.user_id = (select auth.uid()) and (k.archived_at is not null) = p_archived
      and (
        p_product_id is null or k.product_id = p_product_id
        or exists (select from public.idea_products l where l.idea_id = k.id and l.product_id = p_product_id)
      )
      and (p_cursor is null or (k.created_at, k.id) > (c.created_at, c.id))
    order by k.created_at, k.id
    limit v_limit
  ) x
  join private.idea_shape i on i.id = x.id;

  return json_build_object('items', v_items, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

comment on function public.list_ideas(uuid, boolean, integer, uuid) is
  'Ideas of the caller, oldest first (specification: Idea).';

revoke execute on function public.list_ideas(uuid, boolean, integer, uuid) from public, anon;
grant execute on function public.list_ideas(uuid, boolean, integer, uuid) to authenticated;

-- Called by the idea page and tools: the idea, its PBI when it was promoted, and its log, oldest first.
create function public.get_idea(p_idea_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_own_idea(p_idea_id);

  return (
    select row_to_json(x)
    from (
      select
        i.*,
        (select json_build_object('id', b.id, 'code', b.code, 'product_id', b.product_id) from public.pbis b where b.id = i.pbi_id) as pbi,
        (
          select coalesce(json_agg(row_to_json(y)), '[]')
          from (
            select
              l.id, l.kind, l.content,
              to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
            from public.idea_logs l
            where l.idea_id = i.id
            order by l.created_at, l.id
          ) y
        ) as logs
      from private.idea_shape i
      where i.id = p_idea_id
    ) x
  );
end;
$$;

comment on function public.get_idea(uuid) is
  'One idea with its PBI and log (specification: Idea).';

revoke execute on function public.get_idea(uuid) from public, anon;
grant execute on function public.get_idea(uuid) to authenticated;

-- Why: words of the contract that are not in its list are refused with 422 and the list, on every path.
create function private.parse_choice(p_field text, p_value text, p_allowed text[])
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  if p_value is null or p_value = any (p_allowed) then
    return p_value;
  end if;

  raise exception using errcode = 'PT422',
    message = format('%s must be one of: %s.', p_field, array_to_string(p_allowed, ', ')),
    detail = json_build_object('issues', json_build_array(json_build_object(
      'path', p_field, 'message', 'Must be one of: ' || array_to_string(p_allowed, ', ') || '.')))::text;
end;
$$;

comment on function private.parse_choice(text, text, text[]) is
  'A word of a closed list, or PT422 (specification: Errors).';

grant execute on function private.parse_choice(text, text, text[]) to authenticated, service_role;

-- Why: REST says todo where the database says TO_DO (specification: Conventions). Null stays null.
create function private.parse_task_status(p_status text)
returns public.task_status
language plpgsql
immutable
set search_path = ''
as $$
begin
  if p_status = 'todo' then
    return 'TO_DO';
  end if;
  return upper(private.parse_choice('status', p_status, '{todo,in_progress,review,done,failed}'));
end;
$$;

comment on function private.parse_task_status(text) is
  'Database form of a REST task status (specification: Conventions).';

grant execute on function private.parse_task_status(text) to authenticated, service_role;

-- Why: a sprint does not end before it starts; the constraint is the second wall.
create function private.require_dates_in_order(p_start_date date, p_end_date date)
returns void
language plpgsql
immutable
set search_path = ''
as $$
begin
  if p_end_date < p_start_date then
    raise exception using errcode = 'PT422', message = 'The end date is before the start date.',
      detail = '{"issues":[{"path":"end_date","message":"Must be on or after the start date."}]}';
  end if;
end;
$$;

comment on function private.require_dates_in_order(date, date) is
  'PT422 when a sprint would end before it starts (specification: Sprint).';

grant execute on function private.require_dates_in_order(date, date) to authenticated, service_role;

-- Called by the new product page, the admin command and the MCP tool. The caller becomes the owner.
create function public.create_product(
  p_code text,
  p_name text,
  p_description text default '',
  p_repo_url text default '',
  p_definition_of_done text default '',
  p_auto_pr boolean default false,
  p_pr_strategy text default 'SPRINT'
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy);
  return public.get_product(v_id);
end;
$$;

comment on function public.create_product(text, text, text, text, text, boolean, text) is
  'Creates a product of the caller (specification: Product). 5 per minute.';

revoke execute on function public.create_product(text, text, text, text, text, boolean, text) from public, anon;
grant execute on function public.create_product(text, text, text, text, text, boolean, text) to authenticated;

-- Called by the product settings. `p_changes` holds the fields to change; only the owner may.
create function public.update_product(p_product_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p
  set code = coalesce(p_changes ->> 'code', p.code),
      name = coalesce(p_changes ->> 'name', p.name),
      description = coalesce(p_changes ->> 'description', p.description),
      repo_url = coalesce(p_changes ->> 'repo_url', p.repo_url),
      definition_of_done = coalesce(p_changes ->> 'definition_of_done', p.definition_of_done),
      auto_pr = coalesce((p_changes ->> 'auto_pr')::boolean, p.auto_pr),
      pr_strategy = coalesce((p_changes ->> 'pr_strategy')::public.pr_strategy, p.pr_strategy)
  where p.id = p_product_id;
  return public.get_product(p_product_id);
end;
$$;

comment on function public.update_product(uuid, jsonb) is
  'Edits a product, owner only (specification: Product).';

revoke execute on function public.update_product(uuid, jsonb) from public, anon;
grant execute on function public.update_product(uuid, jsonb) to authenticated;

-- Called by the product settings. Archived products can be read and not written; nobody keeps them as active product.
create function public.archive_product(p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p set archived_at = private.now() where p.id = p_product_id and p.archived_at is null;
  return public.get_product(p_product_id);
end;
$$;

comment on function public.archive_product(uuid) is
  'Archives a product, owner only (specification: GET /api/products).';

revoke execute on function public.archive_product(uuid) from public, anon;
grant execute on function public.archive_product(uuid) to authenticated;

-- Called by the product settings: an archived product becomes active again.
create function public.restore_product(p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p set archived_at = null where p.id = p_product_id and p.archived_at is not null;
  return public.get_product(p_product_id);
end;
$$;

comment on function public.restore_product(uuid) is
  'Restores an archived product, owner only (specification: GET /api/products).';

revoke execute on function public.restore_product(uuid) from public, anon;
grant execute on function public.restore_product(uuid) to authenticated;

-- Called by the product settings: removes a product with everything in it. The caller repeats its code, so that no slip of
-- the hand does it.
create function public.delete_product(p_product_id uuid, p_code text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);
  perform private.require_product_owner(p_product_id);

  if not exists (select from public.products p where p.id = p_product_id and p.code = p_code) then
    raise exception using errcode = 'PT422', message = 'Repeat the code of the product to delete it.',
      detail = '{"issues":[{"path":"code","message":"This is not the code of the product."}]}';
  end if;

  delete from public.products p where p.id = p_product_id;
  return json_build_object('id', p_product_id);
end;
$$;

comment on function public.delete_product(uuid, text) is
  'Deletes a product with everything in it, owner only (specification: Product).';

revoke execute on function public.delete_product(uuid, text) from public, anon;
grant execute on function public.delete_product(uuid, text) to authenticated;

-- Why: finds an account by user name or e-mail, which a user may not look up. Definer for that; access, ownership and the
-- rate limit are checked first.
create function private.add_product_member(p_product_id uuid, p_identifier text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_user_id uuid;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.take_rate_limit('member', auth.uid()::text);

  select u.id
  into v_user_id
  from public.users u
  where lower(u.username) = lower(trim(p_identifier)) or lower(u.email) = lower(trim(p_identifier))
  order by lower(u.username) = lower(trim(p_identifier)) desc
  limit 1;

  if v_user_id is null then
    raise exception using errcode = 'PT422', message = 'Nobody here has this user name or e-mail address. Ask them to register first.',
      detail = '{"issues":[{"path":"identifier","message":"No account has this user name or e-mail address."}]}';
  end if;

  if exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = v_user_id) then
    raise exception using errcode = 'PT409', message = 'This person already is in the product.';
  end if;

  insert into public.product_members (product_id, user_id) values (p_product_id, v_user_id);
  return json_build_object('user_id', v_user_id, 'username', private.username(v_user_id), 'role', 'MEMBER');
end;
$$;

comment on function private.add_product_member(uuid, text) is
  'Body of add_product_member (specification: Authentication 4).';

grant execute on function private.add_product_member(uuid, text) to authenticated, service_role;

-- Called by the members page and the admin command. The identifier is a user name or an e-mail address; owner only.
create function public.add_product_member(p_product_id uuid, p_identifier text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.add_product_member(p_product_id, p_identifier);
end;
$$;

comment on function public.add_product_member(uuid, text) is
  'Adds a member to a product, owner only (specification: Authentication 4).';

revoke execute on function public.add_product_member(uuid, text) from public, anon;
grant execute on function public.add_product_member(uuid, text) to authenticated;

-- Called by the members page; owner only. The removed member loses the product at once, and with it assignments and the
-- active product.
create function public.remove_product_member(p_product_id uuid, p_user_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);

  if p_user_id = auth.uid() then
    raise exception using errcode = 'PT409', message = 'The owner stays in the product. Archive or delete it instead.';
  end if;

  delete from public.product_members m where m.product_id = p_product_id and m.user_id = p_user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such member.';
  end if;
  return json_build_object('product_id', p_product_id, 'user_id', p_user_id);
end;
$$;

comment on function public.remove_product_member(uuid, uuid) is
  'Removes a member, owner only (specification: Authentication 4; Other records).';

revoke execute on function public.remove_product_member(uuid, uuid) from public, anon;
grant execute on function public.remove_product_member(uuid, uuid) to authenticated;

-- Called by the members page: a member gives up access to a product, also to an archived one.
create function public.leave_product(p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);

  delete from public.product_members m
  where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'MEMBER';
  if not found then
    raise exception using errcode = 'PT409', message = 'The owner stays in the product. Archive or delete it instead.';
  end if;
  return json_build_object('product_id', p_product_id);
end;
$$;

comment on function public.leave_product(uuid) is
  'The caller leaves a product (specification: Other records).';

revoke execute on function public.leave_product(uuid) from public, anon;
grant execute on function public.leave_product(uuid) to authenticated;

-- Called by the backlog page and tools. Without a code the next PBI-<n> is taken; the PBI comes last in its priority.
create function public.create_pbi(
  p_product_id uuid,
  p_title text,
  p_description text default '',
  p_code text default null,
  p_priority integer default 3
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_write('product', p_product_id);

  insert into public.pbis (id, product_id, code, title, description, priority)
  values (v_id, p_product_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_priority, 3));
  return (select row_to_json(b) from private.pbi_shape b where b.id = v_id);
end;
$$;

comment on function public.create_pbi(uuid, text, text, text, integer) is
  'Creates a PBI (specification: PBI, Entity codes). 30 per minute.';

revoke execute on function public.create_pbi(uuid, text, text, text, integer) from public, anon;
grant execute on function public.create_pbi(uuid, text, text, text, integer) to authenticated;

-- Called by the backlog page and tools. `p_changes` holds the fields to change: title, description, code, priority, and
-- status `blocked` (by hand) or `ready` (lifts the block; what the stories call for is put). A new priority puts it last there.
create function public.update_pbi(p_pbi_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status text := upper(private.parse_choice('status', p_changes ->> 'status', '{ready,blocked}'));
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
begin
  update public.pbis b
  set title = coalesce(p_changes ->> 'title', b.title),
      description = coalesce(p_changes ->> 'description', b.description),
      code = coalesce(p_changes ->> 'code', b.code),
      status = case
        when v_status = 'BLOCKED' or (v_status = 'READY' and b.status = 'BLOCKED') then v_status::public.pbi_status
        else b.status
      end
  where b.id = p_pbi_id;

  update public.pbis b
  set priority = (p_changes ->> 'priority')::integer,
      sort_order = (
        select coalesce(max(o.sort_order), 0) + 1 from public.pbis o
        where o.product_id = v_product_id and o.priority = (p_changes ->> 'priority')::integer
      )
  where b.id = p_pbi_id and b.priority <> (p_changes ->> 'priority')::integer;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;

comment on function public.update_pbi(uuid, jsonb) is
  'Edits, blocks and unblocks a PBI (specification: PBI).';

revoke execute on function public.update_pbi(uuid, jsonb) from public, anon;
grant execute on function public.update_pbi(uuid, jsonb) to authenticated;

-- Why: the sort_order with which a PBI stands directly before or after its anchor, or last without one. Null when no float
-- is left in between. Only reads what the caller may read.
create function private.pbi_place(p_product_id uuid, p_priority integer, p_moved_id uuid, p_anchor_id uuid, p_before boolean)
returns double precision
language plpgsql
stable
set search_path = ''
as $$
declare
  v_lower double precision;
  v_upper double precision;
  v_place double precision;
begin
  if p_anchor_id is null then
    return (
      select coalesce(max(b.sort_order), 0) + 1 from public.pbis b
      where b.product_id = p_product_id and b.priority = p_priority and b.id <> p_moved_id
    );
  end if;

  select case when p_before then x.previous else x.place end, case when p_before then x.place else x.next end
  into v_lower, v_upper
  from (
    select b.id, b.sort_order as place, lag(b.sort_order) over w as previous, lead(b.sort_order) over w as next
    from public.pbis b
    where b.product_id = p_product_id and b.priority = p_priority and b.id <> p_moved_id
    window w as (order by b.sort_order, b.created_at, b.id)
  ) x
  where x.id = p_anchor_id;

  v_place := coalesce((v_lower + v_upper) / 2, v_lower + 1, v_upper - 1);
  if v_place <= v_lower or v_place >= v_upper then
    return null;
  end if;
  return v_place;
end;
$$;

comment on function private.pbi_place(uuid, integer, uuid, uuid, boolean) is
  'The float between two PBIs (specification: Ordering rules 4).';

grant execute on function private.pbi_place(uuid, integer, uuid, uuid, boolean) to authenticated, service_role;

-- Called by drag and drop, keyboard moves and tools: puts a PBI directly before or directly after another, in that one's
-- priority; or, with a priority alone, last in it. Float insertion; when no float is left between two, that priority is
-- numbered anew first (specification: Ordering rules 4).
create function public.move_pbi(
  p_pbi_id uuid,
  p_before_id uuid default null,
  p_after_id uuid default null,
  p_priority integer default null
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_anchor_id uuid := coalesce(p_before_id, p_after_id);
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
  v_priority integer;
  v_place double precision;
begin
  if v_anchor_id = p_pbi_id or (p_before_id is not null and p_after_id is not null)
    or (v_anchor_id is null and p_priority is null) then
    raise exception using errcode = 'PT422', message = 'Name one other PBI to go before or after, or a priority.',
      detail = '{"issues":[{"path":"before_id","message":"Name exactly one other PBI, or a priority."}]}';
  end if;

  if v_anchor_id is null then
    update public.pbis b
    set priority = p_priority, sort_order = private.pbi_place(v_product_id, p_priority, b.id, null, false)
    where b.id = p_pbi_id;
    return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
  end if;

  select b.priority into v_priority from public.pbis b where b.id = v_anchor_id and b.product_id = v_product_id;
  if v_priority is null then
    raise exception using errcode = 'PT404', message = 'No such PBI to go before or after in this product.';
  end if;

  v_place := private.pbi_place(v_product_id, v_priority, p_pbi_id, v_anchor_id, p_before_id is not null);
  if v_place is null then
    update public.pbis b
    set sort_order = n.place
    from (
      select o.id, row_number() over (order by o.sort_order, o.created_at, o.id) as place
      from public.pbis o
      where o.product_id = v_product_id and o.priority = v_priority and o.id <> p_pbi_id
    ) n
    where b.id = n.id and b.sort_order <> n.place;
    v_place := private.pbi_place(v_product_id, v_priority, p_pbi_id, v_anchor_id, p_before_id is not null);
  end if;

  update public.pbis b set priority = v_priority, sort_order = v_place where b.id = p_pbi_id;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;

comment on function public.move_pbi(uuid, uuid, uuid, integer) is
  'Moves a PBI by float insertion (specification: Ordering rules 4).';

revoke execute on function public.move_pbi(uuid, uuid, uuid, integer) from public, anon;
grant execute on function public.move_pbi(uuid, uuid, uuid, integer) to authenticated;

-- Called by the backlog page after a confirmation: the PBI goes with its stories and tasks.
create function public.delete_pbi(p_pbi_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('pbi', p_pbi_id);
  delete from public.pbis b where b.id = p_pbi_id;
  return json_build_object('id', p_pbi_id);
end;
$$;

comment on function public.delete_pbi(uuid) is
  'Deletes a PBI with its stories and tasks (specification: PBI).';

revoke execute on function public.delete_pbi(uuid) from public, anon;
grant execute on function public.delete_pbi(uuid) to authenticated;

-- Called by the MCP tool set_pbi_pr and the PBI page. Another pull request is not merged yet.
create function public.set_pbi_pr(p_pbi_id uuid, p_pr_url text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('pbi', p_pbi_id);
  update public.pbis b
  set pr_url = p_pr_url, pr_merged_at = case when b.pr_url = p_pr_url then b.pr_merged_at end
  where b.id = p_pbi_id;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;

comment on function public.set_pbi_pr(uuid, text) is
  'Sets or clears the pull request of a PBI (specification: PBI).';

revoke execute on function public.set_pbi_pr(uuid, text) from public, anon;
grant execute on function public.set_pbi_pr(uuid, text) to authenticated;

-- Called by the MCP tool mark_pbi_pr_merged and the PBI page. The first merge counts.
create function public.mark_pbi_pr_merged(p_pbi_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('pbi', p_pbi_id);

  if exists (select from public.pbis b where b.id = p_pbi_id and b.pr_url is null) then
    raise exception using errcode = 'PT409', message = 'This PBI has no pull request. Set its pr_url first.';
  end if;

  update public.pbis b set pr_merged_at = private.now() where b.id = p_pbi_id and b.pr_merged_at is null;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;

comment on function public.mark_pbi_pr_merged(uuid) is
  'Notes that the pull request of a PBI was merged (specification: PBI).';

revoke execute on function public.mark_pbi_pr_merged(uuid) from public, anon;
grant execute on function public.mark_pbi_pr_merged(uuid) to authenticated;

-- Why: a story is assigned to somebody who can use the product; the composite key is the second wall. Null is nobody.
create function private.require_assignee(p_product_id uuid, p_user_id uuid)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_user_id is null then
    return;
  end if;

  if not exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = p_user_id) then
    raise exception using errcode = 'PT422', message = 'Stories are assigned to the owner or a member of the product.',
      detail = '{"issues":[{"path":"assignee_id","message":"Is not in the product."}]}';
  end if;
end;
$$;

comment on function private.require_assignee(uuid, uuid) is
  'PT422 for an assignee who is not in the product (specification: Story).';

grant execute on function private.require_assignee(uuid, uuid) to authenticated, service_role;

-- Called by the backlog page and tools. Without a code the next ST-<nnn> is taken.
create function public.create_story(
  p_pbi_id uuid,
  p_title text,
  p_description text default '',
  p_acceptance_criteria text default '',
  p_code text default null,
  p_priority integer default 3,
  p_sprint_id uuid default null,
  p_assignee_id uuid default null
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
begin
  if p_sprint_id is not null then
    perform private.require_access('sprint', p_sprint_id);
  end if;
  perform private.require_assignee(v_product_id, p_assignee_id);

  insert into public.stories
    (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id)
  values
    (v_id, p_pbi_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_acceptance_criteria, ''),
      coalesce(p_priority, 3), p_sprint_id, p_assignee_id);
  return (select row_to_json(s) from private.story_shape s where s.id = v_id);
end;
$$;

comment on function public.create_story(uuid, text, text, text, text, integer, uuid, uuid) is
  'Creates a story (specification: Story, Entity codes). 60 per minute.';

revoke execute on function public.create_story(uuid, text, text, text, text, integer, uuid, uuid) from public, anon;
grant execute on function public.create_story(uuid, text, text, text, text, integer, uuid, uuid) to authenticated;

-- Called by the story page and tools. `p_changes` holds the fields to change: title, description, acceptance_criteria,
-- code, priority, pbi_id (another PBI of the product). A new code brings a new sort_order.
create function public.update_story(p_story_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('story', p_story_id);
  if p_changes ->> 'pbi_id' is not null then
    perform private.require_access('pbi', (p_changes ->> 'pbi_id')::uuid);
  end if;

  update public.stories s
  set title = coalesce(p_changes ->> 'title', s.title),
      description = coalesce(p_changes ->> 'description', s.description),
      acceptance_criteria = coalesce(p_changes ->> 'acceptance_criteria', s.acceptance_criteria),
      code = coalesce(p_changes ->> 'code', s.code),
      priority = coalesce((p_changes ->> 'priority')::integer, s.priority),
      pbi_id = coalesce((p_changes ->> 'pbi_id')::uuid, s.pbi_id)
  where s.id = p_story_id;
  return (select row_to_json(s) from private.story_shape s where s.id = p_story_id);
end;
$$;

comment on function public.update_story(uuid, jsonb) is
  'Edits a story (specification: Story).';

revoke execute on function public.update_story(uuid, jsonb) from public, anon;
grant execute on function public.update_story(uuid, jsonb) to authenticated;

-- Called by the backlog page after a confirmation: the story goes with its tasks and log.
create function public.delete_story(p_story_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('story', p_story_id);
  delete from public.stories s where s.id = p_story_id;
  return json_build_object('id', p_story_id);
end;
$$;

comment on function public.delete_story(uuid) is
  'Deletes a story with its tasks and log (specification: Story).';

revoke execute on function public.delete_story(uuid) from public, anon;
grant execute on function public.delete_story(uuid) to authenticated;

-- Called by the board, the solo page and tools: to oneself, to another member, or to nobody (null).
create function public.assign_story(p_story_id uuid, p_assignee_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_assignee(private.require_write('story', p_story_id), p_assignee_id);
  update public.stories s set assignee_id = p_assignee_id where s.id = p_story_id;
  return (select row_to_json(s) from private.story_shape s where s.id = p_story_id);
end;
$$;

comment on function public.assign_story(uuid, uuid) is
  'Assigns a story (specification: Story).';

revoke execute on function public.assign_story(uuid, uuid) from public, anon;
grant execute on function public.assign_story(uuid, uuid) to authenticated;

-- Called by the sprint pages and tools. Sets the sprint and, through the trigger, the status; nothing else changes
-- (specification: Ordering rules 5). A story of another sprint moves. Doing it twice is fine.
create function public.add_story_to_sprint(p_sprint_id uuid, p_story_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_access('sprint', p_sprint_id);
  perform private.require_write('story', p_story_id);

  update public.stories s
  set sprint_id = p_sprint_id
  where s.id = p_story_id and s.sprint_id is distinct from p_sprint_id;
  return (select row_to_json(s) from private.story_shape s where s.id = p_story_id);
end;
$$;

comment on function public.add_story_to_sprint(uuid, uuid) is
  'Adds a story to a sprint of its product (specification: States and transitions, Story).';

revoke execute on function public.add_story_to_sprint(uuid, uuid) from public, anon;
grant execute on function public.add_story_to_sprint(uuid, uuid) to authenticated;

-- Called by the sprint pages and tools: the story goes back to the backlog. A done story stays done.
create function public.remove_story_from_sprint(p_story_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('story', p_story_id);
  update public.stories s set sprint_id = null where s.id = p_story_id and s.sprint_id is not null;
  return (select row_to_json(s) from private.story_shape s where s.id = p_story_id);
end;
$$;

comment on function public.remove_story_from_sprint(uuid) is
  'Takes a story out of its sprint (specification: Ordering rules 2).';

revoke execute on function public.remove_story_from_sprint(uuid) from public, anon;
grant execute on function public.remove_story_from_sprint(uuid) to authenticated;

-- Called by POST /api/stories/:id/log, the MCP log tools and the story page. A field of another type is refused
-- (specification: POST /api/stories/:id/log).
create function public.append_story_log(
  p_story_id uuid,
  p_type text,
  p_content text,
  p_status text default null,
  p_commit_hash text default null,
  p_commit_message text default null,
  p_metadata jsonb default null
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_entry public.story_logs;
begin
  perform private.parse_choice('type', coalesce(p_type, ''), '{IMPLEMENTATION_PLAN,TEST_RESULT,COMMIT}');
  perform private.parse_choice('status', p_status, '{PASSED,FAILED}');
  if (p_type = 'TEST_RESULT') <> (p_status is not null)
    or (p_type = 'COMMIT') <> (p_commit_hash is not null) or (p_type = 'COMMIT') <> (p_commit_message is not null) then
    raise exception using errcode = 'PT422',
      message = 'TEST_RESULT takes status, COMMIT takes commit_hash and commit_message, and no type takes the fields of another.',
      detail = '{"issues":[{"path":"type","message":"The fields do not fit this type."}]}';
  end if;

  perform private.require_write('story', p_story_id);

  insert into public.story_logs (story_id, type, content, status, commit_hash, commit_message, metadata)
  values (p_story_id, p_type::public.story_log_type, p_content, p_status::public.story_log_status, p_commit_hash,
    p_commit_message, p_metadata)
  returning * into v_entry;

  return json_build_object('id', v_entry.id,
    'created_at', to_char(v_entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;

comment on function public.append_story_log(uuid, text, text, text, text, text, jsonb) is
  'Adds an entry to the log of a story (specification: POST /api/stories/:id/log). 120 per minute.';

revoke execute on function public.append_story_log(uuid, text, text, text, text, text, jsonb) from public, anon;
grant execute on function public.append_story_log(uuid, text, text, text, text, text, jsonb) to authenticated;

-- Called by the backlog page and tools. Without a code the next T-<n> is taken.
create function public.create_task(
  p_story_id uuid,
  p_title text,
  p_description text default '',
  p_code text default null,
  p_implementation_plan text default null,
  p_priority integer default 3,
  p_repo_url text default null,
  p_verify_only boolean default false,
  p_verify_required text default 'ALIGNED_OR_PARTIAL',
  p_requires_opus boolean default false,
  p_estimated_minutes integer default null
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_write('story', p_story_id);

  insert into public.tasks
    (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only, verify_required,
      requires_opus, estimated_minutes)
  values
    (v_id, p_story_id, p_code, p_title, coalesce(p_description, ''), p_implementation_plan, coalesce(p_priority, 3),
      p_repo_url, coalesce(p_verify_only, false),
      coalesce(p_verify_required, 'ALIGNED_OR_PARTIAL')::public.verify_required, coalesce(p_requires_opus, false),
      p_estimated_minutes);
  return (select row_to_json(t) from private.task_detail_shape t where t.id = v_id);
end;
$$;

comment on function public.create_task(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer) is
  'Creates a task (specification: Task, Entity codes). 100 per minute.';

revoke execute on function public.create_task(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer) from public, anon;
grant execute on function public.create_task(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer) to authenticated;

-- Why: the write of agents, hot. Definer, so that row level security is not asked for a row whose product was just checked.
-- `review` belongs to the board and `failed` to jobs (specification: PATCH /api/tasks/:id).
create function private.update_task(
  p_task_id uuid,
  p_status text,
  p_implementation_plan text,
  p_verify_only boolean,
  p_verify_required text
)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_answer json;
begin
  if p_status is null and p_implementation_plan is null then
    raise exception using errcode = 'PT422', message = 'Give at least one of status and implementation_plan.',
      detail = '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}';
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);

  update public.tasks t
  set status = coalesce(private.parse_task_status(p_status), t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      verify_only = coalesce(p_verify_only, t.verify_only),
      verify_required = coalesce(p_verify_required::public.verify_required, t.verify_required)
  where t.id = p_task_id
  returning json_build_object(
    'id', t.id,
    'status', case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end,
    'implementation_plan', t.implementation_plan
  )
  into v_answer;
  return v_answer;
end;
$$;

comment on function private.update_task(uuid, text, text, boolean, text) is
  'Body of update_task (specification: PATCH /api/tasks/:id).';

grant execute on function private.update_task(uuid, text, text, boolean, text) to authenticated, service_role;

-- Called by PATCH /api/tasks/:id and the MCP tools update_task_status and update_task_plan. Passed through unparsed.
create function public.update_task(
  p_task_id uuid,
  p_status text default null,
  p_implementation_plan text default null,
  p_verify_only boolean default null,
  p_verify_required text default null
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.update_task(p_task_id, p_status, p_implementation_plan, p_verify_only, p_verify_required);
end;
$$;

comment on function public.update_task(uuid, text, text, boolean, text) is
  'Status or plan of a task (specification: PATCH /api/tasks/:id).';

revoke execute on function public.update_task(uuid, text, text, boolean, text) from public, anon;
grant execute on function public.update_task(uuid, text, text, boolean, text) to authenticated;

-- Called by the task page and tools: people edit every field. `p_changes` holds the fields to change; a null clears
-- implementation_plan, repo_url and estimated_minutes. A new code brings a new sort_order.
create function public.edit_task(p_task_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status public.task_status := private.parse_task_status(p_changes ->> 'status');
begin
  perform private.parse_choice('verify_required', p_changes ->> 'verify_required', '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);

  update public.tasks t
  set title = coalesce(p_changes ->> 'title', t.title),
      description = coalesce(p_changes ->> 'description', t.description),
      code = coalesce(p_changes ->> 'code', t.code),
      priority = coalesce((p_changes ->> 'priority')::integer, t.priority),
      status = coalesce(v_status, t.status),
      verify_only = coalesce((p_changes ->> 'verify_only')::boolean, t.verify_only),
      verify_required = coalesce((p_changes ->> 'verify_required')::public.verify_required, t.verify_required),
      requires_opus = coalesce((p_changes ->> 'requires_opus')::boolean, t.requires_opus),
      implementation_plan = case when p_changes ? 'implementation_plan' then p_changes ->> 'implementation_plan' else t.implementation_plan end,
      repo_url = case when p_changes ? 'repo_url' then p_changes ->> 'repo_url' else t.repo_url end,
      estimated_minutes = case when p_changes ? 'estimated_minutes' then (p_changes ->> 'estimated_minutes')::integer else t.estimated_minutes end
  where t.id = p_task_id;
  return (select row_to_json(t) from private.task_detail_shape t where t.id = p_task_id);
end;
$$;

comment on function public.edit_task(uuid, jsonb) is
  'Edits a task (specification: Task).';

revoke execute on function public.edit_task(uuid, jsonb) from public, anon;
grant execute on function public.edit_task(uuid, jsonb) to authenticated;

-- Called by the backlog page and tools: the task goes to another story of its product and keeps its code and sort_order
-- (specification: Entity codes 5).
create function public.move_task(p_task_id uuid, p_story_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('task', p_task_id);
  perform private.require_access('story', p_story_id);
  update public.tasks t set story_id = p_story_id where t.id = p_task_id and t.story_id <> p_story_id;
  return (select row_to_json(t) from private.task_detail_shape t where t.id = p_task_id);
end;
$$;

comment on function public.move_task(uuid, uuid) is
  'Moves a task to another story of its product (specification: Entity codes 5).';

revoke execute on function public.move_task(uuid, uuid) from public, anon;
grant execute on function public.move_task(uuid, uuid) to authenticated;

-- Called by the board and the solo page, where people may put every status, review included
-- (specification: PATCH /api/tasks/:id).
create function public.set_task_status(p_task_id uuid, p_status text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status public.task_status := private.parse_task_status(coalesce(p_status, ''));
begin
  perform private.require_write('task', p_task_id);
  update public.tasks t set status = v_status where t.id = p_task_id and t.status <> v_status;
  return (select row_to_json(t) from private.task_shape t where t.id = p_task_id);
end;
$$;

comment on function public.set_task_status(uuid, text) is
  'A board move of a task, all statuses (specification: States and transitions, Task).';

revoke execute on function public.set_task_status(uuid, text) from public, anon;
grant execute on function public.set_task_status(uuid, text) to authenticated;

-- Called by the backlog page after a confirmation.
create function public.delete_task(p_task_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('task', p_task_id);
  delete from public.tasks t where t.id = p_task_id;
  return json_build_object('id', p_task_id);
end;
$$;

comment on function public.delete_task(uuid) is
  'Deletes a task (specification: Task).';

revoke execute on function public.delete_task(uuid) from public, anon;
grant execute on function public.delete_task(uuid) to authenticated;

-- Called by the sprints page and tools. Gets the next SP-<n>.
create function public.create_sprint(
  p_product_id uuid,
  p_sprint_goal text default '',
  p_start_date date default null,
  p_end_date date default null
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_dates_in_order(p_start_date, p_end_date);
  perform private.require_write('product', p_product_id);

  insert into public.sprints (id, product_id, sprint_goal, start_date, end_date)
  values (v_id, p_product_id, coalesce(p_sprint_goal, ''), p_start_date, p_end_date);
  return (select row_to_json(s) from private.sprint_shape s where s.id = v_id);
end;
$$;

comment on function public.create_sprint(uuid, text, date, date) is
  'Creates a planned sprint (specification: Sprint, Entity codes 6). 10 per minute.';

revoke execute on function public.create_sprint(uuid, text, date, date) from public, anon;
grant execute on function public.create_sprint(uuid, text, date, date) to authenticated;

-- Called by the sprint pages. `p_changes` holds the fields to change: sprint_goal, start_date, end_date (null clears a date).
create function public.update_sprint(p_sprint_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_sprint public.sprints;
begin
  perform private.require_write('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status in ('COMPLETED', 'CANCELLED') then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s and does not change any more.', v_sprint.code, lower(v_sprint.status::text));
  end if;

  v_sprint.sprint_goal := coalesce(p_changes ->> 'sprint_goal', v_sprint.sprint_goal);
  if p_changes ? 'start_date' then
    v_sprint.start_date := (p_changes ->> 'start_date')::date;
  end if;
  if p_changes ? 'end_date' then
    v_sprint.end_date := (p_changes ->> 'end_date')::date;
  end if;
  perform private.require_dates_in_order(v_sprint.start_date, v_sprint.end_date);

  update public.sprints s
  set sprint_goal = v_sprint.sprint_goal, start_date = v_sprint.start_date, end_date = v_sprint.end_date
  where s.id = p_sprint_id;
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;

comment on function public.update_sprint(uuid, jsonb) is
  'Edits goal and dates of a sprint (specification: Sprint).';

revoke execute on function public.update_sprint(uuid, jsonb) from public, anon;
grant execute on function public.update_sprint(uuid, jsonb) to authenticated;

-- Why: the moves of a sprint that people make: planned to active, active to completed, planned to cancelled. Failing and
-- resuming belong to sprint runs. Definer, because nobody writes the status of a sprint directly; access, lock, demo and
-- archive are checked first. When a sprint is over, its unfinished stories go back to the backlog.
create function private.change_sprint_status(p_sprint_id uuid, p_from public.sprint_status, p_to public.sprint_status)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status <> p_from then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s; only a sprint that is %s can become %s.', v_sprint.code,
        lower(v_sprint.status::text), lower(p_from::text), lower(p_to::text));
  end if;

  if p_to = 'ACTIVE' and exists (
    select from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE'
  ) then
    raise exception using errcode = 'PT409', message = 'Another sprint of this product is active. Complete it first.';
  end if;

  if p_to = 'COMPLETED' and exists (
    select from public.sprint_runs r where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
  ) then
    raise exception using errcode = 'PT409', message = 'A run of this sprint is not finished. Let it finish, or cancel it first.';
  end if;

  update public.sprints s
  set status = p_to,
      started_at = case when p_to = 'ACTIVE' then private.now() else s.started_at end,
      completed_at = case when p_to = 'COMPLETED' then private.now() else s.completed_at end
  where s.id = p_sprint_id;

  if p_to in ('COMPLETED', 'CANCELLED') then
    update public.stories s set sprint_id = null where s.sprint_id = p_sprint_id and s.status <> 'DONE';
  end if;
end;
$$;

comment on function private.change_sprint_status(uuid, public.sprint_status, public.sprint_status) is
  'The moves of a sprint by hand (specification: States and transitions, Sprint).';

grant execute on function private.change_sprint_status(uuid, public.sprint_status, public.sprint_status) to authenticated, service_role;

-- Called by the sprint pages and the MCP tool start_sprint. At most one sprint of a product is active (409 otherwise).
create function public.start_sprint(p_sprint_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.change_sprint_status(p_sprint_id, 'PLANNED', 'ACTIVE');
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;

comment on function public.start_sprint(uuid) is
  'Starts a planned sprint (specification: States and transitions, Sprint).';

revoke execute on function public.start_sprint(uuid) from public, anon;
grant execute on function public.start_sprint(uuid) to authenticated;

-- Called by the sprint pages: by hand; unfinished stories leave the sprint.
create function public.complete_sprint(p_sprint_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.change_sprint_status(p_sprint_id, 'ACTIVE', 'COMPLETED');
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;

comment on function public.complete_sprint(uuid) is
  'Completes the active sprint (specification: States and transitions, Sprint).';

revoke execute on function public.complete_sprint(uuid) from public, anon;
grant execute on function public.complete_sprint(uuid) to authenticated;

-- Called by the sprint pages: a sprint that never started is called off, its stories leave it.
create function public.cancel_sprint(p_sprint_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.change_sprint_status(p_sprint_id, 'PLANNED', 'CANCELLED');
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;

comment on function public.cancel_sprint(uuid) is
  'Cancels a planned sprint (specification: States and transitions, Sprint).';

revoke execute on function public.cancel_sprint(uuid) from public, anon;
grant execute on function public.cancel_sprint(uuid) to authenticated;

-- Called by the ideas page and tools. Gets the next IDEA-<nnn> of its user.
create function public.create_idea(p_product_id uuid, p_title text, p_description text default '')
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_access('product', p_product_id);
  perform private.require_product_write(p_product_id);
  insert into public.ideas (id, product_id, title, description)
  values (v_id, p_product_id, p_title, coalesce(p_description, ''));
  return (select row_to_json(i) from private.idea_shape i where i.id = v_id);
end;
$$;

comment on function public.create_idea(uuid, text, text) is
  'Creates an idea of the caller (specification: Idea, Entity codes 7). 60 per minute.';

revoke execute on function public.create_idea(uuid, text, text) from public, anon;
grant execute on function public.create_idea(uuid, text, text) to authenticated;

-- Why: the first line of every write to an idea: one's own (404, 403), a product that one may use and write.
create function private.require_idea_write(p_idea_id uuid)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_own_idea(p_idea_id);
begin
  perform private.require_product_access(v_product_id);
  perform private.require_product_write(v_product_id);
  return v_product_id;
end;
$$;

comment on function private.require_idea_write(uuid) is
  'The product of an idea that the caller may change; PT404, PT403 (specification: Idea).';

grant execute on function private.require_idea_write(uuid) to authenticated, service_role;

-- Called by the ideas pages and tools. `p_changes` holds the fields to change: title, description, product_id, and status,
-- which moves forward only (draft, discussing, ready; planned by promotion).
create function public.update_idea(p_idea_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status text := upper(private.parse_choice('status', p_changes ->> 'status', '{draft,discussing,ready,planned}'));
  v_new_product_id uuid := (p_changes ->> 'product_id')::uuid;
begin
  perform private.require_idea_write(p_idea_id);
  if v_new_product_id is not null then
    perform private.require_product_access(v_new_product_id);
    perform private.require_product_write(v_new_product_id);
  end if;

  update public.ideas i
  set title = coalesce(p_changes ->> 'title', i.title),
      description = coalesce(p_changes ->> 'description', i.description),
      product_id = coalesce(v_new_product_id, i.product_id),
      status = coalesce(v_status::public.idea_status, i.status)
  where i.id = p_idea_id;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;

comment on function public.update_idea(uuid, jsonb) is
  'Edits an idea and moves it forward (specification: Idea).';

revoke execute on function public.update_idea(uuid, jsonb) from public, anon;
grant execute on function public.update_idea(uuid, jsonb) to authenticated;

-- Called by the ideas pages: a flag beside the status. Doing it twice is fine.
create function public.archive_idea(p_idea_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_idea_write(p_idea_id);
  update public.ideas i set archived_at = private.now() where i.id = p_idea_id and i.archived_at is null;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;

comment on function public.archive_idea(uuid) is
  'Archives an idea (specification: Idea).';

revoke execute on function public.archive_idea(uuid) from public, anon;
grant execute on function public.archive_idea(uuid) to authenticated;

-- Called by the ideas pages: takes the archive flag away.
create function public.restore_idea(p_idea_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_idea_write(p_idea_id);
  update public.ideas i set archived_at = null where i.id = p_idea_id and i.archived_at is not null;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;

comment on function public.restore_idea(uuid) is
  'Restores an archived idea (specification: Idea).';

revoke execute on function public.restore_idea(uuid) from public, anon;
grant execute on function public.restore_idea(uuid) to authenticated;

-- Called by the ideas pages: one record per pair; its own product needs none. Doing it twice is fine.
create function public.link_idea_product(p_idea_id uuid, p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_idea_write(p_idea_id);
  perform private.require_access('product', p_product_id);
  perform private.require_product_write(p_product_id);

  insert into public.idea_products (idea_id, product_id)
  select i.id, p_product_id from public.ideas i where i.id = p_idea_id and i.product_id <> p_product_id
  on conflict (idea_id, product_id) do nothing;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;

comment on function public.link_idea_product(uuid, uuid) is
  'Links an idea to a further product (specification: Idea).';

revoke execute on function public.link_idea_product(uuid, uuid) from public, anon;
grant execute on function public.link_idea_product(uuid, uuid) to authenticated;

-- Called by the ideas pages. Doing it twice is fine.
create function public.unlink_idea_product(p_idea_id uuid, p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_idea_write(p_idea_id);
  delete from public.idea_products l where l.idea_id = p_idea_id and l.product_id = p_product_id;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;

comment on function public.unlink_idea_product(uuid, uuid) is
  'Removes the link of an idea to a further product (specification: Idea).';

revoke execute on function public.unlink_idea_product(uuid, uuid) from public, anon;
grant execute on function public.unlink_idea_product(uuid, uuid) to authenticated;

-- Why: promotion makes the PBI and the planned idea in one transaction, linked both ways. Definer, because nobody writes
-- those links directly; ownership, access, lock, demo and archive are checked first. Without other words the PBI takes the
-- title and description of the idea, and its product.
create function private.promote_idea(
  p_idea_id uuid,
  p_product_id uuid,
  p_title text,
  p_description text,
  p_code text,
  p_priority integer
)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := coalesce(p_product_id, private.require_idea_write(p_idea_id));
  v_idea public.ideas;
  v_pbi_id uuid := gen_random_uuid();
begin
  perform private.require_idea_write(p_idea_id);
  perform private.require_write('product', v_product_id);
  select i.* into v_idea from public.ideas i where i.id = p_idea_id for update;

  if v_idea.status = 'PLANNED' then
    raise exception using errcode = 'PT409', message = format('Idea %s was promoted already.', v_idea.code);
  end if;
  if v_idea.archived_at is not null then
    raise exception using errcode = 'PT409', message = format('Idea %s is archived. Restore it first.', v_idea.code);
  end if;

  insert into public.pbis (id, product_id, code, title, description, priority, idea_id)
  values (v_pbi_id, v_product_id, p_code, coalesce(p_title, v_idea.title), coalesce(p_description, v_idea.description),
    coalesce(p_priority, 3), p_idea_id);
  update public.ideas i set status = 'PLANNED', pbi_id = v_pbi_id where i.id = p_idea_id;

  return json_build_object(
    'idea', (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id),
    'pbi', (select row_to_json(b) from private.pbi_shape b where b.id = v_pbi_id)
  );
end;
$$;

comment on function private.promote_idea(uuid, uuid, text, text, text, integer) is
  'Body of promote_idea (specification: States and transitions, Idea).';

grant execute on function private.promote_idea(uuid, uuid, text, text, text, integer) to authenticated, service_role;

-- Called by the ideas pages and tools: from any state before planned.
create function public.promote_idea(
  p_idea_id uuid,
  p_product_id uuid default null,
  p_title text default null,
  p_description text default null,
  p_code text default null,
  p_priority integer default 3
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.promote_idea(p_idea_id, p_product_id, p_title, p_description, p_code, p_priority);
end;
$$;

comment on function public.promote_idea(uuid, uuid, text, text, text, integer) is
  'Makes a PBI of an idea, atomically (specification: States and transitions, Idea).';

revoke execute on function public.promote_idea(uuid, uuid, text, text, text, integer) from public, anon;
grant execute on function public.promote_idea(uuid, uuid, text, text, text, integer) to authenticated;

-- Why: full text search needs its indexes, which row level security would keep from being used. Definer; the products of the
-- caller, and of ideas the caller's own, are part of every query. Words match from their beginning, codes too.
create function private.search(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
  v_code text := replace(replace(replace(trim(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_words text;
  v_query tsquery;
  v_found json[];
begin
  select string_agg(quote_literal(w) || ':*', ' & ')
  into v_words
  from regexp_split_to_table(lower(p_query), '[^[:alnum:]]+') w
  where w <> '';
  v_query := to_tsquery('simple', coalesce(v_words, ''));

  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select 'pbi' as kind, b.id, b.product_id, b.code, b.title, b.description, lower(b.status::text) as status, b.created_at,
        b.code ilike v_code as by_code,
        ts_rank(to_tsvector('simple', b.code || ' ' || b.title || ' ' || left(b.description, 20000)), v_query) as rank
      from public.pbis b
      where (p_kind is null or p_kind = 'pbi')
        and b.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (b.code ilike v_code or to_tsvector('simple', b.code || ' ' || b.title || ' ' || left(b.description, 20000)) @@ v_query)
      union all
      select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
        s.code ilike v_code,
        ts_rank(to_tsvector('simple', s.code || ' ' || s.title || ' ' || left(s.description, 20000)), v_query)
      from public.stories s
      where (p_kind is null or p_kind = 'story')
        and s.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (s.code ilike v_code or to_tsvector('simple', s.code || ' ' || s.title || ' ' || left(s.description, 20000)) @@ v_query)
      union all
      select 'task', t.id, t.product_id, t.code, t.title, t.description,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end, t.created_at,
        t.code ilike v_code,
        ts_rank(to_tsvector('simple', t.code || ' ' || t.title || ' ' || left(t.description, 20000)), v_query)
      from public.tasks t
      where (p_kind is null or p_kind = 'task')
        and t.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (t.code ilike v_code or to_tsvector('simple', t.code || ' ' || t.title || ' ' || left(t.description, 20000)) @@ v_query)
      union all
      select 'idea', i.id, i.product_id, i.code, i.title, i.description, lower(i.status::text), i.created_at,
        i.code ilike v_code,
        ts_rank(to_tsvector('simple', i.code || ' ' || i.title || ' ' || left(i.description, 20000)), v_query)
      from public.ideas i
      where (p_kind is null or p_kind = 'idea') and i.user_id = v_user_id
        and (i.code ilike v_code or to_tsvector('simple', i.code || ' ' || i.title || ' ' || left(i.description, 20000)) @@ v_query)
    ) h
    join public.products p on p.id = h.product_id
    where p_product_id is null or h.product_id = p_product_id
    order by h.by_code desc, h.rank desc, h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$$;

comment on function private.search(text, uuid, text, integer, integer) is
  'Body of search (specification: What the service does 1, 9).';

grant execute on function private.search(text, uuid, text, integer, integer) to authenticated, service_role;

-- Called by the search page, the command menu and the MCP tool search: PBIs, stories and tasks of the caller's products and
-- the caller's ideas. The cursor is the one that the previous page gave.
create function public.search(
  p_query text,
  p_product_id uuid default null,
  p_kind text default null,
  p_limit integer default 20,
  p_cursor text default null
)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.parse_choice('kind', p_kind, '{pbi,story,task,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  if trim(coalesce(p_query, '')) = '' then
    return json_build_object('items', '[]'::json, 'next_cursor', null);
  end if;

  return private.search(left(p_query, 200), p_product_id, p_kind, least(greatest(coalesce(p_limit, 20), 1), 50),
    case when p_cursor ~ '^[0-9]{1,6}$' then p_cursor::integer else 0 end);
end;
$$;

comment on function public.search(text, uuid, text, integer, text) is
  'Full text and code search over what the caller reaches (specification: What the service does 1, 9).';

revoke execute on function public.search(text, uuid, text, integer, text) from public, anon;
grant execute on function public.search(text, uuid, text, integer, text) to authenticated;

-- Why: one look-up for all kinds. Runs as the caller under row level security: only what the caller reaches is found.
create function private.find_reference(p_kind text, p_code text, p_id uuid, p_product_id uuid)
returns json[]
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select array_agg(json_build_object('id', x.id, 'kind', p_kind, 'code', x.code, 'product_id', x.product_id) order by x.id)
    from (
      select p.id, p.code, p.id as product_id from public.products p where p_kind = 'product' and (p.code = p_code or p.id = p_id)
      union all
      select b.id, b.code, b.product_id from public.pbis b where p_kind = 'pbi' and (b.code = p_code or b.id = p_id)
      union all
      select s.id, s.code, s.product_id from public.stories s where p_kind = 'story' and (s.code = p_code or s.id = p_id)
      union all
      select t.id, t.code, t.product_id from public.tasks t where p_kind = 'task' and (t.code = p_code or t.id = p_id)
      union all
      select s.id, s.code, s.product_id from public.sprints s where p_kind = 'sprint' and (s.code = p_code or s.id = p_id)
      union all
      select i.id, i.code, i.product_id from public.ideas i where p_kind = 'idea' and (i.code = p_code or i.id = p_id)
    ) x
    where p_product_id is null or x.product_id = p_product_id
  );
end;
$$;

comment on function private.find_reference(text, text, uuid, uuid) is
  'Candidates for an id or a code among what the caller reaches (specification: Entity codes).';

grant execute on function private.find_reference(text, text, uuid, uuid) to authenticated, service_role;

-- Called by the MCP tools and commands, which take codes wherever ids are: answers { id, kind, code, product_id } for an id
-- or a code of what the caller reaches. A code of several products is refused with the candidates (PT422).
create function public.resolve_reference(p_kind text, p_reference text, p_product_id uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_found json[];
begin
  perform private.parse_choice('kind', coalesce(p_kind, ''), '{product,pbi,story,task,sprint,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  if p_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    if p_kind = 'idea' then
      perform private.require_own_idea(p_reference::uuid);
    else
      perform private.require_access(p_kind, p_reference::uuid);
    end if;
    v_found := private.find_reference(p_kind, null, p_reference::uuid, null);
  else
    v_found := private.find_reference(p_kind, p_reference, null, p_product_id);
    if v_found is null then
      v_found := private.find_reference(p_kind, upper(p_reference), null, p_product_id);
    end if;
  end if;

  if v_found is null then
    raise exception using errcode = 'PT404',
      message = format('No such %s.', case p_kind when 'pbi' then 'PBI' else p_kind end);
  end if;

  if cardinality(v_found) > 1 then
    raise exception using errcode = 'PT422',
      message = format('%s names more than one %s. Give the id, or name the product.', p_reference, case p_kind when 'pbi' then 'PBI' else p_kind end),
      detail = json_build_object('candidates', array_to_json(v_found))::text;
  end if;

  return v_found[1];
end;
$$;

comment on function public.resolve_reference(text, text, uuid) is
  'The thing behind an id or a code (specification: Entity codes).';

revoke execute on function public.resolve_reference(text, text, uuid) from public, anon;
grant execute on function public.resolve_reference(text, text, uuid) to authenticated;

-- Why: the one writer of the audit trail. Definer, because no user may write it directly.
-- Called by the account operations; p_detail never holds a secret.
create function private.audit(
  p_user_id uuid, p_actor_id uuid, p_kind text, p_detail jsonb default '{}', p_ip text default null)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  insert into public.audit_events (user_id, actor_id, kind, detail, ip, created_at)
  values (p_user_id, p_actor_id, p_kind, p_detail, left(p_ip, 45), private.now());
end;
$$;

comment on function private.audit(uuid, uuid, text, jsonb, text) is
  'Writes one line of the audit trail: whom it concerns, who did it, what, from where.';

grant execute on function private.audit(uuid, uuid, text, jsonb, text) to authenticated, service_role;

-- Why: administrators see and change users. Read from the database on each request, never from a token or cookie.
-- Definer, because a user may not read the flags of profiles.
create function private.is_admin()
returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return exists (select from public.users u where u.id = auth.uid() and u.role = 'ADMIN');
end;
$$;

comment on function private.is_admin() is 'Whether the caller has the role ADMIN (specification: Other records, User).';

grant execute on function private.is_admin() to authenticated, service_role;

-- Why: one wording for every operation that only administrators may call.
create function private.require_admin()
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if not private.is_admin() then
    raise exception using errcode = 'PT403', message = 'Only administrators may do this.';
  end if;
end;
$$;

comment on function private.require_admin() is 'PT403 for everybody who is no administrator.';

grant execute on function private.require_admin() to authenticated, service_role;

-- Why: a password change, a reset or a lost role ends every other session at once, and a pairing that was approved
-- but not yet claimed must not become a session afterwards. Definer: users may not write these tables directly.
-- Called by password_changed, revoke_other_sessions and admin_update_user. Answers how many sessions ended.
create function private.end_sessions(p_user_id uuid, p_keep_session_id uuid default null)
returns integer
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_ended integer;
begin
  update public.login_pairings set status = 'CANCELLED' where user_id = p_user_id and status = 'APPROVED';

  update public.user_sessions set revoked_at = private.now()
  where user_id = p_user_id and revoked_at is null and id is distinct from p_keep_session_id;
  get diagnostics v_ended = row_count;
  return v_ended;
end;
$$;

comment on function private.end_sessions(uuid, uuid) is
  'Ends all sessions of a user but one, and their unclaimed pairings (specification: Authentication).';

grant execute on function private.end_sessions(uuid, uuid) to service_role;

-- Why: the devices page marks the session it is shown in, and "all others" leaves it alone.
create function private.current_session_id()
returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
end;
$$;

comment on function private.current_session_id() is 'The session of this request, or null for a token.';

grant execute on function private.current_session_id() to authenticated, service_role;

-- Why: limits that hold before anybody is signed in are taken before the work, in a call of their own, so that a failed
-- try counts (specification: Limits, login, registration, pair/start). Service only: the key is an address or an account.
create function public.take_limit(p_action text, p_key text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.take_rate_limit(p_action, p_key);
  return json_build_object('ok', true);
end;
$$;

comment on function public.take_limit(text, text) is
  'Counts one try of login, registration, recovery or pair/start, or PT429 (specification: Limits). Service only.';

revoke execute on function public.take_limit(text, text) from public, anon, authenticated;
grant execute on function public.take_limit(text, text) to service_role;

-- Why: people sign in with user name or e-mail address; Supabase Auth knows only the address.
-- For an unknown name it answers the address of somebody else and no user id, so that the caller does the same work
-- with a password that cannot be right, and neither answer nor time tells whether the account exists.
-- Called by the login, the registration and the admin commands with the secret key.
create function public.find_login_identity(p_identifier text)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_user public.users;
begin
  if position('@' in p_identifier) > 0 then
    select * into v_user from public.users u where lower(u.email) = lower(p_identifier) limit 1;
  else
    select * into v_user from public.users u where lower(u.username) = lower(p_identifier);
  end if;

  if v_user.id is null then
    return json_build_object('user_id', null,
      'email', coalesce((select u.email from public.users u order by u.id limit 1), 'nobody@example.invalid'));
  end if;
  return json_build_object('user_id', v_user.id, 'email', v_user.email);
end;
$$;

comment on function public.find_login_identity(text) is
  'User id and e-mail address behind a user name or address, with a decoy for unknown ones. Service only.';

revoke execute on function public.find_login_identity(text) from public, anon, authenticated;
grant execute on function public.find_login_identity(text) to service_role;

-- Why: every sign-in makes a new session id and ends the session that the browser had before (no session fixation).
-- Lifetime 30 days, sliding. Rows that ended more than 30 days ago are forgotten here.
-- Called by the login and the registration with the secret key, after Supabase Auth has checked the password.
create function public.create_session(
  p_user_id uuid, p_user_agent text default null, p_ip text default null, p_previous_session_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_user public.users;
  v_session public.user_sessions;
begin
  select * into v_user from public.users u where u.id = p_user_id for share;
  if not found then
    raise exception using errcode = 'PT401', message = 'This account no longer exists.';
  end if;

  delete from public.user_sessions s
  where s.user_id = p_user_id and least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  update public.user_sessions set revoked_at = v_now
  where id = p_previous_session_id and revoked_at is null;

  insert into public.user_sessions (user_id, user_agent, ip, expires_at, last_seen_at, created_at)
  values (p_user_id, left(p_user_agent, 255), left(p_ip, 45), v_now + interval '30 days', v_now, v_now)
  returning * into v_session;

  perform private.audit(p_user_id, p_user_id, 'session.started',
    jsonb_build_object('session_id', v_session.id, 'user_agent', v_session.user_agent), p_ip);
  return json_build_object('session_id', v_session.id, 'user_id', v_user.id, 'is_demo', v_user.is_demo,
    'must_reset_password', v_user.must_reset_password, 'theme', v_user.theme);
end;
$$;

comment on function public.create_session(uuid, text, text, uuid) is
  'A new session of a user whose password was right (specification: Authentication 2). Service only.';

revoke execute on function public.create_session(uuid, text, text, uuid) from public, anon, authenticated;
grant execute on function public.create_session(uuid, text, text, uuid) to service_role;

-- Why: signing out must hold for the cookie that is still around somewhere. No write in the sense of the demo rule.
-- Called by POST /logout and by pages that find an expired paired session, with the secret key. Idempotent.
create function public.end_session(p_session_id uuid, p_ip text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_user_id uuid;
begin
  update public.user_sessions set revoked_at = private.now()
  where id = p_session_id and revoked_at is null
  returning user_id into v_user_id;

  if v_user_id is not null then
    perform private.audit(v_user_id, v_user_id, 'session.ended', jsonb_build_object('session_id', p_session_id), p_ip);
  end if;
  return json_build_object('ended', v_user_id is not null);
end;
$$;

comment on function public.end_session(uuid, text) is
  'Ends one session, as sign-out does (specification: Authentication 2). Service only.';

revoke execute on function public.end_session(uuid, text) from public, anon, authenticated;
grant execute on function public.end_session(uuid, text) to service_role;

-- Why: a new password ends every other session and every unclaimed pairing at once, and lifts or sets the duty to
-- choose another one. Called with the secret key after Supabase Auth has stored the password: by the person
-- (p_keep_session_id stays), by a recovery, by an administrator (p_must_reset: the next sign-in asks for another).
create function public.password_changed(
  p_user_id uuid, p_keep_session_id uuid default null, p_must_reset boolean default false,
  p_actor_id uuid default null, p_ip text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_ended integer;
begin
  update public.users set must_reset_password = p_must_reset, updated_at = private.now() where id = p_user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such user.';
  end if;

  v_ended := private.end_sessions(p_user_id, p_keep_session_id);
  perform private.audit(p_user_id, coalesce(p_actor_id, p_user_id),
    case when p_must_reset then 'password.reset' else 'password.changed' end,
    jsonb_build_object('sessions_ended', v_ended), p_ip);
  return json_build_object('sessions_ended', v_ended);
end;
$$;

comment on function public.password_changed(uuid, uuid, boolean, uuid, text) is
  'Ends the other sessions after a password was changed or reset (specification: Authentication). Service only.';

revoke execute on function public.password_changed(uuid, uuid, boolean, uuid, text) from public, anon, authenticated;
grant execute on function public.password_changed(uuid, uuid, boolean, uuid, text) to service_role;

-- Why: what registration can never set: an administrator's command or the first start makes a role or a demo account.
-- Called by the admin commands with the secret key, right after the account was created.
create function public.configure_account(p_user_id uuid, p_role text default null, p_is_demo boolean default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.users
  set role = coalesce(p_role::public.user_role, role),
      is_demo = coalesce(p_is_demo, is_demo),
      updated_at = private.now()
  where id = p_user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such user.';
  end if;

  perform private.audit(p_user_id, null, 'user.configured',
    jsonb_strip_nulls(jsonb_build_object('role', p_role, 'is_demo', p_is_demo)));
  return json_build_object('id', p_user_id);
end;
$$;

comment on function public.configure_account(uuid, text, boolean) is
  'Sets role and demo flag of an account from the command line (specification: Other records). Service only.';

revoke execute on function public.configure_account(uuid, text, boolean) from public, anon, authenticated;
grant execute on function public.configure_account(uuid, text, boolean) to service_role;

-- Why: the devices page: what, where, when, paired or not, this one. Row level security shows only one's own.
create function public.list_sessions()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', s.id, 'user_agent', s.user_agent, 'ip', s.ip, 'paired', s.paired,
      'paired_expires_at', s.paired_expires_at, 'expires_at', s.expires_at, 'last_seen_at', s.last_seen_at,
      'created_at', s.created_at, 'is_current', s.id is not distinct from private.current_session_id()
    ) order by s.last_seen_at desc, s.id), '[]')
    from public.user_sessions s
    where s.user_id = auth.uid()
      and s.revoked_at is null
      and s.expires_at > private.now()
      and (s.paired_expires_at is null or s.paired_expires_at > private.now())
  );
end;
$$;

comment on function public.list_sessions() is 'The live sessions of the caller (specification: Authentication).';

revoke execute on function public.list_sessions() from public, anon;
grant execute on function public.list_sessions() to authenticated;

-- Why: ends one device from another. The definer half exists because users may not write user_sessions directly;
-- it touches rows of the caller only.
create function private.revoke_session(p_session_id uuid)
returns boolean
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.user_sessions set revoked_at = private.now()
  where id = p_session_id and user_id = auth.uid() and revoked_at is null;
  return found;
end;
$$;

comment on function private.revoke_session(uuid) is 'Ends one session of the caller; false when there is none.';

grant execute on function private.revoke_session(uuid) to authenticated;

create function public.revoke_session(p_session_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  if not private.revoke_session(p_session_id) then
    raise exception using errcode = 'PT404', message = 'No such device is signed in to your account.';
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'session.revoked', jsonb_build_object('session_id', p_session_id));
  return json_build_object('id', p_session_id);
end;
$$;

comment on function public.revoke_session(uuid) is 'Ends one session of the caller (specification: Authentication).';

revoke execute on function public.revoke_session(uuid) from public, anon;
grant execute on function public.revoke_session(uuid) to authenticated;

-- Why: "sign out everywhere else". The definer half exists because users may not write user_sessions directly;
-- it touches rows of the caller only and keeps the session of this request.
create function private.revoke_other_sessions()
returns integer
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  return private.end_sessions(auth.uid(), private.current_session_id());
end;
$$;

comment on function private.revoke_other_sessions() is 'Ends all sessions of the caller but this one.';

grant execute on function private.revoke_other_sessions() to authenticated;

create function public.revoke_other_sessions()
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_ended integer;
begin
  perform private.require_no_demo();
  v_ended := private.revoke_other_sessions();
  perform private.audit(auth.uid(), auth.uid(), 'session.others_revoked', jsonb_build_object('count', v_ended));
  return json_build_object('ended', v_ended);
end;
$$;

comment on function public.revoke_other_sessions() is
  'Signs the caller out everywhere else (specification: Authentication).';

revoke execute on function public.revoke_other_sessions() from public, anon;
grant execute on function public.revoke_other_sessions() to authenticated;

-- Why: the service keeps only the SHA-256 of a token; the token itself is made by the app and shown once.
-- The definer half exists because users may not write api_tokens directly; the row always belongs to the caller.
create function private.create_api_token(p_label text, p_prefix text, p_token_hash text, p_expires_days integer)
returns public.api_tokens
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_token public.api_tokens;
begin
  insert into public.api_tokens (user_id, label, prefix, token_hash, expires_at, created_at)
  values (auth.uid(), p_label, p_prefix, decode(p_token_hash, 'hex'),
    private.now() + make_interval(days => p_expires_days), private.now())
  returning * into v_token;
  return v_token;
end;
$$;

comment on function private.create_api_token(text, text, text, integer) is 'Stores the hash of a new token of the caller.';

grant execute on function private.create_api_token(text, text, text, integer) to authenticated;

create function public.create_api_token(
  p_label text, p_prefix text, p_token_hash text, p_expires_days integer default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_token public.api_tokens;
begin
  perform private.require_no_demo();
  if p_token_hash !~ '^[0-9a-f]{64}$' or char_length(p_label) not between 1 and 100
    or p_expires_days not between 1 and 3650 then
    raise exception using errcode = 'PT422',
      message = 'A token needs a label of 1 to 100 characters, a SHA-256 hash and 1 to 3650 days or no end.';
  end if;
  perform private.take_rate_limit('api_token', auth.uid()::text);

  v_token := private.create_api_token(p_label, p_prefix, p_token_hash, p_expires_days);
  perform private.audit(auth.uid(), auth.uid(), 'token.created',
    jsonb_build_object('token_id', v_token.id, 'label', p_label, 'expires_at', v_token.expires_at));
  return json_build_object('id', v_token.id, 'label', v_token.label, 'prefix', v_token.prefix,
    'created_at', v_token.created_at, 'expires_at', v_token.expires_at, 'last_used_at', null, 'revoked_at', null);
end;
$$;

comment on function public.create_api_token(text, text, text, integer) is
  'A new API token of the caller, by its hash (specification: Authentication 1, Limits).';

revoke execute on function public.create_api_token(text, text, text, integer) from public, anon;
grant execute on function public.create_api_token(text, text, text, integer) to authenticated;

-- Why: the token screen. Neither token nor hash is in it; row level security shows only one's own.
-- Revoked tokens stay listed for 30 days, so that a person sees what became of them.
create function public.list_api_tokens()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', t.id, 'label', t.label, 'prefix', t.prefix, 'created_at', t.created_at, 'expires_at', t.expires_at,
      'last_used_at', t.last_used_at, 'revoked_at', t.revoked_at
    ) order by t.revoked_at is not null, t.created_at desc, t.id), '[]')
    from public.api_tokens t
    where t.user_id = auth.uid()
      and (t.revoked_at is null or t.revoked_at > private.now() - interval '30 days')
  );
end;
$$;

comment on function public.list_api_tokens() is 'API tokens of the caller (specification: Authentication 1).';

revoke execute on function public.list_api_tokens() from public, anon;
grant execute on function public.list_api_tokens() to authenticated;

-- Why: a token that leaked ends at once. Revoking twice is the same as once.
-- The definer half exists because users may not write api_tokens directly; it touches rows of the caller only.
create function private.revoke_api_token(p_token_id uuid)
returns boolean
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.api_tokens set revoked_at = coalesce(revoked_at, private.now())
  where id = p_token_id and user_id = auth.uid();
  return found;
end;
$$;

comment on function private.revoke_api_token(uuid) is 'Revokes a token of the caller; false when there is none.';

grant execute on function private.revoke_api_token(uuid) to authenticated;

create function public.revoke_api_token(p_token_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  if not private.revoke_api_token(p_token_id) then
    raise exception using errcode = 'PT404', message = 'No such token.';
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'token.revoked', jsonb_build_object('token_id', p_token_id));
  return json_build_object('id', p_token_id);
end;
$$;

comment on function public.revoke_api_token(uuid) is 'Revokes an API token of the caller (specification: Authentication 1).';

revoke execute on function public.revoke_api_token(uuid) from public, anon;
grant execute on function public.revoke_api_token(uuid) to authenticated;

-- Why: the profile page. The definer half exists because e-mail and flags are not readable by users in general;
-- it reads the row of the caller only.
create function private.get_profile()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select json_build_object('id', u.id, 'username', u.username, 'email', u.email, 'role', u.role,
      'is_demo', u.is_demo, 'must_reset_password', u.must_reset_password, 'min_quota_pct', u.min_quota_pct,
      'active_product_id', u.active_product_id, 'theme', u.theme, 'has_avatar', u.avatar is not null,
      'created_at', u.created_at)
    from public.users u where u.id = auth.uid()
  );
end;
$$;

comment on function private.get_profile() is 'The profile of the caller.';

grant execute on function private.get_profile() to authenticated;

create function public.get_profile()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_profile();
end;
$$;

comment on function public.get_profile() is 'The profile of the caller (specification: Other records, User).';

revoke execute on function public.get_profile() from public, anon;
grant execute on function public.get_profile() to authenticated;

-- Why: what people set about themselves: user name, worker quota threshold, theme. Role and flags are no part of it.
-- The definer half exists because users may not write profiles directly; it touches the row of the caller only.
create function private.update_profile(p_username text, p_min_quota_pct integer, p_theme public.user_theme)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.users
  set username = coalesce(p_username, username),
      min_quota_pct = coalesce(p_min_quota_pct, min_quota_pct),
      theme = coalesce(p_theme, theme),
      updated_at = private.now()
  where id = auth.uid();
end;
$$;

comment on function private.update_profile(text, integer, public.user_theme) is 'Changes the profile of the caller.';

grant execute on function private.update_profile(text, integer, public.user_theme) to authenticated;

create function public.update_profile(
  p_username text default null, p_min_quota_pct integer default null, p_theme text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  if p_min_quota_pct not between 1 and 100 then
    raise exception using errcode = 'PT422', message = 'The worker quota threshold is a whole number from 1 to 100.',
      detail = '{"issues":[{"path":"min_quota_pct","message":"Enter a whole number from 1 to 100"}]}';
  end if;
  if p_username !~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$' then
    raise exception using errcode = 'PT422', message = 'This user name cannot be used.',
      detail = '{"issues":[{"path":"username","message":"Use 2 to 40 letters, digits, dots, underscores or hyphens"}]}';
  end if;

  perform private.update_profile(p_username, p_min_quota_pct, p_theme::public.user_theme);
  return private.get_profile();
exception when unique_violation then
  raise exception using errcode = 'PT422', message = 'This user name is taken. Choose another one.',
    detail = '{"issues":[{"path":"username","message":"This user name is taken"}]}';
end;
$$;

comment on function public.update_profile(text, integer, text) is
  'Changes user name, quota threshold or theme of the caller (specification: Other records, User).';

revoke execute on function public.update_profile(text, integer, text) from public, anon;
grant execute on function public.update_profile(text, integer, text) to authenticated;

-- Why: the product that a user works on. It needs access, must not be archived, and demo users are blocked
-- (specification: Authentication 8). The product row is locked against being archived meanwhile. Null clears it.
-- The definer half exists because users may not write profiles directly; it touches the row of the caller only.
create function private.set_active_product(p_product_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_archived_at timestamptz;
begin
  if p_product_id is not null then
    select p.archived_at into v_archived_at
    from public.products p
    join public.product_members m on m.product_id = p.id and m.user_id = auth.uid()
    where p.id = p_product_id
    for share;
    if not found then
      perform private.require_product_access(p_product_id);
    end if;
    if v_archived_at is not null then
      raise exception using errcode = 'PT403',
        message = 'This product is archived. Restore it before you make it the active one.';
    end if;
  end if;

  update public.users set active_product_id = p_product_id, updated_at = private.now() where id = auth.uid();
end;
$$;

comment on function private.set_active_product(uuid) is 'Makes a product the active one of the caller.';

grant execute on function private.set_active_product(uuid) to authenticated;

create function public.set_active_product(p_product_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  perform private.set_active_product(p_product_id);
  return json_build_object('active_product_id', p_product_id);
end;
$$;

comment on function public.set_active_product(uuid) is
  'Selects the product the caller works on (specification: Authentication 8).';

revoke execute on function public.set_active_product(uuid) from public, anon;
grant execute on function public.set_active_product(uuid) to authenticated;

-- Why: a picture of at most 1 MiB, stored with the profile (PNG, JPEG, WebP or GIF; the app has looked at its content,
-- and the first bytes are looked at here again). Null removes it. Hex, because the Data API has no bytes in JSON.
-- The definer half exists because users may not write profiles directly; it touches the row of the caller only.
create function private.set_avatar(p_mime text, p_bytes bytea)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.users set avatar = p_bytes, avatar_mime = p_mime, updated_at = private.now() where id = auth.uid();
end;
$$;

comment on function private.set_avatar(text, bytea) is 'Stores or removes the picture of the caller.';

grant execute on function private.set_avatar(text, bytea) to authenticated;

create function public.set_avatar(p_mime text default null, p_hex text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_bytes bytea;
  v_mime text;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('avatar', auth.uid()::text);
  if p_hex is not null then
    v_bytes := decode(p_hex, 'hex');
    v_mime := case
      when substring(v_bytes from 1 for 8) = '\x89504e470d0a1a0a' then 'image/png'
      when substring(v_bytes from 1 for 3) = '\xffd8ff' then 'image/jpeg'
      when substring(v_bytes from 1 for 4) = '\x52494646' and substring(v_bytes from 9 for 4) = '\x57454250' then 'image/webp'
      when substring(v_bytes from 1 for 6) in ('\x474946383761', '\x474946383961') then 'image/gif'
    end;
    if octet_length(v_bytes) > 1048576 or v_mime is null or p_mime is distinct from v_mime then
      raise exception using errcode = 'PT422', message = 'Use a PNG, JPEG, WebP or GIF picture of at most 1 MiB.';
    end if;
  end if;
  perform private.set_avatar(v_mime, v_bytes);
  return json_build_object('has_avatar', v_bytes is not null);
end;
$$;

comment on function public.set_avatar(text, text) is 'Stores or removes the picture of the caller.';

revoke execute on function public.set_avatar(text, text) from public, anon;
grant execute on function public.set_avatar(text, text) to authenticated;

-- Why: pictures of people one works with, and one's own. Definer half: avatars are not readable by users in general;
-- it answers for the caller, for people who share a product with the caller, and to administrators.
create function private.get_avatar(p_user_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select json_build_object('mime', u.avatar_mime, 'hex', encode(u.avatar, 'hex'), 'updated_at', u.updated_at)
    from public.users u
    where u.id = p_user_id
      and u.avatar is not null
      and (u.id = auth.uid() or private.is_admin() or exists (
        select from public.product_members mine
        join public.product_members theirs on theirs.product_id = mine.product_id
        where mine.user_id = auth.uid() and theirs.user_id = u.id))
  );
end;
$$;

comment on function private.get_avatar(uuid) is 'The picture of a user whom the caller may see, or null.';

grant execute on function private.get_avatar(uuid) to authenticated;

create function public.get_avatar(p_user_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_avatar json := private.get_avatar(p_user_id);
begin
  if v_avatar is null then
    raise exception using errcode = 'PT404', message = 'No such picture.';
  end if;
  return v_avatar;
end;
$$;

comment on function public.get_avatar(uuid) is 'The picture of a user whom the caller works with.';

revoke execute on function public.get_avatar(uuid) from public, anon;
grant execute on function public.get_avatar(uuid) to authenticated;

-- Why: people see what happened to their account, administrators see everything (row level security decides).
-- Newest first, 50 a page; p_before is the created_at of the last line of the page before.
create function public.list_audit_events(p_all boolean default false, p_before timestamptz default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_all then
    perform private.require_admin();
  end if;

  return (
    select coalesce(json_agg(json_build_object(
      'id', e.id, 'kind', e.kind, 'user_id', e.user_id, 'username', private.username(e.user_id),
      'actor_id', e.actor_id, 'actor_name', private.username(e.actor_id),
      'detail', e.detail, 'ip', e.ip, 'created_at', e.created_at) order by e.created_at desc, e.id), '[]')
    from (
      select * from public.audit_events a
      where (p_all or a.user_id = auth.uid()) and (p_before is null or a.created_at < p_before)
      order by a.created_at desc, a.id
      limit 50
    ) e
  );
end;
$$;

comment on function public.list_audit_events(boolean, timestamptz) is
  'The audit trail: one''s own, or all for administrators.';

revoke execute on function public.list_audit_events(boolean, timestamptz) from public, anon;
grant execute on function public.list_audit_events(boolean, timestamptz) to authenticated;

-- Why: the administration page. Definer half: e-mail addresses and flags are not readable by users in general;
-- it refuses everybody who is no administrator. Ordered by name, 100 a page after p_after.
create function private.admin_list_users(p_after text)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  return (
    select coalesce(json_agg(json_build_object(
      'id', u.id, 'username', u.username, 'email', u.email, 'role', u.role, 'is_demo', u.is_demo,
      'must_reset_password', u.must_reset_password, 'created_at', u.created_at,
      'last_seen_at', (select max(s.last_seen_at) from public.user_sessions s where s.user_id = u.id)
    ) order by lower(u.username)), '[]')
    from (
      select * from public.users x
      where p_after is null or lower(x.username) > lower(p_after)
      order by lower(x.username)
      limit 100
    ) u
  );
end;
$$;

comment on function private.admin_list_users(text) is 'All users, for administrators.';

grant execute on function private.admin_list_users(text) to authenticated;

create function public.admin_list_users(p_after text default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.admin_list_users(p_after);
end;
$$;

comment on function public.admin_list_users(text) is 'All users, 100 a page; administrators only.';

revoke execute on function public.admin_list_users(text) from public, anon;
grant execute on function public.admin_list_users(text) to authenticated;

-- Why: administrators set role, demo flag and the duty to choose a new password. The last administrator cannot lose
-- the role. Making somebody a demo account, or asking for a new password, ends that person's sessions and unclaimed pairings.
-- Definer half: profiles cannot be written directly; it refuses everybody who is no administrator.
create function private.admin_update_user(
  p_user_id uuid, p_role public.user_role, p_is_demo boolean, p_must_reset_password boolean)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_before public.users;
begin
  perform private.require_admin();
  -- Two administrators who demote each other at the same moment must not both succeed.
  perform pg_advisory_xact_lock(hashtextextended('administrators', 0));
  select * into v_before from public.users u where u.id = p_user_id for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such user.';
  end if;
  if v_before.role = 'ADMIN' and (p_role <> 'ADMIN' or p_is_demo)
    and not exists (select from public.users u where u.role = 'ADMIN' and not u.is_demo and u.id <> p_user_id) then
    raise exception using errcode = 'PT409',
      message = 'This is the last administrator. Make somebody else an administrator first.';
  end if;

  update public.users
  set role = coalesce(p_role, role),
      is_demo = coalesce(p_is_demo, is_demo),
      must_reset_password = coalesce(p_must_reset_password, must_reset_password),
      updated_at = private.now()
  where id = p_user_id;

  if (p_is_demo and not v_before.is_demo) or (p_must_reset_password and not v_before.must_reset_password) then
    perform private.end_sessions(p_user_id, null);
  end if;
end;
$$;

comment on function private.admin_update_user(uuid, public.user_role, boolean, boolean) is
  'Changes role and flags of a user, for administrators.';

grant execute on function private.admin_update_user(uuid, public.user_role, boolean, boolean) to authenticated;

create function public.admin_update_user(
  p_user_id uuid, p_role text default null, p_is_demo boolean default null, p_must_reset_password boolean default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  perform private.admin_update_user(p_user_id, p_role::public.user_role, p_is_demo, p_must_reset_password);
  perform private.audit(p_user_id, auth.uid(), 'user.changed', jsonb_strip_nulls(jsonb_build_object(
    'role', p_role, 'is_demo', p_is_demo, 'must_reset_password', p_must_reset_password)));
  return json_build_object('id', p_user_id);
end;
$$;

comment on function public.admin_update_user(uuid, text, boolean, boolean) is
  'Changes role, demo flag or password duty of a user; administrators only.';

revoke execute on function public.admin_update_user(uuid, text, boolean, boolean) from public, anon;
grant execute on function public.admin_update_user(uuid, text, boolean, boolean) to authenticated;

-- Why: guesses at a pairing secret must count although the guess itself is refused, so the caller returns the refusal
-- instead of raising it, which would undo the count. 5 wrong secrets end the use of a pairing, 20 an hour block the user.
-- Definer: neither counters nor pairings can be written by users. The answer is the same for an unknown pairing.
create function private.note_wrong_pairing_secret(p_pairing_id uuid, p_user_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.login_pairings set failed_attempts = failed_attempts + 1 where id = p_pairing_id;
  perform private.take_rate_limit('pair_secret', p_user_id::text);
  return json_build_object('refused', json_build_object('code', 404,
    'error', 'This code is not known. Show a new code on the other device and scan it again.'));
end;
$$;

comment on function private.note_wrong_pairing_secret(uuid, uuid) is
  'Counts a wrong pairing secret and answers the refusal (specification: Login pairing).';

grant execute on function private.note_wrong_pairing_secret(uuid, uuid) to service_role;

-- Why: whoever guessed wrong too often may not even guess right: the check comes before the comparison.
-- PT429 with the seconds until the user's hour is over, or for this pairing until it has expired.
create function private.require_pairing_guesses_left(p_pairing public.login_pairings, p_user_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_until timestamptz;
begin
  select c.window_start + make_interval(secs => l.p_seconds) into v_until
  from private.rate_limit('pair_secret') l
  join public.rate_limit_counters c on c.action = 'pair_secret' and c.key = p_user_id::text and c.count >= l.p_max
  where c.window_start > v_now - make_interval(secs => l.p_seconds);

  if v_until is null and p_pairing.failed_attempts >= 5 then
    v_until := p_pairing.expires_at;
  end if;
  if v_until is null then
    return;
  end if;

  raise exception using errcode = 'PT429',
    message = 'Too many wrong codes. Wait a while, then show a new code on the other device.',
    detail = json_build_object('retry_after', greatest(1, ceil(extract(epoch from v_until - v_now))::integer))::text;
end;
$$;

comment on function private.require_pairing_guesses_left(public.login_pairings, uuid) is
  'PT429 after 5 wrong secrets for a pairing or 20 in an hour by a user (specification: Login pairing).';

grant execute on function private.require_pairing_guesses_left(public.login_pairings, uuid) to service_role;

-- Why: both screens show the same six digits, so that a person sees that the phone is about this desktop. They follow
-- from the id, which is no secret, so they need no place in any answer (app/contract/pairing.ts computes the same).
create function private.pairing_check_code(p_pairing_id uuid)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return regexp_replace(
    lpad((('x' || left(replace(p_pairing_id::text, '-', ''), 8))::bit(32)::bigint % 1000000)::text, 6, '0'),
    '^(...)', '\1 ');
end;
$$;

comment on function private.pairing_check_code(uuid) is 'Six digits that both devices show for a pairing.';

grant execute on function private.pairing_check_code(uuid) to service_role;

-- Why: a signed-out desktop asks to be signed in (specification: POST /api/auth/pair/start). Service only: there is no
-- user yet. The app makes both secrets and sends their SHA-256. Limit per address first, then a cap on all that wait;
-- rows that ended a day ago are removed here, so the table stays small whatever strangers do.
create function public.start_pairing(
  p_mobile_secret_hash text, p_desktop_token_hash text, p_address_key text,
  p_user_agent text default null, p_ip text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_id uuid := gen_random_uuid();
begin
  perform private.take_rate_limit('pair_start', p_address_key);

  delete from public.login_pairings where id in (
    select p.id from public.login_pairings p
    where p.created_at < v_now - interval '1 day' order by p.created_at limit 100 for update skip locked);

  if (select count(*) from (
    select from public.login_pairings p where p.status = 'PENDING' and p.expires_at > v_now limit 10000) waiting) >= 10000 then
    raise exception using errcode = 'PT429', message = 'Too many devices wait to be signed in. Try again in a minute.',
      detail = '{"retry_after":60}';
  end if;

  insert into public.login_pairings (
    id, mobile_secret_hash, desktop_token_hash, desktop_ua, desktop_ip, check_code, expires_at, created_at)
  values (
    v_id, decode(p_mobile_secret_hash, 'hex'), decode(p_desktop_token_hash, 'hex'),
    left(p_user_agent, 255), left(p_ip, 45), private.pairing_check_code(v_id), v_now + interval '5 minutes', v_now);
  return json_build_object('pairing_id', v_id, 'expires_at', v_now + interval '5 minutes');
end;
$$;

comment on function public.start_pairing(text, text, text, text, text) is
  'A new pending pairing of a desktop (specification: Login pairing, Limits). Service only.';

revoke execute on function public.start_pairing(text, text, text, text, text) from public, anon, authenticated;
grant execute on function public.start_pairing(text, text, text, text, text) to service_role;

-- Why: the pairing stream reads it when it opens and again once its subscription is active. The row is read with a lock:
-- a change is announced as soon as it is on disk, a moment before other transactions see it, so a plain read right
-- after subscribing could miss a change whose announcement went out just before.
-- Service only; authenticated by the hash of the desktop cookie: unknown PT404, mismatch PT401, expired PT410
-- (specification: GET /api/auth/pair/stream/:pairingId).
create function public.get_pairing_state(p_pairing_id uuid, p_desktop_token_hash text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for share;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such pairing. Show a new code.';
  end if;
  if v_pairing.desktop_token_hash <> decode(p_desktop_token_hash, 'hex') then
    raise exception using errcode = 'PT401', message = 'This pairing was started by another browser. Show a new code.';
  end if;
  if v_pairing.expires_at <= private.now() then
    raise exception using errcode = 'PT410', message = 'This code has expired. Show a new code.';
  end if;
  return json_build_object('pairing_id', v_pairing.id, 'status', lower(v_pairing.status::text),
    'expires_at', v_pairing.expires_at);
end;
$$;

comment on function public.get_pairing_state(uuid, text) is
  'Where a pairing stands, for the desktop that started it (specification: Pairing stream). Service only.';

revoke execute on function public.get_pairing_state(uuid, text) from public, anon, authenticated;
grant execute on function public.get_pairing_state(uuid, text) to service_role;

-- Why: the phone shows which device asks before anything is approved (get-pairing-for-approval). It needs the secret, as
-- approving does. Service only, because it counts wrong secrets and yet demo users may read it; the app has resolved the user.
create function public.get_pairing_for_approval(p_user_id uuid, p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id;
  perform private.require_pairing_guesses_left(v_pairing, p_user_id);
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, p_user_id);
  end if;
  if v_pairing.status = 'PENDING' and v_pairing.expires_at <= private.now() then
    raise exception using errcode = 'PT410', message = 'This code has expired. Show a new code on the other device.';
  end if;
  return json_build_object('pairing_id', v_pairing.id, 'status', lower(v_pairing.status::text),
    'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip, 'check_code', v_pairing.check_code,
    'expires_at', v_pairing.expires_at, 'username', private.username(p_user_id));
end;
$$;

comment on function public.get_pairing_for_approval(uuid, uuid, text) is
  'Device, address, check code and account of a pairing (specification: Pairing operations). Service only.';

revoke execute on function public.get_pairing_for_approval(uuid, uuid, text) from public, anon, authenticated;
grant execute on function public.get_pairing_for_approval(uuid, uuid, text) to service_role;

-- Why: a signed-in phone lets a desktop in. Approve, cancel, expiry and a second approve race for one pending row: the
-- row lock orders them and the clock is read after it, so that exactly one wins and no stale time approves.
-- A wrong secret and an unknown pairing get the same answer, returned and not raised, because it must count.
-- Definer half: pairings hold hashes and cannot be touched by users directly; it acts for the caller only.
create function private.approve_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_pairing public.login_pairings;
  v_now timestamptz;
begin
  -- User, then pairing: the order in which a password change locks them, which cancels what was approved before it.
  perform from public.users u where u.id = auth.uid() for share;
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  perform private.require_pairing_guesses_left(v_pairing, auth.uid());
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, auth.uid());
  end if;

  if v_pairing.status <> 'PENDING' or v_pairing.expires_at <= v_now then
    raise exception using errcode = 'PT410',
      message = 'This code has expired or was already answered. Show a new code on the other device.';
  end if;

  update public.login_pairings
  set status = 'APPROVED', user_id = auth.uid(), approved_at = v_now, expires_at = v_now + interval '5 minutes'
  where id = p_pairing_id;
  perform private.audit(auth.uid(), auth.uid(), 'pairing.approved', jsonb_build_object(
    'pairing_id', p_pairing_id, 'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip));
  return json_build_object('pairing_id', p_pairing_id, 'status', 'approved', 'expires_at', v_now + interval '5 minutes');
end;
$$;

comment on function private.approve_pairing(uuid, text) is 'Approves a pending pairing for the caller.';

grant execute on function private.approve_pairing(uuid, text) to authenticated;

create function public.approve_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  return private.approve_pairing(p_pairing_id, p_mobile_secret_hash);
end;
$$;

comment on function public.approve_pairing(uuid, text) is
  'Approves a pending pairing for the caller (specification: Login pairing).';

revoke execute on function public.approve_pairing(uuid, text) from public, anon;
grant execute on function public.approve_pairing(uuid, text) to authenticated;

-- Why: a signed-in phone declines a desktop. It needs the secret like approving, so that a stranger who knows the id
-- cannot cancel. Same race rules and same answer for wrong and unknown as approve_pairing.
-- Definer half: pairings hold hashes and cannot be touched by users directly.
create function private.cancel_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_pairing public.login_pairings;
  v_now timestamptz;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  perform private.require_pairing_guesses_left(v_pairing, auth.uid());
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, auth.uid());
  end if;

  if v_pairing.status <> 'PENDING' or v_pairing.expires_at <= v_now then
    raise exception using errcode = 'PT410', message = 'This code has expired or was already answered.';
  end if;

  update public.login_pairings set status = 'CANCELLED' where id = p_pairing_id;
  perform private.audit(auth.uid(), auth.uid(), 'pairing.declined', jsonb_build_object(
    'pairing_id', p_pairing_id, 'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip));
  return json_build_object('pairing_id', p_pairing_id, 'status', 'cancelled');
end;
$$;

comment on function private.cancel_pairing(uuid, text) is 'Declines a pending pairing.';

grant execute on function private.cancel_pairing(uuid, text) to authenticated;

create function public.cancel_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  return private.cancel_pairing(p_pairing_id, p_mobile_secret_hash);
end;
$$;

comment on function public.cancel_pairing(uuid, text) is
  'Declines a pending pairing (specification: Login pairing).';

revoke execute on function public.cancel_pairing(uuid, text) from public, anon;
grant execute on function public.cancel_pairing(uuid, text) to authenticated;

-- Why: the desktop turns its approved pairing into a session (specification: POST /api/auth/pair/claim). Service only:
-- the cookie's hash is the credential. The row lock makes concurrent claims wait for each other, so exactly one succeeds.
-- The user is read again: who was removed, made a demo account or changed the password since the approval gets nothing.
-- 401 unknown or mismatch, 410 consumed, cancelled or expired, 409 still pending.
create function public.claim_pairing(
  p_pairing_id uuid, p_desktop_token_hash text, p_user_agent text default null, p_ip text default null,
  p_previous_session_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz;
  v_pairing public.login_pairings;
  v_user public.users;
  v_session_id uuid := gen_random_uuid();
begin
  -- User, pairing, session: the order in which a password change locks them too.
  select u.* into v_user
  from public.login_pairings p
  join public.users u on u.id = p.user_id
  where p.id = p_pairing_id
  for share of u;
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  if v_pairing.desktop_token_hash is distinct from decode(p_desktop_token_hash, 'hex') then
    raise exception using errcode = 'PT401', message = 'This pairing was started by another browser. Show a new code.';
  end if;
  if v_pairing.status in ('CONSUMED', 'CANCELLED') or v_pairing.expires_at <= v_now then
    raise exception using errcode = 'PT410', message = 'This code was already used, declined or has expired. Show a new code.';
  end if;
  if v_pairing.status = 'PENDING' or v_user.id is distinct from v_pairing.user_id then
    raise exception using errcode = 'PT409', message = 'The phone has not approved yet. Keep waiting.';
  end if;

  if v_user.is_demo then
    raise exception using errcode = 'PT410', message = 'The account that approved can no longer sign in here. Show a new code.';
  end if;

  update public.user_sessions set revoked_at = v_now where id = p_previous_session_id and revoked_at is null;
  insert into public.user_sessions (
    id, user_id, user_agent, ip, paired, paired_expires_at, expires_at, last_seen_at, created_at)
  values (v_session_id, v_user.id, left(p_user_agent, 255), left(p_ip, 45), true,
    v_now + interval '8 hours', v_now + interval '8 hours', v_now, v_now);
  update public.login_pairings set status = 'CONSUMED', consumed_at = v_now, session_id = v_session_id
  where id = p_pairing_id;

  perform private.audit(v_user.id, v_user.id, 'pairing.claimed', jsonb_build_object(
    'pairing_id', p_pairing_id, 'session_id', v_session_id, 'user_agent', left(p_user_agent, 255)), p_ip);
  return json_build_object('session_id', v_session_id, 'user_id', v_user.id, 'is_demo', v_user.is_demo,
    'paired_expires_at', v_now + interval '8 hours');
end;
$$;

comment on function public.claim_pairing(uuid, text, text, text, uuid) is
  'Turns an approved pairing into a session of 8 hours, once (specification: Login pairing). Service only.';

revoke execute on function public.claim_pairing(uuid, text, text, text, uuid) from public, anon, authenticated;
grant execute on function public.claim_pairing(uuid, text, text, text, uuid) to service_role;

-- Why: whoever approved and then has doubts takes it back at once: an unclaimed pairing is cancelled, a claimed one
-- loses its session. Definer half: users may not write these tables; it touches what the caller approved and nothing else.
create function private.revoke_pairing(p_pairing_id uuid)
returns boolean
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p
  where p.id = p_pairing_id and p.user_id = auth.uid() for update;
  if not found then
    return false;
  end if;

  if v_pairing.status = 'APPROVED' then
    update public.login_pairings set status = 'CANCELLED' where id = p_pairing_id;
  end if;
  update public.user_sessions set revoked_at = private.now()
  where id = v_pairing.session_id and revoked_at is null;
  return true;
end;
$$;

comment on function private.revoke_pairing(uuid) is 'Takes back what the caller approved; false when there is none.';

grant execute on function private.revoke_pairing(uuid) to authenticated;

create function public.revoke_pairing(p_pairing_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  if not private.revoke_pairing(p_pairing_id) then
    raise exception using errcode = 'PT404', message = 'You have approved no such device.';
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'pairing.revoked', jsonb_build_object('pairing_id', p_pairing_id));
  return json_build_object('pairing_id', p_pairing_id);
end;
$$;

comment on function public.revoke_pairing(uuid) is
  'Ends what an approved pairing allowed (specification: Login pairing).';

revoke execute on function public.revoke_pairing(uuid) from public, anon;
grant execute on function public.revoke_pairing(uuid) to authenticated;

-- Why: every refusal looks the same: SQLSTATE PT<status>, a sentence that says what to do, and optional JSON for machines.
create function private.refuse(p_status integer, p_message text, p_detail jsonb default null)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_detail is null then
    raise exception using errcode = 'PT' || p_status, message = p_message;
  end if;
  raise exception using errcode = 'PT' || p_status, message = p_message, detail = p_detail::text;
end;
$$;

comment on function private.refuse(integer, text, jsonb) is 'Refuses with an HTTP status and a sentence (specification: Errors).';

-- Why: a word from outside becomes one of the words of the contract, whatever its case, or a 422 that names them all.
-- Null stays null.
create function private.require_choice(p_field text, p_value text, p_choices text[])
returns text
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_value is null or upper(p_value) = any (p_choices) then
    return upper(p_value);
  end if;
  perform private.refuse(422, format('%s must be one of %s.', p_field, lower(array_to_string(p_choices, ', '))),
    jsonb_build_object('issues', jsonb_build_array(
      jsonb_build_object('path', p_field, 'message', format('Not one of %s', lower(array_to_string(p_choices, ', '))))
    )));
  return null;
end;
$$;

comment on function private.require_choice(text, text, text[]) is 'One of the given words, or PT422 (specification: Errors).';

-- Why: a link that a page shows leads to http or https, never into a script. Null stays null.
create function private.require_link(p_field text, p_value text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_value !~ '^https?://[^[:space:]]+$' or char_length(p_value) > 2000 then
    perform private.refuse(422, format('%s must be an http or https address of at most 2000 characters.', p_field),
      jsonb_build_object('issues', jsonb_build_array(
        jsonb_build_object('path', p_field, 'message', 'Must be an http or https address.'))));
  end if;
end;
$$;

comment on function private.require_link(text, text) is 'PT422 for a link that is no web address (specification: Errors).';

-- Why: a worker is not bound to one product, so its own operations ask only whether the user may write at all.
-- Answers the user.
create function private.require_writer()
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
begin
  if v_user_id is null then
    perform private.refuse(401, 'Not signed in: send an API token.');
  end if;
  perform private.require_no_demo();
  return v_user_id;
end;
$$;

comment on function private.require_writer() is 'The caller, or PT401, PT403 for demo accounts (specification: Authentication 3).';

-- Why: the first line of every operation on a run. Answers its product; PT404, then PT403.
create function private.require_run(p_sprint_run_id uuid)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product_id uuid;
begin
  select r.product_id into v_product_id from public.sprint_runs r where r.id = p_sprint_run_id;
  if v_product_id is null then
    perform private.refuse(404, 'No such sprint run.');
  end if;
  perform private.require_product_access(v_product_id);
  return v_product_id;
end;
$$;

comment on function private.require_run(uuid) is 'The product of a sprint run that the caller may read (specification: Errors).';

-- Why: the first line of every change of a run: 404, 403, the product lock, demo and archive, then the row as it is now.
create function private.lock_run(p_sprint_run_id uuid)
returns public.sprint_runs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_run(p_sprint_run_id);
  v_run public.sprint_runs;
begin
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id for update;
  if not found then
    perform private.refuse(404, 'No such sprint run.');
  end if;
  return v_run;
end;
$$;

comment on function private.lock_run(uuid) is 'A sprint run under the product lock, for a change (specification: Sprint run).';

-- Why: the first line of every operation on a job. Answers its product; PT404, then PT403.
create function private.require_job(p_job_id uuid)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product_id uuid;
begin
  select j.product_id into v_product_id from public.agent_jobs j where j.id = p_job_id;
  if v_product_id is null then
    perform private.refuse(404, 'No such agent job.');
  end if;
  perform private.require_product_access(v_product_id);
  return v_product_id;
end;
$$;

comment on function private.require_job(uuid) is 'The product of a job that the caller may read (specification: Errors).';

-- Why: the first line of every change of a job: 404, 403, the product lock, demo and archive, then the row as it is now.
-- With p_share a job of one task takes only a share of the lock, and the story of its task for itself: enough for the end of
-- one task, and for less. A batch reaches further and always takes the whole lock.
create function private.lock_job(p_job_id uuid, p_share boolean default false)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_job(p_job_id);
  v_job public.agent_jobs;
begin
  if p_share and exists (select from public.agent_jobs j where j.id = p_job_id and j.kind = 'TASK_IMPLEMENTATION') then
    perform private.share_product(v_product_id);
    -- Read under the lock: a task may have moved to another story until then.
    perform private.lock_part('story', t.story_id)
    from public.agent_jobs j join public.tasks t on t.id = j.task_id
    where j.id = p_job_id;
  else
    perform private.lock_product(v_product_id);
  end if;
  perform private.require_product_write(v_product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id for update;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  return v_job;
end;
$$;

comment on function private.lock_job(uuid, boolean) is 'A job under the product lock, for a change (specification: Agent job).';

-- Why: each claim is a numbered attempt, and every later word of a worker carries the number. Answers how the given
-- attempt stands: held, cancelled, finished, parked, requeued or lost. Only the user of the worker that claimed can hold it.
-- A lease that has run out but was not taken away yet still counts as held: nobody else works on the job.
create function private.attempt_state(p_job public.agent_jobs, p_attempt integer)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_attempt is distinct from p_job.attempt or p_job.attempt = 0 then
    return 'lost';
  end if;
  if not exists (
    select from public.agent_workers w where w.id = p_job.worker_id and w.user_id = auth.uid()
  ) then
    return 'lost';
  end if;
  return case
    when p_job.status in ('CLAIMED', 'RUNNING') then 'held'
    when p_job.status = 'CANCELLED' then 'cancelled'
    when p_job.status <> 'QUEUED' then 'finished'
    when p_job.failure_class = 'rate_limited' then 'requeued'
    when p_job.parked_question_id is not null and p_job.failure_class is null then 'parked'
    else 'lost'
  end;
end;
$$;

comment on function private.attempt_state(public.agent_jobs, integer) is
  'Whether an attempt still holds its job (specification: Agent job; attempts).';

-- Why: a lost attempt changes nothing and is told so, with what to do next.
create function private.refuse_attempt(p_job public.agent_jobs, p_attempt integer, p_state text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.refuse(409,
    case p_state
      when 'cancelled' then 'This job was cancelled. Stop working on it and ask for the next one.'
      when 'finished' then format('This job is already %s. Ask for the next one.', lower(p_job.status::text))
      when 'parked' then 'This job waits for the answer to a question. It comes back to a worker once it is answered.'
      when 'requeued' then 'This job went back to the queue until the rate limit ends. Ask for the next one.'
      else format('Attempt %s no longer holds this job (it is at attempt %s, %s). Stop working on it and ask for the next one.',
        coalesce(p_attempt::text, '?'), p_job.attempt, lower(p_job.status::text))
    end,
    jsonb_build_object('state', p_state, 'status', lower(p_job.status::text), 'attempt', p_job.attempt));
end;
$$;

comment on function private.refuse_attempt(public.agent_jobs, integer, text) is
  'PT409 for an attempt that does not hold its job (specification: Agent job; attempts).';

-- Why: most words of a worker are only heard from the attempt that holds the job. The job under the product lock, or PT409.
create function private.hold_job(p_job_id uuid, p_attempt integer)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_state text := private.attempt_state(v_job, p_attempt);
begin
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  return v_job;
end;
$$;

comment on function private.hold_job(uuid, integer) is 'A job held by the given attempt, or PT409 (specification: Agent job).';

-- Why: one place for how long a claim holds without a word from its worker.
create function private.lease()
returns interval
language plpgsql
immutable
set search_path = ''
as $$
begin
  return interval '5 minutes';
end;
$$;

comment on function private.lease() is 'The lease of a claim: 5 minutes, renewed by heartbeats (specification: Agent job, lease_until).';

-- Why: codes become parts of branch names, and git refuses some of what codes may contain (`..`, a dot at an end, `.lock`).
-- A code that had to be changed gets a piece of its id, so that two codes never share a branch.
create function private.branch_part(p_code text, p_id uuid)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  if p_code ~ '^[A-Za-z0-9_][A-Za-z0-9_-]*$' then
    return p_code;
  end if;
  return trim('-' from regexp_replace(p_code, '[^A-Za-z0-9_-]+', '-', 'g')) || '-' || left(p_id::text, 8);
end;
$$;

comment on function private.branch_part(text, uuid) is 'A code as part of a branch name (specification: Sprint run, branch).';

-- Why: past its expiry an open question counts as expired everywhere at once; the schedule only writes it down.
create function private.question_status(p_question public.agent_questions)
returns public.agent_question_status
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_question.status = 'OPEN' and p_question.expires_at <= private.now() then
    return 'EXPIRED';
  end if;
  return p_question.status;
end;
$$;

comment on function private.question_status(public.agent_questions) is
  'The status of a question at this moment (specification: Agent question).';

-- Why: one shape of a question for all who read it. When nobody answered a question whose policy is the recommended option,
-- `effective_answer` is that option, marked as taken by policy: an agent never mistakes it for a person's yes.
create function private.question_json(p_question public.agent_questions)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_status public.agent_question_status := private.question_status(p_question);
begin
  return to_jsonb(p_question) || jsonb_build_object(
    'status', lower(v_status::text),
    'product_code', (select p.code from public.products p where p.id = p_question.product_id),
    'product_name', (select p.name from public.products p where p.id = p_question.product_id),
    'story_code', (select s.code from public.stories s where s.id = p_question.story_id),
    'story_title', (select s.title from public.stories s where s.id = p_question.story_id),
    'task_code', (select t.code from public.tasks t where t.id = p_question.task_id),
    'idea_code', (select i.code from public.ideas i where i.id = p_question.idea_id),
    'asked_by_name', private.username(p_question.asked_by),
    'assignee_name', private.username(p_question.assignee_id),
    'answered_by_name', private.username(p_question.answered_by),
    'effective_answer', case
      when v_status = 'ANSWERED' then p_question.answer
      when v_status = 'EXPIRED' and p_question.on_expiry = 'RECOMMENDED'
        then p_question.options -> p_question.recommended_option ->> 'label'
    end,
    'taken_by_policy', v_status = 'EXPIRED' and p_question.on_expiry = 'RECOMMENDED'
  );
end;
$$;

comment on function private.question_json(public.agent_questions) is 'An agent question as the contract shows it (specification: Agent question).';

-- Why: tokens times price per million; null while the model has no price or nothing was reported.
create function private.job_cost(p_job public.agent_jobs)
returns numeric
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select round((
        coalesce(p_job.input_tokens, 0) * m.input_per_million
        + coalesce(p_job.output_tokens, 0) * m.output_per_million
        + coalesce(p_job.cache_read_tokens, 0) * m.cache_read_per_million
        + coalesce(p_job.cache_write_tokens, 0) * m.cache_write_per_million
      ) / 1000000, 6)
    from public.model_prices m
    where m.model_id = p_job.model_id
  );
end;
$$;

comment on function private.job_cost(public.agent_jobs) is 'What a job cost by the price of its model (specification: Model price).';

-- Why: one shape of a job for all who read it: the contract's fields, and the codes and names that a page needs beside them.
create function private.job_json(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task record;
begin
  select t.code, t.title, t.status, t.story_id, s.code as story_code, s.title as story_title
  into v_task
  from public.tasks t
  join public.stories s on s.id = t.story_id
  where t.id = p_job.task_id;

  return to_jsonb(p_job) - 'lane_id' - 'claim_rank' - 'earlier_usage' || jsonb_build_object(
    'status', lower(p_job.status::text),
    'task_code', v_task.code,
    'task_title', v_task.title,
    'task_status', case v_task.status when 'TO_DO' then 'todo' else lower(v_task.status::text) end,
    'story_id', v_task.story_id,
    'story_code', v_task.story_code,
    'story_title', v_task.story_title,
    'idea_code', (select i.code from public.ideas i where i.id = p_job.idea_id),
    'product_code', (select p.code from public.products p where p.id = p_job.product_id),
    'worker_name', (select w.name from public.agent_workers w where w.id = p_job.worker_id),
    'cost', private.job_cost(p_job)
  );
end;
$$;

comment on function private.job_json(public.agent_jobs) is 'An agent job as the contract shows it, status lowercase (specification: Agent job).';

-- Why: one shape of an execution record.
create function private.execution_json(p_execution public.task_executions)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task record;
begin
  select t.code, t.title, t.story_id, t.verify_only, s.code as story_code
  into v_task
  from public.tasks t
  join public.stories s on s.id = t.story_id
  where t.id = p_execution.task_id;

  return to_jsonb(p_execution) || jsonb_build_object(
    'status', lower(p_execution.status::text),
    'task_code', v_task.code,
    'task_title', v_task.title,
    'verify_only', v_task.verify_only,
    'story_id', v_task.story_id,
    'story_code', v_task.story_code
  );
end;
$$;

comment on function private.execution_json(public.task_executions) is
  'A sprint task execution as the contract shows it (specification: Sprint run).';

-- Why: one shape of a run: the contract's fields, counts by state, tokens and cost; with jobs and executions where asked.
create function private.run_json(p_run public.sprint_runs, p_with_jobs boolean)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_totals jsonb;
  v_run jsonb;
begin
  select jsonb_build_object(
    'jobs_total', count(*),
    'counts', jsonb_build_object(
      'queued', count(*) filter (where j.status = 'QUEUED'),
      'claimed', count(*) filter (where j.status = 'CLAIMED'),
      'running', count(*) filter (where j.status = 'RUNNING'),
      'done', count(*) filter (where j.status = 'DONE'),
      'failed', count(*) filter (where j.status = 'FAILED'),
      'cancelled', count(*) filter (where j.status = 'CANCELLED'),
      'skipped', count(*) filter (where j.status = 'SKIPPED')),
    'input_tokens', sum(j.input_tokens),
    'output_tokens', sum(j.output_tokens),
    'cache_read_tokens', sum(j.cache_read_tokens),
    'cache_write_tokens', sum(j.cache_write_tokens),
    'cost', sum(case when j.model_id is not null then private.job_cost(j) end))
  into v_totals
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id;

  v_run := to_jsonb(p_run) || v_totals || jsonb_build_object(
    'status', lower(p_run.status::text),
    'sprint_code', (select s.code from public.sprints s where s.id = p_run.sprint_id),
    'started_by_name', private.username(p_run.started_by));
  if not p_with_jobs then
    return v_run;
  end if;

  return v_run || jsonb_build_object(
    'jobs', (
      select coalesce(jsonb_agg(private.job_json(j) order by j.position, j.id), '[]')
      from public.agent_jobs j where j.sprint_run_id = p_run.id),
    'executions', (
      select coalesce(jsonb_agg(private.execution_json(e) order by e.position), '[]')
      from public.task_executions e where e.sprint_run_id = p_run.id),
    'pause_question', (
      select private.question_json(q) from public.agent_questions q where q.id = p_run.pause_question_id));
end;
$$;

comment on function private.run_json(public.sprint_runs, boolean) is 'A sprint run as the contract shows it (specification: Sprint run).';

-- Why: a worker's presence names the job it works on; when the job leaves it, the presence says so.
create function private.release_worker(p_worker_id uuid, p_job_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.agent_workers w
  set current_job_id = null
  where w.id = p_worker_id and w.current_job_id = p_job_id;
end;
$$;

comment on function private.release_worker(uuid, uuid) is 'Takes a job off a worker''s presence (specification: Agent worker).';

-- Why: the tokens of an attempt that ends without an end of the job are not lost: the next attempt counts on top of them.
create function private.usage_so_far(p_job public.agent_jobs)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  if num_nonnulls(p_job.input_tokens, p_job.output_tokens, p_job.cache_read_tokens, p_job.cache_write_tokens) = 0 then
    return null;
  end if;
  return jsonb_build_object('input', p_job.input_tokens, 'output', p_job.output_tokens,
    'cache_read', p_job.cache_read_tokens, 'cache_write', p_job.cache_write_tokens);
end;
$$;

comment on function private.usage_so_far(public.agent_jobs) is 'Tokens of a job as the base of its next attempt (specification: Agent job, tokens).';

-- Why: a lease is lost (run out, or its worker restarted): the job goes back to the queue with one retry more, and after
-- three retries it fails with the reason kept. Called under the product lock. The triggers carry a failure upwards.
create function private.requeue_lost_job(p_job public.agent_jobs, p_reason text)
returns public.agent_job_status
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = case when j.retry_count >= 3 then 'FAILED' else 'QUEUED' end::public.agent_job_status,
      retry_count = least(j.retry_count + 1, 3),
      failure_class = 'infrastructure',
      failure_reason = case when j.retry_count >= 3 then 'All 3 retries are used up. ' else '' end || p_reason,
      earlier_usage = private.usage_so_far(j),
      lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  if found then
    perform private.release_worker(p_job.worker_id, p_job.id);
  end if;
  return v_status;
end;
$$;

comment on function private.requeue_lost_job(public.agent_jobs, text) is
  'QUEUED again with a retry, or FAILED after three (specification: Agent job; lease lost).';

-- Why: a worker that died holds its jobs no longer than the lease. Called by claims and by the sweep, under the product lock.
-- Answers how many leases had run out.
create function private.requeue_expired_leases(p_product_id uuid)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_count integer := 0;
begin
  for v_job in
    select j.* from public.agent_jobs j
    where j.product_id = p_product_id and j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
    order by j.lease_until, j.id
    for update skip locked
  loop
    if private.requeue_lost_job(v_job, format('The lease of attempt %s ran out at %s without a word from worker %s.',
        v_job.attempt, to_char(v_job.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        coalesce((select w.name from public.agent_workers w where w.id = v_job.worker_id), 'unknown'))) is not null then
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end;
$$;

comment on function private.requeue_expired_leases(uuid) is
  'Takes expired leases of a product back (specification: Agent job, lease_until).';

-- Why: a question whose reason is gone is cancelled; one that was answered or is past its expiry stays what it is.
create function private.close_question(p_question_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.agent_questions q
  set status = case when q.expires_at <= private.now() then 'EXPIRED' else 'CANCELLED' end::public.agent_question_status
  where q.id = p_question_id and q.status = 'OPEN';
end;
$$;

comment on function private.close_question(uuid) is 'open to cancelled, or expired when past its expiry (specification: Agent question).';

-- Why: the one way in which a run ends: final status, pause cleared, its question closed, and when it did not end well,
-- its unfinished jobs cancelled with the questions that they waited for. Called under the product lock.
create function private.end_run(p_run public.sprint_runs, p_status public.sprint_run_status, p_reason text, p_failure jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.sprint_runs r
  set status = p_status, pause_context = null, finished_at = private.now(), failure = p_failure
  where r.id = p_run.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');

  perform private.close_question(p_run.pause_question_id);
  if p_status = 'DONE' then
    return;
  end if;

  perform private.close_question(j.parked_question_id)
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.parked_question_id is not null;

  update public.agent_workers w
  set current_job_id = null
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id and j.status in ('CLAIMED', 'RUNNING') and w.id = j.worker_id and w.current_job_id = j.id;

  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = p_reason
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');

  update public.task_executions e
  set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_run.id and e.status = 'RUNNING';
end;
$$;

comment on function private.end_run(public.sprint_runs, public.sprint_run_status, text, jsonb) is
  'Ends a run as DONE, FAILED or CANCELLED with all that belongs to it (specification: Sprint run).';

-- Why: a run is done once none of its jobs is unfinished; SKIPPED and CANCELLED count as finished, a failed one ends
-- the run by its task. A paused run waits for its resume.
create function private.complete_run(p_sprint_run_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    return;
  end if;
  if exists (
    select from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  ) then
    return;
  end if;
  if exists (select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.status = 'FAILED') then
    return;
  end if;
  perform private.end_run(v_run, 'DONE', null, null);
end;
$$;

comment on function private.complete_run(uuid) is 'Running run to DONE when its jobs are finished (specification: Sprint run).';

-- Why: a task belongs to a run by its job, or by its execution record in a batch run. The unfinished one, if any.
create function private.active_run_of_task(p_task_id uuid)
returns public.sprint_runs
language plpgsql
stable
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run
  from public.sprint_runs r
  where r.status in ('QUEUED', 'RUNNING', 'PAUSED')
    and r.id in (
      select j.sprint_run_id from public.agent_jobs j where j.task_id = p_task_id
      union all
      select e.sprint_run_id from public.task_executions e where e.task_id = p_task_id
    )
  limit 1;
  return v_run;
end;
$$;

comment on function private.active_run_of_task(uuid) is 'The unfinished run that a task belongs to (specification: Task, becomes failed).';

-- Why: the words of workers come often, and a lock is held until its change is on disk. Claims, first reports and the end of
-- single tasks therefore share the product's lock: side by side with each other, never beside anything that cascades further.
-- What they derive from other rows they guard one by one, always in this order: the story, its PBI (by trigger), the run
-- (private.lock_part). Everybody else takes private.lock_product. Nobody goes on from a share to the lock within one
-- transaction: two of them would wait for each other for ever, so the lock counts as taken.
create function private.share_product(p_product_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if current_setting('backloom.locked_product', true) = p_product_id::text then
    return;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('product:' || p_product_id::text, 0));
  perform set_config('backloom.locked_product', p_product_id::text, true),
    set_config('backloom.shared_product', p_product_id::text, true);
end;
$$;

comment on function private.share_product(uuid) is
  'A share of the one lock of a product until the end of the transaction (specification: Agent job).';

-- Why: who already holds the lock of one product never waits for that of another, so that no two can wait for each other.
create function private.try_share_product(p_product_id uuid)
returns boolean
language plpgsql
volatile
set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('product:' || p_product_id::text, 0)) then
    return false;
  end if;
  perform set_config('backloom.locked_product', p_product_id::text, true),
    set_config('backloom.shared_product', p_product_id::text, true);
  return true;
end;
$$;

comment on function private.try_share_product(uuid) is
  'A share of the lock of a product if it is to be had at once (specification: States and transitions).';

-- Why: with only a share of the product's lock, a story, a PBI or a run is guarded by itself before a status is derived from
-- what belongs to it. With the whole lock this costs nothing: nobody else is there.
create function private.lock_part(p_kind text, p_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if coalesce(current_setting('backloom.shared_product', true), '') <> '' then
    perform pg_advisory_xact_lock(hashtextextended(p_kind || ':' || p_id::text, 0));
  end if;
end;
$$;

comment on function private.lock_part(text, uuid) is
  'Guards one story, PBI or run under a shared product lock (specification: States and transitions).';

-- Why: a refused start says in words what is in the way: the first three in full, then how many more.
create function private.blockers_sentence(p_blockers jsonb)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return 'The run can not start. '
    || (
      select string_agg(b.value ->> 'message', ' ' order by b.ordinality)
      from jsonb_array_elements(p_blockers) with ordinality b
      where b.ordinality <= 3
    )
    || case when jsonb_array_length(p_blockers) > 3
      then format(' And %s more.', jsonb_array_length(p_blockers) - 3) else '' end;
end;
$$;

comment on function private.blockers_sentence(jsonb) is 'Blockers in words (specification: Starting a sprint run 1).';

-- Why: what a run works on: the tasks of the sprint that are not done, in PBI, story, task order. Jobs, executions and
-- blockers all start from this one list (specification: Starting a sprint run).
create function private.sprint_scope(p_sprint_id uuid)
returns table (task_id uuid, task_code text, story_id uuid, story_code text, pbi_id uuid, place integer)
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
    select t.id, t.code, s.id, s.code, b.id,
      row_number() over (order by b.priority, b.sort_order, b.created_at, b.id,
        s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id)::integer
    from public.stories s
    join public.pbis b on b.id = s.pbi_id
    join public.tasks t on t.story_id = s.id
    where s.sprint_id = p_sprint_id and t.status <> 'DONE';
end;
$$;

comment on function private.sprint_scope(uuid) is
  'Unfinished tasks of a sprint in PBI, story, task order (specification: Starting a sprint run 2).';

-- Why: everything that prevents a start, all at once, each with what a page needs for a link and words for a person
-- (specification: Starting a sprint run 1). Beside the contract's blockers: a sprint that is not active, one without
-- unfinished tasks, and a run that is not finished yet.
create function private.run_blockers(p_sprint public.sprints, p_product public.products)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('type', b.type, 'message', b.message,
      'task_id', b.task_id, 'task_code', b.task_code, 'story_id', b.story_id, 'story_code', b.story_code,
      'pbi_id', b.pbi_id, 'pbi_code', b.pbi_code, 'question_id', b.question_id, 'sprint_run_id', b.run_id)
      order by b.rank, b.place), '[]')
    from (
      select 1 as rank, 0 as place, 'sprint_not_active' as type,
        format('Sprint %s is %s. Start the sprint first.', p_sprint.code, lower(p_sprint.status::text)) as message,
        null::uuid as task_id, null as task_code, null::uuid as story_id, null as story_code,
        null::uuid as pbi_id, null as pbi_code, null::uuid as question_id, null::uuid as run_id
      where p_sprint.status <> 'ACTIVE'
      union all
      select 2, 0, 'no_tasks', format('Sprint %s has no task that is not done.', p_sprint.code),
        null, null, null, null, null, null, null, null
      where not exists (select from private.sprint_scope(p_sprint.id))
      union all
      select 3, 0, 'run_unfinished',
        format('A run of sprint %s is %s. Wait for it, resume it or cancel it.', p_sprint.code, lower(r.status::text)),
        null, null, null, null, null, null, null, r.id
      from public.sprint_runs r
      where r.sprint_id = p_sprint.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      union all
      select 4, sc.place, 'task_no_plan', format('Task %s has no implementation plan.', sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from private.sprint_scope(p_sprint.id) sc
      join public.tasks t on t.id = sc.task_id
      where coalesce(t.implementation_plan, '') !~ '\S'
      union all
      select 5, row_number() over (order by q.created_at, q.id)::integer, 'open_question',
        format('Story %s has an open question: %s', s.code, left(q.question, 200)),
        q.task_id, t.code, s.id, s.code, s.pbi_id, null, q.id, null
      from public.stories s
      join public.agent_questions q on q.story_id = s.id
      left join public.tasks t on t.id = q.task_id
      where s.sprint_id = p_sprint.id and s.status <> 'DONE' and q.status = 'OPEN' and q.expires_at > v_now
      union all
      select distinct on (b.id) case b.status when 'BLOCKED' then 6 else 7 end, 0,
        case b.status when 'BLOCKED' then 'pbi_blocked' else 'pbi_failed' end,
        format('PBI %s is %s.', b.code, lower(b.status::text)),
        null::uuid, null, s.id, s.code, b.id, b.code, null::uuid, null::uuid
      from public.stories s
      join public.pbis b on b.id = s.pbi_id
      where s.sprint_id = p_sprint.id and s.status <> 'DONE' and b.status in ('BLOCKED', 'FAILED')
      union all
      select 8, sc.place, 'task_cross_repo',
        format('Task %s belongs to %s, and a batch run works in the product''s repository only.', sc.task_code, t.repo_url),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from private.sprint_scope(p_sprint.id) sc
      join public.tasks t on t.id = sc.task_id
      where p_product.pr_strategy = 'SPRINT_BATCH'
        and btrim(coalesce(t.repo_url, '')) not in ('', btrim(p_product.repo_url))
    ) b
  );
end;
$$;

comment on function private.run_blockers(public.sprints, public.products) is
  'All blockers of a start with ids, codes and words (specification: Starting a sprint run 1).';

-- Why: the page and the agent see before a start what would prevent it, all at once. The start asks the same again.
-- Definer: reads for a member what RLS would read row by row; access is checked first.
create function private.preflight_sprint_run(p_sprint_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_sprint.product_id;
  v_blockers := private.run_blockers(v_sprint, v_product);
  return json_build_object(
    'sprint_id', p_sprint_id,
    'sprint_code', v_sprint.code,
    'pr_strategy', v_product.pr_strategy,
    'ready', v_blockers = '[]',
    'tasks_total', (select count(*) from private.sprint_scope(p_sprint_id)),
    'jobs_total', case when v_product.pr_strategy = 'SPRINT_BATCH'
      then least(1, (select count(*) from private.sprint_scope(p_sprint_id)))
      else (select count(*) from private.sprint_scope(p_sprint_id)) end,
    'blockers', v_blockers);
end;
$$;

grant execute on function private.preflight_sprint_run(uuid) to authenticated;

create function public.preflight_sprint_run(p_sprint_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.preflight_sprint_run(p_sprint_id);
end;
$$;

comment on function public.preflight_sprint_run(uuid) is
  'What would prevent the start of a run (specification: Starting a sprint run 1).';

grant execute on function public.preflight_sprint_run(uuid) to authenticated;

-- Why: each run works on a branch of its own, named so that a person finds it: product, sprint, number of the run.
create function private.run_branch(p_sprint public.sprints, p_product public.products)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return format('backloom/%s/%s-run-%s', private.branch_part(p_product.code, p_product.id), p_sprint.code,
    (select count(*) + 1 from public.sprint_runs r where r.sprint_id = p_sprint.id));
end;
$$;

comment on function private.run_branch(public.sprints, public.products) is 'The work branch of a new run (specification: Sprint run, branch).';

-- Why: a batch run has one job for all its tasks. Its task_id is the first unfinished task, so that exactly one of task_id
-- and idea_id is set on every job (specification: Agent job). The execution records exist before.
create function private.create_batch_job(p_run public.sprint_runs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.agent_jobs (product_id, task_id, kind, sprint_run_id, lane_id, position, branch, created_by)
  select p_run.product_id, e.task_id, 'SPRINT_IMPLEMENTATION', p_run.id, p_run.id, 1, p_run.branch, auth.uid()
  from public.task_executions e
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING')
  order by e.position
  limit 1;
end;
$$;

comment on function private.create_batch_job(public.sprint_runs) is
  'The one SPRINT_IMPLEMENTATION job of a batch run (specification: Starting a sprint run 2).';

-- Why: a run and all that belongs to it in a few set-based statements: one job a task in PBI, story, task order, or one
-- batch job with execution records that freeze plan and verify_required. Called under the product lock after the blockers
-- were looked at in the same transaction. A run that goes on from an earlier one keeps its branch.
create function private.create_run(p_sprint public.sprints, p_product public.products, p_previous public.sprint_runs)
returns public.sprint_runs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_run public.sprint_runs;
begin
  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, started_by)
  values (p_sprint.id, p_product.id, p_product.pr_strategy,
    coalesce(p_previous.branch, private.run_branch(p_sprint, p_product)), p_previous.id, auth.uid())
  returning * into v_run;

  if v_run.pr_strategy = 'SPRINT_BATCH' then
    insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
    select v_run.id, sc.task_id, sc.place, t.implementation_plan, t.verify_required
    from private.sprint_scope(p_sprint.id) sc
    join public.tasks t on t.id = sc.task_id;
    perform private.create_batch_job(v_run);
    return v_run;
  end if;

  insert into public.agent_jobs
    (product_id, task_id, kind, sprint_run_id, lane_id, position, in_turn, branch, created_by, created_at)
  select p_product.id, sc.task_id, 'TASK_IMPLEMENTATION', v_run.id,
    case v_run.pr_strategy when 'STORY' then sc.story_id else v_run.id end,
    sc.place,
    case v_run.pr_strategy when 'STORY' then sc.place = min(sc.place) over (partition by sc.story_id) else sc.place = 1 end,
    case v_run.pr_strategy
      when 'STORY' then left(v_run.branch || '--' || private.branch_part(sc.story_code, sc.story_id), 200)
      else v_run.branch end,
    auth.uid(), v_now
  from private.sprint_scope(p_sprint.id) sc
  order by sc.place;
  return v_run;
end;
$$;

comment on function private.create_run(public.sprints, public.products, public.sprint_runs) is
  'A run with its jobs or executions (specification: Starting a sprint run 2).';

-- Why: pre-flight and start in one transaction under the product lock, so that nothing can come between them; of fifty
-- starts at once one wins (specification: Starting a sprint run). Refusals: 404, 403, 429, 409 with `blockers` in the detail.
-- Definer: runs and jobs are written by functions only.
create function private.start_sprint_run(p_sprint_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_product_id;

  v_blockers := private.run_blockers(v_sprint, v_product);
  if v_blockers <> '[]' then
    perform private.refuse(409, private.blockers_sentence(v_blockers), jsonb_build_object('blockers', v_blockers));
  end if;

  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, null);
  return private.run_json(v_run, false);
end;
$$;

grant execute on function private.start_sprint_run(uuid) to authenticated;

create function public.start_sprint_run(p_sprint_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.start_sprint_run(p_sprint_id);
end;
$$;

comment on function public.start_sprint_run(uuid) is
  'Starts a run of an active sprint, or PT409 with all blockers (specification: Starting a sprint run).';

grant execute on function public.start_sprint_run(uuid) to authenticated;

-- Why: a run with its jobs in order, executions, pause question, tokens and cost.
-- Definer: access is checked first; RLS would check it again for each row.
create function private.get_sprint_run(p_sprint_run_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_run(p_sprint_run_id);
  return (select private.run_json(r, true) from public.sprint_runs r where r.id = p_sprint_run_id);
end;
$$;

grant execute on function private.get_sprint_run(uuid) to authenticated;

create function public.get_sprint_run(p_sprint_run_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_sprint_run(p_sprint_run_id);
end;
$$;

comment on function public.get_sprint_run(uuid) is 'A sprint run with its jobs and executions (specification: Sprint run).';

grant execute on function public.get_sprint_run(uuid) to authenticated;

-- Why: the runs of a product or of one sprint, newest first, a page at a time. The cursor is the id of the last run seen.
-- Definer: access is checked first; RLS would check it again for each row.
create function private.list_sprint_runs(p_product_id uuid, p_sprint_id uuid, p_limit integer, p_cursor uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 20), 1), 100);
  v_runs jsonb;
  v_last uuid;
  v_count integer;
begin
  perform private.require_product_access(p_product_id);
  select coalesce(jsonb_agg(private.run_json(r, false) order by r.created_at desc, r.id desc), '[]'),
    count(*), (array_agg(r.id order by r.created_at, r.id))[1]
  into v_runs, v_count, v_last
  from (
    select x.* from public.sprint_runs x
    where x.product_id = p_product_id
      and (p_sprint_id is null or x.sprint_id = p_sprint_id)
      and (p_cursor is null or (x.created_at, x.id) < (select c.created_at, c.id from public.sprint_runs c where c.id = p_cursor))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) r;
  return json_build_object('runs', v_runs, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

grant execute on function private.list_sprint_runs(uuid, uuid, integer, uuid) to authenticated;

create function public.list_sprint_runs(
  p_product_id uuid, p_sprint_id uuid default null, p_limit integer default 20, p_cursor uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_sprint_runs(p_product_id, p_sprint_id, p_limit, p_cursor);
end;
$$;

comment on function public.list_sprint_runs(uuid, uuid, integer, uuid) is
  'Sprint runs of a product or sprint, newest first (specification: Sprint run).';

grant execute on function public.list_sprint_runs(uuid, uuid, integer, uuid) to authenticated;

-- Why: a paused run waits for a person, and a person is told by a question. A question needs a story: that of the job that
-- asked, else of the task at work, else of the first unfinished one, else any of the run (specification: Agent question).
create function private.open_pause_question(p_run public.sprint_runs, p_job_id uuid, p_text text)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, question)
  select p_run.product_id, t.story_id, t.id, j.id, p_run.id, auth.uid(), p_text
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  where j.sprint_run_id = p_run.id
  order by (j.id is not distinct from p_job_id) desc, (j.status in ('CLAIMED', 'RUNNING')) desc,
    (j.status = 'QUEUED') desc, j.position
  limit 1
  returning id into v_question_id;
  return v_question_id;
end;
$$;

comment on function private.open_pause_question(public.sprint_runs, uuid, text) is
  'The question that a pause opens (specification: Sprint run, pause; Agent question).';

-- Why: the one way in which a run is paused: context kept, question opened and linked. Its jobs are not given out any more,
-- claims that are held go on. Called under the product lock by pause_sprint_run and when a question expires with STOP.
create function private.pause_run(
  p_run public.sprint_runs, p_reason text, p_pr_url text, p_conflict_files jsonb, p_job_id uuid)
returns public.sprint_runs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_files jsonb := coalesce(p_conflict_files, '[]');
  v_text text;
  v_run public.sprint_runs;
begin
  if jsonb_typeof(v_files) <> 'array' or jsonb_array_length(v_files) > 500 or length(v_files::text) > 65536
    or exists (select from jsonb_array_elements(v_files) f where jsonb_typeof(f) <> 'string') then
    perform private.refuse(422, 'conflict_files must be a list of at most 500 paths.');
  end if;

  v_text := left(format('The run of sprint %s is paused (%s).%s%s Resume the run when it can go on, or cancel it.',
    (select s.code from public.sprints s where s.id = p_run.sprint_id), replace(p_reason, '_', ' '),
    case when jsonb_array_length(v_files) > 0
      then ' In conflict: ' || left((select string_agg(f, ', ') from jsonb_array_elements_text(v_files) f), 1500) || '.' else '' end,
    case when p_pr_url is not null then ' Pull request: ' || p_pr_url || '.' else '' end), 4000);

  update public.sprint_runs r
  set status = 'PAUSED',
      pause_context = jsonb_build_object('reason', p_reason, 'pr_url', p_pr_url, 'conflict_files', v_files),
      pause_question_id = private.open_pause_question(p_run, p_job_id, v_text)
  where r.id = p_run.id
  returning * into v_run;
  return v_run;
end;
$$;

comment on function private.pause_run(public.sprint_runs, text, text, jsonb, uuid) is
  'Run to PAUSED with context and question (specification: Sprint run, pause).';

-- Why: a person pauses a run, or a worker that met a merge conflict does (specification: Sprint run, pause_context). A worker
-- names its job and attempt; with p_release it also gives the job back to the queue, without a retry counted.
-- Refusals: 404, 403, 409 (not running, lost attempt), 422. Definer: runs and jobs are written by functions only.
create function private.pause_sprint_run(
  p_sprint_run_id uuid, p_reason text, p_pr_url text, p_conflict_files jsonb, p_job_id uuid, p_attempt integer, p_release boolean)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
  v_reason text := btrim(coalesce(p_reason, 'paused_by_person'));
  v_job public.agent_jobs;
begin
  perform private.require_link('pr_url', p_pr_url);
  if v_reason = '' or char_length(v_reason) > 500 then
    perform private.refuse(422, 'reason takes 1 to 500 characters.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.sprint_run_id is distinct from p_sprint_run_id then
      perform private.refuse(422, 'This job does not belong to the run.');
    end if;
  end if;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    perform private.refuse(409, format('Only a run that is queued or running can be paused; this one is %s.', lower(v_run.status::text)));
  end if;

  v_run := private.pause_run(v_run, v_reason, p_pr_url, p_conflict_files, v_job.id);
  if v_job.id is not null and p_release then
    update public.agent_jobs j
    set status = 'QUEUED', earlier_usage = private.usage_so_far(j), failure_class = null, pr_url = coalesce(p_pr_url, j.pr_url)
    where j.id = v_job.id;
    perform private.release_worker(v_job.worker_id, v_job.id);
  end if;
  return private.run_json(v_run, false);
end;
$$;

grant execute on function private.pause_sprint_run(uuid, text, text, jsonb, uuid, integer, boolean) to authenticated;

create function public.pause_sprint_run(
  p_sprint_run_id uuid, p_reason text default null, p_pr_url text default null, p_conflict_files jsonb default null,
  p_job_id uuid default null, p_attempt integer default null, p_release boolean default false)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.pause_sprint_run(p_sprint_run_id, p_reason, p_pr_url, p_conflict_files, p_job_id, p_attempt, p_release);
end;
$$;

comment on function public.pause_sprint_run(uuid, text, text, jsonb, uuid, integer, boolean) is
  'QUEUED or RUNNING to PAUSED, with pause_context and a question (specification: Sprint run).';

grant execute on function public.pause_sprint_run(uuid, text, text, jsonb, uuid, integer, boolean) to authenticated;

-- Why: a paused batch run whose work is unfinished does not go on itself: it becomes CANCELLED, and a new run on the same
-- branch takes over what is left, with a new job and plans frozen anew (specification: Sprint run).
create function private.resume_batch_run(p_run public.sprint_runs)
returns public.sprint_runs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
begin
  perform private.end_run(p_run, 'CANCELLED', 'The run was resumed as a new one.', null);

  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, started_by)
  values (p_run.sprint_id, p_run.product_id, p_run.pr_strategy, p_run.branch, p_run.id, auth.uid())
  returning * into v_run;

  insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
  select v_run.id, e.task_id, e.position,
    case when t.implementation_plan ~ '\S' then t.implementation_plan else e.plan_snapshot end, t.verify_required
  from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED');
  perform private.create_batch_job(v_run);
  return v_run;
end;
$$;

comment on function private.resume_batch_run(public.sprint_runs) is
  'A paused batch run goes on as a new run (specification: Sprint run, batch mode).';

-- Why: a paused run goes on: RUNNING while a claim is still held, else QUEUED; the linked question is closed and the context
-- cleared. A batch run with unfinished executions goes on as a new run. Answers the run that goes on.
-- Refusals: 404, 403, 409 when the run is not paused. Definer: runs are written by functions only.
create function private.resume_sprint_run(p_sprint_run_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
begin
  if v_run.status <> 'PAUSED' then
    perform private.refuse(409, format('Only a paused run can be resumed; this one is %s.', lower(v_run.status::text)));
  end if;
  perform private.close_question(v_run.pause_question_id);

  if v_run.pr_strategy = 'SPRINT_BATCH' and exists (
    select from public.task_executions e
    where e.sprint_run_id = v_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED')
  ) then
    -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
    v_run := private.resume_batch_run(v_run);
    return private.run_json(v_run, false);
  end if;

  update public.sprint_runs r
  set pause_context = null,
      status = case when exists (
        select from public.agent_jobs j where j.sprint_run_id = r.id and j.status in ('CLAIMED', 'RUNNING')
      ) then 'RUNNING' else 'QUEUED' end::public.sprint_run_status
  where r.id = v_run.id;
  perform private.complete_run(v_run.id);

  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id;
  return private.run_json(v_run, false);
end;
$$;

grant execute on function private.resume_sprint_run(uuid) to authenticated;

create function public.resume_sprint_run(p_sprint_run_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.resume_sprint_run(p_sprint_run_id);
end;
$$;

comment on function public.resume_sprint_run(uuid) is
  'PAUSED to RUNNING or QUEUED, or a new batch run (specification: Sprint run).';

grant execute on function public.resume_sprint_run(uuid) to authenticated;

-- Why: an unfinished run is stopped with its unfinished jobs and its pause question. Nothing is carried upwards: tasks,
-- stories, PBIs and the sprint stay as they are (specification: Sprint run).
-- Refusals: 404, 403, 409 when the run is finished. Definer: runs and jobs are written by functions only.
create function private.cancel_sprint_run(p_sprint_run_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
begin
  if v_run.status not in ('QUEUED', 'RUNNING', 'PAUSED') then
    perform private.refuse(409, format('Only an unfinished run can be cancelled; this one is %s.', lower(v_run.status::text)));
  end if;
  perform private.end_run(v_run, 'CANCELLED', 'The run was cancelled.', null);
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id;
  return private.run_json(v_run, false);
end;
$$;

grant execute on function private.cancel_sprint_run(uuid) to authenticated;

create function public.cancel_sprint_run(p_sprint_run_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.cancel_sprint_run(p_sprint_run_id);
end;
$$;

comment on function public.cancel_sprint_run(uuid) is 'Unfinished run to CANCELLED, without cascade (specification: Sprint run).';

grant execute on function public.cancel_sprint_run(uuid) to authenticated;

-- Why: a failed sprint goes on: failed tasks go back to todo, their stories and PBIs out of failed, the sprint is active
-- again, and a new run starts on the branch of the run that failed, all in one transaction with the pre-flight
-- (specification: Task, failed, resume-sprint). Refusals: 404, 403, 429, 409 (not failed, another active sprint, blockers).
-- Definer: runs and jobs are written by functions only.
create function private.resume_sprint(p_sprint_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_previous public.sprint_runs;
  v_other text;
  v_blockers jsonb;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product has one active sprint.', v_other));
  end if;

  -- Stories and PBIs follow their tasks out of failed.
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;

  select p.* into v_product from public.products p where p.id = v_product_id;
  v_blockers := private.run_blockers(v_sprint, v_product);
  if v_blockers <> '[]' then
    perform private.refuse(409, private.blockers_sentence(v_blockers), jsonb_build_object('blockers', v_blockers));
  end if;

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous);
  return private.run_json(v_run, false);
end;
$$;

grant execute on function private.resume_sprint(uuid) to authenticated;

create function public.resume_sprint(p_sprint_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.resume_sprint(p_sprint_id);
end;
$$;

comment on function public.resume_sprint(uuid) is
  'FAILED sprint to ACTIVE with a new run (specification: States and transitions, Task and Sprint).';

grant execute on function public.resume_sprint(uuid) to authenticated;

-- Why: a worker needs no registration: its first word makes its row. Takes no lock on a row that is already there, because
-- a product lock may still follow.
create function private.ensure_worker(p_user_id uuid, p_name text)
returns public.agent_workers
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_worker public.agent_workers;
begin
  if coalesce(char_length(p_name), 0) not between 1 and 100 then
    perform private.refuse(422, 'worker takes a name of 1 to 100 characters. Keep the same name across restarts.');
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  if found then
    return v_worker;
  end if;
  insert into public.agent_workers (user_id, name) values (p_user_id, p_name)
  on conflict (user_id, name) do nothing;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  return v_worker;
end;
$$;

comment on function private.ensure_worker(uuid, text) is 'The presence row of a worker by user and name (specification: Agent worker).';

-- Why: presence. Written at most every ten seconds unless something changed, so that polling costs next to nothing.
-- A worker that asks for work and gets none is idle (p_idle). The last lock that a transaction takes: call it after everything else.
create function private.touch_worker(
  p_worker_id uuid, p_hostname text, p_version text, p_quota_pct integer, p_job_id uuid,
  p_idle boolean default false)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
begin
  update public.agent_workers w
  set last_seen_at = v_now,
      hostname = coalesce(left(p_hostname, 255), w.hostname),
      version = coalesce(left(p_version, 50), w.version),
      last_quota_pct = coalesce(p_quota_pct, w.last_quota_pct),
      last_quota_check_at = case when p_quota_pct is null then w.last_quota_check_at else v_now end,
      current_job_id = case when p_idle then null else coalesce(p_job_id, w.current_job_id) end,
      stopped_at = null
  where w.id = p_worker_id
    and (w.last_seen_at <= v_now - interval '10 seconds'
      or w.last_seen_at > v_now
      or w.stopped_at is not null
      or p_job_id is not null
      or (p_idle and w.current_job_id is not null)
      or (p_hostname is not null and left(p_hostname, 255) is distinct from w.hostname)
      or (p_version is not null and left(p_version, 50) is distinct from w.version)
      or (p_quota_pct is not null and p_quota_pct is distinct from w.last_quota_pct));
end;
$$;

comment on function private.touch_worker(uuid, text, text, integer, uuid, boolean) is 'Presence and quota of a worker (specification: Agent worker).';

-- Why: one shape of a worker: presence, quota, what it works on, and whether it may be given work.
create function private.worker_json(p_worker public.agent_workers)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_minimum integer := (select u.min_quota_pct from public.users u where u.id = p_worker.user_id);
  v_online boolean := p_worker.stopped_at is null and p_worker.last_seen_at > private.now() - interval '2 minutes';
begin
  return to_jsonb(p_worker) || jsonb_build_object(
    'username', private.username(p_worker.user_id),
    'online', v_online,
    'min_quota_pct', v_minimum,
    'quota_ok', coalesce(p_worker.last_quota_pct >= v_minimum, true));
end;
$$;

comment on function private.worker_json(public.agent_workers) is 'An agent worker as it is shown (specification: Agent worker).';

-- Why: a worker under the user's quota threshold is given no job, and told why. Null when it may work.
create function private.quota_reason(p_user_id uuid, p_quota_pct integer)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  v_minimum integer := (select u.min_quota_pct from public.users u where u.id = p_user_id);
begin
  if p_quota_pct is null or p_quota_pct >= v_minimum then
    return null;
  end if;
  return format('The worker has %s%% of its quota left, and its user wants at least %s%% kept (min_quota_pct). It is given no job until it reports more.',
    p_quota_pct, v_minimum);
end;
$$;

comment on function private.quota_reason(uuid, integer) is 'Why the quota gate is shut, or null (specification: User, min_quota_pct).';

-- Why: what a claim may take, in one place: in turn, past its rate limit, in a run that goes on, with its question answered.
-- PLAN_CHAT jobs are claimable by whoever made them only; a claim adds that, because it knows who asks.
-- Its order is claim_rank, created_at, position, id: that of the index agent_jobs_claim_order_idx.
create view private.claimable_jobs with (security_invoker = true) as
select j.id, j.product_id, j.kind, j.sprint_run_id, j.created_by, j.claim_rank, j.created_at, j.position
from public.agent_jobs j
where j.status = 'QUEUED' and j.in_turn
  and (j.not_before is null or j.not_before <= private.now())
  and (j.sprint_run_id is null
    or (select r.status in ('QUEUED', 'RUNNING') from public.sprint_runs r where r.id = j.sprint_run_id))
  and (j.parked_question_id is null
    or (select q.status <> 'OPEN' or (q.on_expiry = 'RECOMMENDED' and q.expires_at <= private.now())
      from public.agent_questions q where q.id = j.parked_question_id));

comment on view private.claimable_jobs is 'The jobs that a worker may be given now (specification: Agent job).';

-- Why: TO_DO is `todo` at the boundary, every other status its lowercase form (specification: Conventions).
create function private.task_status_word(p_status public.task_status)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case p_status when 'TO_DO' then 'todo' else lower(p_status::text) end;
end;
$$;

comment on function private.task_status_word(public.task_status) is 'Task status at the REST boundary (specification: Conventions).';

-- Why: a claim carries everything that the work needs, so that a worker asks nothing more: task, story, product, repository,
-- branch, run, plan, criteria, verification, and the answers to what an earlier attempt asked.
create function private.job_payload(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product public.products;
  v_run public.sprint_runs;
  v_task public.tasks;
begin
  select p.* into v_product from public.products p where p.id = p_job.product_id;
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  select t.* into v_task from public.tasks t where t.id = p_job.task_id;

  return json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'previous_failure', p_job.failure_reason,
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'plan', p_job.plan_snapshot,
    'product', json_build_object('id', v_product.id, 'code', v_product.code, 'name', v_product.name,
      'description', v_product.description, 'repo_url', v_product.repo_url,
      'definition_of_done', v_product.definition_of_done, 'auto_pr', v_product.auto_pr, 'pr_strategy', v_product.pr_strategy),
    'repo_url', coalesce(nullif(v_task.repo_url, ''), v_product.repo_url),
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', case when v_run.id is not null then (
      select json_build_object('id', v_run.id, 'status', lower(v_run.status::text), 'branch', v_run.branch,
        'pr_strategy', v_run.pr_strategy, 'previous_run_id', v_run.previous_run_id,
        'sprint_id', s.id, 'sprint_code', s.code, 'sprint_goal', s.sprint_goal)
      from public.sprints s where s.id = v_run.sprint_id) end,
    'task', case when p_job.kind = 'TASK_IMPLEMENTATION' then json_build_object('id', v_task.id, 'code', v_task.code,
      'title', v_task.title, 'description', v_task.description, 'status', private.task_status_word(v_task.status),
      'verify_only', v_task.verify_only, 'verify_required', v_task.verify_required,
      'requires_opus', v_task.requires_opus, 'estimated_minutes', v_task.estimated_minutes) end,
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
        'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title)
      from public.stories s join public.pbis b on b.id = s.pbi_id
      where s.id = v_task.story_id and p_job.kind = 'TASK_IMPLEMENTATION'),
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then (
      select coalesce(json_agg(json_build_object('id', e.id, 'position', e.position, 'status', lower(e.status::text),
        'task_id', t.id, 'task_code', t.code, 'title', t.title, 'description', t.description,
        'plan', e.plan_snapshot, 'verify_required', e.verify_required, 'verify_only', t.verify_only,
        'requires_opus', t.requires_opus, 'story_id', s.id, 'story_code', s.code, 'story_title', s.title,
        'acceptance_criteria', s.acceptance_criteria) order by e.position), '[]')
      from public.task_executions e
      join public.tasks t on t.id = e.task_id
      join public.stories s on s.id = t.story_id
      where e.sprint_run_id = p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then (
      select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description,
        'status', lower(i.status::text))
      from public.ideas i where i.id = p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then (
      select coalesce(json_agg(json_build_object('id', u.id, 'question', u.question, 'answer', u.answer,
        'status', lower(u.status::text), 'asked_for_this_job', u.job_id = p_job.id, 'created_at', u.created_at)
        order by u.created_at, u.id), '[]')
      from public.user_questions u where u.idea_id = p_job.idea_id) end,
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = p_job.id)
  );
end;
$$;

comment on function private.job_payload(public.agent_jobs) is
  'Everything that a worker needs for a job (specification: Agent job; Product; Story; Task).';

-- Why: which product has the oldest claimable job that a user reaches. Reads the partial index in claim order, one row a
-- product, and takes no lock; the claim looks again under the lock of that product.
create function private.next_product(
  p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[])
returns uuid
language plpgsql
stable
set search_path = ''
-- The filters hide from the planner how many jobs wait: left alone it reads and sorts all of them, where the index has the
-- first one at hand.
set enable_sort = off
set enable_bitmapscan = off
as $$
begin
  return (
    select c.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null
    cross join lateral (
      select j.product_id, j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = m.product_id
        and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
        and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
        and (p_kinds is null or p_kinds ? j.kind::text)
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where m.user_id = p_user_id
      and (p_product_id is null or m.product_id = p_product_id)
      and m.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
end;
$$;

comment on function private.next_product(uuid, uuid, uuid, jsonb, uuid[]) is
  'The product of the oldest claimable job in reach (specification: Agent job; claiming).';

-- Why: the claim itself, one statement: the oldest claimable job of the product, skipping rows that somebody holds, becomes
-- CLAIMED with a new attempt, a lease, and the plan as it is now (specification: Agent job, plan_snapshot). The triggers move
-- the task and the run. Called with a share of the product lock.
create function private.take_job(
  p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
-- The filters hide from the planner how many jobs wait: left alone it reads and sorts all of them, where the index has the
-- first one at hand.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
begin
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_worker_id, claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, failure_class = null, verify_result = null,
      plan_snapshot = coalesce(
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t where t.id = x.task_id))
  where x.id = (
    select j.id
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
  returning x.* into v_job;
  return v_job;
end;
$$;

comment on function private.take_job(uuid, uuid, uuid, uuid, jsonb) is 'QUEUED to CLAIMED in one statement (specification: Agent job).';

-- Why: a claim first takes back what workers that died still hold in the products of its user, so that an expired lease is
-- taken over by the very next claim. Products are locked in one order. Answers those products; nearly always none.
create function private.take_back_expired(p_user_id uuid, p_product_id uuid)
returns uuid[]
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[];
  v_product_id uuid;
begin
  if not exists (
    select from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
  ) then
    return '{}';
  end if;

  select coalesce(array_agg(x.product_id order by x.product_id), '{}')
  into v_products
  from (
    select distinct j.product_id
    from public.agent_jobs j
    join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
      and (p_product_id is null or j.product_id = p_product_id)
  ) x;

  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    perform private.requeue_expired_leases(v_product_id);
  end loop;
  return v_products;
end;
$$;

comment on function private.take_back_expired(uuid, uuid) is
  'Expired leases in reach go back to the queue (specification: Agent job, lease_until).';

-- Why: a worker that gets no job is told in one code and one sentence whether there is nothing at all or something waits.
create function private.nothing_to_claim(p_user_id uuid, p_product_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_waiting record;
begin
  select count(*) filter (where j.status = 'QUEUED') as queued,
    count(*) filter (where j.status = 'QUEUED' and r.status = 'PAUSED') as paused,
    count(*) filter (where j.status = 'QUEUED' and q.status = 'OPEN') as asked,
    count(*) filter (where j.status = 'QUEUED' and j.not_before > private.now()) as delayed,
    count(*) filter (where j.status = 'QUEUED' and not j.in_turn) as in_order,
    count(*) filter (where j.status in ('CLAIMED', 'RUNNING')) as held
  into v_waiting
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
  left join public.sprint_runs r on r.id = j.sprint_run_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);

  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_waiting.held > 0 then format('; %s held by workers', v_waiting.held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      else 'order' end,
    'message', format('%s queued, none claimable now: %s wait for their turn, %s for an answer, %s for a paused run, %s for a rate limit; %s held by workers.',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed, v_waiting.held));
end;
$$;

comment on function private.nothing_to_claim(uuid, uuid) is 'Why a claim found nothing (specification: Agent job; claiming).';

-- Why: a worker asks for work. The oldest claimable job of the products that its user reaches is claimed, or it is told why
-- there is none. Two workers never hold one job. Refusals: 401, 403 for demo accounts, 422.
-- The locks, always in this order: expired leases' products sorted, a share of the product of the job, the worker's row.
-- Whoever holds one product never waits for another.
-- Definer: jobs are written by functions only.
create function private.claim_agent_job(
  p_worker text, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_hostname text, p_version text, p_quota_pct integer)
returns json
language plpgsql
volatile
security definer
set search_path = ''
-- For all that this calls, triggers too: planning the short statements anew each time costs more than running them.
set plan_cache_mode = force_generic_plan
as $$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
  v_locked uuid[];
  v_tried uuid[] := '{}';
  v_product_id uuid;
  v_job public.agent_jobs;
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, null, true);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_job.id, v_job.id is null);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', private.nothing_to_claim(v_user_id, p_product_id));
  end if;
  return json_build_object('job', private.job_payload(v_job), 'worker_id', v_worker.id, 'reason', null);
end;
$$;

grant execute on function private.claim_agent_job(text, uuid, uuid, jsonb, text, text, integer) to authenticated;

create function public.claim_agent_job(
  p_worker text, p_product_id uuid default null, p_sprint_run_id uuid default null, p_kinds jsonb default null,
  p_hostname text default null, p_version text default null, p_quota_pct integer default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.claim_agent_job(p_worker, p_product_id, p_sprint_run_id, p_kinds, p_hostname, p_version, p_quota_pct);
end;
$$;

comment on function public.claim_agent_job(text, uuid, uuid, jsonb, text, text, integer) is
  'QUEUED to CLAIMED for one worker, with everything it needs (specification: Agent job).';

grant execute on function public.claim_agent_job(text, uuid, uuid, jsonb, text, text, integer) to authenticated;

-- Why: renews the lease and tells the worker whether to go on: continue, pause (its run is paused; it still holds the job) or
-- stop (the job is not its own any more), with the reason in a code and a sentence. A lost attempt changes nothing.
-- Takes no product lock: one row, one statement, nothing else hangs on it.
-- Definer: jobs are written by functions only.
create function private.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_state text;
  v_pause jsonb;
begin
  perform private.require_job(p_job_id);
  perform private.require_writer();
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;

  update public.agent_jobs j
  set lease_until = v_now + private.lease()
  from public.agent_workers w
  where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING')
    and w.id = j.worker_id and w.user_id = auth.uid()
  returning j.* into v_job;

  if v_job.id is null then
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
    v_state := private.attempt_state(v_job, p_attempt);
    return json_build_object('action', 'stop', 'status', lower(v_job.status::text), 'lease_until', null,
      'reason', json_build_object('code', v_state, 'message', case v_state
        when 'cancelled' then 'The job was cancelled' || coalesce(': ' || v_job.failure_reason, '.')
        when 'finished' then format('The job is already %s.', lower(v_job.status::text))
        when 'parked' then 'The job waits for the answer to a question.'
        when 'requeued' then 'The job went back to the queue until the rate limit ends.'
        else format('Attempt %s no longer holds this job.', coalesce(p_attempt::text, '?')) end));
  end if;

  select r.pause_context into v_pause from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status = 'PAUSED';
  perform private.touch_worker(v_job.worker_id, null, null, p_quota_pct, null);
  return json_build_object(
    'action', case when v_pause is null then 'continue' else 'pause' end,
    'status', lower(v_job.status::text),
    'lease_until', v_job.lease_until,
    'reason', case when v_pause is not null then json_build_object('code', 'paused',
      'message', format('The run is paused (%s).', replace(v_pause ->> 'reason', '_', ' '))) end);
end;
$$;

grant execute on function private.heartbeat_agent_job(uuid, integer, integer) to authenticated;

create function public.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.heartbeat_agent_job(p_job_id, p_attempt, p_quota_pct);
end;
$$;

comment on function public.heartbeat_agent_job(uuid, integer, integer) is
  'Renews a lease; continue, pause or stop (specification: Agent job, lease_until).';

grant execute on function public.heartbeat_agent_job(uuid, integer, integer) to authenticated;

-- Why: an answer may get lost on the way, so a worker repeats its report; the same end told twice is fine and changes nothing.
create function private.repeats_report(
  p_job public.agent_jobs, p_state text, p_status text, p_class public.failure_class, p_result public.verify_result)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case p_state
    when 'finished' then p_job.status::text = p_status or (p_job.status = 'SKIPPED' and p_status = 'DONE' and p_result = 'EMPTY')
    when 'requeued' then p_status = 'FAILED' and p_class = 'rate_limited'
    else false
  end;
end;
$$;

comment on function private.repeats_report(public.agent_jobs, text, text, public.failure_class, public.verify_result) is
  'Whether a report repeats the end that is already written (specification: Agent job).';

-- Why: the verification gate in one place, for jobs and executions. Answers DONE or SKIPPED, or null when a DONE does not
-- pass. EMPTY is looked at first: the work is already there, so SKIPPED, unless the task only verifies.
create function private.gate(
  p_required public.verify_required, p_result public.verify_result, p_verify_only boolean)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  if p_result = 'EMPTY' then
    return case when p_verify_only then 'DONE' else 'SKIPPED' end;
  end if;
  return case
    when p_required = 'ANY' then 'DONE'
    when p_result = 'ALIGNED' then 'DONE'
    when p_result = 'PARTIAL' and p_required = 'ALIGNED_OR_PARTIAL' then 'DONE'
  end;
end;
$$;

comment on function private.gate(public.verify_required, public.verify_result, boolean) is
  'Whether a verification result lets a task pass (specification: Task, verify_required; Agent job, verify_result).';

-- Why: a DONE that does not pass changes nothing and says what would.
create function private.refuse_gate(p_required public.verify_required, p_result public.verify_result)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.refuse(422,
    format('Not done yet: this task needs a verification that is %s, and %s. Verify the work against the plan again, finish what is missing, or report failed with failure_class verification_failed.',
      case p_required when 'ALIGNED' then 'aligned' else 'aligned or partial' end,
      case when p_result is null then 'none was given' else 'it is ' || lower(p_result::text) end),
    jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'verify_result',
      'message', format('The gate needs %s.', p_required)))));
end;
$$;

comment on function private.refuse_gate(public.verify_required, public.verify_result) is
  'PT422 for a DONE that does not pass the gate (specification: Task, verify_required).';

-- Why: the numbers of an attempt are totals of that attempt, so that sending them twice counts once; the job shows them on
-- top of its earlier attempts. Null leaves a number as it is.
create function private.record_usage(
  p_job public.agent_jobs, p_model_id text, p_input bigint, p_output bigint, p_cache_read bigint, p_cache_write bigint)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs := p_job;
begin
  if least(p_input, p_output, p_cache_read, p_cache_write) < 0 then
    perform private.refuse(422, 'Token counts must not be negative.');
  end if;
  if num_nonnulls(p_model_id, p_input, p_output, p_cache_read, p_cache_write) = 0 then
    return p_job;
  end if;
  update public.agent_jobs j
  set model_id = coalesce(left(p_model_id, 200), j.model_id),
      input_tokens = coalesce(p_input + coalesce((j.earlier_usage ->> 'input')::bigint, 0), j.input_tokens),
      output_tokens = coalesce(p_output + coalesce((j.earlier_usage ->> 'output')::bigint, 0), j.output_tokens),
      cache_read_tokens = coalesce(p_cache_read + coalesce((j.earlier_usage ->> 'cache_read')::bigint, 0), j.cache_read_tokens),
      cache_write_tokens = coalesce(p_cache_write + coalesce((j.earlier_usage ->> 'cache_write')::bigint, 0), j.cache_write_tokens)
  where j.id = p_job.id
  returning j.* into v_job;
  return v_job;
end;
$$;

comment on function private.record_usage(public.agent_jobs, text, bigint, bigint, bigint, bigint) is
  'Tokens and model of a job (specification: Agent job).';

-- Why: what a reported DONE or SKIPPED leads to, by kind of job: the gate for a task, all executions finished for a batch, an
-- answered question for a chat. Answers DONE or SKIPPED; refuses otherwise, changing nothing.
create function private.finish_outcome(p_job public.agent_jobs, p_status text, p_result public.verify_result)
returns public.agent_job_status
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_task public.tasks;
  v_outcome text;
  v_open text;
begin
  if p_status = 'SKIPPED' then
    if p_job.kind = 'PLAN_CHAT' or p_result <> 'EMPTY' then
      perform private.refuse(422, 'A job is skipped only when the verification found that the work is already present (verify_result empty).');
    end if;
    return 'SKIPPED';
  end if;
  if p_job.kind = 'PLAN_CHAT' then
    return 'DONE';
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
    if v_open is not null then
      perform private.refuse(422, format('Not done yet: these tasks of the batch are unfinished: %s. Report each with update_task_execution first.', v_open));
    end if;
    return 'DONE';
  end if;

  select t.* into v_task from public.tasks t where t.id = p_job.task_id;
  v_outcome := private.gate(v_task.verify_required, p_result, v_task.verify_only);
  if v_outcome is null then
    perform private.refuse_gate(v_task.verify_required, p_result);
  end if;
  return v_outcome::public.agent_job_status;
end;
$$;

comment on function private.finish_outcome(public.agent_jobs, text, public.verify_result) is
  'DONE or SKIPPED as the gate decides (specification: Agent job, SKIPPED; Task, verify_required).';

-- Why: a PLAN_CHAT job ends with the answer to its question: given before by answer_user_question, or the summary now.
create function private.answer_chat(p_job public.agent_jobs, p_summary text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.user_questions u
  set status = 'ANSWERED', answer = p_summary, answered_at = private.now()
  where u.job_id = p_job.id and u.status = 'PENDING' and p_summary ~ '\S';
  if exists (select from public.user_questions u where u.job_id = p_job.id and u.status = 'PENDING') then
    perform private.refuse(422, 'Not done yet: answer the user''s question first, with answer_user_question or as the summary of this report.');
  end if;
end;
$$;

comment on function private.answer_chat(public.agent_jobs, text) is 'The worker''s answer closes the user question (specification: User question).';

-- Why: a worker says how its attempt goes: RUNNING, DONE, FAILED or SKIPPED. Only the attempt that holds the job is heard;
-- the same final report twice is fine; a report while still CLAIMED counts as through RUNNING. DONE passes the gate first.
-- FAILED with rate_limited puts the job back until resets_at, no retry counted. Cascades happen in this transaction.
-- Refusals: 404, 403, 409 (lost, cancelled, other end), 422 (gate, fields). Definer: jobs are written by functions only.
create function private.report_agent_job(
  p_job_id uuid, p_attempt integer, p_status text, p_verify_result text, p_summary text,
  p_failure_class text, p_failure_reason text, p_resets_at timestamptz,
  p_base_sha text, p_head_sha text, p_branch text, p_pushed_at timestamptz, p_pr_url text,
  p_model_id text, p_input_tokens bigint, p_output_tokens bigint, p_cache_read_tokens bigint, p_cache_write_tokens bigint)
returns json
language plpgsql
volatile
security definer
set search_path = ''
-- For all that this calls, triggers too: planning the short statements anew each time costs more than running them.
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := private.now();
  v_status text := private.require_choice('status', p_status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED'));
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  perform private.require_link('pr_url', p_pr_url);
  v_class := lower(private.require_choice('failure_class', p_failure_class,
    array['AGENT_ERROR', 'VERIFICATION_FAILED', 'RATE_LIMITED', 'INFRASTRUCTURE', 'CANCELLED']));
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_job.verify_result);

  if v_state <> 'held' then
    if private.repeats_report(v_job, v_state, v_status, v_class, v_result) then
      return private.job_json(v_job);
    end if;
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;

  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'FAILED' then case when v_class = 'rate_limited' then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, p_summary);
  end if;
  perform private.record_usage(v_job, p_model_id, p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens);

  update public.agent_jobs j
  set status = v_next,
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(p_summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then coalesce(v_class, 'agent_error') end,
      failure_reason = case when v_status = 'FAILED'
        then left(coalesce(p_failure_reason, p_summary, 'The worker gave no reason.'), 4000) end,
      not_before = case when v_next = 'QUEUED' then greatest(coalesce(p_resets_at, v_now + interval '5 minutes'), v_now) end,
      earlier_usage = case when v_next = 'QUEUED' then private.usage_so_far(j) else j.earlier_usage end,
      base_sha = coalesce(left(p_base_sha, 64), j.base_sha),
      head_sha = coalesce(left(p_head_sha, 64), j.head_sha),
      branch = coalesce(left(p_branch, 200), j.branch),
      pushed_at = coalesce(p_pushed_at, j.pushed_at),
      pr_url = coalesce(p_pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  -- A worker that ends well asks for the next job at once, which writes its presence anyway.
  if v_next not in ('RUNNING', 'DONE') then
    perform private.release_worker(v_job.worker_id, v_job.id);
  end if;
  return private.job_json(v_job);
end;
$$;

grant execute on function private.report_agent_job(uuid, integer, text, text, text, text, text, timestamptz,
  text, text, text, timestamptz, text, text, bigint, bigint, bigint, bigint) to authenticated;

create function public.report_agent_job(
  p_job_id uuid, p_attempt integer, p_status text, p_verify_result text default null, p_summary text default null,
  p_failure_class text default null, p_failure_reason text default null, p_resets_at timestamptz default null,
  p_base_sha text default null, p_head_sha text default null, p_branch text default null,
  p_pushed_at timestamptz default null, p_pr_url text default null, p_model_id text default null,
  p_input_tokens bigint default null, p_output_tokens bigint default null,
  p_cache_read_tokens bigint default null, p_cache_write_tokens bigint default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.report_agent_job(p_job_id, p_attempt, p_status, p_verify_result, p_summary, p_failure_class,
    p_failure_reason, p_resets_at, p_base_sha, p_head_sha, p_branch, p_pushed_at, p_pr_url, p_model_id,
    p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens);
end;
$$;

comment on function public.report_agent_job(uuid, integer, text, text, text, text, text, timestamptz,
  text, text, text, timestamptz, text, text, bigint, bigint, bigint, bigint) is
  'CLAIMED and RUNNING to RUNNING, DONE, FAILED, SKIPPED or back to QUEUED (specification: Agent job).';

grant execute on function public.report_agent_job(uuid, integer, text, text, text, text, text, timestamptz,
  text, text, text, timestamptz, text, text, bigint, bigint, bigint, bigint) to authenticated;

-- Why: tokens become known while the work goes on. The numbers are totals of the attempt: sending them twice counts once.
-- An attempt that has ended may still hand in its numbers while nobody else took the job over.
-- Refusals: 404, 403, 409 for a lost attempt, 422. Definer: jobs are written by functions only.
create function private.report_job_usage(
  p_job_id uuid, p_attempt integer, p_model_id text,
  p_input_tokens bigint, p_output_tokens bigint, p_cache_read_tokens bigint, p_cache_write_tokens bigint)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_state text := private.attempt_state(v_job, p_attempt);
begin
  if v_state not in ('held', 'finished') then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  return private.job_json(private.record_usage(
    v_job, p_model_id, p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens));
end;
$$;

grant execute on function private.report_job_usage(uuid, integer, text, bigint, bigint, bigint, bigint) to authenticated;

create function public.report_job_usage(
  p_job_id uuid, p_attempt integer, p_model_id text default null, p_input_tokens bigint default null,
  p_output_tokens bigint default null, p_cache_read_tokens bigint default null, p_cache_write_tokens bigint default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.report_job_usage(p_job_id, p_attempt, p_model_id,
    p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens);
end;
$$;

comment on function public.report_job_usage(uuid, integer, text, bigint, bigint, bigint, bigint) is
  'Token usage of a job (specification: Agent job).';

grant execute on function public.report_job_usage(uuid, integer, text, bigint, bigint, bigint, bigint) to authenticated;

-- Why: when a worker gives the changed files and no verdict, the database compares them with the files that the plan names:
-- none changed is EMPTY, all named ones ALIGNED, some PARTIAL, none DIVERGENT. A plan that names no file can not be
-- confirmed that way, so it is PARTIAL.
create function private.classify_diff(p_plan text, p_changed_files jsonb)
returns public.verify_result
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_named integer;
  v_changed integer;
begin
  if p_changed_files is null then
    return null;
  end if;
  if jsonb_array_length(p_changed_files) = 0 then
    return 'EMPTY';
  end if;

  select count(*), count(*) filter (where exists (
    select from jsonb_array_elements_text(p_changed_files) f
    where f = n.path or f like '%/' || replace(replace(n.path, '%', '\%'), '_', '\_')
  ))
  into v_named, v_changed
  from (
    select distinct ltrim(m[1], './') as path
    from regexp_matches(left(coalesce(p_plan, ''), 100000), '([A-Za-z0-9_./-]*[A-Za-z0-9_-]\.[A-Za-z][A-Za-z0-9]{0,5})(?![A-Za-z0-9])', 'g') m
    where m[1] !~ '^(e\.g|i\.e)$'
  ) n;

  return case when v_named = 0 then 'PARTIAL' when v_changed = v_named then 'ALIGNED'
    when v_changed > 0 then 'PARTIAL' else 'DIVERGENT' end;
end;
$$;

comment on function private.classify_diff(text, jsonb) is
  'A verification result from the files that changed and the plan (specification: Agent job, verify_result).';

-- Why: one verification for a job's task and for a task of a batch: the worker gives its verdict, or the changed files, or
-- both; no changed file is EMPTY whatever it says. The result is kept with the evidence and answered with what the gate
-- would make of it. Called under the product lock by an attempt that holds the job.
create function private.verify_work(
  p_job public.agent_jobs, p_execution public.task_executions, p_verify_result text, p_changed_files jsonb, p_evidence jsonb,
  p_base_sha text, p_head_sha text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_task public.tasks;
  v_plan text := coalesce(p_execution.plan_snapshot, p_job.plan_snapshot);
  v_required public.verify_required;
  v_result public.verify_result;
  v_outcome text;
begin
  if jsonb_typeof(coalesce(p_changed_files, '[]')) <> 'array' or length(coalesce(p_changed_files, '[]')::text) > 262144
    or length(coalesce(p_evidence, '{}')::text) > 65536 then
    perform private.refuse(422, 'changed_files must be a list of paths (256 KiB at most), evidence at most 64 KiB of JSON.');
  end if;
  select t.* into v_task from public.tasks t where t.id = coalesce(p_execution.task_id, p_job.task_id);
  v_required := coalesce(p_execution.verify_required, v_task.verify_required);
  v_result := coalesce(
    case when jsonb_array_length(p_changed_files) = 0 then 'EMPTY'::public.verify_result end,
    private.require_choice('verify_result', p_verify_result, array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result,
    private.classify_diff(v_plan, p_changed_files));
  if v_result is null then
    perform private.refuse(422, 'Give verify_result (aligned, partial, empty, divergent) or changed_files.');
  end if;

  if p_execution.id is not null then
    update public.task_executions e set verify_result = v_result where e.id = p_execution.id;
  end if;
  update public.agent_jobs j
  set verify_result = case when p_execution.id is null then v_result else j.verify_result end,
      base_sha = coalesce(left(p_base_sha, 64), j.base_sha), head_sha = coalesce(left(p_head_sha, 64), j.head_sha),
      evidence = coalesce(p_evidence, j.evidence), lease_until = private.now() + private.lease()
  where j.id = p_job.id;

  v_outcome := private.gate(v_required, v_result, v_task.verify_only);
  return json_build_object('job_id', p_job.id, 'task_id', v_task.id, 'task_code', v_task.code,
    'execution_id', p_execution.id, 'verify_result', v_result, 'verify_required', v_required,
    'verify_only', v_task.verify_only, 'passes', v_outcome is not null, 'report', lower(v_outcome),
    'plan', v_plan,
    'hint', case v_outcome
      when 'DONE' then 'The gate is open: report done.'
      when 'SKIPPED' then 'Nothing differs from the main branch: the work is already present. Report skipped.'
      else format('The gate needs %s. Finish what is missing and verify again, or report failed with failure_class verification_failed.', v_required)
    end);
end;
$$;

comment on function private.verify_work(public.agent_jobs, public.task_executions, text, jsonb, jsonb, text, text) is
  'Stores a verification and says what the gate makes of it (specification: Agent job, verify_result).';

-- Why: before a worker reports done it compares its diff with the plan and hands in the result.
-- Refusals: 404, 403, 409, 422. Definer: jobs are written by functions only.
create function private.verify_task_against_plan(
  p_job_id uuid, p_attempt integer, p_verify_result text, p_changed_files jsonb, p_evidence jsonb, p_base_sha text, p_head_sha text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.hold_job(p_job_id, p_attempt);
begin
  if v_job.kind <> 'TASK_IMPLEMENTATION' then
    perform private.refuse(422, 'This job is not about one task. Tasks of a batch are verified with verify_sprint_task.');
  end if;
  return private.verify_work(v_job, null, p_verify_result, p_changed_files, p_evidence, p_base_sha, p_head_sha);
end;
$$;

grant execute on function private.verify_task_against_plan(uuid, integer, text, jsonb, jsonb, text, text) to authenticated;

create function public.verify_task_against_plan(
  p_job_id uuid, p_attempt integer, p_verify_result text default null, p_changed_files jsonb default null,
  p_evidence jsonb default null, p_base_sha text default null, p_head_sha text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.verify_task_against_plan(p_job_id, p_attempt, p_verify_result, p_changed_files, p_evidence, p_base_sha, p_head_sha);
end;
$$;

comment on function public.verify_task_against_plan(uuid, integer, text, jsonb, jsonb, text, text) is
  'Verification of a job''s diff against its plan (specification: Agent job, verify_result).';

grant execute on function public.verify_task_against_plan(uuid, integer, text, jsonb, jsonb, text, text) to authenticated;

-- Why: a task of a batch is only heard of by the attempt that holds the batch job.
create function private.hold_execution(p_job public.agent_jobs, p_task_id uuid)
returns public.task_executions
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_execution public.task_executions;
begin
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'This job is no batch. Report it with report_agent_job.');
  end if;
  select e.* into v_execution from public.task_executions e
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id for update;
  if not found then
    perform private.refuse(404, 'This task is not in the scope of the batch run.');
  end if;
  return v_execution;
end;
$$;

comment on function private.hold_execution(public.agent_jobs, uuid) is
  'The execution of a task in a batch run (specification: Sprint run, executions).';

-- Why: in a batch each task is verified on its own, against its frozen plan and its frozen demand.
-- Refusals: 404, 403, 409, 422. Definer: executions are written by functions only.
create function private.verify_sprint_task(
  p_job_id uuid, p_attempt integer, p_task_id uuid, p_verify_result text, p_changed_files jsonb, p_evidence jsonb,
  p_base_sha text, p_head_sha text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.hold_job(p_job_id, p_attempt);
begin
  return private.verify_work(v_job, private.hold_execution(v_job, p_task_id), p_verify_result, p_changed_files, p_evidence,
    p_base_sha, p_head_sha);
end;
$$;

grant execute on function private.verify_sprint_task(uuid, integer, uuid, text, jsonb, jsonb, text, text) to authenticated;

create function public.verify_sprint_task(
  p_job_id uuid, p_attempt integer, p_task_id uuid, p_verify_result text default null, p_changed_files jsonb default null,
  p_evidence jsonb default null, p_base_sha text default null, p_head_sha text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.verify_sprint_task(p_job_id, p_attempt, p_task_id, p_verify_result, p_changed_files, p_evidence,
    p_base_sha, p_head_sha);
end;
$$;

comment on function public.verify_sprint_task(uuid, integer, uuid, text, jsonb, jsonb, text, text) is
  'Verification of one task of a batch run (specification: Sprint run, executions).';

grant execute on function public.verify_sprint_task(uuid, integer, uuid, text, jsonb, jsonb, text, text) to authenticated;

-- Why: the worker of a batch tells how each task goes: PENDING, RUNNING, DONE (through the gate, with the frozen demand),
-- FAILED (takes the run with it) or SKIPPED. The same end told twice is fine. The task follows by trigger.
-- Refusals: 404, 403, 409, 422. Definer: executions are written by functions only.
create function private.update_task_execution(
  p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text, p_failure_reason text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_status text := private.require_choice('status', p_status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_execution public.task_executions := private.hold_execution(v_job, p_task_id);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next text := v_status;
begin
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_execution.verify_result);
  if v_state in ('held', 'finished') and (v_execution.status::text = v_status
    or (v_execution.status = 'SKIPPED' and v_status = 'DONE' and v_result = 'EMPTY')) then
    return private.execution_json(v_execution);
  end if;
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  if v_execution.status not in ('PENDING', 'RUNNING') then
    perform private.refuse(409, format('This task of the batch is already %s.', lower(v_execution.status::text)));
  end if;
  if v_status = 'SKIPPED' and v_result <> 'EMPTY' then
    perform private.refuse(422, 'A task is skipped only when the verification found that the work is already present (verify_result empty).');
  end if;
  if v_status = 'DONE' then
    v_next := private.gate(v_execution.verify_required, v_result, (select t.verify_only from public.tasks t where t.id = p_task_id));
    if v_next is null then
      perform private.refuse_gate(v_execution.verify_required, v_result);
    end if;
  end if;

  update public.agent_jobs j
  set lease_until = private.now() + private.lease(), status = 'RUNNING', started_at = coalesce(j.started_at, private.now()),
      failure_reason = case when v_next = 'FAILED' then left(coalesce(p_failure_reason, 'A task of the batch failed.'), 4000) end
  where j.id = p_job_id;
  update public.task_executions e
  set status = v_next::public.task_execution_status,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      failure_reason = case when v_next = 'FAILED' then left(p_failure_reason, 4000) end
  where e.id = v_execution.id
  returning e.* into v_execution;
  return private.execution_json(v_execution);
end;
$$;

grant execute on function private.update_task_execution(uuid, integer, uuid, text, text, text) to authenticated;

create function public.update_task_execution(
  p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text default null, p_failure_reason text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.update_task_execution(p_job_id, p_attempt, p_task_id, p_status, p_verify_result, p_failure_reason);
end;
$$;

comment on function public.update_task_execution(uuid, integer, uuid, text, text, text) is
  'PENDING, RUNNING to RUNNING, DONE, FAILED, SKIPPED for a task of a batch run (specification: Sprint run).';

grant execute on function public.update_task_execution(uuid, integer, uuid, text, text, text) to authenticated;

-- Why: a worker that wants to go home asks whether anything is left: claimable now, waiting, or held by others.
-- Definer: counts over all products in reach in one query.
create function private.check_queue_empty(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
  v_queued integer;
  v_held integer;
  v_claimable boolean;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select count(*) filter (where j.status = 'QUEUED'), count(*) filter (where j.status <> 'QUEUED')
  into v_queued, v_held
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = v_user_id
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);
  v_claimable := private.next_product(v_user_id, p_product_id, null, null, '{}') is not null;
  return json_build_object('empty', v_queued = 0 and v_held = 0, 'claimable', v_claimable, 'queued', v_queued, 'held', v_held,
    'reason', case when not v_claimable then private.nothing_to_claim(v_user_id, p_product_id) end);
end;
$$;

grant execute on function private.check_queue_empty(uuid) to authenticated;

create function public.check_queue_empty(p_product_id uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.check_queue_empty(p_product_id);
end;
$$;

comment on function public.check_queue_empty(uuid) is 'Whether jobs are left in reach (specification: Agent job).';

grant execute on function public.check_queue_empty(uuid) to authenticated;

-- Why: a worker says that it is there, how much quota it has, or that it goes away. Answers whether it may be given work.
-- Refusals: 401, 403 for demo accounts, 422. Definer: presence is written by functions only.
create function private.worker_heartbeat(p_worker text, p_hostname text, p_version text, p_quota_pct integer, p_stopped boolean)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  if p_stopped then
    update public.agent_workers w set stopped_at = private.now(), current_job_id = null where w.id = v_worker.id;
  else
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, null);
  end if;
  select w.* into v_worker from public.agent_workers w where w.id = v_worker.id;
  v_quota_reason := private.quota_reason(v_user_id, v_worker.last_quota_pct);
  return json_build_object('worker', private.worker_json(v_worker), 'may_claim', v_quota_reason is null,
    'reason', case when v_quota_reason is not null then json_build_object('code', 'quota', 'message', v_quota_reason) end);
end;
$$;

grant execute on function private.worker_heartbeat(text, text, text, integer, boolean) to authenticated;

create function public.worker_heartbeat(
  p_worker text, p_hostname text default null, p_version text default null, p_quota_pct integer default null,
  p_stopped boolean default false)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.worker_heartbeat(p_worker, p_hostname, p_version, p_quota_pct, p_stopped);
end;
$$;

comment on function public.worker_heartbeat(text, text, text, integer, boolean) is
  'Presence and quota of a worker (specification: Agent worker).';

grant execute on function public.worker_heartbeat(text, text, text, integer, boolean) to authenticated;

-- Why: a worker that starts again says so, and everything that its earlier life still held is closed in one call instead of
-- waiting for leases: back to the queue with a retry, or failed after three. Products are locked in one order, the worker's
-- row last. Answers the jobs that were taken back. Definer: jobs are written by functions only.
create function private.restart_worker(p_worker text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers := private.ensure_worker(v_user_id, p_worker);
  v_product_id uuid;
  v_job public.agent_jobs;
  v_closed jsonb := '[]';
  v_status public.agent_job_status;
begin
  for v_product_id in
    select distinct j.product_id from public.agent_jobs j
    where j.worker_id = v_worker.id and j.status in ('CLAIMED', 'RUNNING') order by 1
  loop
    perform private.lock_product(v_product_id);
  end loop;

  for v_job in
    select j.* from public.agent_jobs j
    where j.worker_id = v_worker.id and j.status in ('CLAIMED', 'RUNNING') order by j.claimed_at, j.id for update
  loop
    v_status := private.requeue_lost_job(v_job, format('Worker %s restarted during attempt %s.', v_worker.name, v_job.attempt));
    if v_status is not null then
      v_closed := v_closed || jsonb_build_object('id', v_job.id, 'attempt', v_job.attempt, 'status', lower(v_status::text));
    end if;
  end loop;

  perform private.touch_worker(v_worker.id, null, null, null, null);
  return json_build_object('worker_id', v_worker.id, 'closed', v_closed);
end;
$$;

grant execute on function private.restart_worker(text) to authenticated;

create function public.restart_worker(p_worker text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.restart_worker(p_worker);
end;
$$;

comment on function public.restart_worker(text) is
  'Closes the attempts of a worker that restarted (specification: Agent job; lease lost).';

grant execute on function public.restart_worker(text) to authenticated;

-- Why: a single queued job can be cancelled (specification: Starting a sprint run 4). What is at work is stopped by
-- cancelling its run; a chat, which has none, may be cancelled at any time before its end. Cancelling twice is fine.
-- Refusals: 404, 403, 409. Definer: jobs are written by functions only.
create function private.cancel_agent_job(p_job_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  if v_job.status = 'CANCELLED' then
    return private.job_json(v_job);
  end if;
  if v_job.status in ('CLAIMED', 'RUNNING') and v_job.kind <> 'PLAN_CHAT' then
    perform private.refuse(409, 'This job is held by a worker. Cancel or pause its run to stop it.');
  end if;
  if v_job.status not in ('QUEUED', 'CLAIMED', 'RUNNING') then
    perform private.refuse(409, format('Only a queued job can be cancelled; this one is %s.', lower(v_job.status::text)));
  end if;

  perform private.close_question(v_job.parked_question_id);
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = 'The job was cancelled.'
  where j.id = p_job_id;
  perform private.release_worker(v_job.worker_id, v_job.id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return private.job_json(v_job);
end;
$$;

grant execute on function private.cancel_agent_job(uuid) to authenticated;

create function public.cancel_agent_job(p_job_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.cancel_agent_job(p_job_id);
end;
$$;

comment on function public.cancel_agent_job(uuid) is 'QUEUED to CANCELLED (specification: Starting a sprint run 4).';

grant execute on function public.cancel_agent_job(uuid) to authenticated;

-- Why: single per-task jobs outside a sprint run are no longer possible (specification: Starting a sprint run 3). The name
-- stays, so that who still calls it is told where to go. Refusals: 404, 403, then always 409.
create function public.create_agent_job(p_task_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_access('task', p_task_id);
  perform private.refuse(409,
    'Single jobs can no longer be created. Start a sprint run instead: it creates the jobs of all its tasks (start_sprint_run).');
  return null;
end;
$$;

comment on function public.create_agent_job(uuid) is
  'Always refused with the way to sprint runs (specification: Starting a sprint run 3).';

grant execute on function public.create_agent_job(uuid) to authenticated;

-- Why: one job for its page, with the questions that it asked. Definer: access is checked first.
create function private.get_agent_job(p_job_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_job(p_job_id);
  return (
    select private.job_json(j) || jsonb_build_object('questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = j.id))
    from public.agent_jobs j where j.id = p_job_id);
end;
$$;

grant execute on function private.get_agent_job(uuid) to authenticated;

create function public.get_agent_job(p_job_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_agent_job(p_job_id);
end;
$$;

comment on function public.get_agent_job(uuid) is 'One agent job (specification: Agent job).';

grant execute on function public.get_agent_job(uuid) to authenticated;

-- Why: the queue of all products in reach, or of one product or run, newest first, a page at a time. p_state is one status,
-- or `unfinished`. The cursor is the id of the last job seen. Definer: reach is part of the query.
create function private.list_agent_jobs(
  p_product_id uuid, p_sprint_run_id uuid, p_state text, p_limit integer, p_cursor uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state,
    array['QUEUED', 'CLAIMED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED', 'UNFINISHED']);
  v_jobs jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.job_json(j) order by j.created_at desc, j.position, j.id), '[]'), count(*),
    (array_agg(j.id order by j.created_at, j.position desc, j.id desc))[1]
  into v_jobs, v_count, v_last
  from (
    select x.*
    from public.agent_jobs x
    where x.product_id in (select m.product_id from public.product_members m where m.user_id = auth.uid())
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_sprint_run_id is null or x.sprint_run_id = p_sprint_run_id)
      and (v_state is null or x.status::text = v_state
        or (v_state = 'UNFINISHED' and x.status in ('QUEUED', 'CLAIMED', 'RUNNING')))
      and (p_cursor is null or exists (
        select from public.agent_jobs c
        where c.id = p_cursor
          and (x.created_at < c.created_at or (x.created_at = c.created_at and (x.position, x.id) > (c.position, c.id)))))
    order by x.created_at desc, x.position, x.id
    limit v_limit
  ) j;
  return json_build_object('jobs', v_jobs, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

grant execute on function private.list_agent_jobs(uuid, uuid, text, integer, uuid) to authenticated;

create function public.list_agent_jobs(
  p_product_id uuid default null, p_sprint_run_id uuid default null, p_state text default null,
  p_limit integer default 50, p_cursor uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_agent_jobs(p_product_id, p_sprint_run_id, p_state, p_limit, p_cursor);
end;
$$;

comment on function public.list_agent_jobs(uuid, uuid, text, integer, uuid) is
  'Agent jobs in reach, newest first (specification: Agent job).';

grant execute on function public.list_agent_jobs(uuid, uuid, text, integer, uuid) to authenticated;

-- Why: who works on the products in reach: the workers of every user who reaches one of them, seen in the last week.
-- Definer: other users' presence is visible only where a product is shared.
create function private.list_agent_workers(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  return json_build_object('workers', (
    select coalesce(jsonb_agg(private.worker_json(w) || jsonb_build_object('current_job', (
        select private.job_json(j) from public.agent_jobs j
        where j.id = w.current_job_id and j.product_id in (
          select mine.product_id from public.product_members mine where mine.user_id = auth.uid())))
      order by w.last_seen_at desc, w.id), '[]')
    from public.agent_workers w
    where w.last_seen_at > private.now() - interval '7 days'
      and (p_product_id is not null or w.user_id = auth.uid() or exists (
        select from public.product_members mine
        join public.product_members theirs on theirs.product_id = mine.product_id
        where mine.user_id = auth.uid() and theirs.user_id = w.user_id))
      and (p_product_id is null or exists (
        select from public.product_members m where m.product_id = p_product_id and m.user_id = w.user_id))));
end;
$$;

grant execute on function private.list_agent_workers(uuid) to authenticated;

create function public.list_agent_workers(p_product_id uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_agent_workers(p_product_id);
end;
$$;

comment on function public.list_agent_workers(uuid) is 'Workers that reach the products in reach (specification: Agent worker).';

grant execute on function public.list_agent_workers(uuid) to authenticated;

-- Why: what the solo stream says first: the active sprint, the product's unfinished jobs, and how many workers that reach it
-- are online. Job statuses in database form (specification: Solo stream). Definer: access is checked first.
create function private.get_solo_state(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object(
    'sprint_id', (select s.id from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE'),
    'jobs', (
      select coalesce(json_agg(json_build_object('id', j.id, 'task_id', j.task_id, 'kind', j.kind, 'status', j.status,
        'sprint_run_id', j.sprint_run_id) order by j.created_at, j.position, j.id), '[]')
      from public.agent_jobs j
      where j.product_id = p_product_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')),
    'workers', json_build_object('count', (
      select count(*)
      from public.agent_workers w
      join public.product_members m on m.user_id = w.user_id and m.product_id = p_product_id
      where w.stopped_at is null and w.last_seen_at > private.now() - interval '2 minutes')));
end;
$$;

grant execute on function private.get_solo_state(uuid) to authenticated;

create function public.get_solo_state(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_solo_state(p_product_id);
end;
$$;

comment on function public.get_solo_state(uuid) is 'Active sprint, unfinished jobs and worker count (specification: Solo stream).';

grant execute on function public.get_solo_state(uuid) to authenticated;

-- Why: a task moves by its job. Without one, the question is why there is none: no run of its sprint, no sprint, or done.
create function private.task_reasons(p_task_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task public.tasks;
  v_run public.sprint_runs := private.active_run_of_task(p_task_id);
  v_job public.agent_jobs;
  v_sprint record;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  if v_task.status = 'DONE' then
    return jsonb_build_array(jsonb_build_object('code', 'finished', 'message', 'The task is done.'));
  end if;
  if v_task.status = 'REVIEW' then
    return jsonb_build_array(jsonb_build_object('code', 'review', 'message', 'The task waits for a person to review it.'));
  end if;
  if v_run.id is not null then
    select j.* into v_job from public.agent_jobs j
    where j.sprint_run_id = v_run.id and (j.task_id = p_task_id or j.kind = 'SPRINT_IMPLEMENTATION')
    order by (j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) desc, j.created_at desc
    limit 1;
    return private.job_reasons(v_job);
  end if;

  select j.* into v_job from public.agent_jobs j where j.task_id = p_task_id order by j.created_at desc, j.id limit 1;
  if v_task.status = 'FAILED' then
    return jsonb_build_array(jsonb_build_object('code', 'failed',
      'message', format('The task failed%s Resume the sprint to try it again.', coalesce(': ' || v_job.failure_reason, '.')), 'job_id', v_job.id));
  end if;
  select s.id, s.code, s.status into v_sprint
  from public.stories st join public.sprints s on s.id = st.sprint_id where st.id = v_task.story_id;
  if v_sprint.id is null then
    return jsonb_build_array(jsonb_build_object('code', 'no_sprint', 'message', 'The story of this task is in no sprint.'));
  end if;
  return jsonb_build_array(jsonb_build_object('code', 'no_run', 'sprint_id', v_sprint.id,
    'message', format('No run of sprint %s (%s) is under way. Start one.', v_sprint.code, lower(v_sprint.status::text))));
end;
$$;

comment on function private.task_reasons(uuid) is 'Why a task does not move (specification: Task; Agent job).';

-- Why: all that keeps one job from moving, each as a code, a sentence and what a page needs for a link. A held job answers
-- with its lease: held by whom until when. The codes: finished, budget, lease, paused, question, not_before, order, blocked,
-- archived, no_worker, quota, ready.
create function private.job_reasons(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_reasons jsonb := '[]';
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
  v_worker record;
  v_pbi record;
begin
  if p_job.status in ('DONE', 'SKIPPED', 'CANCELLED', 'FAILED') then
    return jsonb_build_array(jsonb_build_object(
      'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
        then 'budget' else 'finished' end,
      'message', format('The job is %s%s', lower(p_job.status::text), coalesce(': ' || p_job.failure_reason, '.')),
      'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        to_char(p_job.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), p_job.attempt,
        case when p_job.lease_until <= v_now then '; the lease has run out and the job is taken back within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.status = 'PAUSED' then
    v_reasons := v_reasons || jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can go on.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id);
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
  if v_question.status = 'OPEN' and not (v_question.on_expiry = 'RECOMMENDED' and v_question.expires_at <= v_now) then
    v_reasons := v_reasons || jsonb_build_object('code', 'question',
      'message', format(case when v_question.expires_at <= v_now then 'The question that it waits for was not answered in time: %s'
        else 'It waits for the answer to a question: %s' end, left(v_question.question, 300)),
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at);
  end if;
  if p_job.not_before > v_now then
    v_reasons := v_reasons || jsonb_build_object('code', 'not_before',
      'message', format('A rate limit holds it back until %s.', to_char(p_job.not_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      'not_before', p_job.not_before);
  end if;
  if not p_job.in_turn then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.position limit 1;
    v_reasons := v_reasons || jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id);
  end if;
  select b.id, b.code into v_pbi
  from public.tasks t join public.stories s on s.id = t.story_id join public.pbis b on b.id = s.pbi_id
  where t.id = p_job.task_id and b.status = 'BLOCKED';
  if found then
    v_reasons := v_reasons || jsonb_build_object('code', 'blocked', 'blocking', false,
      'message', format('PBI %s was blocked after the run began; the job is still given out.', v_pbi.code), 'pbi_id', v_pbi.id);
  end if;
  if exists (select from public.products p where p.id = p_job.product_id and p.archived_at is not null) then
    v_reasons := v_reasons || jsonb_build_object('code', 'archived', 'message', 'The product is archived.');
  end if;
  v_reasons := v_reasons || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    v_reasons := jsonb_build_array(jsonb_build_object('code', 'ready', 'message', 'Ready: the next free worker takes it.'));
  end if;
  return v_reasons;
end;
$$;

comment on function private.job_reasons(public.agent_jobs) is 'Why a job does not move, in codes and words (specification: Agent job).';

-- Why: a claimable job still waits when nobody is there to take it: no worker online that reaches it, or all under their quota.
create function private.worker_reasons(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_online integer;
  v_with_quota integer;
begin
  select count(*), count(*) filter (where w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)
  into v_online, v_with_quota
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id
  where w.stopped_at is null and w.last_seen_at > private.now() - interval '2 minutes'
    and (p_job.kind <> 'PLAN_CHAT' or w.user_id = p_job.created_by);

  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one with: npm run worker -- --url <address> --token <token> --repo <folder> --exec "<command>"'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want kept (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  return '[]';
end;
$$;

comment on function private.worker_reasons(public.agent_jobs) is 'no_worker and quota (specification: Agent worker; User, min_quota_pct).';

-- Why: a run moves when one of its jobs is held or claimable. Else: the reasons of the jobs that are next in their lanes,
-- each code once.
create function private.run_reasons(p_run public.sprint_runs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_run.status in ('DONE', 'FAILED', 'CANCELLED') then
    return jsonb_build_array(jsonb_build_object('code', 'finished',
      'message', format('The run is %s%s', lower(p_run.status::text), coalesce(': ' || (p_run.failure ->> 'reason'), '.')),
      'failure', p_run.failure, 'finished_at', p_run.finished_at));
  end if;
  return (
    select coalesce(jsonb_agg(x.reason order by x.place), '[]')
    from (
      select distinct on (r.reason ->> 'code') r.reason || jsonb_build_object('job_id', coalesce(r.reason -> 'job_id', to_jsonb(j.id))) as reason,
        j.position as place
      from (
        select * from public.agent_jobs a
        where a.sprint_run_id = p_run.id and a.in_turn and a.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by a.position limit 50
      ) j
      cross join lateral jsonb_array_elements(private.job_reasons(j)) as r (reason)
      order by r.reason ->> 'code', j.position
    ) x
  );
end;
$$;

comment on function private.run_reasons(public.sprint_runs) is 'Why a run does not move (specification: Sprint run).';

-- Why: "why is this not moving?" answered for a job, a task or a run, in codes and words; the same on the board, in tool
-- results and in a worker's log. `moving` is true while somebody holds the work.
-- Refusals: 404, 403, 422. Definer: access is checked first.
create function private.why_not_moving(p_kind text, p_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_kind text := lower(private.require_choice('kind', p_kind, array['JOB', 'TASK', 'RUN']));
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_status text;
  v_reasons jsonb;
begin
  if v_kind = 'job' then
    perform private.require_job(p_id);
    select j.* into v_job from public.agent_jobs j where j.id = p_id;
    v_status := lower(v_job.status::text);
    v_reasons := private.job_reasons(v_job);
  elsif v_kind = 'run' then
    perform private.require_run(p_id);
    select r.* into v_run from public.sprint_runs r where r.id = p_id;
    v_status := lower(v_run.status::text);
    v_reasons := private.run_reasons(v_run);
  else
    perform private.require_access('task', p_id);
    select private.task_status_word(t.status) into v_status from public.tasks t where t.id = p_id;
    v_reasons := private.task_reasons(p_id);
  end if;
  return json_build_object('kind', v_kind, 'id', p_id, 'status', v_status,
    'moving', exists (select from jsonb_array_elements(v_reasons) r where r ->> 'code' = 'lease'),
    'reasons', v_reasons,
    'text', (select string_agg(r ->> 'message', ' ') from jsonb_array_elements(v_reasons) r));
end;
$$;

grant execute on function private.why_not_moving(text, uuid) to authenticated;

create function public.why_not_moving(p_kind text, p_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.why_not_moving(p_kind, p_id);
end;
$$;

comment on function public.why_not_moving(text, uuid) is
  'Why a job, task or run does not move, in codes and words (specification: Agent job; Sprint run).';

grant execute on function public.why_not_moving(text, uuid) to authenticated;

-- Why: leases that ran out are taken back within seconds even when nobody claims. Any number of processes may call it at
-- once. Products are locked in one order. Answers how many leases were taken back. Service only.
-- Definer: jobs are written by functions only.
create function private.sweep_expired_leases()
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[];
  v_product_id uuid;
  v_count integer := 0;
begin
  select coalesce(array_agg(x.product_id order by x.product_id), '{}') into v_products
  from (
    select distinct j.product_id from public.agent_jobs j
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
  ) x;
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    v_count := v_count + private.requeue_expired_leases(v_product_id);
  end loop;
  return json_build_object('taken_back', v_count, 'ran_at', v_now);
end;
$$;

grant execute on function private.sweep_expired_leases() to service_role;

create function public.sweep_expired_leases()
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.sweep_expired_leases();
end;
$$;

comment on function public.sweep_expired_leases() is
  'Takes expired leases back (specification: Agent job, lease_until). Service only.';

grant execute on function public.sweep_expired_leases() to service_role;

-- Why: the scheduled clean-up: jobs that failed or were cancelled are hard-deleted when they finished more than 7 days ago;
-- no other job ever is (specification: Scheduled endpoints). Parallel calls skip what another one deletes, so that the counts
-- add up. Service only.
-- Definer: jobs are written by functions only.
create function private.cleanup_agent_artifacts()
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_deleted integer;
begin
  delete from public.agent_jobs j
  where j.id in (
    select d.id from public.agent_jobs d
    where d.status in ('FAILED', 'CANCELLED') and d.finished_at < v_now - interval '7 days'
    order by d.id
    for update skip locked
  );
  get diagnostics v_deleted = row_count;
  return json_build_object('deleted', v_deleted, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;

grant execute on function private.cleanup_agent_artifacts() to service_role;

create function public.cleanup_agent_artifacts()
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.cleanup_agent_artifacts();
end;
$$;

comment on function public.cleanup_agent_artifacts() is
  'Deletes FAILED and CANCELLED jobs after 7 days (specification: Scheduled endpoints). Service only.';

grant execute on function public.cleanup_agent_artifacts() to service_role;

-- Why: what a question may be made of, said in words: text, at most 8 options with a label each, a recommended one among
-- them, an expiry from 1 minute to 30 days, a policy that can be carried out. Answers the options in one shape.
create function private.check_question(
  p_question text, p_options jsonb, p_recommended_option integer, p_expires_in_seconds integer,
  p_on_expiry text, p_escalate_to uuid, p_product_id uuid)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_options jsonb;
begin
  if coalesce(char_length(p_question), 0) not between 1 and 4000 or p_question !~ '\S' then
    perform private.refuse(422, 'question takes 1 to 4000 characters.');
  end if;
  if jsonb_typeof(coalesce(p_options, '[]')) <> 'array' or jsonb_array_length(coalesce(p_options, '[]')) > 8 then
    perform private.refuse(422, 'options must be a list of at most 8, each { label, description? }.');
  end if;
  select coalesce(jsonb_agg(case jsonb_typeof(o.value)
      when 'string' then jsonb_build_object('label', o.value)
      else jsonb_strip_nulls(jsonb_build_object('label', o.value -> 'label', 'description', o.value -> 'description')) end
    order by o.ordinality), '[]')
  into v_options
  from jsonb_array_elements(coalesce(p_options, '[]')) with ordinality o;
  if exists (
    select from jsonb_array_elements(v_options) o
    where coalesce(char_length(o ->> 'label'), 0) not between 1 and 200 or coalesce(char_length(o ->> 'description'), 0) > 1000
  ) then
    perform private.refuse(422, 'Each option needs a label of 1 to 200 characters; its description takes at most 1000.');
  end if;
  if p_recommended_option not between 0 and jsonb_array_length(v_options) - 1 then
    perform private.refuse(422, 'recommended_option is the index of an option, from 0.');
  end if;
  if p_expires_in_seconds not between 60 and 2592000 then
    perform private.refuse(422, 'A question expires after 1 minute at the earliest and 30 days at the latest (expires_in_seconds 60 to 2592000).');
  end if;
  if p_on_expiry = 'RECOMMENDED' and p_recommended_option is null then
    perform private.refuse(422, 'on_expiry RECOMMENDED needs a recommended_option.');
  end if;
  if (p_on_expiry = 'ESCALATE') <> (p_escalate_to is not null) then
    perform private.refuse(422, 'on_expiry ESCALATE and escalate_to belong together.');
  end if;
  if p_escalate_to is not null and not exists (
    select from public.product_members m where m.product_id = p_product_id and m.user_id = p_escalate_to
  ) then
    perform private.refuse(422, 'escalate_to must be a member of the product.');
  end if;
  return v_options;
end;
$$;

comment on function private.check_question(text, jsonb, integer, integer, text, uuid, uuid) is
  'Refuses what a question can not be (specification: Agent question).';

-- Why: a question is bound to exactly one of story and idea; one about a task is bound to the task's story. Answers the story;
-- refuses both, neither, and what does not belong together. Access is checked on the way: 404, then 403.
create function private.question_target(
  p_story_id uuid, p_idea_id uuid, p_task_id uuid, out p_story uuid, out p_product uuid)
language plpgsql
volatile
set search_path = ''
as $$
begin
  p_story := p_story_id;
  if p_task_id is not null then
    perform private.require_access('task', p_task_id);
    p_story := coalesce(p_story_id, (select t.story_id from public.tasks t where t.id = p_task_id));
  end if;
  if num_nonnulls(p_story, p_idea_id) <> 1 then
    perform private.refuse(422, 'A question is bound to exactly one of story_id and idea_id (a task_id stands for its story).');
  end if;
  if p_idea_id is not null then
    p_product := private.require_own_idea(p_idea_id);
    perform private.require_product_access(p_product);
    return;
  end if;
  p_product := private.require_access('story', p_story);
  if p_task_id is not null and not exists (select from public.tasks t where t.id = p_task_id and t.story_id = p_story) then
    perform private.refuse(422, 'The task does not belong to the story.');
  end if;
end;
$$;

comment on function private.question_target(uuid, uuid, uuid) is 'Story or idea of a question, and its product (specification: Agent question).';

-- Why: a job that waits for a person frees its worker: back to the queue, not claimable while the question is open, and first
-- once it is answered. No retry is counted. Called under the product lock.
create function private.park_job(p_job public.agent_jobs, p_question_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.agent_jobs j
  set status = 'QUEUED', parked_question_id = p_question_id, failure_class = null, failure_reason = null,
      earlier_usage = private.usage_so_far(j)
  where j.id = p_job.id;
  perform private.release_worker(p_job.worker_id, p_job.id);
end;
$$;

comment on function private.park_job(public.agent_jobs, uuid) is 'A job waits for an answer without a worker (specification: Agent job; Agent question).';

-- Why: an agent asks a person. With job and attempt the question is linked to its job; with p_park the job waits for the
-- answer without a worker. Refusals: 404, 403, 429, 409 for a lost attempt, 422.
-- Definer: questions are written by functions only.
create function private.ask_question(
  p_question text, p_story_id uuid, p_idea_id uuid, p_task_id uuid, p_options jsonb, p_recommended_option integer,
  p_assignee_id uuid, p_expires_in_seconds integer, p_on_expiry text, p_escalate_to uuid,
  p_park boolean, p_job_id uuid, p_attempt integer)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_target record;
  v_on_expiry text := coalesce(private.require_choice('on_expiry', p_on_expiry, array['STOP', 'RECOMMENDED', 'ESCALATE']), 'STOP');
  v_options jsonb;
  v_job public.agent_jobs;
  v_question public.agent_questions;
begin
  v_target := private.question_target(p_story_id, p_idea_id, p_task_id);
  perform private.lock_product(v_target.p_product);
  perform private.require_product_write(v_target.p_product);
  perform private.take_rate_limit('question', auth.uid()::text);
  v_options := private.check_question(p_question, p_options, p_recommended_option, p_expires_in_seconds, v_on_expiry,
    p_escalate_to, v_target.p_product);
  if p_assignee_id is not null and not exists (
    select from public.product_members m where m.product_id = v_target.p_product and m.user_id = p_assignee_id
  ) then
    perform private.refuse(422, 'assignee_id must be a member of the product.');
  end if;
  if p_park and p_job_id is null then
    perform private.refuse(422, 'park needs the job_id and attempt that wait for the answer.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.product_id <> v_target.p_product then
      perform private.refuse(422, 'The job belongs to another product than the question.');
    end if;
  end if;

  insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
    question, options, recommended_option, expires_at, on_expiry, escalate_to, park)
  values (v_target.p_product, v_target.p_story, p_idea_id, p_task_id, p_assignee_id, v_job.id, v_job.sprint_run_id, auth.uid(),
    p_question, v_options, p_recommended_option,
    private.now() + make_interval(secs => coalesce(p_expires_in_seconds, 604800)),
    v_on_expiry::public.question_expiry, p_escalate_to, coalesce(p_park, false))
  returning * into v_question;
  if v_question.park then
    perform private.park_job(v_job, v_question.id);
  end if;
  return private.question_json(v_question);
end;
$$;

grant execute on function private.ask_question(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid,
  boolean, uuid, integer) to authenticated;

create function public.ask_question(
  p_question text, p_story_id uuid default null, p_idea_id uuid default null, p_task_id uuid default null,
  p_options jsonb default null, p_recommended_option integer default null, p_assignee_id uuid default null,
  p_expires_in_seconds integer default null, p_on_expiry text default null, p_escalate_to uuid default null,
  p_park boolean default false, p_job_id uuid default null, p_attempt integer default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.ask_question(p_question, p_story_id, p_idea_id, p_task_id, p_options, p_recommended_option, p_assignee_id,
    p_expires_in_seconds, p_on_expiry, p_escalate_to, p_park, p_job_id, p_attempt);
end;
$$;

comment on function public.ask_question(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid, boolean, uuid, integer) is
  '(none) to open: an agent asks a user (specification: Agent question).';

grant execute on function public.ask_question(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid,
  boolean, uuid, integer) to authenticated;

-- Why: the first line of every change of a question: 404, 403, the product lock, demo and archive, then the row as it is now.
create function private.lock_question(p_question_id uuid)
returns public.agent_questions
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_question_id;
  if not found then
    perform private.refuse(404, 'No such question.');
  end if;
  perform private.require_product_access(v_question.product_id);
  perform private.lock_product(v_question.product_id);
  perform private.require_product_write(v_question.product_id);
  select q.* into v_question from public.agent_questions q where q.id = p_question_id for update;
  if not found then
    perform private.refuse(404, 'No such question.');
  end if;
  return v_question;
end;
$$;

comment on function private.lock_question(uuid) is 'A question under the product lock, for a change (specification: Agent question).';

-- Why: a job that waited for a question comes first once the question is no longer open.
create function private.unpark_job(p_question public.agent_questions)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.agent_jobs j
  set claim_rank = 0
  where j.parked_question_id = p_question.id and j.status = 'QUEUED';
end;
$$;

comment on function private.unpark_job(public.agent_questions) is 'A parked job comes first once it is answered (specification: Agent job).';

-- Why: a person answers with an option, free text, or both; of many answers at once one wins. A job that waited is claimable
-- again and comes first. Refusals: 404, 403, 429, 409 when it is not open any more, 422.
-- Definer: questions are written by functions only.
create function private.answer_question(p_question_id uuid, p_answer text, p_option integer)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_question public.agent_questions := private.lock_question(p_question_id);
  v_status public.agent_question_status := private.question_status(v_question);
  v_answer text;
begin
  perform private.take_rate_limit('answer', auth.uid()::text);
  if p_option not between 0 and jsonb_array_length(v_question.options) - 1 then
    perform private.refuse(422, 'option is the index of one of the options, from 0.');
  end if;
  v_answer := concat_ws(': ', v_question.options -> p_option ->> 'label', nullif(btrim(p_answer), ''));
  if v_answer = '' or char_length(v_answer) > 4000 then
    perform private.refuse(422, 'Answer with an option, a text of at most 4000 characters, or both.');
  end if;
  if v_status <> 'OPEN' then
    perform private.refuse(409, case v_status
      when 'ANSWERED' then format('This question was already answered by %s.', coalesce(private.username(v_question.answered_by), 'somebody'))
      when 'CANCELLED' then 'This question was cancelled; the agent does not wait for it any more.'
      else 'This question has expired.' end);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answer = v_answer, answered_by = auth.uid(), answered_at = private.now()
  where q.id = p_question_id
  returning q.* into v_question;
  perform private.unpark_job(v_question);
  return private.question_json(v_question);
end;
$$;

grant execute on function private.answer_question(uuid, text, integer) to authenticated;

create function public.answer_question(p_question_id uuid, p_answer text default null, p_option integer default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.answer_question(p_question_id, p_answer, p_option);
end;
$$;

comment on function public.answer_question(uuid, text, integer) is 'open to answered (specification: Agent question).';

grant execute on function public.answer_question(uuid, text, integer) to authenticated;

-- Why: an agent does not need the answer any more. Cancelling twice is fine. A job that waited goes on without it.
-- Refusals: 404, 403, 409 when it was answered or has expired. Definer: questions are written by functions only.
create function private.cancel_question(p_question_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_question public.agent_questions := private.lock_question(p_question_id);
  v_status public.agent_question_status := private.question_status(v_question);
begin
  if v_status = 'CANCELLED' then
    return private.question_json(v_question);
  end if;
  if v_status <> 'OPEN' then
    perform private.refuse(409, format('Only an open question can be cancelled; this one is %s.', lower(v_status::text)));
  end if;
  update public.agent_questions q set status = 'CANCELLED' where q.id = p_question_id returning q.* into v_question;
  perform private.unpark_job(v_question);
  return private.question_json(v_question);
end;
$$;

grant execute on function private.cancel_question(uuid) to authenticated;

create function public.cancel_question(p_question_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.cancel_question(p_question_id);
end;
$$;

comment on function public.cancel_question(uuid) is 'open to cancelled (specification: Agent question).';

grant execute on function public.cancel_question(uuid) to authenticated;

-- Why: the agent comes back for the answer, the page shows one question. Definer: access is checked first.
create function private.get_question(p_question_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_question_id;
  if not found then
    perform private.refuse(404, 'No such question.');
  end if;
  perform private.require_product_access(v_question.product_id);
  return private.question_json(v_question);
end;
$$;

grant execute on function private.get_question(uuid) to authenticated;

create function public.get_question(p_question_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_question(p_question_id);
end;
$$;

comment on function public.get_question(uuid) is 'One agent question with its answer (specification: Agent question).';

grant execute on function public.get_question(uuid) to authenticated;

-- Why: the inbox: questions of all products in reach, or of one, by state, newest first, a page at a time. Past its expiry an
-- open question is listed as expired. The cursor is the id of the last question seen. Definer: reach is part of the query.
create function private.list_questions(p_product_id uuid, p_state text, p_job_id uuid, p_limit integer, p_cursor uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state, array['OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED']);
  v_questions jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.question_json(q) order by q.created_at desc, q.id desc), '[]'), count(*),
    (array_agg(q.id order by q.created_at, q.id))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.agent_questions x
    where x.product_id in (select m.product_id from public.product_members m where m.user_id = auth.uid())
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_job_id is null or x.job_id = p_job_id)
      and (v_state is null or v_state = case when x.status = 'OPEN' and x.expires_at <= v_now then 'EXPIRED' else x.status::text end)
      and (p_cursor is null or (x.created_at, x.id) < (select c.created_at, c.id from public.agent_questions c where c.id = p_cursor))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) q;
  return json_build_object('questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

grant execute on function private.list_questions(uuid, text, uuid, integer, uuid) to authenticated;

create function public.list_questions(
  p_product_id uuid default null, p_state text default null, p_job_id uuid default null,
  p_limit integer default 50, p_cursor uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_questions(p_product_id, p_state, p_job_id, p_limit, p_cursor);
end;
$$;

comment on function public.list_questions(uuid, text, uuid, integer, uuid) is 'Agent questions in reach by state (specification: Agent question).';

grant execute on function public.list_questions(uuid, text, uuid, integer, uuid) to authenticated;

-- Why: what the notifications stream says first: the open questions of every product in reach, with all fields
-- (specification: Notifications stream). Definer: reach is part of the query.
create function private.get_notifications_state()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object('questions', (
    select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now
      and q.product_id in (
        select m.product_id from public.product_members m
        join public.products p on p.id = m.product_id and p.archived_at is null
        where m.user_id = auth.uid())));
end;
$$;

grant execute on function private.get_notifications_state() to authenticated;

create function public.get_notifications_state()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_notifications_state();
end;
$$;

comment on function public.get_notifications_state() is 'Open questions of the products in reach (specification: Notifications stream).';

grant execute on function public.get_notifications_state() to authenticated;

-- Why: what follows when nobody answered in time, never a silent yes. STOP: the job that waits does not go on by itself; its
-- run is paused for a person, or, without a run, the job fails. RECOMMENDED: the job goes on, told that the option was taken
-- by policy. ESCALATE: the question is asked again, to the member named for it, with a week of time and STOP after that.
-- Called under the product lock for a question that was just written down as expired.
create function private.carry_out_expiry(p_question public.agent_questions)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_next_id uuid;
begin
  select j.* into v_job from public.agent_jobs j where j.parked_question_id = p_question.id and j.status = 'QUEUED';

  if p_question.on_expiry = 'ESCALATE' and p_question.escalate_to is not null and (v_job.id is not null or not p_question.park) then
    insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
      question, options, recommended_option, expires_at, park)
    values (p_question.product_id, p_question.story_id, p_question.idea_id, p_question.task_id, p_question.escalate_to,
      p_question.job_id, p_question.sprint_run_id, p_question.asked_by, p_question.question, p_question.options,
      p_question.recommended_option, private.now() + interval '7 days', p_question.park)
    returning id into v_next_id;
    update public.agent_jobs j set parked_question_id = v_next_id where j.id = v_job.id;
    return;
  end if;
  if v_job.id is null then
    return;
  end if;
  if p_question.on_expiry = 'RECOMMENDED' then
    perform private.unpark_job(p_question);
    return;
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status in ('QUEUED', 'RUNNING');
  if v_run.id is not null then
    perform private.pause_run(v_run, 'question_expired', null, null, v_job.id);
  elsif v_job.sprint_run_id is null then
    update public.agent_jobs j
    set status = 'FAILED', failure_class = 'agent_error', failure_reason = 'Its question was not answered in time.'
    where j.id = v_job.id;
  end if;
end;
$$;

comment on function private.carry_out_expiry(public.agent_questions) is
  'STOP, RECOMMENDED or ESCALATE after an expiry (specification: Agent question).';

-- Why: open questions past their expiry become expired, and their policy is carried out, product by product under the lock.
-- With p_only_waiting only those on which work waits or whose policy acts, which must not wait for the daily schedule.
-- Each question is counted by exactly one of any number of parallel calls. Answers the count.
create function private.write_down_expired(p_only_waiting boolean)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[];
  v_product_id uuid;
  v_question public.agent_questions;
  v_count integer := 0;
begin
  select coalesce(array_agg(x.product_id order by x.product_id), '{}') into v_products
  from (
    select distinct q.product_id from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at <= v_now and (not p_only_waiting or q.park or q.on_expiry <> 'STOP')
  ) x;
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;

  for v_question in
    update public.agent_questions q
    set status = 'EXPIRED'
    where q.product_id = any (v_products) and q.status = 'OPEN' and q.expires_at <= v_now
      and (not p_only_waiting or q.park or q.on_expiry <> 'STOP')
    returning q.*
  loop
    v_count := v_count + 1;
    perform private.carry_out_expiry(v_question);
  end loop;
  return v_count;
end;
$$;

comment on function private.write_down_expired(boolean) is 'open to expired, with its policy (specification: Agent question).';

-- Why: the scheduled expiry: open questions past their expiry become expired, pending pairings past theirs cancelled. It can
-- be called at any time, by any number of processes at once; the counts add up (specification: Scheduled endpoints).
-- Service only. Definer: questions and pairings are written by functions only.
create function private.expire_questions()
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_questions integer;
  v_pairings integer;
begin
  update public.login_pairings l
  set status = 'CANCELLED'
  where l.id in (
    select d.id from public.login_pairings d
    where d.status = 'PENDING' and d.expires_at <= v_now
    order by d.id
    for update skip locked
  );
  get diagnostics v_pairings = row_count;
  v_questions := private.write_down_expired(false);
  return json_build_object('expired_questions', v_questions, 'expired_pairings', v_pairings, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;

grant execute on function private.expire_questions() to service_role;

create function public.expire_questions()
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.expire_questions();
end;
$$;

comment on function public.expire_questions() is
  'open to expired for questions, pending to cancelled for pairings (specification: Scheduled endpoints). Service only.';

grant execute on function public.expire_questions() to service_role;

-- Why: one shape of a user question, with where its job stands.
create function private.user_question_json(p_question public.user_questions)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return to_jsonb(p_question) || jsonb_build_object(
    'status', lower(p_question.status::text),
    'idea_code', (select i.code from public.ideas i where i.id = p_question.idea_id),
    'idea_title', (select i.title from public.ideas i where i.id = p_question.idea_id),
    'product_id', (select i.product_id from public.ideas i where i.id = p_question.idea_id),
    'job_status', (select lower(j.status::text) from public.agent_jobs j where j.id = p_question.job_id),
    'job_failure_reason', (select j.failure_reason from public.agent_jobs j where j.id = p_question.job_id));
end;
$$;

comment on function private.user_question_json(public.user_questions) is 'A user question as it is shown (specification: User question).';

-- Why: a user asks about an idea of theirs; a PLAN_CHAT job carries the question to a worker of theirs. An idea that is talked
-- about is no draft any more. Refusals: 404, 403, 429, 409 for an archived or planned idea, 422.
-- Definer: questions and jobs are written by functions only.
create function private.ask_about_idea(p_idea_id uuid, p_question text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_own_idea(p_idea_id);
  v_idea public.ideas;
  v_job_id uuid;
  v_question public.user_questions;
begin
  perform private.require_product_access(v_product_id);
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  if coalesce(char_length(p_question), 0) not between 1 and 4000 or p_question !~ '\S' then
    perform private.refuse(422, 'question takes 1 to 4000 characters.');
  end if;
  select i.* into v_idea from public.ideas i where i.id = p_idea_id for update;
  if v_idea.archived_at is not null then
    perform private.refuse(409, 'This idea is archived. Restore it to go on with it.');
  end if;

  insert into public.agent_jobs (product_id, idea_id, kind, created_by)
  values (v_product_id, p_idea_id, 'PLAN_CHAT', auth.uid())
  returning id into v_job_id;
  insert into public.user_questions (idea_id, user_id, question, job_id)
  values (p_idea_id, auth.uid(), p_question, v_job_id)
  returning * into v_question;
  update public.ideas i set status = 'DISCUSSING' where i.id = p_idea_id and i.status = 'DRAFT';
  return private.user_question_json(v_question);
end;
$$;

grant execute on function private.ask_about_idea(uuid, text) to authenticated;

create function public.ask_about_idea(p_idea_id uuid, p_question text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.ask_about_idea(p_idea_id, p_question);
end;
$$;

comment on function public.ask_about_idea(uuid, text) is 'A user question and its PLAN_CHAT job (specification: User question).';

grant execute on function public.ask_about_idea(uuid, text) to authenticated;

-- Why: the worker's answer closes the user's question, once; the same answer again is fine. Only a worker of the user who
-- asked may answer. Refusals: 404, 403, 409 when another answer is there, 422.
-- Definer: questions are written by functions only.
create function private.answer_user_question(p_user_question_id uuid, p_answer text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_question public.user_questions;
  v_product_id uuid;
begin
  select u.* into v_question from public.user_questions u where u.id = p_user_question_id;
  if not found then
    perform private.refuse(404, 'No such user question.');
  end if;
  v_product_id := private.require_own_idea(v_question.idea_id);
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  if coalesce(char_length(p_answer), 0) not between 1 and 20000 or p_answer !~ '\S' then
    perform private.refuse(422, 'answer takes 1 to 20000 characters.');
  end if;

  update public.user_questions u
  set status = 'ANSWERED', answer = p_answer, answered_at = private.now()
  where u.id = p_user_question_id and u.status = 'PENDING'
  returning u.* into v_question;
  if not found then
    select u.* into v_question from public.user_questions u where u.id = p_user_question_id;
    if v_question.answer is distinct from p_answer then
      perform private.refuse(409, 'This question was already answered.');
    end if;
  end if;
  return private.user_question_json(v_question);
end;
$$;

grant execute on function private.answer_user_question(uuid, text) to authenticated;

create function public.answer_user_question(p_user_question_id uuid, p_answer text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.answer_user_question(p_user_question_id, p_answer);
end;
$$;

comment on function public.answer_user_question(uuid, text) is 'pending to answered (specification: User question).';

grant execute on function public.answer_user_question(uuid, text) to authenticated;

-- Why: what the caller asked and no worker has answered yet, oldest first, at most 100. Definer: only the caller's own rows.
create function private.list_open_user_questions(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  return json_build_object('user_questions', (
    select coalesce(jsonb_agg(private.user_question_json(u) order by u.created_at, u.id), '[]')
    from (
      select x.* from public.user_questions x
      join public.ideas i on i.id = x.idea_id
      where x.user_id = auth.uid() and x.status = 'PENDING' and (p_product_id is null or i.product_id = p_product_id)
      order by x.created_at, x.id
      limit 100
    ) u));
end;
$$;

grant execute on function private.list_open_user_questions(uuid) to authenticated;

create function public.list_open_user_questions(p_product_id uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_open_user_questions(p_product_id);
end;
$$;

comment on function public.list_open_user_questions(uuid) is 'The caller''s pending user questions (specification: User question).';

grant execute on function public.list_open_user_questions(uuid) to authenticated;

-- Why: the page of an idea shows what its user asked and what agents asked about it, in order. Ideas belong to one user.
-- Definer: the idea's owner is checked first.
create function private.get_idea_conversation(p_idea_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_own_idea(p_idea_id);
  return json_build_object(
    'idea_id', p_idea_id,
    'user_questions', (
      select coalesce(jsonb_agg(private.user_question_json(u) order by u.created_at, u.id), '[]')
      from public.user_questions u where u.idea_id = p_idea_id),
    'agent_questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.idea_id = p_idea_id));
end;
$$;

grant execute on function private.get_idea_conversation(uuid) to authenticated;

create function public.get_idea_conversation(p_idea_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_idea_conversation(p_idea_id);
end;
$$;

comment on function public.get_idea_conversation(uuid) is 'User and agent questions about an idea (specification: Idea; User question).';

grant execute on function public.get_idea_conversation(uuid) to authenticated;

-- Why: prices are the same for everybody who is signed in. Definer: the table has no grants of its own for writing, one shape for reading.
create function private.list_model_prices()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return json_build_object('prices', (
    select coalesce(json_agg(row_to_json(m) order by m.model_id), '[]') from public.model_prices m));
end;
$$;

grant execute on function private.list_model_prices() to authenticated;

create function public.list_model_prices()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_model_prices();
end;
$$;

comment on function public.list_model_prices() is 'Prices per million tokens of all models (specification: Model price).';

grant execute on function public.list_model_prices() to authenticated;

-- Why: an administrator keeps the prices; null for all four removes the model's price. Refusals: 403, 422.
-- Definer: prices are written by functions only.
create function private.set_model_price(
  p_model_id text, p_input_per_million numeric, p_output_per_million numeric,
  p_cache_read_per_million numeric, p_cache_write_per_million numeric, p_currency text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_writer();
  v_price public.model_prices;
begin
  if not exists (select from public.users u where u.id = v_user_id and u.role = 'ADMIN') then
    perform private.refuse(403, 'Only an administrator sets prices.');
  end if;
  if coalesce(char_length(p_model_id), 0) not between 1 and 200 then
    perform private.refuse(422, 'model_id takes 1 to 200 characters.');
  end if;
  if num_nonnulls(p_input_per_million, p_output_per_million, p_cache_read_per_million, p_cache_write_per_million) = 0 then
    delete from public.model_prices m where m.model_id = p_model_id;
    return json_build_object('model_id', p_model_id, 'removed', found);
  end if;
  if least(p_input_per_million, p_output_per_million, p_cache_read_per_million, p_cache_write_per_million) < 0
    or greatest(p_input_per_million, p_output_per_million, p_cache_read_per_million, p_cache_write_per_million) > 1000000
    or coalesce(p_currency, 'USD') !~ '^[A-Z]{3}$' then
    perform private.refuse(422, 'Prices are 0 to 1000000 per million tokens; currency is three capital letters.');
  end if;

  insert into public.model_prices as m
    (model_id, input_per_million, output_per_million, cache_read_per_million, cache_write_per_million, currency)
  values (p_model_id, coalesce(p_input_per_million, 0), coalesce(p_output_per_million, 0),
    coalesce(p_cache_read_per_million, 0), coalesce(p_cache_write_per_million, 0), coalesce(p_currency, 'USD'))
  on conflict (model_id) do update
  set input_per_million = coalesce(p_input_per_million, m.input_per_million),
      output_per_million = coalesce(p_output_per_million, m.output_per_million),
      cache_read_per_million = coalesce(p_cache_read_per_million, m.cache_read_per_million),
      cache_write_per_million = coalesce(p_cache_write_per_million, m.cache_write_per_million),
      currency = coalesce(p_currency, m.currency)
  returning * into v_price;
  return row_to_json(v_price);
end;
$$;

grant execute on function private.set_model_price(text, numeric, numeric, numeric, numeric, text) to authenticated;

create function public.set_model_price(
  p_model_id text, p_input_per_million numeric default null, p_output_per_million numeric default null,
  p_cache_read_per_million numeric default null, p_cache_write_per_million numeric default null, p_currency text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.set_model_price(p_model_id, p_input_per_million, p_output_per_million, p_cache_read_per_million,
    p_cache_write_per_million, p_currency);
end;
$$;

comment on function public.set_model_price(text, numeric, numeric, numeric, numeric, text) is
  'Sets or removes the price of a model; administrators only (specification: Model price).';

grant execute on function public.set_model_price(text, numeric, numeric, numeric, numeric, text) to authenticated;

-- Why: how many tasks of a sprint were not done at the end of each day, read from the recorded history. A task that left the
-- sprint still counts on the days on which it was there, so the past does not change.
create function private.burndown(p_sprint public.sprints)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_today date := (private.now() at time zone 'UTC')::date;
  v_from date := coalesce(p_sprint.start_date, (p_sprint.started_at at time zone 'UTC')::date, (p_sprint.created_at at time zone 'UTC')::date);
  v_to date := least(v_today, greatest(coalesce(p_sprint.end_date, v_today), (p_sprint.completed_at at time zone 'UTC')::date), v_from + 120);
begin
  return (
    with scope as (
      select t.id as task_id, true as here from public.tasks t join public.stories s on s.id = t.story_id where s.sprint_id = p_sprint.id
      union
      select c.task_id, false from public.task_status_changes c
      where c.sprint_id = p_sprint.id and not exists (
        select from public.tasks t join public.stories s on s.id = t.story_id where t.id = c.task_id and s.sprint_id = p_sprint.id)
    )
    select coalesce(jsonb_agg(jsonb_build_object('date', x.day, 'remaining', x.remaining, 'total', x.total) order by x.day), '[]')
    from (
      select d.day::date as day, count(*) as total, count(*) filter (where l.to_status <> 'DONE') as remaining
      from generate_series(v_from::timestamp, v_to::timestamp, interval '1 day') as d (day)
      cross join scope sc
      cross join lateral (
        select c.to_status, c.sprint_id from public.task_status_changes c
        where c.task_id = sc.task_id and c.changed_at < (d.day + interval '1 day') at time zone 'UTC'
        order by c.changed_at desc, c.id desc
        limit 1
      ) l
      where sc.here or l.sprint_id = p_sprint.id
      group by d.day
    ) x
  );
end;
$$;

comment on function private.burndown(public.sprints) is 'Remaining tasks per day of a sprint (specification: Sprint; Task, states).';

-- Why: tokens and cost of a product's jobs, summed in one pass over every way in which people ask: model, day, sprint, run,
-- story, task, and all together. `unpriced_jobs` says how many of them have tokens and no price.
create function private.usage_by(p_product_id uuid, p_sprint_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    with used as (
      select j.model_id, (coalesce(j.finished_at, j.updated_at) at time zone 'UTC')::date as day, r.sprint_id, j.sprint_run_id,
        t.story_id, j.task_id, j.input_tokens, j.output_tokens, j.cache_read_tokens, j.cache_write_tokens,
        private.job_cost(j) as cost
      from public.agent_jobs j
      left join public.sprint_runs r on r.id = j.sprint_run_id
      left join public.tasks t on t.id = j.task_id
      where j.product_id = p_product_id and (p_sprint_id is null or r.sprint_id = p_sprint_id)
        and num_nonnulls(j.input_tokens, j.output_tokens, j.cache_read_tokens, j.cache_write_tokens) > 0
    ),
    summed as (
      select u.model_id, u.day, u.sprint_id, u.sprint_run_id, u.story_id, u.task_id,
        case
          when grouping(u.model_id) = 0 then 'by_model' when grouping(u.day) = 0 then 'by_day'
          when grouping(u.sprint_id) = 0 then 'by_sprint' when grouping(u.sprint_run_id) = 0 then 'by_run'
          when grouping(u.story_id) = 0 then 'by_story' when grouping(u.task_id) = 0 then 'by_task'
          else 'totals' end as part,
        jsonb_build_object('jobs', count(*), 'input_tokens', coalesce(sum(u.input_tokens), 0),
          'output_tokens', coalesce(sum(u.output_tokens), 0), 'cache_read_tokens', coalesce(sum(u.cache_read_tokens), 0),
          'cache_write_tokens', coalesce(sum(u.cache_write_tokens), 0), 'cost', coalesce(sum(u.cost), 0),
          'unpriced_jobs', count(*) filter (where u.cost is null)) as numbers
      from used u
      group by grouping sets ((u.model_id), (u.day), (u.sprint_id), (u.sprint_run_id), (u.story_id), (u.task_id), ())
    ),
    named as (
      select s.part, s.numbers || case s.part
        when 'by_model' then jsonb_build_object('model_id', s.model_id,
          'currency', (select m.currency from public.model_prices m where m.model_id = s.model_id))
        when 'by_day' then jsonb_build_object('date', s.day)
        when 'by_sprint' then jsonb_build_object('sprint_id', s.sprint_id, 'sprint_code', (select x.code from public.sprints x where x.id = s.sprint_id))
        when 'by_run' then jsonb_build_object('sprint_run_id', s.sprint_run_id,
          'branch', (select x.branch from public.sprint_runs x where x.id = s.sprint_run_id),
          'created_at', (select x.created_at from public.sprint_runs x where x.id = s.sprint_run_id))
        when 'by_story' then jsonb_build_object('story_id', s.story_id,
          'story_code', (select x.code from public.stories x where x.id = s.story_id),
          'story_title', (select x.title from public.stories x where x.id = s.story_id))
        when 'by_task' then jsonb_build_object('task_id', s.task_id,
          'task_code', (select x.code from public.tasks x where x.id = s.task_id),
          'task_title', (select x.title from public.tasks x where x.id = s.task_id))
        else '{}' end as row,
        (s.numbers ->> 'cost')::numeric as cost, s.day
      from summed s
    )
    select jsonb_build_object(
      'totals', (select n.row from named n where n.part = 'totals'),
      'by_model', (select coalesce(jsonb_agg(n.row order by n.cost desc), '[]') from named n where n.part = 'by_model'),
      'by_day', (select coalesce(jsonb_agg(n.row order by n.day), '[]') from named n where n.part = 'by_day'),
      'by_sprint', (select coalesce(jsonb_agg(n.row order by n.cost desc), '[]') from named n where n.part = 'by_sprint'),
      'by_run', (select coalesce(jsonb_agg(n.row order by n.row ->> 'created_at'), '[]') from named n where n.part = 'by_run'),
      'by_story', (select coalesce(jsonb_agg(n.row order by n.cost desc), '[]') from named n where n.part = 'by_story'),
      'by_task', (select coalesce(jsonb_agg(n.row order by n.cost desc), '[]') from named n where n.part = 'by_task'))
  );
end;
$$;

comment on function private.usage_by(uuid, uuid) is
  'Tokens and cost by model, day, sprint, run, story and task (specification: Agent job; Model price).';

-- Why: the insights page: burn-down of a sprint (the given one, else the active, else the newest), and tokens and cost of the
-- product, or of the given sprint. Definer: access is checked first.
create function private.get_insights(p_product_id uuid, p_sprint_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_sprint public.sprints;
begin
  perform private.require_product_access(p_product_id);
  select s.* into v_sprint from public.sprints s
  where s.product_id = p_product_id and (p_sprint_id is null or s.id = p_sprint_id)
  order by (s.status = 'ACTIVE') desc, s.started_at desc nulls last, s.created_at desc
  limit 1;
  if p_sprint_id is not null and v_sprint.id is null then
    perform private.refuse(404, 'No such sprint.');
  end if;
  return jsonb_build_object(
    'product_id', p_product_id,
    'sprint', case when v_sprint.id is not null then jsonb_build_object('id', v_sprint.id, 'code', v_sprint.code,
      'sprint_goal', v_sprint.sprint_goal, 'status', lower(v_sprint.status::text), 'start_date', v_sprint.start_date,
      'end_date', v_sprint.end_date, 'started_at', v_sprint.started_at, 'completed_at', v_sprint.completed_at) end,
    'burndown', case when v_sprint.id is not null then private.burndown(v_sprint) else '[]' end)
    || private.usage_by(p_product_id, p_sprint_id);
end;
$$;

grant execute on function private.get_insights(uuid, uuid) to authenticated;

create function public.get_insights(p_product_id uuid, p_sprint_id uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_insights(p_product_id, p_sprint_id);
end;
$$;

comment on function public.get_insights(uuid, uuid) is 'Burn-down, tokens and cost (specification: Sprint; Agent job; Model price).';

grant execute on function public.get_insights(uuid, uuid) to authenticated;

-- Why: writes into the outbox, in the transaction of the change, what people's devices and the product's webhooks must hear.
-- People: members with a device that wants it; with p_only_user just that one. Nobody listening: nothing is written.
create function private.queue_notices(
  p_kind text, p_product_id uuid, p_only_user uuid, p_to_people boolean, p_title text, p_body text, p_path text, p_data jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_payload jsonb := jsonb_build_object('event', p_kind, 'product_id', p_product_id,
    'title', left(p_title, 200), 'body', left(p_body, 500), 'path', p_path, 'data', p_data, 'occurred_at', private.now());
begin
  if p_to_people then
    insert into public.notices (kind, product_id, user_id, payload, next_attempt_at)
    select p_kind, p_product_id, m.user_id, v_payload, private.now()
    from public.product_members m
    where m.product_id = p_product_id and (p_only_user is null or m.user_id = p_only_user)
      and exists (select from public.push_subscriptions s where s.user_id = m.user_id and s.disabled_at is null);
  end if;
  insert into public.notices (kind, product_id, webhook_id, payload, next_attempt_at)
  select p_kind, p_product_id, w.id, v_payload, private.now()
  from public.webhooks w
  where w.product_id = p_product_id and w.active and w.events ? p_kind;
end;
$$;

comment on function private.queue_notices(text, uuid, uuid, boolean, text, text, text, jsonb) is
  'Puts notices of a change into the outbox.';

-- Why: the sender takes what is due, with all that it needs to send. A taken notice comes due again after p_lease_seconds, so
-- that a sender that dies loses nothing; of several senders each notice goes to one (at least once, never in parallel).
-- Service only. Definer: the outbox is nobody's to read.
create function private.take_due_notices(p_limit integer, p_lease_seconds integer)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_notices json;
begin
    with taken as (
      update public.notices n
      set attempts = n.attempts + 1, next_attempt_at = v_now + make_interval(secs => greatest(coalesce(p_lease_seconds, 60), 5))
      where n.id in (
        select d.id from public.notices d
        where d.status = 'PENDING' and d.next_attempt_at <= v_now
        order by d.next_attempt_at, d.id
        limit least(greatest(coalesce(p_limit, 50), 1), 500)
        for update skip locked
      )
      returning n.*
    )
    select json_build_object('notices', coalesce(json_agg(json_build_object(
      'id', t.id, 'kind', t.kind, 'attempts', t.attempts, 'payload', t.payload, 'created_at', t.created_at,
      'webhook', (select json_build_object('id', w.id, 'url', w.url, 'secret', w.secret, 'active', w.active)
        from public.webhooks w where w.id = t.webhook_id),
      'user_id', t.user_id,
      'subscriptions', (select coalesce(json_agg(json_build_object('id', s.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh,
          'auth', s.auth) order by s.created_at), '[]')
        from public.push_subscriptions s where s.user_id = t.user_id and s.disabled_at is null)
    ) order by t.created_at, t.id), '[]'))
    into v_notices
    from taken t;
  return v_notices;
end;
$$;

grant execute on function private.take_due_notices(integer, integer) to service_role;

create function public.take_due_notices(p_limit integer default 50, p_lease_seconds integer default 60)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.take_due_notices(p_limit, p_lease_seconds);
end;
$$;

comment on function public.take_due_notices(integer, integer) is 'Due notices with their targets, for the sender. Service only.';

grant execute on function public.take_due_notices(integer, integer) to service_role;

-- Why: the sender says how a delivery went. Delivered is final; else it is tried again after 30 seconds, doubling up to 6
-- hours, at most 10 times; p_give_up ends it at once (a forbidden destination). Devices that are gone are disabled.
-- Service only. Definer: the outbox is nobody's to write.
create function private.mark_notice(
  p_notice_id uuid, p_delivered boolean, p_response_status integer, p_error text, p_give_up boolean, p_gone_subscription_ids jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_notice public.notices;
begin
  update public.push_subscriptions s
  set disabled_at = v_now, last_error = left(coalesce(p_error, 'The push service says that this device is gone.'), 1000)
  where s.id in (select g.value::uuid from jsonb_array_elements_text(coalesce(p_gone_subscription_ids, '[]')) g)
    and s.disabled_at is null;

  update public.notices n
  set status = case when p_delivered then 'DELIVERED' when p_give_up or n.attempts >= 10 then 'FAILED' else 'PENDING' end::public.notice_status,
      delivered_at = case when p_delivered then v_now end,
      response_status = p_response_status,
      last_error = case when p_delivered then null else left(p_error, 1000) end,
      next_attempt_at = case when p_delivered then n.next_attempt_at
        else v_now + least(interval '6 hours', interval '30 seconds' * power(2, greatest(n.attempts - 1, 0))) end
  where n.id = p_notice_id and n.status = 'PENDING'
  returning n.* into v_notice;
  return json_build_object('id', p_notice_id, 'status', lower(v_notice.status::text), 'next_attempt_at', v_notice.next_attempt_at);
end;
$$;

grant execute on function private.mark_notice(uuid, boolean, integer, text, boolean, jsonb) to service_role;

create function public.mark_notice(
  p_notice_id uuid, p_delivered boolean, p_response_status integer default null, p_error text default null,
  p_give_up boolean default false, p_gone_subscription_ids jsonb default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.mark_notice(p_notice_id, p_delivered, p_response_status, p_error, p_give_up, p_gone_subscription_ids);
end;
$$;

comment on function public.mark_notice(uuid, boolean, integer, text, boolean, jsonb) is
  'Outcome of a delivery: delivered, again with back-off, or failed. Service only.';

grant execute on function public.mark_notice(uuid, boolean, integer, text, boolean, jsonb) to service_role;

-- Why: a browser agrees to be told, or takes it back; each device is its own row. An endpoint belongs to one browser: when
-- another user signs in there, it becomes theirs. Refusals: 403, 429, 422. Definer: keys of devices are nobody's to read.
create function private.subscribe_push(p_endpoint text, p_p256dh text, p_auth text, p_user_agent text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_writer();
  v_id uuid;
begin
  perform private.take_rate_limit('push_subscription', v_user_id::text);
  if coalesce(p_endpoint, '') !~ '^https?://' or char_length(p_endpoint) > 2000
    or coalesce(char_length(p_p256dh), 0) not between 1 and 200 or coalesce(char_length(p_auth), 0) not between 1 and 100 then
    perform private.refuse(422, 'endpoint must be an https address, p256dh and auth the keys of the subscription.');
  end if;
  insert into public.push_subscriptions as s (user_id, endpoint, p256dh, auth, user_agent)
  values (v_user_id, p_endpoint, p_p256dh, p_auth, left(p_user_agent, 255))
  on conflict (endpoint) do update
  set user_id = v_user_id, p256dh = excluded.p256dh, auth = excluded.auth, user_agent = excluded.user_agent,
      disabled_at = null, last_error = null
  returning s.id into v_id;
  return json_build_object('id', v_id);
end;
$$;

create function private.unsubscribe_push(p_id uuid, p_endpoint text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_removed integer;
begin
  delete from public.push_subscriptions s
  where s.user_id = private.require_writer() and (s.id = p_id or s.endpoint = p_endpoint);
  get diagnostics v_removed = row_count;
  return json_build_object('removed', v_removed);
end;
$$;

create function private.list_push_subscriptions()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return json_build_object('subscriptions', (
    select coalesce(json_agg(json_build_object('id', s.id, 'user_agent', s.user_agent, 'host', substring(s.endpoint from '^https?://([^/]+)'),
      'endpoint', s.endpoint, 'last_error', s.last_error, 'disabled_at', s.disabled_at, 'created_at', s.created_at)
      order by s.created_at), '[]')
    from public.push_subscriptions s where s.user_id = auth.uid()));
end;
$$;

grant execute on function private.subscribe_push(text, text, text, text), private.unsubscribe_push(uuid, text),
  private.list_push_subscriptions() to authenticated;

create function public.subscribe_push(p_endpoint text, p_p256dh text, p_auth text, p_user_agent text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.subscribe_push(p_endpoint, p_p256dh, p_auth, p_user_agent);
end;
$$;

create function public.unsubscribe_push(p_id uuid default null, p_endpoint text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.unsubscribe_push(p_id, p_endpoint);
end;
$$;

create function public.list_push_subscriptions()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_push_subscriptions();
end;
$$;

comment on function public.subscribe_push(text, text, text, text) is 'Adds a device of the caller (specification: Push subscription).';
comment on function public.unsubscribe_push(uuid, text) is 'Removes a device of the caller (specification: Push subscription).';
comment on function public.list_push_subscriptions() is 'The caller''s devices (specification: Push subscription).';

grant execute on function public.subscribe_push(text, text, text, text), public.unsubscribe_push(uuid, text),
  public.list_push_subscriptions() to authenticated;

-- Why: one shape of a webhook, without its secret, with how its last delivery went.
create function private.webhook_json(p_webhook public.webhooks)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return to_jsonb(p_webhook) - 'secret' || jsonb_build_object(
    'created_by_name', private.username(p_webhook.created_by),
    'last_delivery', (
      select jsonb_build_object('kind', n.kind, 'status', lower(n.status::text), 'response_status', n.response_status,
        'last_error', n.last_error, 'created_at', n.created_at, 'delivered_at', n.delivered_at)
      from public.notices n where n.webhook_id = p_webhook.id order by n.created_at desc, n.id desc limit 1));
end;
$$;

comment on function private.webhook_json(public.webhooks) is 'A webhook as it is shown.';

-- Why: what a webhook may be made of, said in words. Answers the chosen events without repeats.
create function private.check_webhook(p_url text, p_events jsonb)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_known jsonb := '["question_opened", "question_answered", "question_expired", "run_paused", "run_failed", "run_done", "review_needed"]';
  v_events jsonb := coalesce(p_events, v_known);
begin
  if p_url is not null and (p_url !~ '^https?://[^/]+' or char_length(p_url) > 2000) then
    perform private.refuse(422, 'url must be an https address of at most 2000 characters.');
  end if;
  if jsonb_typeof(v_events) <> 'array' or jsonb_array_length(v_events) = 0 or not v_known @> v_events then
    perform private.refuse(422, 'events must name at least one of question_opened, question_answered, question_expired, run_paused, run_failed, run_done, review_needed.');
  end if;
  return (select jsonb_agg(distinct e) from jsonb_array_elements(v_events) e);
end;
$$;

comment on function private.check_webhook(text, jsonb) is 'Refuses what a webhook can not be.';

-- Why: the owner of a product decides which other systems hear of it. The secret that signs requests is answered once.
-- Refusals: 404, 403 (not the owner, demo, archived), 429, 422. Definer: secrets are nobody's to read.
create function private.require_webhook(p_webhook_id uuid)
returns public.webhooks
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_webhook public.webhooks;
begin
  select w.* into v_webhook from public.webhooks w where w.id = p_webhook_id;
  if not found then
    perform private.refuse(404, 'No such webhook.');
  end if;
  perform private.require_product_owner(v_webhook.product_id);
  return v_webhook;
end;
$$;

comment on function private.require_webhook(uuid) is 'A webhook of a product that the caller owns; PT404, PT403.';

create function private.create_webhook(p_product_id uuid, p_url text, p_events jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_webhook public.webhooks;
begin
  perform private.require_product_owner(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.take_rate_limit('webhook', auth.uid()::text);
  if p_url is null then
    perform private.refuse(422, 'url must be an https address of at most 2000 characters.');
  end if;
  insert into public.webhooks (product_id, url, secret, events, created_by)
  values (p_product_id, p_url,
    'whsec_' || encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'base64'),
    private.check_webhook(p_url, p_events), auth.uid())
  returning * into v_webhook;
  return private.webhook_json(v_webhook) || jsonb_build_object('secret', v_webhook.secret);
end;
$$;

create function private.update_webhook(p_webhook_id uuid, p_url text, p_events jsonb, p_active boolean)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_webhook public.webhooks := private.require_webhook(p_webhook_id);
begin
  perform private.require_product_write(v_webhook.product_id);
  update public.webhooks w
  set url = coalesce(p_url, w.url), events = private.check_webhook(p_url, coalesce(p_events, w.events)),
      active = coalesce(p_active, w.active)
  where w.id = p_webhook_id
  returning w.* into v_webhook;
  return private.webhook_json(v_webhook);
end;
$$;

create function private.delete_webhook(p_webhook_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_webhook public.webhooks := private.require_webhook(p_webhook_id);
begin
  perform private.require_product_write(v_webhook.product_id);
  delete from public.webhooks w where w.id = p_webhook_id;
  return json_build_object('id', p_webhook_id, 'deleted', true);
end;
$$;

create function private.ping_webhook(p_webhook_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_webhook public.webhooks := private.require_webhook(p_webhook_id);
  v_id uuid;
begin
  perform private.require_product_write(v_webhook.product_id);
  perform private.take_rate_limit('webhook', auth.uid()::text);
  insert into public.notices (kind, product_id, webhook_id, payload, next_attempt_at)
  values ('ping', v_webhook.product_id, v_webhook.id, jsonb_build_object('event', 'ping', 'product_id', v_webhook.product_id,
    'title', 'Ping', 'body', 'Backloom can reach this address.', 'path', '/', 'data', '{}'::jsonb, 'occurred_at', private.now()),
    private.now())
  returning id into v_id;
  return json_build_object('id', v_id);
end;
$$;

create function private.list_webhooks(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_product_owner(p_product_id);
  return json_build_object('webhooks', (
    select coalesce(jsonb_agg(private.webhook_json(w) order by w.created_at, w.id), '[]')
    from public.webhooks w where w.product_id = p_product_id));
end;
$$;

create function private.list_webhook_deliveries(p_webhook_id uuid, p_limit integer, p_cursor uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_deliveries jsonb;
  v_count integer;
  v_last uuid;
begin
  perform private.require_webhook(p_webhook_id);
  select coalesce(jsonb_agg(to_jsonb(n) - 'user_id' || jsonb_build_object('status', lower(n.status::text)) order by n.created_at desc, n.id desc), '[]'),
    count(*), (array_agg(n.id order by n.created_at, n.id))[1]
  into v_deliveries, v_count, v_last
  from (
    select x.* from public.notices x
    where x.webhook_id = p_webhook_id
      and (p_cursor is null or (x.created_at, x.id) < (select c.created_at, c.id from public.notices c where c.id = p_cursor))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) n;
  return json_build_object('deliveries', v_deliveries, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

grant execute on function private.create_webhook(uuid, text, jsonb), private.update_webhook(uuid, text, jsonb, boolean),
  private.delete_webhook(uuid), private.ping_webhook(uuid), private.list_webhooks(uuid),
  private.list_webhook_deliveries(uuid, integer, uuid) to authenticated;

-- Why: the operations of the webhooks page, each the invoker's door to its definer body in `private`.
create function public.create_webhook(p_product_id uuid, p_url text, p_events jsonb default null)
returns json language plpgsql volatile set search_path = ''
as $$ begin return private.create_webhook(p_product_id, p_url, p_events); end; $$;

create function public.update_webhook(p_webhook_id uuid, p_url text default null, p_events jsonb default null, p_active boolean default null)
returns json language plpgsql volatile set search_path = ''
as $$ begin return private.update_webhook(p_webhook_id, p_url, p_events, p_active); end; $$;

create function public.delete_webhook(p_webhook_id uuid)
returns json language plpgsql volatile set search_path = ''
as $$ begin return private.delete_webhook(p_webhook_id); end; $$;

create function public.ping_webhook(p_webhook_id uuid)
returns json language plpgsql volatile set search_path = ''
as $$ begin return private.ping_webhook(p_webhook_id); end; $$;

create function public.list_webhooks(p_product_id uuid)
returns json language plpgsql stable set search_path = ''
as $$ begin return private.list_webhooks(p_product_id); end; $$;

create function public.list_webhook_deliveries(p_webhook_id uuid, p_limit integer default 50, p_cursor uuid default null)
returns json language plpgsql stable set search_path = ''
as $$ begin return private.list_webhook_deliveries(p_webhook_id, p_limit, p_cursor); end; $$;

comment on function public.create_webhook(uuid, text, jsonb) is 'A new webhook of a product; its secret is answered once. Owner only.';
comment on function public.update_webhook(uuid, text, jsonb, boolean) is 'Changes address, events or activity of a webhook. Owner only.';
comment on function public.delete_webhook(uuid) is 'Deletes a webhook with its deliveries. Owner only.';
comment on function public.ping_webhook(uuid) is 'Sends a test request. Owner only.';
comment on function public.list_webhooks(uuid) is 'Webhooks of a product. Owner only.';
comment on function public.list_webhook_deliveries(uuid, integer, uuid) is 'Delivery log of a webhook, newest first. Owner only.';

grant execute on function public.create_webhook(uuid, text, jsonb), public.update_webhook(uuid, text, jsonb, boolean),
  public.delete_webhook(uuid), public.ping_webhook(uuid), public.list_webhooks(uuid),
  public.list_webhook_deliveries(uuid, integer, uuid) to authenticated;

-- Why: rows that nobody will read again: counters of old windows, sessions that ended long ago, pairings of yesterday, the
-- outbox's delivered past, broadcast messages of the last days. Where Supabase Realtime owns and drops its messages itself,
-- they are left to it. Answers the counts.
create function private.remove_stale_rows()
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_counters integer;
  v_sessions integer;
  v_pairings integer;
  v_notices integer;
  v_messages integer := 0;
begin
  delete from public.rate_limit_counters c where c.window_start < v_now - interval '2 hours';
  get diagnostics v_counters = row_count;
  delete from public.user_sessions s where least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  get diagnostics v_sessions = row_count;
  delete from public.login_pairings l where l.created_at < v_now - interval '1 day';
  get diagnostics v_pairings = row_count;
  delete from public.notices n where n.status <> 'PENDING' and n.created_at < v_now - interval '30 days';
  get diagnostics v_notices = row_count;
  begin
    execute 'delete from realtime.messages m where m.ctid = any (array(
      select x.ctid from realtime.messages x where x.inserted_at < $1 order by x.inserted_at limit 20000))'
    using (v_now at time zone 'UTC') - interval '1 hour';
    get diagnostics v_messages = row_count;
  exception
    when insufficient_privilege or undefined_table then
      null;
  end;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'realtime_messages', v_messages);
end;
$$;

comment on function private.remove_stale_rows() is 'Deletes what nobody reads any more (specification: What the service does 10).';

-- Why: what can not wait for the daily schedule: expired leases, and expired questions on which work waits. About once a
-- minute, or with p_full, also stale rows. Any number of processes may call it at once; one that finds another at it leaves
-- the stale rows to that one. Service only. Definer: jobs and questions are written by functions only.
create function private.sweep(p_full boolean)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_leases json := private.sweep_expired_leases();
  v_questions integer := private.write_down_expired(true);
  v_removed jsonb;
begin
  if (coalesce(p_full, false) or extract(second from v_now) < 5)
    and pg_try_advisory_xact_lock(hashtextextended('backloom:sweep', 0)) then
    v_removed := private.remove_stale_rows();
  end if;
  return json_build_object('taken_back', v_leases -> 'taken_back', 'expired_questions', v_questions, 'removed', v_removed,
    'ran_at', v_now);
end;
$$;

grant execute on function private.sweep(boolean) to service_role;

create function public.sweep(p_full boolean default false)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.sweep(p_full);
end;
$$;

comment on function public.sweep(boolean) is 'Leases, waiting questions and stale rows (specification: What the service does 10). Service only.';

grant execute on function public.sweep(boolean) to service_role;

-- Why: decides which of several app processes runs a scheduled entry.
-- Called by app/server/scheduler.server.ts with the secret key before it calls the endpoint.
-- Returns true for exactly one caller per (p_name, p_due_at); forgets entries older than 30 days.
create function public.claim_schedule_run(p_name text, p_due_at timestamptz)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_taken integer;
begin
  delete from public.schedule_runs where due_at < clock_timestamp() - interval '30 days';

  insert into public.schedule_runs (name, due_at)
  values (p_name, p_due_at)
  on conflict do nothing;
  get diagnostics v_taken = row_count;

  return to_json(v_taken = 1);
end;
$$;

comment on function public.claim_schedule_run(text, timestamptz) is
  'True for the one process that runs this scheduled entry (specification: Schedules). Service only.';

revoke execute on function public.claim_schedule_run(text, timestamptz) from public, anon, authenticated;
grant execute on function public.claim_schedule_run(text, timestamptz) to service_role;

-- The database's answer to `GET /api/health?db=1` (specification: GET /api/health).
-- Called by the health route with the service key; touches no table, so that only reachability is told.
create function public.ping() returns json
language sql
stable
set search_path = ''
as $$
  select '"ok"'::json;
$$;

comment on function public.ping() is 'Specification, GET /api/health: answers when the database is reachable.';

revoke execute on function public.ping() from public, anon, authenticated;
grant execute on function public.ping() to service_role;

-- Why: the admin command line names people by user name or e-mail address and products by code; everything else by id.
-- Service only: it answers for any account.
create function public.resolve_account(p_identifier text)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_account json;
begin
  select json_build_object('id', u.id, 'username', u.username, 'email', u.email)
  into v_account
  from public.users u
  where lower(u.username) = lower(p_identifier) or lower(u.email) = lower(p_identifier) or u.id::text = p_identifier;

  if v_account is null then
    raise exception using errcode = 'PT404',
      message = format('There is no user %s. Give the user name or the e-mail address of an account.', p_identifier);
  end if;
  return v_account;
end;
$$;

comment on function public.resolve_account(text) is
  'A user by name, e-mail address or id, for the admin command line. Service only.';

revoke execute on function public.resolve_account(text) from public, anon, authenticated;
grant execute on function public.resolve_account(text) to service_role;

-- Why: the admin command line names a product by id, by code, or by owner and code where two owners use one code.
-- Service only: it answers for any product.
create function public.resolve_product(p_reference text)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_products json;
begin
  select json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'owner_id', p.owner_id) order by p.created_at)
  into v_products
  from public.products p
  join public.users u on u.id = p.owner_id
  where p.id::text = p_reference or p.code = p_reference or u.username || '/' || p.code = p_reference;

  if v_products is null then
    raise exception using errcode = 'PT404',
      message = format('There is no product %s. Give its id, its code, or owner/code.', p_reference);
  end if;

  if json_array_length(v_products) > 1 then
    raise exception using errcode = 'PT409',
      message = format('%s products have the code %s. Give the id, or owner/code.', json_array_length(v_products), p_reference),
      detail = json_build_object('candidates', v_products)::text;
  end if;
  return v_products -> 0;
end;
$$;

comment on function public.resolve_product(text) is
  'A product by id, code or owner/code, for the admin command line. Service only.';

revoke execute on function public.resolve_product(text) from public, anon, authenticated;
grant execute on function public.resolve_product(text) to service_role;

-- Why: the operator makes tokens for any account, demo accounts included, who may not make their own; limits per hour are
-- for users. Only the SHA-256 arrives here. Service only.
create function public.issue_api_token(
  p_user_id uuid, p_label text, p_prefix text, p_token_hash text, p_expires_days integer default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid;
begin
  insert into public.api_tokens (user_id, label, prefix, token_hash, expires_at, created_at)
  values (p_user_id, p_label, p_prefix, decode(p_token_hash, 'hex'),
    private.now() + make_interval(days => p_expires_days), private.now())
  returning id into v_id;

  perform private.audit(p_user_id, null, 'token.created', jsonb_build_object('token_id', v_id, 'label', p_label));
  return json_build_object('id', v_id);
end;
$$;

comment on function public.issue_api_token(uuid, text, text, text, integer) is
  'A new API token of any account, by its hash, for the operator (specification: Authentication 1). Service only.';

revoke execute on function public.issue_api_token(uuid, text, text, text, integer) from public, anon, authenticated;
grant execute on function public.issue_api_token(uuid, text, text, text, integer) to service_role;

-- Why: the operator adds a member without being the owner. Adding one who is a member already changes nothing. Service only.
create function public.enrol_member(p_product_id uuid, p_user_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.product_members (product_id, user_id)
  values (p_product_id, p_user_id)
  on conflict (product_id, user_id) do nothing;

  return json_build_object('product_id', p_product_id, 'user_id', p_user_id);
end;
$$;

comment on function public.enrol_member(uuid, uuid) is
  'Makes a user a member of a product, for the operator (specification: Authentication 4). Service only.';

revoke execute on function public.enrol_member(uuid, uuid) from public, anon, authenticated;
grant execute on function public.enrol_member(uuid, uuid) to service_role;

-- Why: the first start of an embedded installation is the one without any account. Service only.
create function public.has_accounts()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return to_json(exists (select from public.users));
end;
$$;

comment on function public.has_accounts() is 'Whether anybody has an account yet. Service only.';

revoke execute on function public.has_accounts() from public, anon, authenticated;
grant execute on function public.has_accounts() to service_role;

-- Why: an export must not depend on the time zone of the session, or two exports of the same rows would differ.
create function private.export_time(p_time timestamptz)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
end;
$$;

comment on function private.export_time(timestamptz) is
  'A point in time as the export file writes it (docs/export-format.md).';

grant execute on function private.export_time(timestamptz) to service_role;

-- Why: the stories of one PBI with their tasks and logs, as the export file nests them (docs/export-format.md).
create function private.export_stories(p_pbi_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', s.code, 'title', s.title, 'description', s.description, 'acceptance_criteria', s.acceptance_criteria,
      'priority', s.priority, 'status', s.status,
      'sprint', (select sp.code from public.sprints sp where sp.id = s.sprint_id),
      'assignee', (select u.username from public.users u where u.id = s.assignee_id),
      'created_at', private.export_time(s.created_at),
      'tasks', private.export_tasks(s.id),
      'log', private.export_log(s.id)
    ) order by s.sort_order, s.created_at, s.code), '[]')
    from public.stories s
    where s.pbi_id = p_pbi_id
  );
end;
$$;

comment on function private.export_stories(uuid) is 'Stories of a PBI for the export file. Used by export_product only.';

grant execute on function private.export_stories(uuid) to service_role;

-- Why: the tasks of one story, as the export file nests them (docs/export-format.md).
create function private.export_tasks(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', t.code, 'title', t.title, 'description', t.description, 'implementation_plan', t.implementation_plan,
      'priority', t.priority, 'status', t.status, 'repo_url', t.repo_url,
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes,
      'created_at', private.export_time(t.created_at)
    ) order by t.sort_order, t.created_at, t.code), '[]')
    from public.tasks t
    where t.story_id = p_story_id
  );
end;
$$;

comment on function private.export_tasks(uuid) is 'Tasks of a story for the export file. Used by export_stories only.';

grant execute on function private.export_tasks(uuid) to service_role;

-- Why: the log of one story, as the export file nests it (docs/export-format.md).
create function private.export_log(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'type', l.type, 'content', l.content, 'status', l.status,
      'commit_hash', l.commit_hash, 'commit_message', l.commit_message, 'metadata', l.metadata,
      'username', (select u.username from public.users u where u.id = l.user_id),
      'created_at', private.export_time(l.created_at)
    ) order by l.created_at, l.type, l.content, l.id), '[]')
    from public.story_logs l
    where l.story_id = p_story_id
  );
end;
$$;

comment on function private.export_log(uuid) is 'Log of a story for the export file. Used by export_stories only.';

grant execute on function private.export_log(uuid) to service_role;

-- Why: the ideas of all users for one product, with their logs and further products (docs/export-format.md).
create function private.export_ideas(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', i.code, 'username', u.username, 'title', i.title, 'description', i.description,
      'status', i.status, 'archived_at', private.export_time(i.archived_at),
      'pbi', (select b.code from public.pbis b where b.id = i.pbi_id and b.product_id = p_product_id),
      'linked_products', (
        select coalesce(json_agg(p.code order by p.code), '[]')
        from public.idea_products ip
        join public.products p on p.id = ip.product_id
        where ip.idea_id = i.id
      ),
      'created_at', private.export_time(i.created_at),
      'log', (
        select coalesce(json_agg(json_build_object(
          'kind', l.kind, 'content', l.content,
          'username', (select lu.username from public.users lu where lu.id = l.user_id),
          'created_at', private.export_time(l.created_at)
        ) order by l.created_at, l.kind, l.content, l.id), '[]')
        from public.idea_logs l
        where l.idea_id = i.id
      )
    ) order by u.username, i.code), '[]')
    from public.ideas i
    join public.users u on u.id = i.user_id
    where i.product_id = p_product_id
  );
end;
$$;

comment on function private.export_ideas(uuid) is 'Ideas of a product for the export file. Used by export_product only.';

grant execute on function private.export_ideas(uuid) to service_role;

-- Why: `admin export --product` writes one file with everything that was planned and logged for a product, so that it
-- can be kept or read back elsewhere (docs/export-format.md). Service only: it reads whatever members may see.
create function public.export_product(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'format', 'backloom-export', 'version', 1, 'exported_at', private.export_time(private.now()),
      'product', json_build_object(
        'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
        'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pr_strategy', p.pr_strategy,
        'archived_at', private.export_time(p.archived_at), 'created_at', private.export_time(p.created_at)),
      'members', (
        select coalesce(json_agg(json_build_object('username', u.username, 'role', m.role) order by u.username), '[]')
        from public.product_members m
        join public.users u on u.id = m.user_id
        where m.product_id = p.id),
      'sprints', (
        select coalesce(json_agg(json_build_object(
          'code', s.code, 'sprint_goal', s.sprint_goal, 'status', s.status,
          'start_date', s.start_date, 'end_date', s.end_date,
          'started_at', private.export_time(s.started_at), 'completed_at', private.export_time(s.completed_at),
          'created_at', private.export_time(s.created_at)
        ) order by private.sort_order_from_code(s.code)), '[]')
        from public.sprints s
        where s.product_id = p.id),
      'pbis', (
        select coalesce(json_agg(json_build_object(
          'code', b.code, 'title', b.title, 'description', b.description, 'priority', b.priority,
          'sort_order', b.sort_order, 'status', b.status, 'pr_url', b.pr_url,
          'pr_merged_at', private.export_time(b.pr_merged_at), 'created_at', private.export_time(b.created_at),
          'stories', private.export_stories(b.id)
        ) order by b.priority, b.sort_order, b.created_at, b.code), '[]')
        from public.pbis b
        where b.product_id = p.id),
      'ideas', private.export_ideas(p.id),
      'counters', (
        select coalesce(json_object_agg(c.kind, c.last_number order by c.kind), '{}')
        from public.code_counters c
        where c.scope_id = p.id)
    )
    from public.products p
    where p.id = p_product_id
  );
end;
$$;

comment on function public.export_product(uuid) is
  'The export file of a product (docs/export-format.md). Service only.';

revoke execute on function public.export_product(uuid) from public, anon, authenticated;
grant execute on function public.export_product(uuid) to service_role;

-- Why: the first step of an import: the product with its members, sprints and PBIs, in one transaction
-- (docs/export-format.md). Limits per minute do not apply: there is no user behind this call. Service only.
create function public.import_product(p_owner_id uuid, p_document jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_product jsonb := p_document -> 'product';
  v_product_id uuid;
  v_pbis jsonb;
begin
  insert into public.products
    (owner_id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, created_at)
  values (
    p_owner_id, v_product ->> 'code', v_product ->> 'name', v_product ->> 'description', v_product ->> 'repo_url',
    v_product ->> 'definition_of_done', (v_product ->> 'auto_pr')::boolean,
    (v_product ->> 'pr_strategy')::public.pr_strategy,
    coalesce((v_product ->> 'created_at')::timestamptz, private.now()))
  returning id into v_product_id;

  perform private.lock_product(v_product_id);

  insert into public.product_members (product_id, user_id)
  select distinct v_product_id, u.id
  from jsonb_array_elements(p_document -> 'members') m
  join public.users u on lower(u.username) = lower(m ->> 'username')
  where u.id <> p_owner_id;

  insert into public.code_counters (scope_id, kind, last_number)
  select v_product_id, c.key, c.value::bigint
  from jsonb_each_text(p_document -> 'counters') c
  where c.key in ('pbi', 'story', 'task', 'sprint');

  insert into public.sprints
    (product_id, code, sprint_goal, status, start_date, end_date, started_at, completed_at, created_at)
  select v_product_id, s ->> 'code', s ->> 'sprint_goal', (s ->> 'status')::public.sprint_status,
    (s ->> 'start_date')::date, (s ->> 'end_date')::date, (s ->> 'started_at')::timestamptz,
    (s ->> 'completed_at')::timestamptz, coalesce((s ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_document -> 'sprints') s;

  select jsonb_agg(e.pbi || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_pbis
  from jsonb_array_elements(p_document -> 'pbis') with ordinality e (pbi, place);

  insert into public.pbis
    (id, product_id, code, title, description, priority, sort_order, status, pr_url, pr_merged_at, created_at)
  select (e.pbi ->> 'id')::uuid, v_product_id, e.pbi ->> 'code', e.pbi ->> 'title', e.pbi ->> 'description',
    (e.pbi ->> 'priority')::integer, (e.pbi ->> 'sort_order')::double precision,
    (e.pbi ->> 'status')::public.pbi_status, e.pbi ->> 'pr_url', (e.pbi ->> 'pr_merged_at')::timestamptz,
    coalesce((e.pbi ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_pbis) with ordinality e (pbi, place)
  order by e.place;

  return json_build_object(
    'id', v_product_id,
    'code', v_product ->> 'code',
    'pbi_codes', (
      select coalesce(json_agg(b.code order by e.place), '[]')
      from jsonb_array_elements(v_pbis) with ordinality e (pbi, place)
      join public.pbis b on b.id = (e.pbi ->> 'id')::uuid),
    'unknown_users', (
      select coalesce(json_agg(distinct m ->> 'username'), '[]')
      from jsonb_array_elements(p_document -> 'members') m
      where not exists (select from public.users u where lower(u.username) = lower(m ->> 'username'))));
end;
$$;

comment on function public.import_product(uuid, jsonb) is
  'Product, members, sprints and PBIs of an import (docs/export-format.md). Service only.';

revoke execute on function public.import_product(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.import_product(uuid, jsonb) to service_role;

-- Why: the second step of an import, called once for each portion of the stories: the stories with their tasks and logs,
-- three statements for any number of rows (docs/export-format.md). Each story names its PBI by code. Service only.
create function public.import_stories(p_product_id uuid, p_owner_id uuid, p_stories jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_stories jsonb;
  v_tasks jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.story || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_stories
  from jsonb_array_elements(p_stories) with ordinality e (story, place);

  insert into public.stories
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id, e.story ->> 'code', e.story ->> 'title',
    e.story ->> 'description', e.story ->> 'acceptance_criteria', (e.story ->> 'priority')::integer, s.id, m.user_id,
    coalesce((e.story ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
  left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
  left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
  left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id
  order by e.place;

  select jsonb_agg(
    t.task || jsonb_build_object('id', gen_random_uuid(), 'story_id', e.story -> 'id') order by e.place, t.place)
  into v_tasks
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'tasks') with ordinality t (task, place);

  insert into public.tasks
    (id, product_id, story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only,
     verify_required, requires_opus, estimated_minutes, created_at)
  select (e.task ->> 'id')::uuid, p_product_id, (e.task ->> 'story_id')::uuid, e.task ->> 'code', e.task ->> 'title',
    e.task ->> 'description', e.task ->> 'implementation_plan', (e.task ->> 'priority')::integer,
    (e.task ->> 'status')::public.task_status, e.task ->> 'repo_url', (e.task ->> 'verify_only')::boolean,
    (e.task ->> 'verify_required')::public.verify_required, (e.task ->> 'requires_opus')::boolean,
    (e.task ->> 'estimated_minutes')::integer, coalesce((e.task ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_tasks) with ordinality e (task, place)
  order by e.place;

  insert into public.story_logs
    (story_id, product_id, type, content, status, commit_hash, commit_message, metadata, user_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, (l ->> 'type')::public.story_log_type, l ->> 'content',
    (l ->> 'status')::public.story_log_status, l ->> 'commit_hash', l ->> 'commit_message',
    nullif(l -> 'metadata', 'null'), coalesce(u.id, p_owner_id),
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements(e.story -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  return json_build_object(
    'story_codes', (
      select coalesce(json_agg(s.code order by e.place), '[]')
      from jsonb_array_elements(v_stories) with ordinality e (story, place)
      join public.stories s on s.id = (e.story ->> 'id')::uuid),
    'task_codes', (
      select coalesce(json_agg(t.code order by e.place), '[]')
      from jsonb_array_elements(v_tasks) with ordinality e (task, place)
      join public.tasks t on t.id = (e.task ->> 'id')::uuid));
end;
$$;

comment on function public.import_stories(uuid, uuid, jsonb) is
  'A portion of the stories of an import, with tasks and logs (docs/export-format.md). Service only.';

revoke execute on function public.import_stories(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function public.import_stories(uuid, uuid, jsonb) to service_role;

-- Why: the last step of an import: the ideas with their logs and links, and the archiving of the product, after which
-- nothing may be written to it (docs/export-format.md). A code that its user has given to another idea is replaced by a
-- generated one. Service only.
create function public.import_ideas(p_product_id uuid, p_owner_id uuid, p_ideas jsonb, p_archived_at timestamptz)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_ideas jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.idea || jsonb_build_object(
    'id', gen_random_uuid(),
    'user_id', coalesce(u.id, p_owner_id),
    'code', case
      when exists (
        select from public.ideas i where i.user_id = coalesce(u.id, p_owner_id) and i.code = e.idea ->> 'code'
      ) then null
      else e.idea ->> 'code' end,
    'pbi_id', (select b.id from public.pbis b where b.product_id = p_product_id and b.code = e.idea ->> 'pbi')
  ) order by e.place)
  into v_ideas
  from jsonb_array_elements(p_ideas) with ordinality e (idea, place)
  left join public.users u on lower(u.username) = lower(e.idea ->> 'username');

  insert into public.ideas (id, user_id, product_id, code, title, description, status, archived_at, pbi_id, created_at)
  select (e.idea ->> 'id')::uuid, (e.idea ->> 'user_id')::uuid, p_product_id, e.idea ->> 'code', e.idea ->> 'title',
    e.idea ->> 'description', (e.idea ->> 'status')::public.idea_status, (e.idea ->> 'archived_at')::timestamptz,
    (e.idea ->> 'pbi_id')::uuid, coalesce((e.idea ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_ideas) with ordinality e (idea, place)
  order by (e.idea ->> 'code') is null, e.place;

  update public.pbis b
  set idea_id = i.id
  from public.ideas i
  where i.product_id = p_product_id and i.pbi_id = b.id;

  insert into public.idea_products (idea_id, product_id)
  select (e.idea ->> 'id')::uuid, p.id
  from jsonb_array_elements(v_ideas) e (idea)
  cross join lateral jsonb_array_elements_text(e.idea -> 'linked_products') l (code)
  join public.products p on p.owner_id = p_owner_id and p.code = l.code and p.id <> p_product_id;

  -- What the triggers wrote about the import itself gives way to the log of the file.
  delete from public.idea_logs l
  using jsonb_array_elements(v_ideas) e (idea)
  where l.idea_id = (e.idea ->> 'id')::uuid and jsonb_array_length(e.idea -> 'log') > 0;

  insert into public.idea_logs (idea_id, user_id, kind, content, created_at)
  select (e.idea ->> 'id')::uuid, u.id, l ->> 'kind', l ->> 'content',
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_ideas) e (idea)
  cross join lateral jsonb_array_elements(e.idea -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  update public.products p set archived_at = p_archived_at where p.id = p_product_id and p_archived_at is not null;

  return json_build_object('idea_codes', (
    select coalesce(json_agg(i.code order by e.place), '[]')
    from jsonb_array_elements(v_ideas) with ordinality e (idea, place)
    join public.ideas i on i.id = (e.idea ->> 'id')::uuid));
end;
$$;

comment on function public.import_ideas(uuid, uuid, jsonb, timestamptz) is
  'Ideas of an import, and the archiving of its product (docs/export-format.md). Service only.';

revoke execute on function public.import_ideas(uuid, uuid, jsonb, timestamptz) from public, anon, authenticated;
grant execute on function public.import_ideas(uuid, uuid, jsonb, timestamptz) to service_role;

-- Why: an import that fails on the way takes back what its earlier steps have written. Service only.
create function public.discard_import(p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  delete from public.products p where p.id = p_product_id;
  delete from public.code_counters c where c.scope_id = p_product_id;
  return json_build_object('id', p_product_id);
end;
$$;

comment on function public.discard_import(uuid) is 'Removes a product whose import failed on the way. Service only.';

revoke execute on function public.discard_import(uuid) from public, anon, authenticated;
grant execute on function public.discard_import(uuid) to service_role;

-- Why: the doctor looks at what the migrations and the schedule have left behind, in schemas that the API roles do not
-- reach. Definer for that reason; it tells names and counts, no secret.
create function private.doctor_facts()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_migrations json := '[]';
  v_schedules json := '[]';
  v_secrets json := '[]';
begin
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    execute 'select coalesce(json_agg(version order by version), ''[]'') from supabase_migrations.schema_migrations'
      into v_migrations;
  end if;
  if to_regclass('cron.job') is not null then
    execute 'select coalesce(json_agg(jobname order by jobname), ''[]'') from cron.job where jobname like ''backloom-%'' and active'
      into v_schedules;
  end if;
  if to_regclass('vault.secrets') is not null then
    execute 'select coalesce(json_agg(name order by name), ''[]'') from vault.secrets where name like ''backloom_%'''
      into v_secrets;
  end if;
  return json_build_object('migrations', v_migrations, 'schedules', v_schedules, 'vault_secrets', v_secrets);
end;
$$;

comment on function private.doctor_facts() is 'Applied migrations, schedule and names of secrets. Used by doctor_facts only.';

grant execute on function private.doctor_facts() to service_role;

-- Why: what `admin doctor` compares with the files of the checkout, over any transport. Service only.
create function public.doctor_facts()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.doctor_facts();
end;
$$;

comment on function public.doctor_facts() is 'Facts for the check command of an installation (docs/deploy.md). Service only.';

revoke execute on function public.doctor_facts() from public, anon, authenticated;
grant execute on function public.doctor_facts() to service_role;

-- Why: the doctor proves that events travel from the database to a listener. Definer, because only the owner of the emit
-- triggers may announce events; it can announce nothing but a probe to one user.
create function private.send_probe(p_user_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.emit('user:' || p_user_id, jsonb_build_object('op', 'I', 'entity', 'probe', 'id', p_user_id));
end;
$$;

comment on function private.send_probe(uuid) is 'Announces a probe to one user. Used by send_probe only.';

grant execute on function private.send_probe(uuid) to service_role;

-- Why: see private.send_probe. Clients ignore entities that they do not know. Service only.
create function public.send_probe(p_user_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.send_probe(p_user_id);
  return json_build_object('id', p_user_id);
end;
$$;

comment on function public.send_probe(uuid) is 'One event for the check command of an installation (docs/deploy.md). Service only.';

revoke execute on function public.send_probe(uuid) from public, anon, authenticated;
grant execute on function public.send_probe(uuid) to service_role;

-- Why: what stands around every signed-in page, in one read: the products to switch between, the sprint that
-- is under way in the active one, and how many questions wait (design: pages).
create function public.get_shell(p_active_product_id uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(p) order by lower(p.name), p.id), '[]')
      from (
        select p.id, p.code, p.name
        from public.products p
        where p.archived_at is null and p.id in (select private.accessible_product_ids())
      ) p),
    'active_sprint_id', (
      select s.id from public.sprints s where s.product_id = p_active_product_id and s.status = 'ACTIVE'),
    'open_questions', (
      select count(*)
      from public.agent_questions q
      where q.status = 'OPEN' and q.expires_at > private.now()
        and q.product_id in (select private.accessible_product_ids()))
  );
end;
$$;

comment on function public.get_shell(uuid) is 'The frame of every signed-in page: products, active sprint, open questions.';

revoke execute on function public.get_shell(uuid) from public, anon;
grant execute on function public.get_shell(uuid) to authenticated;

-- Why: the first page after signing in: per product what is under way, what waits on a person and what today cost
-- (design: pages, dashboard).
create function public.get_dashboard()
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_products uuid[] := array(
    select p.id from public.products p
    where p.archived_at is null and p.id in (select private.accessible_product_ids()));
  v_today timestamptz := date_trunc('day', private.now() at time zone 'UTC') at time zone 'UTC';
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(x) order by lower(x.name), x.id), '[]')
      from (
        select p.id, p.code, p.name, p.description, p.owner_id = auth.uid() as is_owner,
          (select count(*) from public.stories s where s.product_id = p.id and s.status = 'OPEN') as open_stories,
          (
            select row_to_json(a)
            from (
              select s.id, s.code, s.sprint_goal, s.end_date,
                (
                  select coalesce(json_agg(t.status order by st.sort_order, t.sort_order), '[]')
                  from public.tasks t join public.stories st on st.id = t.story_id
                  where st.sprint_id = s.id) as task_statuses
              from public.sprints s where s.product_id = p.id and s.status = 'ACTIVE'
            ) a
          ) as active_sprint,
          (
            select row_to_json(r)
            from (
              select r.id, lower(r.status::text) as status, r.started_at, r.created_at,
                (
                  select coalesce(json_agg(j.status order by j.position, j.id), '[]')
                  from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
              from public.sprint_runs r
              where r.product_id = p.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
              order by r.created_at desc
              limit 1
            ) r
          ) as run
        from public.products p
        where p.id = any (v_products)
      ) x),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at), '[]')
      from (
        select q.* from public.agent_questions q
        where q.status = 'OPEN' and q.expires_at > private.now() and q.product_id = any (v_products)
        order by q.created_at
        limit 5
      ) q),
    'reviews', (
      select coalesce(json_agg(row_to_json(t) order by t.changed_at desc), '[]')
      from (
        select t.id, t.code, t.title, p.name as product_name, t.updated_at as changed_at
        from public.tasks t join public.products p on p.id = t.product_id
        where t.status = 'REVIEW' and t.product_id = any (v_products)
        order by t.updated_at desc
        limit 5
      ) t),
    'cost_today', (
      select sum(private.job_cost(j)) from public.agent_jobs j
      where j.product_id = any (v_products) and j.updated_at >= v_today and j.model_id is not null),
    'done_today', (
      select count(distinct c.task_id) from public.task_status_changes c
      where c.product_id = any (v_products) and c.changed_at >= v_today and c.to_status = 'DONE'),
    'workers_online', (
      select count(*) from public.agent_workers w
      where w.stopped_at is null and w.last_seen_at > private.now() - interval '3 minutes')
  );
end;
$$;

comment on function public.get_dashboard() is 'The dashboard: products, runs, questions, reviews, the cost of today.';

revoke execute on function public.get_dashboard() from public, anon;
grant execute on function public.get_dashboard() to authenticated;

-- Why: one shape of the cards on the sprint board and on the solo board: the task, its story, its job if one is
-- under way, and how many questions about it wait.
create function private.board_tasks(p_sprint_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(row_to_json(t) order by t.story_sort_order, t.story_id, t.sort_order, t.id), '[]')
    from (
      select t.id, t.code, t.title, t.story_id, t.sort_order, t.priority,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.implementation_plan is not null and t.implementation_plan <> '' as has_plan,
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id,
        j.id as job_id, lower(j.status::text) as job_status, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        w.name as worker_name,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
        ) as open_questions
      from public.stories s
      join public.tasks t on t.story_id = s.id
      left join lateral (
        select j.id, j.status, j.started_at, j.updated_at, j.worker_id
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers w on w.id = j.worker_id
      where s.sprint_id = p_sprint_id
    ) t
  );
end;
$$;

comment on function private.board_tasks(uuid) is 'The cards of a sprint board, in story and task order (design: pages).';

grant execute on function private.board_tasks(uuid) to authenticated;

-- Why: the sprint page shows the burn-down beside the board. Definer: the history is read for a member without asking
-- row level security for each change; access is checked first. Called by get_sprint_board.
create function private.get_sprint_burndown(p_sprint_id uuid)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_sprint public.sprints;
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  return private.burndown(v_sprint);
end;
$$;

comment on function private.get_sprint_burndown(uuid) is 'Burn-down of one sprint for its page (specification: Sprint).';

grant execute on function private.get_sprint_burndown(uuid) to authenticated;

-- Why: the sprint page in one read: the sprint, its stories and cards, its newest run, the members who can take
-- a story, the open stories that could join, what stands in the way of a run, and the burn-down (design: pages).
create function public.get_sprint_board(p_sprint_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
begin
  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'pr_strategy', (select p.pr_strategy from public.products p where p.id = v_product),
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
          ) as open_questions
        from public.stories s where s.sprint_id = p_sprint_id
      ) x),
    'tasks', private.board_tasks(p_sprint_id),
    'run', (
      select row_to_json(r)
      from (
        select r.id, lower(r.status::text) as status, r.started_at, r.created_at, r.finished_at, r.pause_context,
          r.failure,
          (
            select coalesce(json_agg(j.status order by j.position, j.id), '[]')
            from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
        from public.sprint_runs r
        where r.sprint_id = p_sprint_id
        order by r.created_at desc
        limit 1
      ) r),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product),
    'candidates', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order,
          (select count(*) from public.tasks t where t.story_id = s.id) as task_count
        from public.stories s
        where s.product_id = v_product and s.sprint_id is null and s.status in ('OPEN', 'FAILED')
        order by s.sort_order, s.id
        limit 200
      ) x),
    'preflight', private.preflight_sprint_run(p_sprint_id),
    'burndown', private.get_sprint_burndown(p_sprint_id)
  );
end;
$$;

comment on function public.get_sprint_board(uuid) is 'The sprint page: stories, cards, newest run, candidates (design: pages).';

revoke execute on function public.get_sprint_board(uuid) from public, anon;
grant execute on function public.get_sprint_board(uuid) to authenticated;

-- Why: one person's part of the active sprint: their stories and those that nobody took yet, with their cards
-- (specification: Solo stream, the same filter).
create function public.get_solo_board(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_sprint uuid;
begin
  perform private.require_product_access(p_product_id);
  select s.id into v_sprint from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE';

  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = v_sprint),
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
          ) as open_questions
        from public.stories s
        where s.sprint_id = v_sprint and (s.assignee_id is null or s.assignee_id = auth.uid())
      ) x),
    'tasks', private.board_tasks(v_sprint),
    'workers_online', (
      select count(*) from public.agent_workers w
      where w.stopped_at is null and w.last_seen_at > private.now() - interval '3 minutes')
  );
end;
$$;

comment on function public.get_solo_board(uuid) is 'The solo page: own and unclaimed stories of the active sprint (design: pages).';

revoke execute on function public.get_solo_board(uuid) from public, anon;
grant execute on function public.get_solo_board(uuid) to authenticated;

-- Why: everything about one story in one read: where it belongs, its tasks, questions and log (design: pages).
create function public.get_story_page(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_story public.stories;
begin
  perform private.require_access('story', p_story_id);
  select s.* into v_story from public.stories s where s.id = p_story_id;

  return json_build_object(
    'story', (select row_to_json(s) from private.story_shape s where s.id = p_story_id),
    'assignee_name', private.username(v_story.assignee_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'archived', p.archived_at is not null)
      from public.products p where p.id = v_story.product_id),
    'pbi', (
      select json_build_object('id', b.id, 'code', b.code, 'title', b.title)
      from public.pbis b where b.id = v_story.pbi_id),
    'sprint', (
      select json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
      from public.sprints s where s.id = v_story.sprint_id),
    'sprints', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
        order by s.created_at desc), '[]')
      from public.sprints s where s.product_id = v_story.product_id and s.status in ('PLANNED', 'ACTIVE')),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order), '[]')
      from public.pbis b where b.product_id = v_story.product_id),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_story.product_id),
    'tasks', (
      select coalesce(json_agg(row_to_json(t) order by t.sort_order, t.created_at, t.id), '[]')
      from private.task_shape t where t.story_id = p_story_id),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.story_id = p_story_id),
    'logs', (
      select coalesce(json_agg(row_to_json(l) order by l.created_at desc, l.id), '[]')
      from (
        select * from private.story_log_shape l
        where l.story_id = p_story_id
        order by l.created_at desc
        limit 100
      ) l)
  );
end;
$$;

comment on function public.get_story_page(uuid) is 'The story page: place, tasks, questions, log (design: pages).';

revoke execute on function public.get_story_page(uuid) from public, anon;
grant execute on function public.get_story_page(uuid) to authenticated;

-- Why: everything about one task in one read: where it belongs, its plan, its jobs and questions (design: pages).
create function public.get_task_page(p_task_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task public.tasks;
begin
  perform private.require_access('task', p_task_id);
  select t.* into v_task from public.tasks t where t.id = p_task_id;

  return json_build_object(
    'task', (select row_to_json(t) from private.task_detail_shape t where t.id = p_task_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null)
      from public.products p where p.id = v_task.product_id),
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'sprint_id', s.sprint_id)
      from public.stories s where s.id = v_task.story_id),
    'stories', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title) order by s.sort_order, s.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order
        from public.stories s
        where s.product_id = v_task.product_id and (s.status in ('OPEN', 'IN_SPRINT') or s.id = v_task.story_id)
        order by s.sort_order, s.id
        limit 300
      ) s),
    'jobs', (
      select coalesce(json_agg(private.job_json(j) order by j.created_at desc), '[]')
      from public.agent_jobs j where j.task_id = p_task_id),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.task_id = p_task_id),
    'history', (
      select coalesce(json_agg(row_to_json(c) order by c.changed_at desc, c.id desc), '[]')
      from (
        select c.id, lower(c.to_status::text) as to_status, c.changed_at
        from public.task_status_changes c
        where c.task_id = p_task_id
        order by c.changed_at desc, c.id desc
        limit 20
      ) c)
  );
end;
$$;

comment on function public.get_task_page(uuid) is 'The task page: place, plan, jobs, questions (design: pages).';

revoke execute on function public.get_task_page(uuid) from public, anon;
grant execute on function public.get_task_page(uuid) to authenticated;

-- Why: the backlog page shows thousands of rows and needs few words of each. Definer, so that row level security is
-- not asked three times; access is checked first.
create function private.get_backlog_tree(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);

  return json_build_object(
    'sprints', (
      select coalesce(json_agg(json_build_object(
        'id', s.id, 'code', s.code, 'status', lower(s.status::text), 'sprint_goal', s.sprint_goal)
        order by s.status desc, s.created_at), '[]')
      from public.sprints s
      where s.product_id = p_product_id and s.status in ('PLANNED', 'ACTIVE', 'FAILED')),
    'pbis', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select b.id, b.code, b.title, b.priority, lower(b.status::text) as status, b.pr_url
        from public.pbis b
        where b.product_id = p_product_id
        order by b.priority, b.sort_order, b.created_at, b.id
      ) x),
    'stories', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select s.id, s.pbi_id, s.code, s.title, s.priority, lower(s.status::text) as status, s.sprint_id, s.assignee_id
        from public.stories s
        where s.product_id = p_product_id
        order by s.sort_order, s.created_at, s.id
      ) x),
    'tasks', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select t.id, t.story_id, t.code, t.title,
          case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
        from public.tasks t
        where t.product_id = p_product_id
        order by t.sort_order, t.created_at, t.id
      ) x)
  );
end;
$$;

comment on function private.get_backlog_tree(uuid) is 'Body of get_backlog_tree (design: pages, backlog).';

grant execute on function private.get_backlog_tree(uuid) to authenticated, service_role;

-- Called by the backlog page: codes, titles and states of everything in a product, and the sprints a story can join.
create function public.get_backlog_tree(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_backlog_tree(p_product_id);
end;
$$;

comment on function public.get_backlog_tree(uuid) is 'The tree of the backlog page (design: pages, backlog).';

revoke execute on function public.get_backlog_tree(uuid) from public, anon;
grant execute on function public.get_backlog_tree(uuid) to authenticated;

-- Why: whoever makes an account in Supabase Auth (registration, an administrator, the project's dashboard) gets a
-- profile in the same transaction. The name comes from the sign-up; role and flags never do: everybody starts as a
-- DEVELOPER without flags. Without a usable name one is made from the address.
-- Definer: Supabase Auth runs as its own role, which has no rights on our tables.
create function private.tg_auth_users__create_profile()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  -- Not every Auth server stores the object as such; some store its JSON text as one string.
  v_metadata jsonb := case jsonb_typeof(new.raw_user_meta_data)
    when 'string' then (new.raw_user_meta_data #>> '{}')::jsonb
    else new.raw_user_meta_data
  end;
  v_wanted text := v_metadata ->> 'username';
  v_base text := left(coalesce(nullif(regexp_replace(split_part(new.email, '@', 1), '[^A-Za-z0-9]+', '', 'g'), ''), 'user'), 30);
begin
  insert into public.users (id, username, email, created_at, updated_at)
  values (new.id, coalesce(v_wanted, v_base || '-' || left(new.id::text, 8)), coalesce(new.email, ''),
    private.now(), private.now());
  return new;
end;
$$;

comment on function private.tg_auth_users__create_profile() is
  'Makes the profile of a new account; never an administrator (specification: Other records, User).';

revoke execute on function private.tg_auth_users__create_profile() from public;

create trigger _100_create_profile
after insert on auth.users
for each row execute function private.tg_auth_users__create_profile();

-- Why: people sign in with an address too; after a confirmed change in Supabase Auth the new one counts.
-- Definer: Supabase Auth runs as its own role, which has no rights on our tables.
create function private.tg_auth_users__copy_email()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.users set email = coalesce(new.email, ''), updated_at = private.now() where id = new.id;
  return new;
end;
$$;

comment on function private.tg_auth_users__copy_email() is 'Keeps the address of the profile as Supabase Auth has it.';

revoke execute on function private.tg_auth_users__copy_email() from public;

create trigger _110_copy_email
after update of email on auth.users
for each row when (old.email is distinct from new.email)
execute function private.tg_auth_users__copy_email();

-- Why: a write straight to a table locks its rows before any row trigger runs, while operations take the product lock
-- first. To keep one order, such a statement first takes the locks of every product that its user may write, sorted.
-- Operations hold their lock already (`backloom.locked_product`) and pass by. Definer: membership is protected by RLS.
create function private.tg_any__lock_products()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_product_id uuid;
begin
  if coalesce(current_setting('backloom.locked_product', true), '') <> '' or auth.uid() is null then
    return null;
  end if;

  for v_product_id in select w.id from private.writable_product_ids() as w (id) order by w.id loop
    perform private.lock_product(v_product_id);
  end loop;
  return null;
end;
$$;

comment on function private.tg_any__lock_products() is
  'Before direct writes: the locks of the user''s products, in one order (specification: States and transitions).';

create trigger _110_lock_products before insert or update or delete on public.pbis
  for each statement execute function private.tg_any__lock_products();
create trigger _110_lock_products before insert or update or delete on public.stories
  for each statement execute function private.tg_any__lock_products();
create trigger _110_lock_products before insert or update or delete on public.tasks
  for each statement execute function private.tg_any__lock_products();
create trigger _110_lock_products before insert or update or delete on public.sprints
  for each statement execute function private.tg_any__lock_products();
create trigger _110_lock_products before delete on public.product_members
  for each statement execute function private.tg_any__lock_products();

-- Why: product_id of a task always is its story's (specification: Task). A task may move to another story of its product,
-- never to another product. Definer: the story may be hidden from the caller, whose write RLS then refuses.
create function private.tg_tasks__copy_product()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.product_id := private.product_of('story', new.story_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    raise exception using errcode = 'PT422', message = 'A task can not move to a story of another product.',
      detail = '{"issues":[{"path":"story_id","message":"Choose a story of the same product."}]}';
  end if;

  return new;
end;
$$;

comment on function private.tg_tasks__copy_product() is 'product_id of a task from its story (specification: Task).';

create trigger _120_copy_product before insert on public.tasks
  for each row execute function private.tg_tasks__copy_product();
create trigger _121_copy_product before update on public.tasks
  for each row when (new.story_id <> old.story_id or new.product_id <> old.product_id)
  execute function private.tg_tasks__copy_product();

-- Why: product_id of a story always is its PBI's (specification: What the service does 1). A story may move to another PBI
-- of its product, never to another product. Definer: the PBI may be hidden from the caller, whose write RLS then refuses.
create function private.tg_stories__copy_product()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.product_id := private.product_of('pbi', new.pbi_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    raise exception using errcode = 'PT422', message = 'A story can not move to a PBI of another product.',
      detail = '{"issues":[{"path":"pbi_id","message":"Choose a PBI of the same product."}]}';
  end if;

  return new;
end;
$$;

comment on function private.tg_stories__copy_product() is 'product_id of a story from its PBI (specification: Story).';

create trigger _120_copy_product before insert on public.stories
  for each row execute function private.tg_stories__copy_product();
create trigger _121_copy_product before update on public.stories
  for each row when (new.pbi_id <> old.pbi_id or new.product_id <> old.product_id)
  execute function private.tg_stories__copy_product();

-- Why: product_id of a log entry always is its story's; access and events are decided by it. Definer: the story may be
-- hidden from the caller, whose write RLS then refuses.
create function private.tg_story_logs__copy_product()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.product_id := private.product_of('story', new.story_id);
  return new;
end;
$$;

comment on function private.tg_story_logs__copy_product() is
  'product_id of a log entry from its story (specification: Story log entry).';

create trigger _120_copy_product before insert on public.story_logs
  for each row execute function private.tg_story_logs__copy_product();

-- Why: a PBI or sprint never changes its product; its stories could not follow.
create function private.tg_any__keep_product()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception using errcode = 'PT422', message = 'This can not move to another product.',
    detail = '{"issues":[{"path":"product_id","message":"The product of this can not change."}]}';
end;
$$;

comment on function private.tg_any__keep_product() is
  'PBIs and sprints stay in their product (specification: What the service does 1).';

create trigger _126_keep_product before update on public.pbis
  for each row when (new.product_id <> old.product_id) execute function private.tg_any__keep_product();
create trigger _126_keep_product before update on public.sprints
  for each row when (new.product_id <> old.product_id) execute function private.tg_any__keep_product();

-- Why: also writes of the service itself hold the product lock, whatever path they came by. Operations hold it already,
-- so this costs them one comparison.
create function private.tg_any__lock_product()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.lock_product(old.product_id);
    return old;
  end if;

  perform private.lock_product(new.product_id);
  return new;
end;
$$;

comment on function private.tg_any__lock_product() is
  'The product lock before each change of the backlog (specification: States and transitions).';

create trigger _130_lock_product before insert or update or delete on public.pbis
  for each row execute function private.tg_any__lock_product();
create trigger _130_lock_product before insert or update or delete on public.stories
  for each row execute function private.tg_any__lock_product();
create trigger _130_lock_product before insert or update or delete on public.tasks
  for each row execute function private.tg_any__lock_product();
create trigger _130_lock_product before insert or update or delete on public.sprints
  for each row execute function private.tg_any__lock_product();
create trigger _130_lock_product before delete on public.product_members
  for each row execute function private.tg_any__lock_product();

-- Why: the limits on creating hold for every path of a user, the Data API included (specification: Limits). The service
-- itself (no user: import, seed) is not limited. The argument names the limit.
create function private.tg_any__take_rate_limit()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if auth.uid() is not null then
    perform private.take_rate_limit(tg_argv[0], auth.uid()::text);
  end if;
  return new;
end;
$$;

comment on function private.tg_any__take_rate_limit() is 'Counts each creation by a user (specification: Limits).';

create trigger _140_take_rate_limit before insert on public.products
  for each row execute function private.tg_any__take_rate_limit('product');
create trigger _140_take_rate_limit before insert on public.pbis
  for each row execute function private.tg_any__take_rate_limit('pbi');
create trigger _140_take_rate_limit before insert on public.stories
  for each row execute function private.tg_any__take_rate_limit('story');
create trigger _140_take_rate_limit before insert on public.tasks
  for each row execute function private.tg_any__take_rate_limit('task');
create trigger _140_take_rate_limit before insert on public.sprints
  for each row execute function private.tg_any__take_rate_limit('sprint');
create trigger _140_take_rate_limit before insert on public.ideas
  for each row execute function private.tg_any__take_rate_limit('idea');
create trigger _140_take_rate_limit before insert on public.story_logs
  for each row execute function private.tg_any__take_rate_limit('story_log');

-- Why: every PBI, story, task, sprint and idea has a code: the supplied one, or the next of its counter
-- (specification: Entity codes). A code in use is refused here with a sentence; the unique constraint is the second wall.
-- Runs under the product lock, so nothing can take the code in between. The argument names the kind.
-- Definer: counters are nobody's to write.
create function private.tg_any__assign_code()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_scope_id uuid;
begin
  if tg_argv[0] = 'idea' then
    v_scope_id := new.user_id;
  else
    v_scope_id := new.product_id;
  end if;

  if new.code is null then
    new.code := private.next_code(v_scope_id, tg_argv[0]);
    return new;
  end if;

  if private.code_taken(v_scope_id, tg_argv[0], new.code) then
    raise exception using errcode = 'PT422',
      message = format('The code %s is already in use. Choose another, or leave it out to get the next free one.', new.code),
      detail = '{"issues":[{"path":"code","message":"This code is already in use."}]}';
  end if;

  return new;
end;
$$;

comment on function private.tg_any__assign_code() is 'Supplied or generated codes (specification: Entity codes).';

create trigger _150_assign_code before insert on public.pbis
  for each row execute function private.tg_any__assign_code('pbi');
create trigger _150_assign_code before insert on public.stories
  for each row execute function private.tg_any__assign_code('story');
create trigger _150_assign_code before insert on public.tasks
  for each row execute function private.tg_any__assign_code('task');
create trigger _150_assign_code before insert on public.sprints
  for each row execute function private.tg_any__assign_code('sprint');
create trigger _150_assign_code before insert on public.ideas
  for each row execute function private.tg_any__assign_code('idea');
create trigger _151_assign_code before update on public.pbis
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('pbi');
create trigger _151_assign_code before update on public.stories
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('story');
create trigger _151_assign_code before update on public.tasks
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('task');

-- Why: sort_order of stories and tasks is set when they are created and whenever their code is edited, and by nothing else
-- (specification: Ordering rules 2). A value from outside is put back.
create function private.tg_any__sort_order()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.sort_order := private.sort_order_from_code(new.code);
  return new;
end;
$$;

comment on function private.tg_any__sort_order() is
  'sort_order of stories and tasks from their code (specification: Ordering rules 1, 2).';

create trigger _200_sort_order before insert on public.stories
  for each row execute function private.tg_any__sort_order();
create trigger _200_sort_order before insert on public.tasks
  for each row execute function private.tg_any__sort_order();
create trigger _201_sort_order before update on public.stories
  for each row when (new.code <> old.code or new.sort_order <> old.sort_order)
  execute function private.tg_any__sort_order();
create trigger _201_sort_order before update on public.tasks
  for each row when (new.code <> old.code or new.sort_order <> old.sort_order)
  execute function private.tg_any__sort_order();

-- Why: a new PBI without a place of its own comes last within its priority (specification: Ordering rules 4).
-- Definer: the place does not depend on what the caller may see.
create function private.tg_pbis__append()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  select coalesce(max(b.sort_order), 0) + 1
  into new.sort_order
  from public.pbis b
  where b.product_id = new.product_id and b.priority = new.priority;
  return new;
end;
$$;

comment on function private.tg_pbis__append() is 'A new PBI comes last in its priority (specification: Ordering rules 4).';

create trigger _210_append before insert on public.pbis
  for each row when (new.sort_order is null) execute function private.tg_pbis__append();

-- Why: nobody sets the status of a story; it follows from its tasks and its sprint (specification: States, Story). Whatever
-- a write says, this puts the derived value.
create function private.tg_stories__derive_status()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.status := private.derived_story_status(new.id, new.sprint_id);
  return new;
end;
$$;

comment on function private.tg_stories__derive_status() is
  'Status of a story from its tasks and sprint (specification: States and transitions, Story). Definer: sees all tasks.';

create trigger _300_derive_status before insert on public.stories
  for each row execute function private.tg_stories__derive_status();
create trigger _301_derive_status before update on public.stories
  for each row when (new.status <> old.status or new.sprint_id is distinct from old.sprint_id)
  execute function private.tg_stories__derive_status();

-- Why: BLOCKED is set and lifted by hand; every other status of a PBI follows from its stories and is put here, whatever a
-- write says (specification: States, PBI).
create function private.tg_pbis__derive_status()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.status := private.derived_pbi_status(new.id);
  return new;
end;
$$;

comment on function private.tg_pbis__derive_status() is
  'Status of a PBI that is not blocked (specification: States and transitions, PBI). Definer: sees all stories.';

create trigger _310_derive_status before insert on public.pbis
  for each row when (new.status <> 'BLOCKED') execute function private.tg_pbis__derive_status();
create trigger _311_derive_status before update on public.pbis
  for each row when (new.status <> old.status and new.status <> 'BLOCKED')
  execute function private.tg_pbis__derive_status();

-- Why: stories join a sprint that is planned or runs, never one that is over (specification: States, Sprint).
-- Definer: the sprint may be hidden from the caller, whose write RLS then refuses; the composite key ties it to the product.
create function private.tg_stories__guard_sprint()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = new.sprint_id;

  if v_sprint.product_id is distinct from new.product_id then
    raise exception using errcode = 'PT422', message = 'A sprint groups stories of its own product only.',
      detail = '{"issues":[{"path":"sprint_id","message":"Choose a sprint of the story''s product."}]}';
  end if;

  if v_sprint.status not in ('PLANNED', 'ACTIVE') then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s: stories join a planned or active sprint.', v_sprint.code, lower(v_sprint.status::text));
  end if;

  return new;
end;
$$;

comment on function private.tg_stories__guard_sprint() is
  'Same product, and a sprint that is not over (specification: What the service does 1; States, Sprint).';

create trigger _320_guard_sprint before insert on public.stories
  for each row when (new.sprint_id is not null and auth.uid() is not null)
  execute function private.tg_stories__guard_sprint();
create trigger _321_guard_sprint before update on public.stories
  for each row when (new.sprint_id is not null and new.sprint_id is distinct from old.sprint_id and auth.uid() is not null)
  execute function private.tg_stories__guard_sprint();

-- Why: an idea moves forward only, steps may be skipped, and PLANNED is reached by promotion alone, which sets the PBI in
-- the same statement (specification: States, Idea).
create function private.tg_ideas__guard_status()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.status < old.status then
    raise exception using errcode = 'PT409',
      message = format('An idea moves forward only: this one is %s already.', lower(old.status::text));
  end if;

  if new.status = 'PLANNED' and new.pbi_id is null then
    raise exception using errcode = 'PT422', message = 'An idea becomes planned by promoting it to a PBI.',
      detail = '{"issues":[{"path":"status","message":"Promote the idea instead."}]}';
  end if;

  return new;
end;
$$;

comment on function private.tg_ideas__guard_status() is 'Forward only; PLANNED by promotion (specification: Idea).';

create trigger _330_guard_status before update on public.ideas
  for each row when (new.status <> old.status) execute function private.tg_ideas__guard_status();

-- Why: a user's new idea is a draft; only the service (import) may bring one in another state.
create function private.tg_ideas__guard_insert()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.status := 'DRAFT';
  new.pbi_id := null;
  return new;
end;
$$;

comment on function private.tg_ideas__guard_insert() is 'New ideas are drafts (specification: Idea).';

create trigger _335_guard_insert before insert on public.ideas
  for each row when (auth.uid() is not null) execute function private.tg_ideas__guard_insert();

-- Why: an archived product is read-only until it is restored (specification: GET /api/products).
create function private.tg_products__guard_archived()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception using errcode = 'PT403',
    message = 'This product is archived and can only be read. Restore it to make changes.';
end;
$$;

comment on function private.tg_products__guard_archived() is 'Archived products do not change.';

create trigger _340_guard_archived before update on public.products
  for each row when (old.archived_at is not null and new.archived_at is not null and auth.uid() is not null)
  execute function private.tg_products__guard_archived();

-- Why: a product's code is unique per owner; the refusal says so in words, the constraint is the second wall.
-- Definer: looks at all products of the owner.
create function private.tg_products__guard_code()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.products p where p.owner_id = new.owner_id and p.code = new.code and p.id <> new.id
  ) then
    raise exception using errcode = 'PT422',
      message = format('You already have a product with the code %s. Choose another code.', new.code),
      detail = '{"issues":[{"path":"code","message":"This code is already in use."}]}';
  end if;
  return new;
end;
$$;

comment on function private.tg_products__guard_code() is 'Product codes are unique per owner (specification: Product).';

create trigger _345_guard_code before insert on public.products
  for each row execute function private.tg_products__guard_code();
create trigger _346_guard_code before update on public.products
  for each row when (new.code <> old.code) execute function private.tg_products__guard_code();

-- Why: updated_at says when a row last changed, by whatever path.
create function private.tg_any__touch()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := private.now();
  return new;
end;
$$;

comment on function private.tg_any__touch() is 'Keeps updated_at.';

create trigger _400_touch before update on public.products
  for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.pbis
  for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.stories
  for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.tasks
  for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.sprints
  for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.ideas
  for each row execute function private.tg_any__touch();

-- Why: a story follows its tasks, also when the last two finish at the same moment: every change of a task holds the
-- product lock, and this reads the tasks afterwards. One statement for all rows of a write; the PBI follows through the
-- trigger on stories. A failed task's sprint and runs are not touched here.
-- Definer: statuses of stories are nobody's to write.
create function private.tg_tasks__derive_story()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_story_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.story_id) into v_story_ids from new_tasks n;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.story_id) into v_story_ids from old_tasks o;
  else
    select array_agg(distinct c.story_id)
    into v_story_ids
    from new_tasks n
    join old_tasks o on o.id = n.id
    cross join lateral (values (n.story_id), (o.story_id)) as c (story_id)
    where n.story_id <> o.story_id
      or (n.status <> o.status and (n.status in ('DONE', 'FAILED') or o.status in ('DONE', 'FAILED')));
  end if;

  -- Most changes leave the story as it is: then no write is tried, and no trigger of stories fires.
  if v_story_ids is not null then
    select array_agg(s.id)
    into v_story_ids
    from public.stories s
    where s.id = any (v_story_ids) and s.status <> private.derived_story_status(s.id, s.sprint_id);
  end if;

  if v_story_ids is not null then
    update public.stories s
    set status = private.derived_story_status(s.id, s.sprint_id)
    where s.id = any (v_story_ids);
  end if;
  return null;
end;
$$;

comment on function private.tg_tasks__derive_story() is
  'Stories follow their tasks (specification: States and transitions, Story).';

create trigger _500_derive_story_insert after insert on public.tasks
  referencing new table as new_tasks
  for each statement execute function private.tg_tasks__derive_story();
create trigger _500_derive_story_update after update on public.tasks
  referencing old table as old_tasks new table as new_tasks
  for each statement execute function private.tg_tasks__derive_story();
create trigger _500_derive_story_delete after delete on public.tasks
  referencing old table as old_tasks
  for each statement execute function private.tg_tasks__derive_story();

-- Why: a PBI that is not blocked follows its stories (specification: States, PBI). One statement for all rows of a write.
-- Definer: the status of a PBI is nobody's to write, except for blocking it.
create function private.tg_stories__derive_pbi()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_pbi_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.pbi_id) into v_pbi_ids from new_stories n;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.pbi_id) into v_pbi_ids from old_stories o;
  else
    select array_agg(distinct c.pbi_id)
    into v_pbi_ids
    from new_stories n
    join old_stories o on o.id = n.id
    cross join lateral (values (n.pbi_id), (o.pbi_id)) as c (pbi_id)
    where n.status <> o.status or n.pbi_id <> o.pbi_id;
  end if;

  -- Most changes leave the PBI as it is: then no write is tried, and no trigger of PBIs fires.
  if v_pbi_ids is not null then
    select array_agg(b.id)
    into v_pbi_ids
    from public.pbis b
    where b.id = any (v_pbi_ids) and b.status <> 'BLOCKED' and b.status <> private.derived_pbi_status(b.id);
  end if;

  if v_pbi_ids is not null then
    update public.pbis b set status = private.derived_pbi_status(b.id) where b.id = any (v_pbi_ids);
  end if;
  return null;
end;
$$;

comment on function private.tg_stories__derive_pbi() is
  'PBIs follow their stories (specification: States and transitions, PBI).';

create trigger _510_derive_pbi_insert after insert on public.stories
  referencing new table as new_stories
  for each statement execute function private.tg_stories__derive_pbi();
create trigger _510_derive_pbi_update after update on public.stories
  referencing old table as old_stories new table as new_stories
  for each statement execute function private.tg_stories__derive_pbi();
create trigger _510_derive_pbi_delete after delete on public.stories
  referencing old table as old_stories
  for each statement execute function private.tg_stories__derive_pbi();

-- Why: an archived product is nobody's active product (specification: Other records, User). Definer: it writes the profiles
-- of all its members.
create function private.tg_products__clear_active()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.users u set active_product_id = null where u.active_product_id = new.id;
  return null;
end;
$$;

comment on function private.tg_products__clear_active() is
  'Clears active_product_id when a product is archived (specification: Other records).';

create trigger _520_clear_active after update on public.products
  for each row when (new.archived_at is not null and old.archived_at is null)
  execute function private.tg_products__clear_active();

-- Why: who leaves a product or is removed from it loses it as active product (specification: Other records, User).
-- Definer: it writes the profile of another user.
create function private.tg_product_members__clear_active()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.users u
  set active_product_id = null
  where u.id = old.user_id and u.active_product_id = old.product_id;
  return null;
end;
$$;

comment on function private.tg_product_members__clear_active() is
  'Clears active_product_id of a member who is gone (specification: Other records).';

create trigger _525_clear_active after delete on public.product_members
  for each row execute function private.tg_product_members__clear_active();

-- Why: the owner is in product_members like everybody, so that access is one look-up (specification: Authentication 4).
-- Definer: users may add members only, never owners.
create function private.tg_products__add_owner()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into public.product_members (product_id, user_id, role)
  values (new.id, new.owner_id, 'OWNER')
  on conflict (product_id, user_id) do update set role = 'OWNER';
  return null;
end;
$$;

comment on function private.tg_products__add_owner() is
  'Membership row of the owner (specification: Authentication 4).';

create trigger _530_add_owner after insert on public.products
  for each row execute function private.tg_products__add_owner();

-- Why: the history behind burn-down and cycle time: every status that a task took, with the sprint it was in.
-- Definer: the history is nobody's to write.
create function private.tg_tasks__record_status_change()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, to_status)
    select n.id, n.story_id, n.product_id, s.sprint_id, n.status
    from new_tasks n
    join public.stories s on s.id = n.story_id;
    return null;
  end if;

  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  select n.id, n.story_id, n.product_id, s.sprint_id, o.status, n.status
  from new_tasks n
  join old_tasks o on o.id = n.id
  join public.stories s on s.id = n.story_id
  where n.status <> o.status;
  return null;
end;
$$;

comment on function private.tg_tasks__record_status_change() is
  'Writes task_status_changes (specification: States and transitions, Task).';

create trigger _550_record_status_insert after insert on public.tasks
  referencing new table as new_tasks
  for each statement execute function private.tg_tasks__record_status_change();
create trigger _550_record_status_update after update on public.tasks
  referencing old table as old_tasks new table as new_tasks
  for each statement execute function private.tg_tasks__record_status_change();

-- Why: the page of an idea tells what happened to it (specification: Other records, idea log).
-- Definer: the log is nobody's to write.
create function private.tg_ideas__log()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.idea_logs (idea_id, user_id, kind) values (new.id, auth.uid(), 'CREATED');
    return null;
  end if;

  insert into public.idea_logs (idea_id, user_id, kind, content)
  select new.id, auth.uid(), e.kind, e.content
  from (
    values
      ('EDITED', '', (new.title, new.description, new.product_id) is distinct from (old.title, old.description, old.product_id)),
      ('STATUS', lower(new.status::text), new.status <> old.status and new.status <> 'PLANNED'),
      ('PROMOTED', coalesce((select b.code from public.pbis b where b.id = new.pbi_id), ''),
        new.status = 'PLANNED' and old.status <> 'PLANNED'),
      ('ARCHIVED', '', new.archived_at is not null and old.archived_at is null),
      ('RESTORED', '', new.archived_at is null and old.archived_at is not null)
  ) as e (kind, content, happened)
  where e.happened;
  return null;
end;
$$;

comment on function private.tg_ideas__log() is 'Writes idea_logs (specification: Other records).';

create trigger _560_log after insert or update on public.ideas
  for each row execute function private.tg_ideas__log();

-- Why: linking and unlinking a further product belongs to the story of an idea.
-- Definer: the log is nobody's to write. A link that goes with its idea or product is not logged.
create function private.tg_idea_products__log()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_row public.idea_products := case when tg_op = 'DELETE' then old else new end;
begin
  insert into public.idea_logs (idea_id, user_id, kind, content)
  select i.id, auth.uid(), case when tg_op = 'DELETE' then 'UNLINKED' else 'LINKED' end, p.code
  from public.ideas i, public.products p
  where i.id = v_row.idea_id and p.id = v_row.product_id;
  return null;
end;
$$;

comment on function private.tg_idea_products__log() is 'Logs links of an idea (specification: Idea).';

create trigger _565_log after insert or delete on public.idea_products
  for each row execute function private.tg_idea_products__log();

-- Why: whoever writes a job, some things follow from its row alone: a single job outside a run is refused with the way to go,
-- a final status has its time, a job that nobody holds has no lease, and a job alone is its own lane.
-- Invoker on purpose: the current role tells a direct insert of a user (always refused) from one by our own functions.
create function private.tg_agent_jobs__stamp()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    if current_user = 'authenticated' or (new.sprint_run_id is null and new.kind <> 'PLAN_CHAT') then
      perform private.refuse(409,
        'Single jobs can no longer be created. Start a sprint run instead: it creates the jobs of all its tasks (start_sprint_run).');
    end if;
    new.lane_id := coalesce(new.lane_id, new.id);
  end if;

  new.updated_at := private.now();
  if new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED') then
    new.finished_at := coalesce(new.finished_at, private.now());
    new.lease_until := null;
  else
    new.finished_at := null;
  end if;
  if new.status = 'QUEUED' then
    new.lease_until := null;
  end if;
  return new;
end;
$$;

comment on function private.tg_agent_jobs__stamp() is
  'Refuses single jobs and keeps finished_at and lease_until (specification: Starting a sprint run 3; Agent job).';

grant execute on function private.refuse(integer, text, jsonb), private.tg_agent_jobs__stamp() to authenticated, service_role;

create trigger _200_stamp
before insert or update on public.agent_jobs
for each row execute function private.tg_agent_jobs__stamp();

-- Why: a task follows its job (specification: States and transitions, Task), whether the row is inserted or updated, and a
-- run begins with the first claim of one of its jobs.
-- Definer: the caller may not write jobs and runs, and a rule must not depend on what the caller may see.
create function private.tg_agent_jobs__advance_task()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new.status = old.status then
    return null;
  end if;

  case new.status
    when 'CLAIMED', 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
      update public.sprint_runs r
      set status = 'RUNNING', started_at = coalesce(r.started_at, private.now())
      where r.id = new.sprint_run_id and r.status = 'QUEUED';
    when 'DONE' then
      update public.tasks t set status = 'DONE'
      where t.id = new.task_id and t.status <> 'DONE'
        and not exists (
          select from public.task_executions e
          where new.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = new.sprint_run_id
            and e.task_id = new.task_id and e.status = 'SKIPPED'
        );
    when 'SKIPPED' then
      if new.kind = 'SPRINT_IMPLEMENTATION' then
        update public.task_executions e
        set status = 'SKIPPED', verify_result = 'EMPTY', finished_at = private.now()
        where e.sprint_run_id = new.sprint_run_id and e.status in ('PENDING', 'RUNNING');
      else
        update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
      end if;
    when 'FAILED' then
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
    else
      null;
  end case;
  return null;
end;
$$;

comment on function private.tg_agent_jobs__advance_task() is
  'todo to in_progress, to done, to review, to failed as the job says; run QUEUED to RUNNING (specification: Task, Sprint run).';

create trigger _500_advance_task
after insert or update of status on public.agent_jobs
for each row when (new.task_id is not null and new.status not in ('QUEUED', 'CANCELLED'))
execute function private.tg_agent_jobs__advance_task();

-- Why: jobs that share a branch run one after another. When one is finished or deleted, the first unfinished one of its lane
-- is in turn, and when none is left anywhere in the run, the run is done.
-- Definer: the caller may not write jobs and runs.
create function private.tg_agent_jobs__advance_lane()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_next_id uuid;
begin
  if not exists (
    select from public.sprint_runs r where r.id = old.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
  ) then
    return null;
  end if;

  select n.id into v_next_id
  from public.agent_jobs n
  where n.sprint_run_id = old.sprint_run_id and n.lane_id = old.lane_id and n.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  order by n.position
  limit 1;
  if found then
    update public.agent_jobs j set in_turn = true where j.id = v_next_id and not j.in_turn;
    return null;
  end if;
  perform private.lock_part('run', old.sprint_run_id);
  perform private.complete_run(old.sprint_run_id);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__advance_lane() is
  'Brings the next job of a lane in turn and completes the run (specification: Agent job; Sprint run).';

create trigger _600_advance_lane
after update of status on public.agent_jobs
for each row when (
  old.sprint_run_id is not null
  and old.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  and new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED')
)
execute function private.tg_agent_jobs__advance_lane();

create trigger _600_advance_lane_deleted
after delete on public.agent_jobs
for each row when (old.sprint_run_id is not null and old.status in ('QUEUED', 'CLAIMED', 'RUNNING'))
execute function private.tg_agent_jobs__advance_lane();

-- Why: an execution that began or ended knows when, whoever wrote it.
create function private.tg_task_executions__stamp()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.status in ('DONE', 'FAILED', 'SKIPPED') then
    new.finished_at := coalesce(new.finished_at, private.now());
  else
    new.finished_at := null;
  end if;
  if new.status = 'RUNNING' then
    new.started_at := coalesce(new.started_at, private.now());
  end if;
  return new;
end;
$$;

comment on function private.tg_task_executions__stamp() is 'Keeps started_at and finished_at (specification: Sprint run, executions).';

create trigger _200_stamp
before insert or update on public.task_executions
for each row execute function private.tg_task_executions__stamp();

-- Why: in a batch run an execution moves its task as a job would, and the batch job names the task at work, else the first
-- unfinished one (specification: Agent job, task_id). Definer: the caller may not write jobs.
create function private.tg_task_executions__advance_task()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  case new.status
    when 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
    when 'DONE' then
      update public.tasks t set status = 'DONE' where t.id = new.task_id and t.status <> 'DONE';
    when 'SKIPPED' then
      update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
    when 'FAILED' then
      update public.agent_jobs j set task_id = new.task_id
      where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
      return null;
    else
      null;
  end case;

  update public.agent_jobs j
  set task_id = n.task_id
  from (
    select e.task_id from public.task_executions e
    where e.sprint_run_id = new.sprint_run_id and e.status in ('RUNNING', 'PENDING')
    order by (e.status = 'RUNNING') desc, e.position
    limit 1
  ) n
  where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    and j.task_id is distinct from n.task_id;
  return null;
end;
$$;

comment on function private.tg_task_executions__advance_task() is
  'A task follows its execution in a batch run (specification: Sprint run, executions; Task).';

create trigger _500_advance_task
after update of status on public.task_executions
for each row when (new.status <> old.status)
execute function private.tg_task_executions__advance_task();

-- Why: a task that fails within an unfinished run takes the run and its sprint with it, and what the run had not finished is
-- cancelled, all in the transaction that reported it. Story and PBI follow by their own derivation, which leaves BLOCKED
-- alone. The job of the failed task itself ends FAILED. A task that fails outside a run stays between itself, story and PBI.
-- Definer: the caller may not write runs and jobs.
create function private.tg_tasks__cascade_failure()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
  v_job public.agent_jobs;
begin
  perform private.lock_product(new.product_id);
  v_run := private.active_run_of_task(new.id);
  if v_run.id is null then
    return null;
  end if;

  update public.agent_jobs j
  set status = 'FAILED', failure_class = coalesce(j.failure_class, 'agent_error'),
      failure_reason = coalesce(j.failure_reason, 'Its task failed.')
  where j.sprint_run_id = v_run.id and j.task_id = new.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  update public.task_executions e
  set status = 'FAILED', failure_reason = coalesce(e.failure_reason, 'Its task failed.')
  where e.sprint_run_id = v_run.id and e.task_id = new.id and e.status in ('PENDING', 'RUNNING');

  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = new.id order by j.position limit 1;

  perform private.release_worker(v_job.worker_id, v_job.id);
  perform private.end_run(v_run, 'FAILED', format('Task %s failed, so the run was stopped.', new.code),
    jsonb_build_object('task_id', new.id, 'task_code', new.code, 'job_id', v_job.id,
      'failure_class', v_job.failure_class, 'reason', v_job.failure_reason));

  update public.sprints s set status = 'FAILED' where s.id = v_run.sprint_id and s.status = 'ACTIVE';
  return null;
end;
$$;

comment on function private.tg_tasks__cascade_failure() is
  'A failed task of a run fails sprint and run and cancels the rest (specification: Task, becomes failed).';

create trigger _610_cascade_failure
after update of status on public.tasks
for each row when (new.status = 'FAILED' and old.status <> 'FAILED')
execute function private.tg_tasks__cascade_failure();

-- Why: a person may finish a task by hand while a batch run still has it before it; the record then says so, and the batch
-- does not do the work again. Definer: the caller may not write executions.
create function private.tg_tasks__finish_execution()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.task_executions e
  set status = 'DONE'
  from public.sprint_runs r
  where e.task_id = new.id and e.status in ('PENDING', 'RUNNING')
    and r.id = e.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  return null;
end;
$$;

comment on function private.tg_tasks__finish_execution() is
  'A task done by hand is done in its batch run too (specification: Sprint run, executions).';

create trigger _620_finish_execution
after update of status on public.tasks
for each row when (new.status = 'DONE' and old.status <> 'DONE')
execute function private.tg_tasks__finish_execution();

-- Why: runs, questions, prices and webhooks that are changed know when.
create trigger _400_touch before update on public.sprint_runs for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.agent_questions for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.model_prices for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.webhooks for each row execute function private.tg_any__touch();

-- Why: under a shared product lock two stories of one PBI may end at the same moment; the PBI is derived from both only when
-- the second sees the first. Definer: the helper is not for users.
create function private.tg_stories__lock_pbi()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.lock_part('pbi', new.pbi_id);
  return new;
end;
$$;

comment on function private.tg_stories__lock_pbi() is
  'Guards the PBI of a story whose status changes (specification: States and transitions, PBI).';

create trigger _132_lock_pbi
before update on public.stories
for each row when (new.status <> old.status and current_setting('backloom.shared_product', true) <> '')
execute function private.tg_stories__lock_pbi();

-- Why: whoever can answer is told at once that a question waits, and webhooks hear how it ends.
-- Definer: the outbox is nobody's to write.
create function private.tg_agent_questions__notices()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_subject text := coalesce((select t.code from public.tasks t where t.id = new.task_id),
    (select s.code from public.stories s where s.id = new.story_id),
    (select i.code from public.ideas i where i.id = new.idea_id));
begin
  if tg_op = 'INSERT' then
    perform private.queue_notices('question_opened', new.product_id, new.assignee_id, true,
      format('A question about %s', v_subject), new.question, '/questions?question=' || new.id, private.question_json(new));
  elsif new.status = 'ANSWERED' then
    perform private.queue_notices('question_answered', new.product_id, null, false,
      format('Answered: %s', v_subject), new.answer, '/questions?question=' || new.id, private.question_json(new));
  elsif new.status = 'EXPIRED' then
    perform private.queue_notices('question_expired', new.product_id, coalesce(new.escalate_to, new.assignee_id), true,
      format('Nobody answered in time: %s', v_subject), new.question, '/questions?question=' || new.id, private.question_json(new));
  end if;
  return null;
end;
$$;

comment on function private.tg_agent_questions__notices() is 'Notices of questions (specification: Agent question).';

create trigger _700_notices after insert on public.agent_questions
  for each row when (new.status = 'OPEN') execute function private.tg_agent_questions__notices();
create trigger _701_notices after update of status on public.agent_questions
  for each row when (old.status = 'OPEN' and new.status in ('ANSWERED', 'EXPIRED'))
  execute function private.tg_agent_questions__notices();

-- Why: people hear that a run failed or is done; that it is paused they hear through its question, webhooks by its own name.
-- Definer: the outbox is nobody's to write.
create function private.tg_sprint_runs__notices()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_code text := (select s.code from public.sprints s where s.id = new.sprint_id);
begin
  perform private.queue_notices('run_' || lower(new.status::text), new.product_id, null, new.status <> 'PAUSED',
    format('The run of sprint %s is %s', v_code, lower(new.status::text)),
    coalesce(new.failure ->> 'reason', new.pause_context ->> 'reason', ''),
    format('/products/%s/runs/%s', new.product_id, new.id), private.run_json(new, false));
  return null;
end;
$$;

comment on function private.tg_sprint_runs__notices() is 'Notices of runs (specification: Sprint run).';

create trigger _700_notices after update of status on public.sprint_runs
  for each row when (new.status <> old.status and new.status in ('PAUSED', 'FAILED', 'DONE'))
  execute function private.tg_sprint_runs__notices();

-- Why: a task that waits for a review waits for a person, so a person is told: the assignee of its story, else everybody.
-- Definer: the outbox is nobody's to write.
create function private.tg_tasks__notices()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = new.story_id;
  perform private.queue_notices('review_needed', new.product_id, v_story.assignee_id, true,
    format('%s waits for a review', new.code), new.title,
    case when v_story.sprint_id is null then format('/products/%s/backlog', new.product_id)
      else format('/products/%s/sprints/%s', new.product_id, v_story.sprint_id) end,
    jsonb_build_object('task_id', new.id, 'task_code', new.code, 'story_id', v_story.id, 'story_code', v_story.code,
      'sprint_id', v_story.sprint_id, 'status', 'review'));
  return null;
end;
$$;

comment on function private.tg_tasks__notices() is 'Notices of tasks that wait for a review (specification: Task).';

create trigger _700_notices after update of status on public.tasks
  for each row when (new.status = 'REVIEW' and old.status <> 'REVIEW')
  execute function private.tg_tasks__notices();

-- Why: two equal changes in one transaction are two events. Each event takes its number from here, so that
-- nothing on the way can fold them, and a browser can say which event it saw last.
create sequence private.event_seq;

comment on sequence private.event_seq is
  'Number of a change event (specification: Events). Only private.emit takes numbers.';

-- Why: the events of a transaction leave together at its end. A row here, gone before the transaction is, is what makes
-- Postgres call private.send_events at that moment. Unlogged: nothing in it is ever worth recovering.
create unlogged table private.event_flushes (
  id bigint generated always as identity primary key
);

alter table private.event_flushes enable row level security;

comment on table private.event_flushes is 'Transactions that have events to send (specification: Events). Always empty to others.';

-- Why: an update event names exactly the columns that changed, and an update that changes nothing is no event.
-- Called by the emit triggers with the row before and after. The time of the change itself is no change.
create function private.changed_fields(p_old jsonb, p_new jsonb)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  return to_jsonb(array(
    select f.key
    from jsonb_each(p_new) as f
    where f.value is distinct from p_old -> f.key and f.key <> 'updated_at'
    order by f.key
  ));
end;
$$;

comment on function private.changed_fields(jsonb, jsonb) is
  'Names of the columns in which two versions of a row differ (specification: Solo stream, changed_fields).';

revoke execute on function private.changed_fields(jsonb, jsonb) from public;

-- Why: every change event begins the same way. Null means that there is nothing to tell: the update changed nothing.
-- Called by the emit triggers, which add what their entity carries.
create function private.change_event(p_operation text, p_entity text, p_old jsonb, p_new jsonb)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_row jsonb := coalesce(p_new, p_old);
  v_event jsonb := jsonb_build_object(
    'op', left(p_operation, 1), 'entity', p_entity, 'id', v_row -> 'id', 'product_id', v_row -> 'product_id'
  );
  v_changed jsonb;
begin
  if p_operation <> 'UPDATE' then
    return v_event;
  end if;

  v_changed := private.changed_fields(p_old, p_new);
  if v_changed = '[]' then
    return null;
  end if;
  return v_event || jsonb_build_object('changed_fields', v_changed);
end;
$$;

comment on function private.change_event(text, text, jsonb, jsonb) is
  'Operation, entity, id, product and changed fields of a change (specification: Events); null when nothing changed.';

revoke execute on function private.change_event(text, text, jsonb, jsonb) from public;

-- Why: an event stays under 8,000 bytes and never makes its writer fail. Long texts are cut in the event only;
-- the row keeps every character. A character takes at most six bytes in JSON, so 500 of two texts always fit.
create function private.shorten_event(p_payload jsonb)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- Writing it out to measure it is the dearer way: most events are so small that even six bytes a character would do.
  if pg_column_size(p_payload) < 1300 or octet_length(p_payload::text) < 7900 then
    return p_payload;
  end if;

  return (
    select jsonb_object_agg(
      f.key,
      case when jsonb_typeof(f.value) = 'string' then to_jsonb(left(f.value #>> '{}', 500)) else f.value end
    )
    from jsonb_each(p_payload) as f
  );
end;
$$;

comment on function private.shorten_event(jsonb) is
  'Cuts the texts of an event that would reach 8,000 bytes (specification: Events).';

revoke execute on function private.shorten_event(jsonb) from public;

-- Why: sends the events that wait in this transaction, one message a topic, and is the only caller of realtime.send. Hosted
-- Realtime counts messages and drops those above its rate: the start of a run of 1,000 tasks is a handful, not 1,000.
-- It must never fail the writer: whatever goes wrong here is a warning, the change itself is kept.
create function private.send_events()
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_waiting text := coalesce(current_setting('backloom.events', true), '');
begin
  if v_waiting = '' then
    return;
  end if;
  perform set_config('backloom.events', '', true);
  perform realtime.send(
    jsonb_build_object('events', jsonb_agg(e.value -> 1 order by e.place)), 'change', e.value ->> 0, true)
  from jsonb_array_elements(('[' || v_waiting || ']')::jsonb) with ordinality as e (value, place)
  group by e.value ->> 0;
exception
  when others then
    raise warning 'Events were not sent: %', sqlerrm;
end;
$$;

comment on function private.send_events() is
  'Sends what private.emit gathered: `{"events": [...]}`, one message a topic (specification: Events); never fails the writer.';

revoke execute on function private.send_events() from public;

-- Why: the one place where an event leaves the hands of a trigger. It waits in the transaction and is sent with all others at
-- its end (private.send_events): a savepoint that is rolled back takes its events with it.
-- The transaction is told so that a stream can leave out what the state it read already shows.
-- Called by the emit triggers, which run as their owner, so that no client can send an event.
create function private.emit(p_topic text, p_payload jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_waiting text := coalesce(current_setting('backloom.events', true), '');
  v_event jsonb := private.shorten_event(
    p_payload || jsonb_build_object('seq', nextval('private.event_seq'), 'xid', pg_current_xact_id()::text::bigint));
begin
  if v_waiting = '' then
    insert into private.event_flushes default values;
  else
    v_waiting := v_waiting || ',';
  end if;
  v_waiting := v_waiting || jsonb_build_array(p_topic, v_event);
  perform set_config('backloom.events', v_waiting, true);

  -- A message must stay under what Realtime carries (256 KB), and the text must not grow with every row of a long write.
  if octet_length(v_waiting) > 100000 then
    perform private.send_events();
  end if;
end;
$$;

comment on function private.emit(text, jsonb) is
  'Announces a change on a private topic at the end of the transaction (specification: Events): own sequence, under 8,000 bytes.';

revoke execute on function private.emit(text, jsonb) from public;

-- Why: the last thing that a transaction with events does. Definer: at the end of a transaction the caller's role is in force
-- again, and no client may send an event.
create function private.tg_event_flushes__send()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  delete from private.event_flushes f where f.id = new.id;
  perform private.send_events();
  return null;
end;
$$;

comment on function private.tg_event_flushes__send() is 'Sends the events of a transaction at its end (specification: Events).';

revoke execute on function private.tg_event_flushes__send() from public;

create constraint trigger _900_send
after insert on private.event_flushes
deferrable initially deferred
for each row execute function private.tg_event_flushes__send();

-- Why: questions travel on the topic of each user who can reach the product, because the notifications stream
-- covers all products of one user. Called by the emit triggers of questions and members.
create function private.emit_to_members(p_product_id uuid, p_payload jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.emit('user:' || m.user_id, p_payload)
  from public.product_members as m
  where m.product_id = p_product_id;
end;
$$;

comment on function private.emit_to_members(uuid, jsonb) is
  'Announces a change to every member of a product on their own topic (specification: Notifications stream).';

revoke execute on function private.emit_to_members(uuid, jsonb) from public;

-- Why: a task carries no sprint and no assignee of its own; the solo filter needs those of its story.
-- When a story is deleted with its tasks, the story is gone before they are: then its place comes from what
-- the trigger stories__remember_place kept for this transaction.
create function private.story_place(p_story_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_place jsonb;
begin
  select jsonb_build_object('pbi_id', s.pbi_id, 'sprint_id', s.sprint_id, 'assignee_id', s.assignee_id)
  into v_place
  from public.stories as s
  where s.id = p_story_id;
  if found then
    return v_place;
  end if;

  return coalesce(
    nullif(current_setting('backloom.deleted_stories', true), '')::jsonb -> p_story_id::text,
    '{"pbi_id": null, "sprint_id": null, "assignee_id": null}'
  );
end;
$$;

comment on function private.story_place(uuid) is
  'PBI, sprint and assignee of a story, for the events of its tasks (specification: Solo stream, server filter).';

revoke execute on function private.story_place(uuid) from public;

-- Why: the delete event of a task must carry sprint and assignee, but by then the cascade has removed its story.
-- Kept for the length of the transaction only.
create function private.tg_stories__remember_place()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform set_config(
    'backloom.deleted_stories',
    (
      coalesce(nullif(current_setting('backloom.deleted_stories', true), '')::jsonb, '{}')
      || jsonb_build_object(
        old.id,
        jsonb_build_object('pbi_id', old.pbi_id, 'sprint_id', old.sprint_id, 'assignee_id', old.assignee_id)
      )
    )::text,
    true
  );
  return old;
end;
$$;

comment on function private.tg_stories__remember_place() is
  'Keeps where a deleted story stood, for the delete events of its tasks (specification: Solo stream).';

revoke execute on function private.tg_stories__remember_place() from public;

create trigger _890_remember_place
before delete on public.stories
for each row execute function private.tg_stories__remember_place();

-- Why: every change of a PBI reaches the backlog streams of its product.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_pbis__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'pbi', to_jsonb(old), to_jsonb(new));
  v_row public.pbis := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'pbi_status', v_row.status, 'pbi_title', v_row.title, 'pbi_code', v_row.code
  );
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_pbis__emit() is
  'Announces changes of PBIs on product:<id> (specification: Backlog stream).';

revoke execute on function private.tg_pbis__emit() from public;

create trigger _900_emit
after insert or update or delete on public.pbis
for each row execute function private.tg_pbis__emit();

-- Why: every change of a story reaches the solo and backlog streams of its product. A story that moved tells where it was,
-- so that those who lose it hear of it too.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_stories__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'story', to_jsonb(old), to_jsonb(new));
  v_row public.stories := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'pbi_id', v_row.pbi_id,
    'sprint_id', v_row.sprint_id,
    'assignee_id', v_row.assignee_id,
    'story_status', v_row.status,
    'story_title', v_row.title,
    'story_code', v_row.code,
    'story_sort_order', v_row.sort_order
  );
  if tg_op = 'UPDATE' and v_event -> 'changed_fields' ?| array['pbi_id', 'sprint_id', 'assignee_id'] then
    v_event := v_event || jsonb_build_object(
      'old_pbi_id', old.pbi_id, 'old_sprint_id', old.sprint_id, 'old_assignee_id', old.assignee_id
    );
  end if;
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_stories__emit() is
  'Announces changes of stories on product:<id> (specification: Solo stream, Backlog stream).';

revoke execute on function private.tg_stories__emit() from public;

create trigger _900_emit
after insert or update or delete on public.stories
for each row execute function private.tg_stories__emit();

-- Why: every change of a task reaches the solo and backlog streams of its product, with the sprint and assignee of its
-- story for the filter. A task that moved tells where it was, so that those who lose it hear of it too.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_tasks__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'task', to_jsonb(old), to_jsonb(new));
  v_row public.tasks := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || private.story_place(v_row.story_id) || jsonb_build_object(
    'story_id', v_row.story_id,
    'task_status', v_row.status,
    'task_title', v_row.title,
    'task_sort_order', v_row.sort_order
  );
  if tg_op = 'UPDATE' and new.story_id <> old.story_id then
    v_event := v_event || jsonb_build_object('old_story_id', old.story_id) || (
      select jsonb_object_agg('old_' || place.key, place.value)
      from jsonb_each(private.story_place(old.story_id)) as place
    );
  end if;
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_tasks__emit() is
  'Announces changes of tasks on product:<id> (specification: Solo stream, Backlog stream).';

revoke execute on function private.tg_tasks__emit() from public;

create trigger _900_emit
after insert or update or delete on public.tasks
for each row execute function private.tg_tasks__emit();

-- Why: a story log entry is announced with the product and the idea it belongs to.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_story_logs__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_idea_id uuid;
begin
  select p.idea_id
  into v_idea_id
  from public.stories as s
  join public.pbis as p on p.id = s.pbi_id
  where s.id = new.story_id;

  perform private.emit('product:' || new.product_id, jsonb_build_object(
    'op', 'I', 'entity', 'story_log', 'id', new.id, 'product_id', new.product_id,
    'story_id', new.story_id, 'idea_id', v_idea_id
  ));
  return null;
end;
$$;

comment on function private.tg_story_logs__emit() is
  'Announces story log entries on product:<id> (specification: Events emitted by operations).';

revoke execute on function private.tg_story_logs__emit() from public;

create trigger _900_emit
after insert on public.story_logs
for each row execute function private.tg_story_logs__emit();

-- Why: the solo streams follow the active sprint, and pages that list sprints follow each change.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_sprints__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'sprint', to_jsonb(old), to_jsonb(new));
  v_row public.sprints := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'sprint_id', v_row.id,
    'sprint_status', v_row.status,
    'active_changed', (tg_op <> 'INSERT' and old.status = 'ACTIVE') is distinct from (tg_op <> 'DELETE' and new.status = 'ACTIVE')
  );
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_sprints__emit() is
  'Announces changes of sprints on product:<id> (specification: Solo stream, server filter).';

revoke execute on function private.tg_sprints__emit() from public;

create trigger _900_emit
after insert or update or delete on public.sprints
for each row execute function private.tg_sprints__emit();

-- Why: open streams end when their product is archived or deleted, and pages follow its fields.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_products__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'product', to_jsonb(old), to_jsonb(new));
  v_row public.products := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || jsonb_build_object('product_id', v_row.id, 'archived', v_row.archived_at is not null);
  perform private.emit('product:' || v_row.id, v_event);
  if v_event -> 'changed_fields' ? 'archived_at' then
    perform private.emit_to_members(v_row.id, v_event);
  end if;
  return null;
end;
$$;

comment on function private.tg_products__emit() is
  'Announces changes of products on product:<id>, archiving also to each member (specification: Authentication 4).';

revoke execute on function private.tg_products__emit() from public;

create trigger _900_emit
after insert or update or delete on public.products
for each row execute function private.tg_products__emit();

-- Why: access begins and ends on open streams with the commit: the product hears it, and so does the user.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_product_members__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb;
  v_row public.product_members := coalesce(new, old);
begin
  if tg_op = 'UPDATE' and new.role = old.role then
    return null;
  end if;

  v_event := jsonb_build_object(
    'op', left(tg_op, 1), 'entity', 'member', 'id', v_row.user_id,
    'product_id', v_row.product_id, 'user_id', v_row.user_id
  );
  perform private.emit('product:' || v_row.product_id, v_event);
  perform private.emit('user:' || v_row.user_id, v_event);
  return null;
end;
$$;

comment on function private.tg_product_members__emit() is
  'Announces membership on product:<id> and user:<id> (specification: Authentication 4).';

revoke execute on function private.tg_product_members__emit() from public;

create trigger _900_emit
after insert or update or delete on public.product_members
for each row execute function private.tg_product_members__emit();

-- Why: pages that show a run follow its state.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_sprint_runs__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'sprint_run', to_jsonb(old), to_jsonb(new));
  v_row public.sprint_runs := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || jsonb_build_object('sprint_id', v_row.sprint_id, 'run_status', v_row.status);
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_sprint_runs__emit() is
  'Announces changes of sprint runs on product:<id> (specification: States, Sprint run).';

revoke execute on function private.tg_sprint_runs__emit() from public;

create trigger _900_emit
after insert or update or delete on public.sprint_runs
for each row execute function private.tg_sprint_runs__emit();

-- Why: the solo stream forwards job events. A heartbeat that only renews the lease is no news, and neither is that a job's
-- turn has come: the end of the job before it says so.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_agent_jobs__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'job', to_jsonb(old), to_jsonb(new));
  v_row public.agent_jobs := coalesce(new, old);
begin
  if v_event is null or v_event -> 'changed_fields' in ('["lease_until"]', '["in_turn"]') then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'task_id', v_row.task_id,
    'idea_id', v_row.idea_id,
    'kind', v_row.kind,
    'status', v_row.status,
    'sprint_run_id', v_row.sprint_run_id
  );
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__emit() is
  'Announces changes of agent jobs on product:<id> (specification: Solo stream).';

revoke execute on function private.tg_agent_jobs__emit() from public;

create trigger _900_emit
after insert or update or delete on public.agent_jobs
for each row execute function private.tg_agent_jobs__emit();

-- Why: pages that show a batch run follow each of its tasks.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_task_executions__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'task_execution', to_jsonb(old), to_jsonb(new));
  v_row public.task_executions := coalesce(new, old);
  v_product_id uuid;
begin
  if v_event is null then
    return null;
  end if;

  select r.product_id into v_product_id from public.sprint_runs as r where r.id = v_row.sprint_run_id;
  if not found then
    return null;
  end if;
  v_event := v_event || jsonb_build_object(
    'product_id', v_product_id,
    'sprint_run_id', v_row.sprint_run_id,
    'task_id', v_row.task_id,
    'execution_status', v_row.status
  );
  perform private.emit('product:' || v_product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_task_executions__emit() is
  'Announces changes of task executions on product:<id> (specification: Sprint run, execution records).';

revoke execute on function private.tg_task_executions__emit() from public;

create trigger _900_emit
after insert or update or delete on public.task_executions
for each row execute function private.tg_task_executions__emit();

-- Why: the solo stream forwards worker presence to every product that the worker's user reaches.
-- A heartbeat alone is no news, unless the worker had been silent long enough to count as gone.
-- That it took up or left a job concerns the product of that job alone.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_agent_workers__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'worker', to_jsonb(old), to_jsonb(new));
  v_row public.agent_workers := coalesce(new, old);
  v_only_product_id uuid;
begin
  if v_event is null then
    return null;
  end if;
  if tg_op = 'UPDATE'
    and (v_event -> 'changed_fields') - 'last_seen_at' - 'last_quota_check_at' = '[]'
    and new.last_seen_at - old.last_seen_at < interval '90 seconds'
  then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'name', v_row.name,
    'last_quota_pct', v_row.last_quota_pct,
    'current_job_id', v_row.current_job_id,
    'stopped', v_row.stopped_at is not null
  );
  if tg_op = 'UPDATE' and (v_event -> 'changed_fields') - 'last_seen_at' - 'last_quota_check_at' = '["current_job_id"]' then
    select j.product_id into v_only_product_id
    from public.agent_jobs as j
    where j.id = coalesce(new.current_job_id, old.current_job_id);
  end if;
  perform private.emit('product:' || m.product_id, v_event || jsonb_build_object('product_id', m.product_id))
  from public.product_members as m
  where m.user_id = v_row.user_id and (v_only_product_id is null or m.product_id = v_only_product_id);
  return null;
end;
$$;

comment on function private.tg_agent_workers__emit() is
  'Announces worker presence on product:<id> of every product that the worker reaches (specification: Solo stream).';

revoke execute on function private.tg_agent_workers__emit() from public;

create trigger _900_emit
after insert or update or delete on public.agent_workers
for each row execute function private.tg_agent_workers__emit();

-- Why: the notifications stream carries every question of every product that a user can reach. A question that is
-- deleted while open is told as cancelled, because the stream knows no deletes.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_agent_questions__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'question', to_jsonb(old), to_jsonb(new));
  v_row public.agent_questions := coalesce(new, old);
  v_status text;
begin
  if v_event is null then
    return null;
  end if;

  v_status := lower(v_row.status::text);
  if tg_op = 'DELETE' then
    if old.status <> 'OPEN' then
      return null;
    end if;
    v_status := 'cancelled';
    v_event := v_event || '{"op": "U"}';
  end if;

  perform private.emit_to_members(v_row.product_id, v_event || jsonb_build_object(
    'story_id', v_row.story_id,
    'idea_id', v_row.idea_id,
    'task_id', v_row.task_id,
    'assignee_id', v_row.assignee_id,
    'status', v_status
  ));
  return null;
end;
$$;

comment on function private.tg_agent_questions__emit() is
  'Announces agent questions on user:<id> of every member (specification: Notifications stream).';

revoke execute on function private.tg_agent_questions__emit() from public;

create trigger _900_emit
after insert or update or delete on public.agent_questions
for each row execute function private.tg_agent_questions__emit();

-- Why: the owner of an idea sees the answer to a question about it as soon as it is there.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_user_questions__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'user_question', to_jsonb(old), to_jsonb(new));
  v_row public.user_questions := coalesce(new, old);
  v_product_id uuid;
begin
  if v_event is null then
    return null;
  end if;

  select i.product_id into v_product_id from public.ideas as i where i.id = v_row.idea_id;
  perform private.emit('user:' || v_row.user_id, v_event || jsonb_build_object(
    'product_id', v_product_id, 'idea_id', v_row.idea_id, 'status', lower(v_row.status::text)
  ));
  return null;
end;
$$;

comment on function private.tg_user_questions__emit() is
  'Announces user questions on user:<id> of whoever asked (specification: Other records, User question).';

revoke execute on function private.tg_user_questions__emit() from public;

create trigger _900_emit
after insert or update or delete on public.user_questions
for each row execute function private.tg_user_questions__emit();

-- Why: ideas belong to one user; only that user hears of them.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_ideas__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'idea', to_jsonb(old), to_jsonb(new));
  v_row public.ideas := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  perform private.emit('user:' || v_row.user_id, v_event || jsonb_build_object(
    'idea_id', v_row.id, 'status', lower(v_row.status::text)
  ));
  return null;
end;
$$;

comment on function private.tg_ideas__emit() is
  'Announces changes of ideas on user:<id> of their owner (specification: Idea).';

revoke execute on function private.tg_ideas__emit() from public;

create trigger _900_emit
after insert or update or delete on public.ideas
for each row execute function private.tg_ideas__emit();

-- Why: the waiting desktop hears each step of its pairing. The payload never holds a secret.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_login_pairings__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_row public.login_pairings := coalesce(new, old);
begin
  perform private.emit('pairing:' || v_row.id, jsonb_build_object(
    'op', left(tg_op, 1), 'entity', 'pairing', 'id', v_row.id, 'product_id', null,
    'pairing_id', v_row.id, 'status', lower(v_row.status::text)
  ));
  return null;
end;
$$;

comment on function private.tg_login_pairings__emit() is
  'Announces steps of a login pairing on pairing:<id> (specification: Pairing stream).';

revoke execute on function private.tg_login_pairings__emit() from public;

create trigger _900_emit
after insert or update of status or delete on public.login_pairings
for each row execute function private.tg_login_pairings__emit();

-- Why: signing out ends the open streams of that browser at once; a nearer end of the session makes them look again.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_user_sessions__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_ended boolean;
begin
  v_ended := tg_op = 'DELETE' or (new.revoked_at is not null and old.revoked_at is null);
  if not v_ended
    and new.expires_at >= old.expires_at
    and new.paired_expires_at is not distinct from old.paired_expires_at
  then
    return null;
  end if;
  perform private.emit('user:' || old.user_id, jsonb_build_object(
    'op', case when v_ended then 'D' else 'U' end, 'entity', 'session', 'id', old.id,
    'product_id', null, 'user_id', old.user_id
  ));
  return null;
end;
$$;

comment on function private.tg_user_sessions__emit() is
  'Announces the end of a session on user:<id> (specification: Authentication 2 and 5).';

revoke execute on function private.tg_user_sessions__emit() from public;

create trigger _900_emit
after update or delete on public.user_sessions
for each row execute function private.tg_user_sessions__emit();

-- Why: revoking a token ends the open streams that use it at once.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_api_tokens__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_ended boolean;
begin
  v_ended := tg_op = 'DELETE' or (new.revoked_at is not null and old.revoked_at is null);
  if not v_ended and new.expires_at is not distinct from old.expires_at then
    return null;
  end if;
  perform private.emit('user:' || old.user_id, jsonb_build_object(
    'op', case when v_ended then 'D' else 'U' end, 'entity', 'api_token', 'id', old.id,
    'product_id', null, 'user_id', old.user_id
  ));
  return null;
end;
$$;

comment on function private.tg_api_tokens__emit() is
  'Announces the end of an API token on user:<id> (specification: Authentication 1).';

revoke execute on function private.tg_api_tokens__emit() from public;

create trigger _900_emit
after update or delete on public.api_tokens
for each row execute function private.tg_api_tokens__emit();

-- Why: a client with a user's JWT may listen to its own products and to its own user topic, and to nothing else.
-- There is no policy for insert: events come from the database alone, no client can send one. Topics of pairings
-- are read by the service only, because who may see them is decided by the pairing cookie.
create policy listen_to_own_topics on realtime.messages
for select
to authenticated
using (
  extension = 'broadcast'
  and (
    (select realtime.topic()) = 'user:' || (select auth.uid())
    or exists (
      select 1
      from public.product_members as m
      where m.user_id = (select auth.uid())
        and (select realtime.topic()) = 'product:' || m.product_id
    )
  )
);

-- Why: an open stream must end when the session or token it was opened with ends. It cannot ask on every event,
-- so it is told once who it is and until when, and hears of an earlier end through the user's topic.
-- The snapshot says which transactions this state shows: their events are not sent again.
-- Definer: sessions and tokens are not readable by their users. Reads only the caller's own row, named by the claims.
create function private.stream_viewer()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_claims jsonb := coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;
  v_user_id uuid := v_claims ->> 'sub';
  v_session_id uuid := v_claims ->> 'session_id';
  v_token_id uuid := v_claims ->> 'token_id';
begin
  return json_build_object(
    'snapshot', pg_current_snapshot()::text,
    'user_id', v_user_id,
    'session_id', v_session_id,
    'token_id', v_token_id,
    'expires_at', least(
      (
        select least(s.expires_at, s.paired_expires_at)
        from public.user_sessions as s
        where s.id = v_session_id and s.user_id = v_user_id
      ),
      (select t.expires_at from public.api_tokens as t where t.id = v_token_id and t.user_id = v_user_id)
    )
  );
end;
$$;

comment on function private.stream_viewer() is
  'Who reads a stream, and until when the credential lasts (specification: Events; Authentication 5).';

revoke execute on function private.stream_viewer() from public;
grant execute on function private.stream_viewer() to authenticated;

-- Why: the streams of a product are open to its members while it is not archived.
-- Called by the functions that read the first state of a stream, and by every later read of it.
create function private.require_stream_product(p_product_id uuid)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);
  if exists (select 1 from public.products as p where p.id = p_product_id and p.archived_at is not null) then
    raise exception using
      errcode = 'PT403',
      message = 'This product is archived, so nothing changes in it. Read it through the other endpoints.';
  end if;
end;
$$;

comment on function private.require_stream_product(uuid) is
  'Refuses the streams of unknown (404), foreign and archived (403) products (specification: Solo stream, Backlog stream).';

revoke execute on function private.require_stream_product(uuid) from public;
grant execute on function private.require_stream_product(uuid) to authenticated;

-- Why: what the backlog stream says first, and who reads it, in one statement. Called on connect and on every resync.
create function public.read_backlog_stream(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_stream_product(p_product_id);
  return json_build_object('viewer', private.stream_viewer(), 'product_id', p_product_id);
end;
$$;

comment on function public.read_backlog_stream(uuid) is
  'First state of the backlog stream (specification: Backlog stream).';

revoke execute on function public.read_backlog_stream(uuid) from public, anon;
grant execute on function public.read_backlog_stream(uuid) to authenticated;

-- Why: what the solo stream says first (active sprint, jobs, workers), and who reads it, in one statement.
-- Called on connect and on every resync.
create function public.read_solo_stream(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_stream_product(p_product_id);
  return json_build_object('viewer', private.stream_viewer(), 'solo', public.get_solo_state(p_product_id));
end;
$$;

comment on function public.read_solo_stream(uuid) is 'First state of the solo stream (specification: Solo stream).';

revoke execute on function public.read_solo_stream(uuid) from public, anon;
grant execute on function public.read_solo_stream(uuid) to authenticated;

-- Why: what the notifications stream says first (open questions of every product in reach), and who reads it, in one
-- statement. Called on connect and on every resync.
create function public.read_notifications_stream()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return json_build_object('viewer', private.stream_viewer(), 'notifications', public.get_notifications_state());
end;
$$;

comment on function public.read_notifications_stream() is
  'First state of the notifications stream (specification: Notifications stream).';

revoke execute on function public.read_notifications_stream() from public, anon;
grant execute on function public.read_notifications_stream() to authenticated;

-- Why: the last safeguard of open streams. Every few seconds a process asks once, for all its readers, whose session,
-- token or membership is gone; normally the change events have ended those streams long before.
-- Takes an array of [user, session or null, token or null, product or null], returns the positions of those without access.
create function public.find_lost_viewers(p_viewers jsonb)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(v.position order by v.position), '[]')
    from (
      select
        e.ordinality - 1 as position,
        (e.value ->> 0)::uuid as user_id,
        (e.value ->> 1)::uuid as session_id,
        (e.value ->> 2)::uuid as token_id,
        (e.value ->> 3)::uuid as product_id
      from jsonb_array_elements(p_viewers) with ordinality as e
    ) as v
    where (
        v.session_id is not null
        and not exists (select 1 from public.user_sessions as s where s.id = v.session_id and s.revoked_at is null)
      )
      or (
        v.token_id is not null
        and not exists (select 1 from public.api_tokens as t where t.id = v.token_id and t.revoked_at is null)
      )
      or (
        v.product_id is not null
        and not exists (
          select 1
          from public.product_members as m
          join public.products as p on p.id = m.product_id
          where m.product_id = v.product_id and m.user_id = v.user_id and p.archived_at is null
        )
      )
  );
end;
$$;

comment on function public.find_lost_viewers(jsonb) is
  'Which readers of open streams have lost their access (specification: Authentication 4 and 5). Service only.';

revoke execute on function public.find_lost_viewers(jsonb) from public, anon, authenticated;
grant execute on function public.find_lost_viewers(jsonb) to service_role;

-- Products: members read, the owner changes. Demo accounts are stopped by restrictive policies, whatever else is allowed
-- (specification: Authentication 3, 4).
create policy products_select on public.products for select to authenticated
  using (owner_id = (select auth.uid()) or id in (select private.accessible_product_ids()));
create policy products_insert on public.products for insert to authenticated
  with check (owner_id = (select auth.uid()));
create policy products_update on public.products for update to authenticated
  using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()));
create policy products_delete on public.products for delete to authenticated
  using (owner_id = (select auth.uid()));

create policy products_no_demo_insert on public.products as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy products_no_demo_update on public.products as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy products_no_demo_delete on public.products as restrictive for delete to authenticated
  using (not (select private.is_demo()));

-- Members: everybody in the product sees them; the owner adds and removes members, a member may leave. Nobody writes or
-- removes the owner's row (specification: Authentication 3, 4).
create policy product_members_select on public.product_members for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy product_members_insert on public.product_members for insert to authenticated
  with check (
    role = 'MEMBER' and product_id in (select private.owned_product_ids())
    and product_id in (select private.writable_product_ids())
  );
create policy product_members_delete on public.product_members for delete to authenticated
  using (
    role = 'MEMBER' and (user_id = (select auth.uid()) or product_id in (select private.owned_product_ids()))
  );

create policy product_members_no_demo_insert on public.product_members as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy product_members_no_demo_delete on public.product_members as restrictive for delete to authenticated
  using (not (select private.is_demo()));

-- Members read; members of a product that is not archived write. Demo accounts are stopped by restrictive policies,
-- whatever else is allowed (specification: Authentication 3, 4).
create policy pbis_select on public.pbis for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy pbis_insert on public.pbis for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy pbis_update on public.pbis for update to authenticated
  using (product_id in (select private.writable_product_ids()))
  with check (product_id in (select private.writable_product_ids()));
create policy pbis_delete on public.pbis for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy pbis_no_demo_insert on public.pbis as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy pbis_no_demo_update on public.pbis as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy pbis_no_demo_delete on public.pbis as restrictive for delete to authenticated
  using (not (select private.is_demo()));

-- Members read; members of a product that is not archived write. Demo accounts are stopped by restrictive policies,
-- whatever else is allowed (specification: Authentication 3, 4).
create policy stories_select on public.stories for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy stories_insert on public.stories for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy stories_update on public.stories for update to authenticated
  using (product_id in (select private.writable_product_ids()))
  with check (product_id in (select private.writable_product_ids()));
create policy stories_delete on public.stories for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy stories_no_demo_insert on public.stories as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy stories_no_demo_update on public.stories as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy stories_no_demo_delete on public.stories as restrictive for delete to authenticated
  using (not (select private.is_demo()));

-- Members read; members of a product that is not archived write. Demo accounts are stopped by restrictive policies,
-- whatever else is allowed (specification: Authentication 3, 4).
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

-- Members read; members of a product that is not archived write. Demo accounts are stopped by restrictive policies,
-- whatever else is allowed (specification: Authentication 3, 4).
create policy sprints_select on public.sprints for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy sprints_insert on public.sprints for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy sprints_update on public.sprints for update to authenticated
  using (product_id in (select private.writable_product_ids()))
  with check (product_id in (select private.writable_product_ids()));
create policy sprints_delete on public.sprints for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy sprints_no_demo_insert on public.sprints as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy sprints_no_demo_update on public.sprints as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy sprints_no_demo_delete on public.sprints as restrictive for delete to authenticated
  using (not (select private.is_demo()));

-- Log entries are read by members and only ever added, in the name of the writer (specification: Story log entry).
create policy story_logs_select on public.story_logs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy story_logs_insert on public.story_logs for insert to authenticated
  with check (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()));

create policy story_logs_no_demo_insert on public.story_logs as restrictive for insert to authenticated
  with check (not (select private.is_demo()));

-- Ideas belong to one user; writing also needs access to the product (specification: Idea; Authentication 3, 4).
create policy ideas_select on public.ideas for select to authenticated
  using (user_id = (select auth.uid()));
create policy ideas_insert on public.ideas for insert to authenticated
  with check (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()));
create policy ideas_update on public.ideas for update to authenticated
  using (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()))
  with check (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()));
create policy ideas_delete on public.ideas for delete to authenticated
  using (user_id = (select auth.uid()));

create policy ideas_no_demo_insert on public.ideas as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy ideas_no_demo_update on public.ideas as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy ideas_no_demo_delete on public.ideas as restrictive for delete to authenticated
  using (not (select private.is_demo()));

-- Links of one's own ideas, to products one may use (specification: Idea; Authentication 3, 4).
create policy idea_products_select on public.idea_products for select to authenticated
  using (idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid())));
create policy idea_products_insert on public.idea_products for insert to authenticated
  with check (
    idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid()))
    and product_id in (select private.writable_product_ids())
  );
create policy idea_products_delete on public.idea_products for delete to authenticated
  using (idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid())));

create policy idea_products_no_demo_insert on public.idea_products as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy idea_products_no_demo_delete on public.idea_products as restrictive for delete to authenticated
  using (not (select private.is_demo()));

-- Written by triggers, read by those who may see what they are about.
create policy task_status_changes_select on public.task_status_changes for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy idea_logs_select on public.idea_logs for select to authenticated
  using (idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid())));

-- The counters are reached through private.next_code alone; this policy only states that nobody else has a row here.
create policy code_counters_service on public.code_counters for all to service_role using (true) with check (true);

-- A user sees the name of oneself and of the people one shares a product with (columns are limited by the grant).
create policy users_select_own_and_teammates on public.users
  for select to authenticated
  using (
    id = (select auth.uid())
    or exists (
      select from public.product_members m
      where m.user_id = users.id and m.product_id in (select private.accessible_product_ids())
    )
  );

-- A user sees one's own sessions; changes go through functions.
create policy user_sessions_select_own on public.user_sessions
  for select to authenticated using (user_id = (select auth.uid()));

-- A user sees one's own tokens, without their hashes (columns are limited by the grant); changes go through functions.
create policy api_tokens_select_own on public.api_tokens
  for select to authenticated using (user_id = (select auth.uid()));

-- Nobody reads pairings directly: they hold hashes of secrets. The service role passes row level security.
create policy login_pairings_service on public.login_pairings
  for all to service_role using (true) with check (true);

-- Nobody reads or resets counters directly. The service role passes row level security.
create policy rate_limit_counters_service on public.rate_limit_counters
  for all to service_role using (true) with check (true);

-- A user reads what concerns one's own account, an administrator reads everything; nobody writes directly.
create policy audit_events_select_own_or_admin on public.audit_events
  for select to authenticated using (user_id = (select auth.uid()) or (select private.is_admin()));

-- Written and emptied by private.emit and its trigger, which run as their owner.
create policy event_flushes_service on private.event_flushes
  for all to service_role using (true) with check (true);

-- Members read what belongs to their products; nobody writes here directly (specification: Authentication 3, 4). A worker's
-- presence is read by those who share a product with its user. Ideas and what is asked about them belong to one user.
create policy sprint_runs_select on public.sprint_runs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy agent_jobs_select on public.agent_jobs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy task_executions_select on public.task_executions for select to authenticated
  using (sprint_run_id in (
    select r.id from public.sprint_runs r where r.product_id in (select private.accessible_product_ids())));
create policy agent_workers_select on public.agent_workers for select to authenticated
  using (user_id in (
    select m.user_id from public.product_members m where m.product_id in (select private.accessible_product_ids()))
    or user_id = (select auth.uid()));
create policy model_prices_select on public.model_prices for select to authenticated using (true);
create policy agent_questions_select on public.agent_questions for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy user_questions_select on public.user_questions for select to authenticated
  using (user_id = (select auth.uid()));
create policy push_subscriptions_select on public.push_subscriptions for select to authenticated
  using (user_id = (select auth.uid()));
create policy webhooks_select on public.webhooks for select to authenticated
  using (product_id in (select private.owned_product_ids()));
create policy notices_service on public.notices for all to service_role using (true) with check (true);

-- Why: a user's JWT sent straight to the Data API may write the columns that people edit, and nothing that is derived: no
-- status of a story, no sort_order of a story or task, no product of anything that exists. Triggers keep the rules either way.
revoke all on public.products, public.product_members, public.code_counters, public.pbis, public.sprints, public.stories,
  public.tasks, public.task_status_changes, public.story_logs, public.ideas, public.idea_products, public.idea_logs
  from anon, authenticated;

grant select on public.products, public.product_members, public.pbis, public.sprints, public.stories, public.tasks,
  public.task_status_changes, public.story_logs, public.ideas, public.idea_products, public.idea_logs to authenticated;

grant insert (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy),
  update (code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, archived_at),
  delete on public.products to authenticated;
grant insert (product_id, user_id), delete on public.product_members to authenticated;
grant insert (id, product_id, code, title, description, priority, sort_order, status),
  update (code, title, description, priority, sort_order, status, pr_url, pr_merged_at),
  delete on public.pbis to authenticated;
grant insert (id, product_id, sprint_goal, start_date, end_date),
  update (sprint_goal, start_date, end_date)
  on public.sprints to authenticated;
grant insert (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id),
  update (pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id),
  delete on public.stories to authenticated;
grant insert (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only,
    verify_required, requires_opus, estimated_minutes),
  update (story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only,
    verify_required, requires_opus, estimated_minutes),
  delete on public.tasks to authenticated;
grant insert (id, story_id, type, content, status, commit_hash, commit_message, metadata)
  on public.story_logs to authenticated;
grant insert (id, product_id, title, description), update (title, description, product_id, status, archived_at), delete
  on public.ideas to authenticated;
grant insert (idea_id, product_id), delete on public.idea_products to authenticated;

grant select, insert, update, delete on public.products, public.product_members, public.code_counters, public.pbis,
  public.sprints, public.stories, public.tasks, public.task_status_changes, public.story_logs, public.ideas,
  public.idea_products, public.idea_logs to service_role;

-- What each role may do with the account tables. Secrets and other people's addresses are out of reach of a user's
-- JWT: columns are named one by one, and every change goes through a function.
revoke all on public.users, public.user_sessions, public.api_tokens, public.login_pairings,
  public.rate_limit_counters, public.audit_events from anon, authenticated;

grant select (id, username, role, is_demo, created_at) on public.users to authenticated;
grant select on public.user_sessions, public.audit_events to authenticated;
grant select (id, user_id, label, prefix, expires_at, last_used_at, revoked_at, created_at)
  on public.api_tokens to authenticated;

grant select, insert, update, delete on public.users, public.user_sessions, public.api_tokens,
  public.login_pairings, public.rate_limit_counters, public.audit_events to service_role;

-- call_as and authenticate run as the service role and use these helpers.
grant usage on schema private to service_role;
revoke execute on function private.touch_credential(uuid, uuid), private.resolve_credential(jsonb),
  private.build_call(text, jsonb) from public;
grant execute on function private.touch_credential(uuid, uuid), private.resolve_credential(jsonb),
  private.build_call(text, jsonb) to service_role;

-- Why: the tables of the state machines are read under RLS and written by functions alone. The keys of devices, the secrets of
-- webhooks and the outbox are out of reach. Inserting a job is granted and always refused: by the trigger, with the way to
-- sprint runs, and by RLS, which has no policy for it.
revoke all on public.sprint_runs, public.agent_jobs, public.task_executions, public.agent_workers, public.model_prices,
  public.agent_questions, public.user_questions, public.push_subscriptions, public.webhooks, public.notices
  from anon, authenticated;

grant select on public.sprint_runs, public.agent_jobs, public.task_executions, public.agent_workers, public.model_prices,
  public.agent_questions, public.user_questions to authenticated;
grant insert on public.agent_jobs to authenticated;
grant select (id, user_id, endpoint, user_agent, last_error, disabled_at, created_at) on public.push_subscriptions to authenticated;
grant select (id, product_id, url, events, active, created_by, created_at, updated_at) on public.webhooks to authenticated;

grant select, insert, update, delete on public.sprint_runs, public.agent_jobs, public.task_executions, public.agent_workers,
  public.model_prices, public.agent_questions, public.user_questions, public.push_subscriptions, public.webhooks,
  public.notices to service_role;

-- Why: the pages' reads run as their caller, and put questions and jobs in the same shape as the operations do.
grant execute on function
  private.question_status(public.agent_questions), private.question_json(public.agent_questions),
  private.job_cost(public.agent_jobs), private.job_json(public.agent_jobs)
  to authenticated;

-- Why: on hosted Supabase the schedules live in the database: pg_cron wakes, pg_net posts to the scheduled endpoints.
-- The address and the secret come from Vault at the moment of the call, so that neither stands in a job's text:
--   select vault.create_secret('https://backlog.example.com', 'backloom_origin');
--   select vault.create_secret('<CRON_SECRET>', 'backloom_cron_secret');
-- Where pg_cron, pg_net or Vault are absent (the embedded database) nothing is scheduled and the app's own scheduler does it.

-- Posts to one scheduled endpoint. Run by pg_cron as the database's owner. Returns the id of the pg_net request.
create function private.call_scheduled_endpoint(p_path text)
returns bigint
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_origin text;
  v_secret text;
  v_request_id bigint;
begin
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
    into v_origin using 'backloom_origin';
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
    into v_secret using 'backloom_cron_secret';
  if v_origin is null or v_secret is null then
    raise exception 'Vault has no secret named backloom_origin or backloom_cron_secret: create both, see docs/deploy.md';
  end if;

  execute 'select net.http_post(url := $1, headers := $2, body := $3)'
    into v_request_id
    using v_origin || p_path,
      jsonb_build_object('Authorization', 'Bearer ' || v_secret, 'Content-Type', 'application/json'),
      '{}'::jsonb;
  return v_request_id;
end;
$$;

comment on function private.call_scheduled_endpoint(text) is
  'Posts to a scheduled endpoint with the secret from Vault (specification: Scheduled endpoints).';

-- Writes the two entries of the contract into pg_cron; run it again at any time. Returns how many entries stand.
create function private.install_schedules()
returns integer
language plpgsql
volatile
set search_path = ''
as $$
begin
  if to_regnamespace('cron') is null
    or to_regnamespace('net') is null
    or to_regclass('vault.decrypted_secrets') is null then
    return 0;
  end if;

  execute 'select cron.schedule($1, $2, $3)'
    using 'backloom-cleanup-agent-artifacts', '0 3 * * *',
      'select private.call_scheduled_endpoint(''/api/cron/cleanup-agent-artifacts'')';
  execute 'select cron.schedule($1, $2, $3)'
    using 'backloom-expire-questions', '0 4 * * *',
      'select private.call_scheduled_endpoint(''/api/cron/expire-questions'')';
  return 2;
end;
$$;

comment on function private.install_schedules() is
  'Schedules expire-questions at 04:00 and cleanup-agent-artifacts at 03:00 UTC through pg_cron, where it exists.';

revoke execute on function private.call_scheduled_endpoint(text) from public, anon, authenticated, service_role;
revoke execute on function private.install_schedules() from public, anon, authenticated, service_role;

select private.install_schedules();
