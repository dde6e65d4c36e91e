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
