-- Enumerations of the backlog that are no states (specification: Product, Task, Story log entry).
create type public.pr_strategy as enum ('SPRINT', 'STORY', 'SPRINT_BATCH');
create type public.member_role as enum ('OWNER', 'MEMBER');

comment on type public.pr_strategy is 'How a sprint run cuts pull requests (specification: Product).';
comment on type public.member_role is 'Role in a product: its one owner, or a member (specification: Authentication 4).';
