create type public.agent_job_status as enum ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED');

comment on type public.agent_job_status is 'States of an agent job (specification: Agent job).';

-- Enumerations of the agent side that are not states (specification: Agent job, Agent question).
create type public.agent_job_kind as enum ('TASK_IMPLEMENTATION', 'PLAN_CHAT', 'SPRINT_IMPLEMENTATION');
create type public.verify_result as enum ('ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT');
-- What a queued job needs: a worker to do it, another worker to check it, or a person or CI to approve it.
create type public.job_phase as enum ('implement', 'verify', 'review');

comment on type public.job_phase is 'Phases of a job whose product asks for proof (docs/proof.md).';
comment on type public.agent_job_kind is 'What a job does (specification: Agent job).';
comment on type public.verify_result is 'Result of the verification gate (specification: Agent job).';

-- Why a job failed or was requeued; decides what happens next (specification: Agent job).
create type public.failure_class as enum
  ('agent_error', 'verification_failed', 'rate_limited', 'infrastructure', 'cancelled');

comment on type public.failure_class is 'Classes of failures of a job (specification: Agent job).';

-- Why: a report is one value with named fields, not a row of parameters. A missing field is null and changes nothing.
create type private.job_report as (
  status text,
  verify_result text,
  summary text,
  failure_class text,
  failure_reason text,
  resets_at timestamptz,
  base_sha text,
  head_sha text,
  branch text,
  pushed_at timestamptz,
  pr_url text,
  session_id text,
  kept_ref text,
  model_id text,
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  events jsonb,
  evidence jsonb,
  implementation_plan text
);

comment on type private.job_report is 'What a worker says of its attempt (specification: Agent job).';
