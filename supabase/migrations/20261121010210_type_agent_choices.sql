-- Enumerations of the agent side that are no states (specification: Agent job, Agent question).
create type public.agent_job_kind as enum ('TASK_IMPLEMENTATION', 'PLAN_CHAT', 'SPRINT_IMPLEMENTATION');
create type public.verify_result as enum ('ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT');
create type public.question_expiry as enum ('STOP', 'RECOMMENDED', 'ESCALATE');

comment on type public.agent_job_kind is 'What a job does (specification: Agent job).';
comment on type public.verify_result is 'Result of the verification gate (specification: Agent job).';
comment on type public.question_expiry is 'What happens when a question expires unanswered.';
