-- Why: reports tokens during the work: single events with a seq each, or totals of the attempt. Sending either twice
-- counts once. An ended attempt may still report its usage until somebody else takes the job.
-- Refusals: 404, 403, 409 for a lost attempt, 422. Definer: jobs are written by functions only.
create function operations.report_job_usage(p_job_id uuid, p_attempt integer, p_usage jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_state text := private.attempt_state(v_job, p_attempt);
begin
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  if v_state = 'held' then
    update public.agent_jobs j set lease_until = private.now() + private.lease() where j.id = p_job_id returning j.* into v_job;
  end if;
  -- A statement of its own: what follows must see the new lines.
  v_job := private.record_usage(v_job, p_attempt, jsonb_populate_record(null::private.job_report, p_usage));
  perform private.sum_budgets(v_job);
  return private.job_json(v_job);
end;
$$;

comment on function operations.report_job_usage is 'Token usage of a job (specification: Agent job).';
grant execute on function operations.report_job_usage to authenticated;
