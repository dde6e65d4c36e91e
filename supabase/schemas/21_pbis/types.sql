-- The states of the backlog in database form (specification: Conventions; States and transitions).
create type public.pbi_status as enum ('READY', 'BLOCKED', 'DONE', 'FAILED');

comment on type public.pbi_status is 'States of a PBI (specification: PBI). BLOCKED is set by hand only.';
