-- Why: a job that waits for a person frees its worker: back to the queue, not claimable while the question is open, and first
-- once it is answered. No retry is counted. Called under the product lock.
create function private.park_job(p_job public.agent_jobs, p_question_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.agent_jobs j
  set status = 'QUEUED', parked_question_id = p_question_id, failure_class = null, failure_reason = null
  where j.id = p_job.id;
end;
$$;

comment on function private.park_job is
  'A job waits for an answer without a worker (specification: Agent job; Agent question).';
