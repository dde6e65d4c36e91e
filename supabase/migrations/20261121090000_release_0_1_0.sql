-- Tables of 0.1.0. The rules come from the schemas.
create schema if not exists private;

alter default privileges revoke execute on functions from public;

alter default privileges in schema public revoke all on tables from anon, authenticated;

alter default privileges in schema public revoke all on sequences from anon, authenticated;

alter default privileges in schema public revoke all on functions from anon, authenticated;

create function private.now() returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  return coalesce(nullif(current_setting('backloom.now', true), '')::timestamptz, clock_timestamp());
end;
$$;

create type public.pbi_status as enum ('READY', 'BLOCKED', 'DONE', 'FAILED');

create type public.story_status as enum ('OPEN', 'IN_SPRINT', 'DONE', 'FAILED');

create type public.task_status as enum ('TO_DO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'FAILED');

create type public.sprint_status as enum ('PLANNED', 'ACTIVE', 'COMPLETED', 'FAILED', 'CANCELLED');

create type public.idea_status as enum ('DRAFT', 'DISCUSSING', 'READY', 'PLANNED');

create type public.pr_strategy as enum ('SPRINT', 'STORY', 'SPRINT_BATCH');

create type public.member_role as enum ('OWNER', 'MEMBER');

create type public.verify_required as enum ('ALIGNED', 'ALIGNED_OR_PARTIAL', 'ANY');

create type public.story_log_type as enum ('IMPLEMENTATION_PLAN', 'TEST_RESULT', 'COMMIT');

create type public.story_log_status as enum ('PASSED', 'FAILED');

create type public.sprint_run_status as enum ('QUEUED', 'RUNNING', 'PAUSED', 'DONE', 'FAILED', 'CANCELLED');

create type public.agent_job_status as enum ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED');

create type public.task_execution_status as enum ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'SKIPPED');

create type public.agent_question_status as enum ('OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED');

create type public.user_question_status as enum ('PENDING', 'ANSWERED');

create type public.agent_job_kind as enum ('TASK_IMPLEMENTATION', 'PLAN_CHAT', 'SPRINT_IMPLEMENTATION');

create type public.verify_result as enum ('ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT');

create type public.question_expiry as enum ('STOP', 'RECOMMENDED', 'ESCALATE');

create type public.user_role as enum ('DEVELOPER', 'ADMIN');

create type public.user_theme as enum ('SYSTEM', 'LIGHT', 'DARK');

create type public.pairing_status as enum ('PENDING', 'APPROVED', 'CONSUMED', 'CANCELLED');

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

create unique index users_username_key on public.users (lower(username));

create index users_email_idx on public.users (lower(email));

create index users_active_product_id_idx on public.users (active_product_id);

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

create index user_sessions_user_id_idx on public.user_sessions (user_id);

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

create index api_tokens_user_id_idx on public.api_tokens (user_id);

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

create index login_pairings_user_id_idx on public.login_pairings (user_id);

create index login_pairings_session_id_idx on public.login_pairings (session_id);

create index login_pairings_pending_expiry_idx on public.login_pairings (expires_at) where status = 'PENDING';

create index login_pairings_created_at_idx on public.login_pairings (created_at);

create table public.rate_limit_counters (
  action text not null,
  key text not null,
  window_start timestamptz not null,
  count integer not null default 0,
  primary key (action, key)
);

create index rate_limit_counters_window_start_idx on public.rate_limit_counters (window_start);

create table public.audit_events (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references public.users (id) on delete set null,
  actor_id uuid references public.users (id) on delete set null,
  kind text not null constraint audit_events_kind_form check (kind ~ '^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$'),
  detail jsonb not null default '{}',
  ip text constraint audit_events_ip_length check (char_length(ip) <= 45),
  created_at timestamptz not null default clock_timestamp()
);

create index audit_events_user_id_idx on public.audit_events (user_id, created_at desc);

create index audit_events_actor_id_idx on public.audit_events (actor_id);

create index audit_events_created_at_idx on public.audit_events (created_at desc);

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

create table public.product_members (
  product_id uuid not null references public.products (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  role public.member_role not null default 'MEMBER',
  created_at timestamptz not null default private.now(),
  primary key (product_id, user_id)
);

create index product_members_user_id_idx on public.product_members (user_id, product_id);

create unique index product_members_one_owner_key on public.product_members (product_id) where role = 'OWNER';

create table public.code_counters (
  scope_id uuid not null,
  kind text not null constraint code_counters_kind check (kind in ('pbi', 'story', 'task', 'sprint', 'idea')),
  last_number bigint not null default 0 constraint code_counters_last_number check (last_number >= 0),
  primary key (scope_id, kind)
);

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

create index pbis_order_idx on public.pbis (product_id, priority, sort_order, created_at, id);

create index pbis_idea_id_idx on public.pbis (idea_id) where idea_id is not null;

create index pbis_search_idx on public.pbis
  using gin (to_tsvector('simple', code || ' ' || title || ' ' || left(description, 20000)));

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

create unique index sprints_one_active_key on public.sprints (product_id) where status = 'ACTIVE';

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

create index stories_pbi_idx on public.stories (pbi_id, product_id, sort_order, created_at, id);

create index stories_sprint_idx on public.stories (sprint_id, product_id, sort_order, created_at, id);

create index stories_assignee_idx on public.stories (product_id, assignee_id);

create index stories_search_idx on public.stories
  using gin (to_tsvector('simple', code || ' ' || title || ' ' || left(description, 20000)));

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

create index tasks_story_idx on public.tasks (story_id, product_id, sort_order, created_at, id);

create index tasks_search_idx on public.tasks
  using gin (to_tsvector('simple', code || ' ' || title || ' ' || left(description, 20000)));

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

create index task_status_changes_task_id_idx on public.task_status_changes (task_id);

create index task_status_changes_product_id_idx on public.task_status_changes (product_id, changed_at);

create index task_status_changes_sprint_id_idx on public.task_status_changes (sprint_id, changed_at)
  where sprint_id is not null;

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

create index story_logs_story_idx on public.story_logs (story_id, product_id, created_at, id);

create index story_logs_product_id_idx on public.story_logs (product_id);

create index story_logs_user_id_idx on public.story_logs (user_id);

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

create index ideas_product_id_idx on public.ideas (product_id);

create index ideas_open_idx on public.ideas (user_id, product_id, created_at, id)
  where archived_at is null and status <> 'PLANNED';

create index ideas_pbi_id_idx on public.ideas (pbi_id) where pbi_id is not null;

create index ideas_search_idx on public.ideas
  using gin (to_tsvector('simple', code || ' ' || title || ' ' || left(description, 20000)));

alter table public.pbis
  add constraint pbis_idea_id_fkey foreign key (idea_id) references public.ideas (id) on delete set null;

create table public.idea_products (
  idea_id uuid not null references public.ideas (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  primary key (idea_id, product_id)
);

create index idea_products_product_id_idx on public.idea_products (product_id, idea_id);

create table public.idea_logs (
  id uuid primary key default gen_random_uuid(),
  idea_id uuid not null references public.ideas (id) on delete cascade,
  user_id uuid references public.users (id) on delete set null,
  kind text not null constraint idea_logs_kind_form check (kind ~ '^[A-Z][A-Z_]{1,39}$'),
  content text not null default '' constraint idea_logs_content_length check (char_length(content) <= 100000),
  created_at timestamptz not null default private.now()
);

create index idea_logs_idea_id_idx on public.idea_logs (idea_id, created_at);

create index idea_logs_user_id_idx on public.idea_logs (user_id);

create type public.failure_class as enum
  ('agent_error', 'verification_failed', 'rate_limited', 'infrastructure', 'cancelled');

create type public.notice_status as enum ('PENDING', 'DELIVERED', 'FAILED');

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

create unique index sprint_runs_one_unfinished_key on public.sprint_runs (sprint_id)
  where status in ('QUEUED', 'RUNNING', 'PAUSED');

create index sprint_runs_sprint_id_idx on public.sprint_runs (sprint_id, created_at);

create index sprint_runs_product_id_idx on public.sprint_runs (product_id, created_at);

create index sprint_runs_previous_run_id_idx on public.sprint_runs (previous_run_id);

create index sprint_runs_started_by_idx on public.sprint_runs (started_by);

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

create index agent_workers_last_seen_at_idx on public.agent_workers (last_seen_at);

create index agent_workers_current_job_id_idx on public.agent_workers (current_job_id);

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

create index agent_jobs_claim_order_idx on public.agent_jobs (product_id, claim_rank, created_at, position, id)
  where status = 'QUEUED' and in_turn;

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

create index task_executions_task_id_idx on public.task_executions (task_id);

create index task_executions_order_idx on public.task_executions (sprint_run_id, position);

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

create index user_questions_idea_id_idx on public.user_questions (idea_id, created_at);

create index user_questions_user_id_idx on public.user_questions (user_id, created_at);

create index user_questions_job_id_idx on public.user_questions (job_id);

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

create index stories_failed_idx on public.stories (pbi_id) where status = 'FAILED';

create index stories_unfinished_idx on public.stories (pbi_id) where status <> 'DONE';

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

create index push_subscriptions_user_id_idx on public.push_subscriptions (user_id);

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

create index webhooks_product_id_idx on public.webhooks (product_id);

create index webhooks_created_by_idx on public.webhooks (created_by);

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

create index notices_due_idx on public.notices (next_attempt_at) where status = 'PENDING';

create index notices_done_idx on public.notices (created_at) where status <> 'PENDING';

create index notices_user_id_idx on public.notices (user_id);

create index notices_webhook_id_idx on public.notices (webhook_id, created_at, id);

create index notices_product_id_idx on public.notices (product_id);

alter table public.users
  add constraint users_active_product_id_fkey
  foreign key (active_product_id) references public.products (id) on delete set null;

create table public.schedule_runs (
  name text not null check (char_length(name) between 1 and 100),
  due_at timestamptz not null,
  claimed_at timestamptz not null default clock_timestamp(),
  primary key (name, due_at)
);

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

create sequence private.event_seq;

create unlogged table private.event_flushes (
  id bigint generated always as identity primary key
);
