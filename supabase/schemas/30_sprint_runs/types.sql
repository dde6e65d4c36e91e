-- The states of the agent side in database form (specification: States and transitions).
create type public.sprint_run_status as enum ('QUEUED', 'RUNNING', 'PAUSED', 'DONE', 'FAILED', 'CANCELLED');

create type public.task_execution_status as enum ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'SKIPPED');

comment on type public.sprint_run_status is 'States of a sprint run (specification: Sprint run).';

comment on type public.task_execution_status is 'States of a sprint task execution record (specification: Sprint run).';
