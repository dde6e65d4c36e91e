-- Why: an agent that is its own worker sends no heartbeat while one of its tool calls runs: every word of an attempt renews its lease.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.hold_job(p_job_id uuid, p_attempt integer)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_state text := private.attempt_state(v_job, p_attempt);
begin
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  update public.agent_jobs j set lease_until = private.now() + private.lease() where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_job_usage(p_job_id uuid, p_attempt integer, p_usage jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION private.verify_work(p_job public.agent_jobs, p_execution public.task_executions, p_verify_result text, p_changed_files jsonb, p_evidence jsonb, p_base_sha text, p_head_sha text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_plan text := coalesce(p_execution.plan_snapshot, p_job.plan_snapshot);
  v_required public.verify_required;
  v_result public.verify_result;
  v_outcome text;
begin
  if jsonb_typeof(coalesce(p_changed_files, '[]')) <> 'array' or length(coalesce(p_changed_files, '[]')::text) > 262144
    or length(coalesce(p_evidence, '{}')::text) > 65536 then
    perform private.refuse(422, 'changed_files must be a list of paths (256 KiB at most), evidence at most 64 KiB of JSON.');
  end if;
  select t.* into v_task from public.tasks t where t.id = coalesce(p_execution.task_id, p_job.task_id);
  v_required := coalesce(p_execution.verify_required, v_task.verify_required);
  v_result := coalesce(
    case when jsonb_array_length(p_changed_files) = 0 then 'EMPTY'::public.verify_result end,
    private.require_choice('verify_result', p_verify_result, array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result,
    private.classify_diff(v_plan, p_changed_files));
  if v_result is null then
    perform private.refuse(422, 'Give verify_result (aligned, partial, empty, divergent) or changed_files.');
  end if;

  if p_execution.id is not null then
    update public.task_executions e set verify_result = v_result where e.id = p_execution.id;
  end if;
  update public.agent_jobs j
  set verify_result = case when p_execution.id is null then v_result else j.verify_result end,
      base_sha = coalesce(j.base_sha, left(p_base_sha, 64)), head_sha = coalesce(left(p_head_sha, 64), j.head_sha),
      evidence = coalesce(p_evidence, j.evidence)
  where j.id = p_job.id;

  v_outcome := private.gate(v_required, v_result, v_task.verify_only);
  return json_build_object('job_id', p_job.id, 'task_id', v_task.id, 'task_code', v_task.code,
    'execution_id', p_execution.id, 'verify_result', v_result, 'verify_required', v_required,
    'verify_only', v_task.verify_only, 'passes', v_outcome is not null, 'report', lower(v_outcome),
    'plan', v_plan,
    'hint', case v_outcome
      when 'DONE' then 'The gate is open: report done.'
      when 'SKIPPED' then 'Nothing differs from the main branch: the work is already present. Report skipped.'
      else format('The gate needs %s. Finish what is missing and verify again, or report failed with failure_class verification_failed.', v_required)
    end);
end;
$function$;

COMMENT ON FUNCTION "private"."hold_job"(uuid, integer) IS 'A job held by the given attempt, its lease renewed, or PT409 (specification: Agent job).';

COMMENT ON FUNCTION "private"."lease"() IS 'The lease of a claim: 5 minutes, renewed by heartbeats and every other word of its attempt (specification: Agent job, lease_until).';
