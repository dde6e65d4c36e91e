-- Why a job failed or went back to the queue; decides what happens next (specification: Agent job).
create type public.failure_class as enum
  ('agent_error', 'verification_failed', 'rate_limited', 'infrastructure', 'cancelled');

comment on type public.failure_class is 'Classes of failures of a job (specification: Agent job).';
