-- Why: a person who takes a task says what confines its setup, tests and proof, so that a product that requires a sandbox
-- keeps it, and a worker says which of its agents the rules of the repository chose.
set local check_function_bodies = off;

DROP FUNCTION "operations"."take_agent_job"(text, text, text, boolean);

DROP FUNCTION "private"."refuse_to_take"(public.agent_jobs, uuid);

ALTER TYPE "private"."job_report" ADD ATTRIBUTE "agent" text CASCADE;

CREATE OR REPLACE FUNCTION operations.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_report private.job_report := jsonb_populate_record(null::private.job_report, p_report);
  v_status text := private.require_choice('status', v_report.status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED', 'QUEUED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED') and v_report.implementation_plan is null);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
  v_phase public.job_phase;
  v_reason text;
  v_question_id uuid;
  v_not_before timestamptz;
  v_fallback text;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped, queued.');
  end if;
  if v_status = 'QUEUED' and v_job.kind <> 'SPRINT_IMPLEMENTATION' and v_job.taken_by is null and v_state <> 'returned' then
    perform private.refuse(422, 'Only a batch with blocked tasks, or a job that a person takes over or has, can be given back. Report done, failed or skipped.');
  end if;
  perform private.require_link('pr_url', v_report.pr_url);
  v_class := lower(private.require_choice('failure_class', v_report.failure_class,
    array['AGENT_ERROR', 'VERIFICATION_FAILED', 'RATE_LIMITED', 'INFRASTRUCTURE', 'CANCELLED']));
  v_result := coalesce(private.require_choice('verify_result', v_report.verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_job.verify_result);

  if v_state <> 'held' then
    if private.repeats_plan(v_job, v_state, v_report.implementation_plan) then
      return private.job_json(v_job);
    end if;
    if private.repeats_report(v_job, v_state, v_status, v_class, v_result) then
      -- The end of a task may have ended its batch before: what this report knows besides is not lost.
      if v_state = 'finished' then
        update public.agent_jobs j set failure_class = v_class
        where j.id = p_job_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status = 'FAILED' and v_class is not null;
        select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
        v_job := private.record_usage(v_job, p_attempt, v_report);
        perform private.note_attempt(v_job, v_report);
      end if;
      return private.job_json(v_job);
    end if;
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;

  -- Which of its agents a worker of several chose for a job that names none, by the rules of the repository.
  if not exists (select from public.agent_workers w where w.id = v_job.worker_id and w.offers @> jsonb_build_array(jsonb_build_object('id', v_report.agent))) then
    v_report.agent := null;
  end if;
  -- Whoever only looks at the work of another moves nothing, and does not fail it by failing to look.
  if v_job.phase = 'verify' then
    v_report := private.verifiers_report(v_report);
  end if;
  if v_report.implementation_plan is not null and v_status = 'RUNNING' and private.needs_approved_plan(v_job, v_job.task_id) then
    perform private.record_usage(v_job, p_attempt, v_report);
    perform private.note_attempt(v_job, v_report);
    return private.hand_in_plan(v_job, v_job.task_id, v_report.implementation_plan);
  end if;
  if v_report.implementation_plan is not null then
    perform private.keep_plan(v_job, v_job.task_id, v_report.implementation_plan);
  end if;
  if v_report.evidence is not null then
    perform private.record_evidence(v_job, v_report.evidence);
  end if;
  if v_report.lessons is not null then
    perform private.propose_lessons(v_job, v_report.lessons);
  end if;
  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'QUEUED' then 'QUEUED'
    when 'FAILED' then case when v_class = 'rate_limited' or (v_job.phase = 'verify' and v_job.retry_count < 3)
      then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_status = 'FAILED' then
    v_not_before := case when v_next = 'QUEUED' then private.pause_until(v_report.resets_at, p_attempt, v_job.sprint_run_id) end;
    v_fallback := case when v_class is distinct from 'cancelled' then private.next_agent(v_job, v_not_before) end;
    v_next := case when v_fallback is not null then 'QUEUED' else v_next end;
  end if;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, v_report.summary);
  end if;
  perform private.record_usage(v_job, p_attempt, v_report);
  perform private.note_attempt(v_job, v_report);
  if v_report.head_sha is not null and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.note_head((select t.story_id from public.tasks t where t.id = v_job.task_id), v_job, v_report.head_sha);
  end if;
  v_phase := case when v_next = 'DONE' then private.phase_after(v_job, v_result) end;
  if v_status = 'FAILED' then
    v_class := coalesce(v_class, 'agent_error');
    v_reason := left(coalesce(v_report.failure_reason, v_report.summary, 'The worker gave no reason.'), 4000);
  end if;
  if v_next = 'FAILED' then
    v_question_id := private.ask_about_failure(v_job, v_reason);
  end if;
  if v_phase is not null or v_question_id is not null then
    v_next := 'QUEUED';
  end if;

  update public.agent_jobs j
  set status = v_next,
      agent = coalesce(v_report.agent, j.agent),
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      phase = coalesce(v_phase, j.phase),
      claim_rank = case when v_phase is null then j.claim_rank else 0 end,
      author_worker_id = case when v_phase = 'verify' then j.worker_id else j.author_worker_id end,
      fallback_agent = coalesce(v_fallback, j.fallback_agent),
      retry_count = case when v_fallback is not null then 0
        when v_status = 'FAILED' and v_next = 'QUEUED' and v_class <> 'rate_limited' and v_question_id is null then j.retry_count + 1
        else j.retry_count end,
      parked_question_id = coalesce(v_question_id, j.parked_question_id),
      in_turn = j.in_turn and v_question_id is null,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(v_report.summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then v_class end,
      failure_reason = v_reason,
      not_before = case when v_fallback is null then v_not_before end,
      base_sha = coalesce(j.base_sha, left(v_report.base_sha, 64)),
      head_sha = coalesce(left(v_report.head_sha, 64), j.head_sha),
      branch = coalesce(j.branch, left(v_report.branch, 200)),
      pushed_at = coalesce(v_report.pushed_at, j.pushed_at),
      pr_url = coalesce(v_report.pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  if v_question_id is not null then
    perform private.bring_next_in_turn(v_job.sprint_run_id, v_job.lane_id);
  end if;
  if v_phase is not null then
    perform private.enter_phase(v_job);
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  end if;
  return private.job_json(v_job) || private.released();
end;
$function$;

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
    set taken_by = v_user_id, taken_until = v_now + private.lease(), take_at_once = j.take_at_once or coalesce(p_at_once, false)
    where j.id = v_job.id and (j.taken_by is distinct from v_user_id or j.taken_until < v_now + private.lease() - interval '1 minute'
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

CREATE OR REPLACE FUNCTION private.note_attempt(p_job public.agent_jobs, p_report private.job_report)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if num_nonnulls(p_report.session_id, p_report.kept_ref, p_report.agent) = 0 then
    return;
  end if;
  update public.job_attempts a
  set session_id = coalesce(left(p_report.session_id, 300), a.session_id),
      kept_ref = coalesce(left(p_report.kept_ref, 300), a.kept_ref),
      agent = coalesce(p_report.agent, a.agent)
  where a.job_id = p_job.id and a.attempt = p_job.attempt;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_to_take(p_job public.agent_jobs, p_user_id uuid, p_confinement public.confinement)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_words text;
begin
  if p_job.status not in ('QUEUED', 'CLAIMED', 'RUNNING') then
    perform private.refuse(409, format('The job is %s: there is nothing to take.', lower(p_job.status::text)));
  end if;
  if p_job.taken_by = p_user_id and p_job.taken_until is null then
    perform private.refuse(409, 'You have it in a terminal. Hand it in there with give, or return it with give --back.');
  end if;
  if p_job.taken_by <> p_user_id and (p_job.taken_until is null or p_job.taken_until > private.now()) then
    perform private.refuse(409, format('%s has it in a terminal, or takes it over. Ask for it to be returned with give --back.', private.username(p_job.taken_by)));
  end if;
  if p_job.phase = 'verify' then
    perform private.refuse(409, 'The work is done, and another worker reviews it. Request changes first.');
  end if;
  if p_confinement = 'none' and (select p.requires_sandbox from public.products p where p.id = p_job.product_id) then
    perform private.refuse(409, 'The product requires a sandbox for setup, tests and proof, and there is none here. Take it on Linux with bubblewrap (apt-get install bubblewrap), without --sandbox off.');
  end if;
  if p_job.status <> 'QUEUED' then
    return;
  end if;
  select string_agg(r.reason ->> 'message', ' ') into v_words
  from private.job_gates g
  cross join lateral unnest(g.gates) as x (gate)
  cross join lateral jsonb_array_elements(private.gate_reasons(p_job, x.gate)) as r (reason)
  where g.id = p_job.id and x.gate not in ('held', 'not_before');
  if v_words is not null then
    perform private.refuse(409, 'It cannot be taken now: ' || v_words);
  end if;
end;
$function$;

REVOKE ALL ON FUNCTION "operations"."take_agent_job"(text, text, text, boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."take_agent_job"(text, text, text, boolean, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_to_take"(public.agent_jobs, uuid, public.confinement) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_to_take"(public.agent_jobs, uuid, public.confinement) TO "postgres";
