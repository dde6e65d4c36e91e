-- Enumerations of the backlog that are not states (specification: Product, Task, Story log entry).
create type public.pr_strategy as enum ('SPRINT', 'STORY', 'SPRINT_BATCH');
create type public.member_role as enum ('OWNER', 'MEMBER', 'VIEWER');
-- The lowest grade of proof a story needs, weakest first. Except for "none", the values of public.evidence_grade.
create type public.done_requires as enum ('none', 'worker', 'other_worker', 'ci', 'person');

-- Whether agents write missing plans: if asked for when the run starts, always, or never.
create type public.plan_first as enum ('ask', 'auto', 'never');

-- Whether workers open pull requests, and how: as a draft until all criteria are proven, or ready for review at once.
create type public.pull_requests as enum ('none', 'draft', 'open');

-- Where items created by agents go: straight into the backlog, or first to a person.
create type public.agent_items as enum ('backlog', 'triage');

comment on type public.agent_items is 'Whether stories that tokens make wait in triage (docs/users.md).';

-- Who merges the branches of finished work: people, or workers, one after another.
create type public.landing as enum ('manual', 'queue');

comment on type public.landing is 'Who merges the branches of work that is done: people, or the landing queue (docs/forges.md).';

-- When a task that is done releases what it blocks.
create type public.dependency_release as enum ('done', 'merged');

comment on type public.dependency_release is 'When what is done frees what waits for it: at once, or when its code is on the main branch (docs/dependencies.md).';
comment on type public.pull_requests is 'Whether workers open pull requests (docs/forges.md).';
comment on type public.plan_first is 'Whether a run whose tasks have no plan begins with a planning turn of its agents (docs/agents.md).';
comment on type public.done_requires is 'What a product asks for before a story is done (docs/proof.md).';
comment on type public.pr_strategy is 'How a sprint run cuts pull requests (specification: Product).';
comment on type public.member_role is 'Role in a product: its one owner, a member, or a viewer, who reads (specification: Authentication 4).';
