-- Why: a worker that asks twice why a budget stopped its job gets the same sentence both times.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.budget_stop_text(p_budget public.budgets)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format('The budget of %s is reached: %s of %s used. The work is kept and the job waits for a person.',
    private.budget_name(p_budget), private.budget_amount_text(private.budget_spent(p_budget), p_budget.unit),
    private.budget_amount_text(p_budget.amount, p_budget.unit));
end;
$function$;

CREATE OR REPLACE FUNCTION private.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer, p_usage jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_state text;
  v_pause jsonb;
  v_spent_up text;
begin
  perform private.require_job(p_job_id);
  perform private.require_writer();
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;

  perform private.lock_for_budget(p_job_id, p_attempt, p_usage);
  update public.agent_jobs j
  set lease_until = v_now + private.lease()
  from public.agent_workers w, public.products p
  where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING')
    and w.id = j.worker_id and w.user_id = auth.uid() and p.id = j.product_id and p.archived_at is null
  returning j.* into v_job;

  if v_job.id is null then
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
    v_state := private.attempt_state(v_job, p_attempt);
    if v_job.status in ('CLAIMED', 'RUNNING') and exists (
      select from public.products p where p.id = v_job.product_id and p.archived_at is not null
    ) then
      v_state := 'archived';
    end if;
    if v_state = 'parked' and v_job.stopped_by_budget_id is not null then
      v_state := 'budget';
    end if;
    return json_build_object('action', 'stop', 'status', lower(v_job.status::text), 'lease_until', null,
      'reason', json_build_object('code', v_state, 'message', case v_state
        when 'cancelled' then 'The job was cancelled' || coalesce(': ' || v_job.failure_reason, '.')
        when 'finished' then format('The job is already %s.', lower(v_job.status::text))
        when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
        when 'budget' then (select private.budget_stop_text(b) from public.budgets b where b.id = v_job.stopped_by_budget_id)
        when 'parked' then 'The job waits for the answer to a question.'
        when 'requeued' then 'The job went back to the queue until the rate limit ends.'
        else format('Attempt %s no longer holds this job.', coalesce(p_attempt::text, '?')) end));
  end if;

  v_spent_up := private.heed_budget(v_job, p_usage);
  if v_spent_up is not null then
    return json_build_object('action', 'stop', 'status', 'queued', 'lease_until', null,
      'reason', json_build_object('code', 'budget', 'message', v_spent_up));
  end if;
  select r.pause_context into v_pause from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status = 'PAUSED';
  perform private.touch_worker(v_job.worker_id, null, null, p_quota_pct);
  return json_build_object(
    'action', case when v_pause is null then 'continue' else 'pause' end,
    'status', lower(v_job.status::text),
    'lease_until', v_job.lease_until,
    'reason', case when v_pause is not null then json_build_object('code', 'paused',
      'message', format('The run is paused (%s).', replace(v_pause ->> 'reason', '_', ' '))) end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_for_budget(p_job public.agent_jobs, p_budget public.budgets)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.budgets b set reached_at = private.now(), due_at = null where b.id = p_budget.id;
  update public.agent_jobs j
  set status = 'QUEUED', stopped_by_budget_id = p_budget.id, failure_class = null, failure_reason = null
  where j.id = p_job.id;
  perform private.settle_budgets(p_job.product_id, p_job.id);
  update public.agent_jobs j
  set parked_question_id = r.pause_question_id
  from public.sprint_runs r
  where j.id = p_job.id and r.id = j.sprint_run_id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  return private.budget_stop_text(p_budget);
end;
$function$;

COMMENT ON FUNCTION "private"."budget_stop_text"(public.budgets) IS 'Why a budget has stopped a job, for its worker.';

REVOKE ALL ON FUNCTION "private"."budget_stop_text"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_stop_text"(public.budgets) TO "postgres";
