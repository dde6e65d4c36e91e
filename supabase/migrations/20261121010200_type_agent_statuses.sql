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
