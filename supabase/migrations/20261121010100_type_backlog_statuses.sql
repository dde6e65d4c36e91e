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
