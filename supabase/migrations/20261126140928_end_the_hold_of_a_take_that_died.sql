-- Why: a take that dies while it waits for an agent keeps the job from the agents for half a minute instead of five.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.take_agent_job(p_task text, p_product text DEFAULT NULL::text, p_worker text DEFAULT NULL::text, p_at_once boolean DEFAULT false, p_confinement text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_now timestamptz := private.now();
  v_job public.agent_jobs := private.lock_job(private.job_to_take(p_task, p_product));
  v_confinement public.confinement := coalesce(p_confinement, 'none');
  v_worker public.agent_workers;
begin
  perform private.refuse_to_take(v_job, v_user_id, v_confinement);
  if v_job.status <> 'QUEUED' then
    update public.agent_jobs j
    set taken_by = v_user_id, taken_until = v_now + interval '30 seconds', take_at_once = j.take_at_once or coalesce(p_at_once, false)
    where j.id = v_job.id and (j.taken_by is distinct from v_user_id or j.taken_until < v_now + interval '20 seconds'
      or (p_at_once and not j.take_at_once));
    return json_build_object('job', null, 'waits_for', (select w.name from public.agent_workers w where w.id = v_job.worker_id));
  end if;
  v_worker := private.ensure_worker(v_user_id, coalesce(p_worker, 'terminal'));
  -- No job is handed to a terminal, so it never counts as a worker that is online.
  update public.agent_workers w set stopped_at = v_now, last_seen_at = v_now where w.id = v_worker.id;
  update public.agent_jobs j
  set status = 'CLAIMED', attempt = j.attempt + 1, worker_id = v_worker.id, confinement = v_confinement, agent = null, model = null, effort = null,
      claimed_at = v_now, started_at = null, lease_until = v_now + private.lease(), not_before = null, claim_rank = 0,
      stopped_by_budget_id = null, failure_class = null, parked_question_id = null, verify_result = null,
      taken_by = v_user_id, taken_until = null, take_at_once = false,
      plan_snapshot = case when j.plan_approved_at is not null then j.plan_snapshot
        else (select t.implementation_plan from public.tasks t where t.id = j.task_id) end
  where j.id = v_job.id
  returning j.* into v_job;
  return json_build_object('job', private.job_payload(v_job), 'waits_for', null);
end;
$function$;
