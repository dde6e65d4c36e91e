-- Why: a terminal that dies is no fault of the job: it never fails by it, as after a fourth lost lease of an agent.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.requeue_lost_job(p_job public.agent_jobs, p_reason text)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_is_last boolean := p_job.retry_count >= 3 and not private.is_in_hand(p_job);
  v_reason text := case when v_is_last then 'All 3 retries are used up. ' else '' end || p_reason;
  v_fallback text := case when v_is_last then private.next_agent(p_job, null) end;
  v_question_id uuid := case when v_is_last and v_fallback is null then private.ask_about_failure(p_job, v_reason) end;
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = case when v_is_last and v_question_id is null and v_fallback is null then 'FAILED' else 'QUEUED' end::public.agent_job_status,
      retry_count = case when v_fallback is null then least(j.retry_count + 1, 3) else 0 end,
      fallback_agent = coalesce(v_fallback, j.fallback_agent),
      failure_class = 'infrastructure',
      failure_reason = v_reason,
      parked_question_id = coalesce(v_question_id, j.parked_question_id),
      in_turn = j.in_turn and v_question_id is null,
      lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  if v_status is not null then
    perform nextval('private.lost_lease_seq');
    if v_question_id is not null then
      perform private.bring_next_in_turn(p_job.sprint_run_id, p_job.lane_id);
    end if;
  end if;
  return v_status;
end;
$function$;
