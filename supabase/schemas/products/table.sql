-- Enumerations of the backlog that are not states (specification: Product, Task, Story log entry).
create type public.pr_strategy as enum ('SPRINT', 'STORY', 'SPRINT_BATCH');

-- Role in a product: its one owner, a member, or a viewer, who reads (specification: Authentication 4).
create type public.member_role as enum ('OWNER', 'MEMBER', 'VIEWER');

-- The lowest grade of proof a story needs: "none", or one of public.evidence_grade (docs/proof.md).
create type public.done_requires as enum ('none', 'worker', 'other_worker', 'ci', 'person');

-- Whether agents write missing plans: if asked for when the run starts, always, or never (docs/runs.md).
create type public.plan_first as enum ('ask', 'auto', 'never');

-- Who approves what agents plan, before they begin (docs/worker.md).
create type public.plan_review as enum ('none', 'person');

-- How workers open pull requests: as a draft until all is proven, or ready at once (docs/forges.md).
create type public.pull_requests as enum ('none', 'draft', 'open');

-- Where items created by agents go: straight into the backlog, or first to a person (docs/intake.md).
create type public.agent_items as enum ('backlog', 'triage');

-- Who merges the branches of finished work: people, or workers, one after another (docs/forges.md).
create type public.landing as enum ('manual', 'queue');

-- What happens when a task's job would fail: the contract's cascade, or a question to a person (docs/running.md).
create type public.on_failure as enum ('stop', 'ask');

-- When a task that is done releases what it blocks (docs/dependencies.md).
create type public.dependency_release as enum ('done', 'merged');

-- The root of all that is shared (specification: Product). The owner has a row in product_members, by a trigger, too.
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
  pull_requests public.pull_requests not null default 'none',
  agent_items public.agent_items not null default 'backlog',
  landing public.landing not null default 'manual',
  landing_since timestamptz not null default private.now(),
  pr_strategy public.pr_strategy not null default 'SPRINT',
  done_requires public.done_requires not null default 'none',
  dependency_release public.dependency_release not null default 'done',
  plan_first public.plan_first not null default 'ask',
  on_failure public.on_failure not null default 'stop',
  plan_review public.plan_review not null default 'none',
  requires_sandbox boolean not null default false,
  may_reach jsonb not null default '[]' constraint products_may_reach_hosts check (private.are_hosts(may_reach)),
  "references" jsonb not null default '[]' constraint products_references_form check (jsonb_typeof("references") = 'array'
    and jsonb_array_length("references") <= 8 and octet_length("references"::text) <= 20000
    and not jsonb_path_exists("references", '$[*] ? (!(@.name.type() == "string") || !(@.name like_regex "^[a-z0-9-]{1,40}$")
      || !(@.url.type() == "string") || !(@.url like_regex "^((https|ssh)://([a-z0-9._~+-]+@)?[a-z0-9[][!-?A-~]*|git@[a-z0-9][a-z0-9.-]*:[!-,.-~][!-~]*)$" flag "i")
      || exists (@.ref ? (@ != null && (!(@.type() == "string") || !(@ like_regex "^[A-Za-z0-9][A-Za-z0-9._/@+-]{0,199}$")))))')),
  forge_issue_label text not null default ''
    constraint products_forge_issue_label_form check (char_length(forge_issue_label) <= 100 and forge_issue_label !~ '[,\r\n\t]'),
  branch_prefix text not null default 'backloom'
    constraint products_branch_prefix_form check (branch_prefix ~ '^[A-Za-z0-9._/-]{1,50}$'
      and branch_prefix !~ '(^|/)[/.-]|[/.-](/|$)|\.\.|\.lock(/|$)'),
  review_marks jsonb not null default '{}'
    constraint products_review_marks_form check (jsonb_typeof(review_marks) = 'object' and octet_length(review_marks::text) <= 20000),
  agent text constraint products_agent_form check (agent ~ '^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$'),
  model text constraint products_model_form check (model ~ '^[A-Za-z0-9][][A-Za-z0-9:./_@+-]{0,199}$'),
  effort text constraint products_effort_known check (effort in ('low', 'medium', 'high')),
  fallback jsonb not null default '[]' constraint products_fallback_agents check (jsonb_typeof(fallback) = 'array'
    and jsonb_array_length(fallback) <= 10 and octet_length(fallback::text) <= 2000
    and not jsonb_path_exists(fallback, '$[*] ? (!(@.type() == "string") || !(@ like_regex "^[A-Za-z0-9][A-Za-z0-9:._-]*$"))')),
  fallback_after integer not null default 15 constraint products_fallback_after_range check (fallback_after between 1 and 44640),
  change_index boolean not null default true,
  avoid_overlap boolean not null default false,
  archived_at timestamptz,
  version integer not null default 1,
  field_versions jsonb not null default '{}',
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint products_owner_code_key unique (owner_id, code)
);

comment on table public.products is 'Products (specification: Product). Archived ones can be read and not written.';

comment on column public.products.field_versions is 'Of each changed field: the version that changed it, who did, and when.';
comment on column public.products.landing_since is 'The merge queue takes work that was done after this: since the product has one.';
comment on column public.products.review_marks is 'Path patterns per review mark, which replace the default ones.';
comment on column public.products.forge_issue_label is 'Issues of the Git host with this label become stories in triage; empty: none do.';
comment on column public.products.branch_prefix is 'Prefix of the branches of its work. Some remotes refuse other names.';
comment on column public.products.agent is 'Who does its tasks where task and story name none; so are model and effort (private.job_gates).';
comment on column public.products.fallback is 'Agents that take over, in order, when one is at its limit or has failed.';
comment on column public.products.fallback_after is 'Minutes: a limit that ends later hands the work to the next agent.';
comment on column public.products.change_index is 'Whether workers send titles and paths of main''s changes, for forecasts.';
comment on column public.products.avoid_overlap is 'Whether claims prefer, among equals, what meets the least running work.';
comment on column public.products.auto_pr is 'Whether pull_requests is not none. The contract has this name.';
comment on column public.products.requires_sandbox is 'Its jobs go to confined workers only.';
comment on column public.products.may_reach is 'Hosts, with or without a port, that its jobs may reach from within a sandbox.';
comment on column public.products."references" is 'Other repositories that its agents read and do not change (docs/worker.md).';

alter table public.products enable row level security;

-- Members read, the owner changes. Restrictive policies stop demo accounts (specification: Authentication 3, 4).
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
grant select on public.products to authenticated;
grant insert (id, code, name, description, repo_url, definition_of_done, auto_pr, pull_requests, pr_strategy, done_requires, dependency_release,
    plan_first, plan_review, on_failure, requires_sandbox, may_reach, "references", agent_items, landing, branch_prefix, agent, model, effort, fallback, fallback_after, change_index, avoid_overlap),
  update (code, name, description, repo_url, definition_of_done, auto_pr, pull_requests, pr_strategy, done_requires, plan_first, plan_review, on_failure, requires_sandbox, may_reach,
    "references", agent_items, landing, landing_since, forge_issue_label, branch_prefix, review_marks, agent, model, effort, fallback, fallback_after, change_index, avoid_overlap, archived_at),
  delete on public.products to authenticated;
