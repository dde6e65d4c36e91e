-- Why: a person can approve the plan of an agent before the work begins, where the product or the start of a run wants it.
set local check_function_bodies = off;

DROP VIEW "private"."claimable_jobs";

DROP VIEW "private"."product_detail_shape";

DROP FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text, text, text, text, jsonb, integer, text);

DROP FUNCTION "operations"."start_run"(jsonb, uuid, text, boolean, boolean, boolean, jsonb);

DROP FUNCTION "operations"."start_sprint_run"(uuid, jsonb, boolean, boolean, boolean);

DROP FUNCTION "private"."worker_gates"(private.job_gates, private.asker);

DROP VIEW "private"."job_gates";

ALTER TABLE "public"."agent_jobs" ADD COLUMN "plan_approved_at" timestamp with time zone;

ALTER TABLE "public"."agent_questions" ADD COLUMN "plan" text;

CREATE TYPE "public"."plan_review" AS ENUM ('none', 'person');

ALTER TABLE "public"."products" ADD COLUMN "plan_review" public.plan_review NOT NULL DEFAULT 'none'::public.plan_review;

ALTER TABLE "public"."sprint_runs" ADD COLUMN "plan_review" public.plan_review NOT NULL DEFAULT 'none'::public.plan_review;

CREATE OR REPLACE FUNCTION operations.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb, p_plan_first text DEFAULT 'ask'::text, p_pull_requests text DEFAULT 'none'::text, p_agent_items text DEFAULT 'backlog'::text, p_landing text DEFAULT 'manual'::text, p_branch_prefix text DEFAULT 'backloom'::text, p_agent text DEFAULT NULL::text, p_model text DEFAULT NULL::text, p_effort text DEFAULT NULL::text, p_fallback jsonb DEFAULT '[]'::jsonb, p_fallback_after integer DEFAULT 15, p_on_failure text DEFAULT 'stop'::text, p_plan_review text DEFAULT 'none'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  perform private.require_unlimited_token();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach, plan_first, plan_review, pull_requests, agent_items, landing, branch_prefix, agent, model, effort,
    fallback, fallback_after, on_failure)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first,
    coalesce(p_plan_review, 'none')::public.plan_review,
    coalesce(p_pull_requests, 'none')::public.pull_requests,
    coalesce(p_agent_items, 'backlog')::public.agent_items, coalesce(p_landing, 'manual')::public.landing,
    coalesce(p_branch_prefix, 'backloom'), p_agent, p_model, p_effort, coalesce(p_fallback, '[]'), coalesce(p_fallback_after, 15),
    coalesce(p_on_failure, 'stop')::public.on_failure);
  return operations.get_product(v_id);
end;
$function$;

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
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped, queued.');
  end if;
  if v_status = 'QUEUED' and v_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'Only a batch with blocked tasks can be given back. Report done, failed or skipped.');
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
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      phase = coalesce(v_phase, j.phase),
      claim_rank = case when v_phase is null then j.claim_rank else 0 end,
      author_worker_id = case when v_phase = 'verify' then j.worker_id else j.author_worker_id end,
      retry_count = j.retry_count + case when v_status = 'FAILED' and v_next = 'QUEUED' and v_class <> 'rate_limited' and v_question_id is null then 1 else 0 end,
      parked_question_id = coalesce(v_question_id, j.parked_question_id),
      in_turn = j.in_turn and v_question_id is null,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(v_report.summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then v_class end,
      failure_reason = v_reason,
      not_before = case when v_next = 'QUEUED' and v_status = 'FAILED' and v_question_id is null then private.pause_until(v_report.resets_at, p_attempt, v_job.sprint_run_id) end,
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

CREATE OR REPLACE FUNCTION operations.resume_sprint(p_sprint_id uuid, p_skip_failed boolean DEFAULT false, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_previous public.sprint_runs;
  v_other text;
  v_failed uuid[];
  v_task_ids uuid[];
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product can have only one active sprint.', v_other));
  end if;

  v_failed := array(
    select t.id from public.tasks t join public.stories s on s.id = t.story_id
    where p_skip_failed and s.sprint_id = p_sprint_id and t.status = 'FAILED');
  -- Stories and PBIs follow their tasks out of failed. Taken back alone, that would fail the run that starts here.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;
  perform set_config('backloom.undoing', '', true);

  v_task_ids := array(select i from unnest(private.sprint_task_ids(p_sprint_id)) i where i <> all (v_failed));
  if v_task_ids = '{}' then
    return null;
  end if;

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.plan_review := coalesce(v_previous.plan_review, v_product.plan_review);
  select * into v_scope from private.settle_scope(v_sprint, v_product, v_task_ids, coalesce(p_plan_first, nullif(v_previous.plan_first, false)),
    p_use_description, p_skip_failed or p_leave_out or exists (
      select from unnest(v_task_ids) i where i not in (select x.task_id from private.run_tasks(v_previous.id) x)));
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous, v_scope.task_ids, v_scope.plan_first);
  return private.run_json(v_run, false) || jsonb_build_object('left_out', v_scope.left_out);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.review_plan(p_job_id uuid, p_verdict text, p_plan text DEFAULT NULL::text, p_summary text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := btrim(coalesce(p_summary, ''));
  v_question public.agent_questions;
begin
  if private.is_token() then
    perform private.refuse(403, 'A person approves a plan, never a token. Sign in and decide on the page of the job.');
  end if;
  perform private.take_rate_limit('answer', auth.uid()::text);
  if v_verdict is null then
    perform private.refuse(422, 'verdict must be approve or request_changes.');
  end if;
  v_question := private.require_waiting_plan(v_job);
  if v_verdict = 'request_changes' and v_summary = '' then
    perform private.refuse(422, 'Say in summary what the plan should change.');
  end if;
  if v_verdict = 'request_changes' and p_plan is not null then
    perform private.refuse(422, 'plan goes with approve. Say in summary what the plan should change.');
  end if;
  if p_plan is not null then
    perform private.check_plan('plan', p_plan);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answered_by = auth.uid(), answered_at = private.now(),
      answer = concat_ws(': ', case when v_verdict = 'request_changes' then 'Changes requested'
        when p_plan is distinct from q.plan and p_plan is not null then 'Approved as edited' else 'Approved' end, nullif(v_summary, ''))
  where q.id = v_question.id;
  update public.agent_jobs j set phase = 'implement', claim_rank = 0 where j.id = p_job_id;
  if v_verdict = 'approve' then
    perform private.freeze_plan(v_job, v_question.task_id, coalesce(p_plan, v_question.plan));
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.start_run(p_task_ids jsonb DEFAULT NULL::jsonb, p_story_id uuid DEFAULT NULL::uuid, p_strategy text DEFAULT NULL::text, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false, p_stop_at jsonb DEFAULT NULL::jsonb, p_plan_review text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
  v_product_id uuid;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  if p_story_id is not null then
    v_product_id := private.require_write('story', p_story_id);
  end if;
  if (p_story_id is null) = (p_task_ids is null) then
    perform private.refuse(422, 'Name task_ids or story_id, one of them.');
  end if;
  if p_story_id is null then
    v_task_ids := private.task_ids_of(p_task_ids);
    v_product_id := private.require_write('task', v_task_ids[1]);
    perform private.require_one_product(v_task_ids, v_product_id);
  else
    v_task_ids := private.tasks_to_start(array(select t.id from public.tasks t where t.story_id = p_story_id));
  end if;
  perform private.refuse_triage(array(
    select distinct t.story_id from public.tasks t where t.id = any (v_task_ids)
    union select p_story_id where p_story_id is not null));
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.pr_strategy := coalesce(private.require_choice('strategy', p_strategy, array['SPRINT', 'STORY', 'SPRINT_BATCH']), 'STORY');
  v_product.plan_review := private.plan_review_of(v_product, p_plan_review);

  -- Stories and PBIs follow their tasks out of failed; what is refused below takes this back. Taken back alone, it would fail the run.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  where t.id = any (v_task_ids) and t.status = 'FAILED'
    and t.id not in (select h.task_id from private.held_by_runs(v_product_id, false) h);
  perform set_config('backloom.undoing', '', true);

  select * into v_scope from private.settle_scope(null, v_product, v_task_ids, p_plan_first, p_use_description, p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(null, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  return json_build_object('run', private.run_json(v_run, false), 'left_out', v_scope.left_out);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.start_sprint_run(p_sprint_id uuid, p_stop_at jsonb DEFAULT NULL::jsonb, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false, p_plan_review text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.plan_review := private.plan_review_of(v_product, p_plan_review);

  select * into v_scope from private.settle_scope(v_sprint, v_product, private.sprint_task_ids(p_sprint_id), p_plan_first, p_use_description,
    p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  return private.run_json(v_run, false) || case when p_leave_out then jsonb_build_object('left_out', v_scope.left_out) else '{}' end;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_task_execution(p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text DEFAULT NULL::text, p_failure_reason text DEFAULT NULL::text, p_head_sha text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status text := private.require_choice('status', p_status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_execution public.task_executions := private.hold_execution(v_job, p_task_id);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next text := v_status;
  v_missing jsonb;
begin
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_execution.verify_result);
  if private.repeats_plan(v_job, v_state, p_implementation_plan) then
    return private.execution_json(v_execution);
  end if;
  if v_state = 'held' and v_status = 'RUNNING' and p_implementation_plan is not null and private.needs_approved_plan(v_job, p_task_id) then
    perform private.hand_in_plan(v_job, p_task_id, p_implementation_plan);
    return private.execution_json(v_execution);
  end if;
  if v_state = 'held' and p_implementation_plan is not null then
    perform private.keep_plan(v_job, p_task_id, p_implementation_plan);
    select e.* into v_execution from public.task_executions e where e.id = v_execution.id;
  end if;
  if v_state in ('held', 'finished') and (v_execution.status::text = v_status
    or (v_execution.status = 'SKIPPED' and v_status = 'DONE' and v_result = 'EMPTY')) then
    return private.execution_json(v_execution);
  end if;
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  if v_execution.status not in ('PENDING', 'RUNNING') then
    perform private.refuse(409, format('This task of the batch is already %s. You still hold the job: continue with the next task.', lower(v_execution.status::text)));
  end if;
  if v_status = 'SKIPPED' and v_result is distinct from 'EMPTY' then
    perform private.refuse(422, 'A task can only be skipped when the verification found that the work is already present (verify_result empty).');
  end if;
  if v_status = 'RUNNING' then
    perform private.refuse_waiting(p_task_id, v_job.sprint_run_id);
  end if;
  if v_status = 'DONE' then
    v_next := private.gate(v_execution.verify_required, v_result, (select t.verify_only from public.tasks t where t.id = p_task_id));
    if v_next is null then
      perform private.refuse_gate(v_execution.verify_required, v_result);
    end if;
    if v_next = 'DONE' and private.needs_approved_plan(v_job, p_task_id) then
      perform private.refuse_unapproved();
    end if;
    v_missing := case when v_next = 'DONE' then private.proof_gap(p_task_id) end;
    if v_missing is not null then
      perform private.refuse_unproven(v_missing);
    end if;
  end if;

  update public.agent_jobs j
  set lease_until = private.now() + private.lease(), status = 'RUNNING', started_at = coalesce(j.started_at, private.now()),
      failure_reason = case when v_next = 'FAILED' then left(coalesce(p_failure_reason, 'A task of the batch failed.'), 4000) end
  where j.id = p_job_id;
  update public.task_executions e
  set status = v_next::public.task_execution_status,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      head_sha = coalesce(left(p_head_sha, 64), e.head_sha),
      failure_reason = case when v_next = 'FAILED' then left(p_failure_reason, 4000) end
  where e.id = v_execution.id
  returning e.* into v_execution;
  return private.execution_json(v_execution) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.after_job_change(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_has_status_changed boolean := p_new.status <> p_old.status;
  v_was_held boolean := p_old.status in ('CLAIMED', 'RUNNING');
  v_has_ended boolean := p_new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED');
begin
  if v_has_status_changed and p_new.task_id is not null and p_new.status not in ('QUEUED', 'CANCELLED') then
    perform private.advance_task(p_new);
  end if;

  if p_new.attempt <> p_old.attempt then
    perform private.begin_attempt(p_new);
  elsif v_was_held and p_new.status not in ('CLAIMED', 'RUNNING') then
    perform private.end_attempt(p_old, p_new), private.weigh_lessons(p_new.product_id, false);
  end if;

  -- A lost or taken-over attempt can report no more, so the usage it has reported so far is final.
  if (p_old.attempt > 0 and p_new.attempt <> p_old.attempt)
    or (v_was_held and p_new.status in ('QUEUED', 'FAILED') and p_new.failure_class = 'infrastructure') then
    perform private.keep_usage_so_far(p_old.id, p_old.attempt);
  end if;

  if v_was_held and p_new.status in ('DONE', 'SKIPPED') then
    perform private.release_noted(p_new.sprint_run_id);
  end if;

  if p_old.sprint_run_id is not null and p_old.status in ('QUEUED', 'CLAIMED', 'RUNNING') and v_has_ended then
    perform private.advance_branch_queue(p_old);
  end if;

  -- A dependency may be added while a job is at work. If the job returns and its blocker is behind it in the same branch
  -- queue, the turn passes on, or nothing would ever begin.
  if v_was_held and p_new.status = 'QUEUED' and p_new.open_blockers > 0 and p_new.in_turn and p_new.sprint_run_id is not null then
    perform private.pass_turn(p_new.sprint_run_id, p_new.lane_id);
  end if;

  if (v_has_status_changed and v_has_ended)
    or (p_new.status = 'QUEUED' and p_old.phase = 'implement' and p_new.phase in ('verify', 'review')) then
    perform private.settle_messages(p_old, p_new);
  end if;

  if p_old.phase = 'plan' and v_has_ended then
    perform private.close_question(p_old.parked_question_id);
  end if;

  -- Failed jobs of ideas need a person and appear in the inbox at once.
  if v_has_status_changed and 'FAILED' in (p_old.status, p_new.status) and p_new.idea_id is not null then
    perform private.emit_to_members(p_new.product_id,
      jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_new.id, 'product_id', p_new.product_id));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.ask_again_for_plans(p_sprint_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
  v_question public.agent_questions;
begin
  for v_job in
    select j.* from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.status = 'QUEUED' and j.phase = 'plan'
  loop
    select q.* into v_question from public.agent_questions q where q.id = v_job.parked_question_id;
    if private.question_status(v_question) <> 'OPEN' then
      perform private.close_question(v_question.id);
      perform private.ask_for_plan(v_job, v_question.task_id, v_question.plan);
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.ask_for_plan(p_job public.agent_jobs, p_task_id uuid, p_plan text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, plan, question, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id,
    coalesce((select w.user_id from public.agent_workers w where w.id = p_job.worker_id), p_job.created_by), p_plan,
    format('May the work on %s begin by this plan?', t.code), true
  from public.tasks t where t.id = p_task_id
  returning id into v_question_id;
  update public.agent_jobs j set parked_question_id = v_question_id where j.id = p_job.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempt_words(p_job public.agent_jobs, p_attempt integer, p_state text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_state = 'lost' and p_attempt = p_job.attempt and p_job.status in ('CLAIMED', 'RUNNING') then
    return format('Attempt %s of this job is held by %s. Only tokens of that user can report for it. Ask for a job of your own.',
      p_attempt, coalesce((
        select format('worker %s of %s', w.name, coalesce(private.username(w.user_id), 'another user'))
        from public.agent_workers w where w.id = p_job.worker_id), 'a worker of another user'));
  end if;
  return case p_state
    when 'cancelled' then format('This job was cancelled%s. Stop working on it and ask for the next one.',
      coalesce(': ' || rtrim(p_job.failure_reason, '. '), ''))
    when 'finished' then format('This job is already %s. Ask for the next one.', lower(p_job.status::text))
    when 'handed_over' then 'Your work on this job is done; it is waiting for a review by another worker or a person. Ask for the next one.'
    when 'parked' then case when p_job.phase = 'plan' then 'The plan is handed in and waits for a person. Stop here and ask for the next job; this one goes back to a worker with the verdict.'
      else 'This job is waiting for the answer to a question. It goes back to a worker once it is answered.' end
    when 'budget' then coalesce((select private.budget_stop_text(b) from public.budgets b where b.id = p_job.stopped_by_budget_id),
      'This job was stopped by a budget. Ask for the next one.')
    when 'requeued' then 'This job went back to the queue until the rate limit ends. Ask for the next one.'
    when 'sent_home' then 'The work of this attempt does not merge, and the job went back to the queue with both versions. Ask for the next one.'
    when 'failed' then 'Your attempt has failed, and a person chooses what follows. Ask for the next one.'
    when 'failed_look' then 'You could not review this work, so the job went back to the queue. Ask for the next one.'
    when 'returned' then 'This job was given back to the queue. Ask for the next one.'
    when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
    else format('Attempt %s no longer holds this job (it is at attempt %s, %s). Stop working on it and ask for the next one.',
      coalesce(p_attempt::text, '?'), p_job.attempt, lower(p_job.status::text))
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_plan(p_field text, p_plan text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_plan !~ '\S' or char_length(p_plan) > 100000 then
    perform private.refuse(422, format('%s takes 1 to 100000 characters.', p_field));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.continue_run(p_run public.sprint_runs)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  if p_run.pr_strategy = 'SPRINT_BATCH' and exists (
    select from public.task_executions e
    where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED')
  ) then
    return private.resume_batch_run(p_run);
  end if;

  update public.sprint_runs r
  set pause_context = null,
      status = case when exists (
        select from public.agent_jobs j where j.sprint_run_id = r.id and j.status in ('CLAIMED', 'RUNNING')
      ) then 'RUNNING' else 'QUEUED' end::public.sprint_run_status
  where r.id = p_run.id;
  update public.agent_jobs j set claim_rank = 0
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.stopped_by_budget_id is not null;
  perform private.ask_again_for_plans(p_run.id);
  perform private.complete_run(p_run.id);

  select r.* into v_run from public.sprint_runs r where r.id = p_run.id;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_run(p_sprint public.sprints, p_product public.products, p_previous public.sprint_runs, p_task_ids uuid[], p_plan_first boolean)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_run public.sprint_runs;
begin
  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, plan_review, started_by)
  values (p_sprint.id, p_product.id, p_product.pr_strategy, case
      when p_sprint.id is null then private.own_run_branch(p_product, p_task_ids)
      when private.was_started_over(p_sprint.id, p_previous.created_at) then private.run_branch(p_sprint, p_product)
      else coalesce(p_previous.branch, private.run_branch(p_sprint, p_product)) end,
    p_previous.id, p_plan_first, p_product.plan_review, auth.uid())
  returning * into v_run;

  if v_run.pr_strategy = 'SPRINT_BATCH' then
    insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
    select v_run.id, sc.task_id, sc.place, t.implementation_plan, t.verify_required
    from private.run_scope(p_task_ids) sc
    join public.tasks t on t.id = sc.task_id;
    perform private.create_batch_job(v_run);
    return v_run;
  end if;

  insert into public.agent_jobs
    (product_id, task_id, kind, sprint_run_id, lane_id, position, in_turn, branch, created_by, created_at)
  select p_product.id, sc.task_id, 'TASK_IMPLEMENTATION', v_run.id,
    case v_run.pr_strategy when 'STORY' then sc.story_id else v_run.id end,
    sc.place,
    case v_run.pr_strategy when 'STORY' then sc.place = min(sc.place) over (partition by sc.story_id) else sc.place = 1 end,
    coalesce(s.branch, v_run.branch),
    auth.uid(), v_now
  from private.run_scope(p_task_ids) sc
  left join (
    select k.story_id, case when p_sprint.id is null then private.story_branch(k.story_id)
      else left(v_run.branch || '--' || private.branch_part(k.story_code, k.story_id), 200) end as branch
    from (select distinct x.story_id, x.story_code from private.run_scope(p_task_ids) x where v_run.pr_strategy = 'STORY') k
  ) s on s.story_id = sc.story_id
  order by sc.place;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_attempt(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_outcome text := lower(p_new.status::text);
begin
  -- Apart from the update, so that the end of a job, which is what mostly comes here, does not prepare to look for conflicts.
  if p_new.status = 'QUEUED' then
    v_outcome := case
      when p_new.phase = 'plan' then 'question'
      when p_new.phase <> p_old.phase then 'done'
      when private.awaits_choice(p_new) then 'failed'
      when p_new.failure_class = 'rate_limited' then 'rate_limited'
      -- Only a verifier's report puts a job off; what is lost comes back at once.
      when p_new.failure_class is not null then case when p_new.not_before is null then 'lost' else 'failed_look' end
      when p_new.stopped_by_budget_id is not null then 'budget'
      when p_new.parked_question_id is not null then 'question'
      when exists (select from public.job_conflicts c where c.job_id = p_new.id and c.attempt = p_new.attempt and c.decision <> 'noted') then 'conflict'
      else 'returned'
    end;
  end if;
  update public.job_attempts a
  set ended_at = private.now(), head_sha = p_new.head_sha, outcome = v_outcome
  where a.job_id = p_new.id and a.attempt = p_new.attempt and a.ended_at is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_elsewhere(p_task_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.task_executions e where e.task_id = p_task_id) then
    update public.task_executions e
    set status = 'DONE'
    from public.sprint_runs r
    where e.task_id = p_task_id and e.status in ('PENDING', 'RUNNING')
      and r.id = e.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  elsif not exists (select from public.agent_jobs o where o.task_id = p_task_id and o.status = 'QUEUED' and o.phase <> 'implement') then
    return;
  end if;

  update public.agent_jobs j
  set status = 'DONE'
  where j.id in (
      select o.id from public.agent_jobs o where o.task_id = p_task_id
      union all
      select b.id from public.task_executions e
      join public.agent_jobs b on b.sprint_run_id = e.sprint_run_id where e.task_id = p_task_id)
    and j.status = 'QUEUED' and j.phase <> 'implement'
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or (j.phase <> 'plan' and not exists (select from private.held_tasks(j.sprint_run_id))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_outcome(p_job public.agent_jobs, p_status text, p_result public.verify_result)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_outcome text;
  v_open text;
begin
  if p_status = 'SKIPPED' then
    if p_job.kind = 'PLAN_CHAT' or p_result is distinct from 'EMPTY' then
      perform private.refuse(422, 'A job can only be skipped when the verification found that the work is already present (verify_result empty).');
    end if;
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
      and e.status in ('PENDING', 'RUNNING') and e.verify_result is distinct from 'EMPTY';
    if v_open is not null then
      perform private.refuse(422, format('A batch can only be skipped when each of its tasks was verified as already present. Verify these with verify_sprint_task first: %s.', v_open));
    end if;
    return 'SKIPPED';
  end if;
  if p_job.kind = 'PLAN_CHAT' then
    return 'DONE';
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
    if v_open is not null then
      perform private.refuse(422, format('Not done yet: these tasks of the batch are unfinished: %s. Report each with update_task_execution first; if they are blocked by others, give the job back with status queued.', v_open));
    end if;
    return 'DONE';
  end if;

  select t.* into v_task from public.tasks t where t.id = p_job.task_id;
  v_outcome := private.gate(v_task.verify_required, p_result, v_task.verify_only);
  if v_outcome = 'DONE' and private.needs_approved_plan(p_job, p_job.task_id) then
    perform private.refuse_unapproved();
  end if;
  if v_outcome is null then
    perform private.refuse_gate(v_task.verify_required, p_result);
  end if;
  return v_outcome::public.agent_job_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.freeze_plan(p_job public.agent_jobs, p_task_id uuid, p_plan text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.tasks t set implementation_plan = p_plan where t.id = p_task_id;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    update public.task_executions e set plan_snapshot = p_plan where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id;
    return;
  end if;
  update public.agent_jobs j set plan_snapshot = p_plan, plan_approved_at = private.now() where j.id = p_job.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.gate_reasons(p_job public.agent_jobs, p_gate text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
begin
  case p_gate
  when 'review' then
    return private.review_reasons(p_job);
  when 'plan' then
    return private.plan_reasons(p_job);
  when 'paused' then
    select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
    return jsonb_build_array(jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can continue.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id));
  when 'question' then
    select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
    return jsonb_build_array(jsonb_build_object('code', 'question',
      'message', case
        when v_question.expires_at <= private.now() then 'The question it is waiting for was not answered in time'
        when v_question.kind = 'permission' then format('It is waiting for a permission that only %s can give', private.username(v_question.reader_id))
        else 'It is waiting for the answer to a question' end
        || case when private.may_read_talk(p_job) and (v_question.reader_id is null or v_question.reader_id = auth.uid())
          then ': ' || left(v_question.question, 300) else '.' end,
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at));
  when 'not_before' then
    return jsonb_build_array(jsonb_build_object('code', 'not_before',
      'message', format(case p_job.failure_class when 'rate_limited' then 'It is rate-limited until %s.'
        else 'Its last attempt failed; it can be tried again at %s.' end, private.time_text(p_job.not_before)),
      'not_before', p_job.not_before));
  when 'dependency' then
    return private.job_dependency_reasons(p_job);
  when 'order' then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.in_turn desc, j.position limit 1;
    return jsonb_build_array(jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id));
  when 'archived' then
    return jsonb_build_array(jsonb_build_object('code', 'archived', 'message', 'The product is archived.'));
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hand_in_plan(p_job public.agent_jobs, p_task_id uuid, p_plan text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := p_job;
begin
  perform private.check_plan('implementation_plan', p_plan);
  perform private.ask_for_plan(p_job, p_task_id, p_plan);
  update public.agent_jobs j
  set status = 'QUEUED', phase = 'plan', started_at = coalesce(j.started_at, private.now()), failure_class = null, failure_reason = null
  where j.id = p_job.id;
  select j.* into v_job from public.agent_jobs j where j.id = p_job.id;
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_is_task boolean := p_job.kind = 'TASK_IMPLEMENTATION';
  v record;
begin
  select
    json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
      'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pull_requests', p.pull_requests, 'pr_strategy', p.pr_strategy) as product,
    case when r.id is not null then json_build_object('id', r.id, 'status', lower(r.status::text), 'branch', r.branch,
      'pr_strategy', r.pr_strategy, 'previous_run_id', r.previous_run_id, 'subject', private.run_subject(r),
      'sprint_id', n.id, 'sprint_code', n.code, 'sprint_goal', n.sprint_goal) end as run,
    case when v_is_task then json_build_object('id', t.id, 'code', t.code,
      'title', t.title, 'description', t.description, 'status', private.task_status_word(t.status),
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes) end as task,
    case when v_is_task then json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
      'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title) end as story,
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, coalesce(p_job.fallback_agent, t.agent, s.agent, p.agent) as agent, private.branch_prefix_of(p_job.branch, p) as branch_prefix, p.may_reach, p.done_requires, p.dependency_release, r.sprint_id,
    coalesce(r.plan_first, false) as plans_first, coalesce(r.plan_review, 'none') as plan_review,
    not v_is_task or concat(s.acceptance_criteria, p.definition_of_done) ~ '\S' as has_criteria,
    p_job.phase <> 'verify' and (p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from private.works j where j.task_id = p_job.task_id and j.id <> p_job.id)) as has_past,
    p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id) as has_blockers,
    exists (select from public.job_reviews w where w.product_id = p_job.product_id) as has_reviews,
    exists (select from public.job_conflicts c where c.job_id = p_job.id) as has_conflicts
  into v
  from public.products p
  left join public.sprint_runs r on r.id = p_job.sprint_run_id
  left join public.sprints n on n.id = r.sprint_id
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.pbis b on b.id = s.pbi_id
  where p.id = p_job.product_id;

  return private.with_key(private.with_key(json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'plan_first', v.plans_first and p_job.phase = 'implement' and (
      v_is_task and coalesce(p_job.plan_snapshot, '') !~ '\S'
      or p_job.kind = 'SPRINT_IMPLEMENTATION' and exists (
        select from public.task_executions e
        where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and coalesce(e.plan_snapshot, '') !~ '\S')),
    'previous_failure', case when v.has_past then private.previous_failure(p_job) end,
    'earlier_jobs', case when v.has_past then private.earlier_jobs(p_job, v.sprint_id) else '[]' end,
    'earlier_attempts', case when v.has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v.has_past then private.findings(p_job) else '[]' end,
    'questions', case when v.has_past then private.job_questions(p_job.id) else '[]' end,
    'review', case when v.has_reviews then private.review_payload(p_job) else '[]' end,
    'conflicts', case when v.has_conflicts then private.conflict_payload(p_job) else '[]' end,
    'agent', v.agent,
    'model', p_job.model,
    'effort', p_job.effort,
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'user_id', auth.uid(),
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_review', v.plan_review,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', v.product,
    'repo_url', v.repo_url,
    'may_reach', v.may_reach,
    'done_requires', v.done_requires,
    'criteria', case when v.has_criteria then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'branch_prefix', v.branch_prefix,
    'base_sha', p_job.base_sha,
    'base_refs', case when v.has_blockers then private.base_refs(p_job) else '[]' end,
    'begins_from', private.begins_from(p_job),
    'awaited_heads', case when v.dependency_release = 'merged' then private.awaited_heads(auth.uid(), p_job.product_id) end,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', v.run,
    'task', v.task,
    'story', v.story,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then private.idea_payload(p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end
  ), 'messages', private.open_messages(p_job)), 'lessons', private.accepted_lessons(p_job.product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_plan(p_job public.agent_jobs, p_task_id uuid, p_plan text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_plan text;
begin
  perform private.check_plan('implementation_plan', p_plan);
  if private.needs_approved_plan(p_job, p_task_id) then
    perform private.refuse_unapproved();
  end if;
  if p_job.phase <> 'implement' or p_task_id is null then
    perform private.refuse(422, 'Only who implements a task plans it.');
  end if;
  update public.tasks t set implementation_plan = p_plan
  where t.id = p_task_id and coalesce(t.implementation_plan, '') !~ '\S';
  select t.implementation_plan into v_plan from public.tasks t where t.id = p_task_id;
  update public.agent_jobs j set plan_snapshot = v_plan
  where j.id = p_job.id and j.task_id = p_task_id and coalesce(j.plan_snapshot, '') !~ '\S';
  update public.task_executions e set plan_snapshot = v_plan
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id and coalesce(e.plan_snapshot, '') !~ '\S';
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_question(p_question_id uuid)
 RETURNS public.agent_questions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_question_id;
  if not found then
    perform private.refuse(404, 'No such question.');
  end if;
  perform private.require_question_reader(v_question);
  perform private.lock_product(v_question.product_id);
  perform private.require_product_write(v_question.product_id);
  if v_question.plan is not null then
    perform private.refuse(409, 'A person approves this plan or sends it back on the page of its job, not with an answer.');
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_question_id for update;
  if not found then
    perform private.refuse(404, 'No such question.');
  end if;
  return v_question;
end;
$function$;

CREATE OR REPLACE FUNCTION private.needs_approved_plan(p_job public.agent_jobs, p_task_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.phase <> 'implement' or p_task_id is null
    or not exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.plan_first and r.plan_review = 'person')
    or (select t.verify_only from public.tasks t where t.id = p_task_id)
  then
    return false;
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return exists (select from public.task_executions e
      where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id and coalesce(e.plan_snapshot, '') !~ '\S');
  end if;
  return coalesce(p_job.plan_snapshot, '') !~ '\S';
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_asker private.asker, p_product_id uuid, p_full_budgets uuid[] DEFAULT NULL::uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(select private.worker_products(p_asker.user_id, p_product_id));
  v_waiting record;
  v_held integer;
  v_closed jsonb;
begin
  select count(*) filter (where not x.archived) as queued, count(*) filter (where x.archived) as archived,
    count(*) filter (where 'paused' = any (x.gates)) as paused,
    count(*) filter (where x.gates && '{question,plan}') as asked,
    count(*) filter (where 'not_before' = any (x.gates)) as delayed,
    count(*) filter (where 'not_before' = any (x.gates) and g.failure_class is distinct from 'rate_limited') as failed,
    count(*) filter (where 'order' = any (x.gates)) as in_order,
    count(*) filter (where 'review' = any (x.gates)) as in_review,
    count(*) filter (where 'needs_other_worker' = any (x.gates)) as to_verify,
    count(*) filter (where 'dependency' = any (x.gates) and 'order' <> all (x.gates)) as blocked,
    count(*) filter (where 'sandbox' = any (x.gates)) as unconfined,
    min((g.wants).own_repo) filter (where 'repository' = any (x.gates)) as foreign_repo,
    min((g.wants).agent) filter (where 'agent' = any (x.gates)) as missing_agent,
    count(*) filter (where 'agent' = any (x.gates)) as for_agents
  into v_waiting
  from private.job_gates g
  cross join lateral (select private.worker_gates(g, p_asker) as own) w
  cross join lateral (select 'archived' = any (g.gates) as archived,
    case when 'archived' = any (g.gates) then '{}' else g.gates || w.own end as gates) x
  where g.product_id = any (v_products) and 'conversation' <> all (w.own);
  select count(*) into v_held from public.agent_jobs j
  where j.product_id = any (v_products) and j.status in ('CLAIMED', 'RUNNING')
    and (j.kind <> 'PLAN_CHAT' or j.created_by = p_asker.user_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_asker.user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('There are jobs in %s, where your workers are not allowed yet. Press "Allow my workers" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 and v_waiting.archived > 0 then
    return jsonb_build_object('code', 'archived', 'message', format('%s queued, all in archived products: %s', v_waiting.archived,
      'their work rests until an owner takes the product out of the archive.'));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_held > 0 then format('; %s held by workers', v_held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.unconfined > 0 then 'sandbox'
      when v_waiting.foreign_repo is not null then 'repository'
      when v_waiting.for_agents > 0 then 'agent'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none available now: %s waiting for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed - v_waiting.failed,
      case when v_waiting.failed > 0 then format(', %s for another try', v_waiting.failed) else '' end,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_held,
      concat(case when p_full_budgets <> '{}' then ' A budget allows no new work.' end,
        case when v_waiting.unconfined > 0 then format(' %s are in products that require a sandbox, and this worker has none: %s', v_waiting.unconfined, private.sandbox_advice()) end,
        case when v_waiting.foreign_repo is not null
          then format(' A task uses the repository %s, which this worker does not follow: %s', v_waiting.foreign_repo, private.repository_advice(v_waiting.foreign_repo)) end,
        case when v_waiting.for_agents > 0 then format(' %s want %s, which this worker does not have: %s', v_waiting.for_agents,
          coalesce('the agent ' || v_waiting.missing_agent, 'a model'), private.agent_advice(v_waiting.missing_agent)) end)))
    || case when v_held + v_waiting.delayed + v_waiting.to_verify + v_waiting.blocked = 0
        and v_waiting.paused + v_waiting.asked + v_waiting.in_review > 0
      then jsonb_build_object('waits_for_person', true) else '{}' end
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_asker.user_id, p_product_id)))
      else '{}' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.plan_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
  return jsonb_build_array(jsonb_build_object('code', 'plan',
    'message', case when v_question.status <> 'OPEN' or v_question.expires_at <= private.now()
      then 'Its plan was not judged in time. Resume the run to be asked again.'
      else format('The plan of %s waits for a person, who approves it or sends it back in the inbox or on the page of the job.',
        (select t.code from public.tasks t where t.id = v_question.task_id)) end,
    'command', format('POST /api/jobs/%s/plan {"verdict":"approve"}', p_job.id),
    'job_id', p_job.id, 'task_id', v_question.task_id, 'question_id', v_question.id, 'expires_at', v_question.expires_at));
end;
$function$;

CREATE OR REPLACE FUNCTION private.plan_review_of(p_product public.products, p_plan_review text)
 RETURNS public.plan_review
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(lower(private.require_choice('plan_review', p_plan_review, array['NONE', 'PERSON'])), p_product.plan_review::text);
end;
$function$;

CREATE OR REPLACE FUNCTION private.plans_first(p_product public.products, p_plan_first boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case p_product.plan_first
    when 'never' then false
    when 'auto' then coalesce(p_plan_first, true)
    else coalesce(p_plan_first, p_product.plan_review = 'person') end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_unapproved()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse(409, 'A person approves the plan first. Hand it in as implementation_plan with status running, and stop there.');
end;
$function$;

CREATE OR REPLACE FUNCTION private.repeats_plan(p_job public.agent_jobs, p_state text, p_plan text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_plan is not null and p_state = 'parked' and exists (
    select from public.agent_questions q where q.id = p_job.parked_question_id and q.plan = p_plan);
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_waiting_plan(p_job public.agent_jobs)
 RETURNS public.agent_questions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions;
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'plan' then
    perform private.refuse(409, 'No plan of this job waits for a verdict.');
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id for update;
  if v_question.id is null or private.question_status(v_question) <> 'OPEN' then
    perform private.refuse(409, 'This plan was not judged in time. Resume the run to be asked again.');
  end if;
  return v_question;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resume_batch_run(p_run public.sprint_runs)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  perform private.end_run(p_run, 'CANCELLED', 'The run was resumed as a new one.', null);

  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, plan_review, started_by)
  values (p_run.sprint_id, p_run.product_id, p_run.pr_strategy, p_run.branch, p_run.id, p_run.plan_first, p_run.plan_review, auth.uid())
  returning * into v_run;

  insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
  select v_run.id, e.task_id, e.position,
    case when t.implementation_plan ~ '\S' then t.implementation_plan else e.plan_snapshot end, t.verify_required
  from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED') and e.task_id = any (private.tasks_to_start(array[e.task_id]));
  -- What was at work keeps its place in the old run; here it is to do again, and comes after what it waits for by now.
  perform private.order_runs(v_run.product_id);
  perform private.create_batch_job(v_run);
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_waits(p_run public.sprint_runs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v record;
begin
  if p_run.status not in ('QUEUED', 'RUNNING') then
    return null;
  end if;
  select count(*) filter (where j.phase = 'review' and p.done_requires <> 'ci') as reviews,
    count(*) filter (where q.status = 'OPEN') as answers,
    count(*) filter (where j.status <> 'QUEUED' or not g.gates && '{review,question,plan,dependency,order}') as moving
  into v
  from public.agent_jobs j
  join public.products p on p.id = j.product_id
  left join private.job_gates g on g.id = j.id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  return case when v.moving = 0 and v.reviews + v.answers > 0 then jsonb_build_object('reviews', v.reviews, 'answers', v.answers) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_job(p_asker private.asker, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[])
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
begin
  with next as materialized (
    select j.id, j.wants
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
      and private.worker_gates(j.job, p_asker) = '{}'
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_asker.worker_id, confinement = p_asker.confinement,
      agent = case when p_asker.agents <> '[]' then private.agent_for(next.wants, p_asker.agents) end, effort = (next.wants).effort,
      model = case when p_asker.agents = '[]' then (next.wants).model
        else private.model_for(next.wants, private.agent_for(next.wants, p_asker.agents)) end,
      claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, stopped_by_budget_id = null, failure_class = null,
      parked_question_id = null,
      -- A verifier looks at the criteria; how the work meets the plan was found before.
      verify_result = case when x.phase = 'verify' then x.verify_result end,
      plan_snapshot = coalesce(
        case when x.plan_approved_at is not null then x.plan_snapshot end,
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t where t.id = x.task_id))
  from next
  where x.id = next.id
  returning x.* into v_job;
  -- What an earlier attempt found of a task that it did not finish says nothing about this one.
  if v_job.kind = 'SPRINT_IMPLEMENTATION' then
    update public.task_executions e
    set verify_result = null
    where e.sprint_run_id = v_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and e.verify_result is not null;
  end if;
  return v_job;
end;
$function$;

ALTER TABLE "public"."agent_questions" ADD CONSTRAINT "agent_questions_plan_length" CHECK ((char_length(plan) <= 100000));

CREATE VIEW "private"."job_gates" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    task_id,
    created_by,
    author_worker_id,
    phase,
    claim_rank,
    created_at,
    "position",
    in_turn,
    open_blockers,
    failure_class,
    ( SELECT ROW(p.requires_sandbox,
                CASE
                    WHEN (t.repo_url <> p.repo_url) THEN t.repo_url
                    ELSE NULL::text
                END, COALESCE(j.fallback_agent, t.agent, s.agent, p.agent),
                CASE
                    WHEN (j.fallback_agent IS NULL) THEN COALESCE(t.model, s.model, p.model)
                    ELSE NULL::text
                END, COALESCE(t.effort, s.effort, p.effort), COALESCE(t.requires_opus, false))::private.job_wants AS "row"
           FROM ((public.products p
             LEFT JOIN public.tasks t ON ((t.id = j.task_id)))
             LEFT JOIN public.stories s ON ((s.id = t.story_id)))
          WHERE (p.id = j.product_id)) AS wants,
    array_remove(ARRAY[
        CASE
            WHEN (phase = 'review'::public.job_phase) THEN 'review'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT (r.status <> ALL (ARRAY['QUEUED'::public.sprint_run_status, 'RUNNING'::public.sprint_run_status]))
               FROM public.sprint_runs r
              WHERE (r.id = j.sprint_run_id)) THEN 'paused'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (phase = 'plan'::public.job_phase) THEN 'plan'::text
            WHEN ( SELECT ((q.status = 'OPEN'::public.agent_question_status) AND ((q.on_expiry <> 'RECOMMENDED'::public.question_expiry) OR (q.expires_at > private.now())))
               FROM public.agent_questions q
              WHERE (q.id = j.parked_question_id)) THEN 'question'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (not_before > private.now()) THEN 'not_before'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (open_blockers > 0) THEN 'dependency'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (NOT in_turn) THEN 'order'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT (p.archived_at IS NOT NULL)
               FROM public.products p
              WHERE (p.id = j.product_id)) THEN 'archived'::text
            ELSE NULL::text
        END], NULL::text) AS gates
   FROM public.agent_jobs j
  WHERE (status = 'QUEUED'::public.agent_job_status);

CREATE OR REPLACE FUNCTION private.worker_gates(p_job private.job_gates, p_asker private.asker)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_wants private.job_wants := p_job.wants;
begin
  return array_remove(array[
    case when p_job.kind = 'PLAN_CHAT' and p_job.created_by is distinct from p_asker.user_id then 'conversation' end,
    case when p_job.phase = 'verify' and p_job.author_worker_id = p_asker.worker_id then 'needs_other_worker' end,
    case when v_wants.needs_sandbox and p_asker.confinement = 'none' then 'sandbox' end,
    case when v_wants.own_repo is not null and not private.is_followed(v_wants.own_repo, p_asker.also_repos) then 'repository' end,
    case when v_wants.agent is not null and p_asker.agents = '[]' then 'agent'
      when (v_wants.agent is not null or v_wants.model is not null or v_wants.requires_opus)
        and p_asker.agents <> '[]' and private.agent_for(v_wants, p_asker.agents) is null then 'agent' end
  ], null);
end;
$function$;

CREATE VIEW "private"."claimable_jobs" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    task_id,
    created_by,
    author_worker_id,
    phase,
    claim_rank,
    created_at,
    "position",
    in_turn,
    open_blockers,
    failure_class,
    wants,
    gates,
    g.*::private.job_gates AS job
   FROM private.job_gates g
  WHERE (in_turn AND (open_blockers = 0) AND (gates = '{}'::text[]));

CREATE VIEW "private"."product_detail_shape" WITH (security_invoker=true) AS  SELECT id,
    code,
    name,
    description,
    repo_url,
    definition_of_done,
    auto_pr,
    pr_strategy,
    done_requires,
    dependency_release,
    owner_id,
    to_char((archived_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS archived_at,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at,
    requires_sandbox,
    may_reach,
    plan_first,
    plan_review,
    on_failure,
    pull_requests,
    landing,
    agent_items,
    version,
    forge_issue_label,
    branch_prefix,
    review_marks,
    agent,
    model,
    effort,
    fallback,
    fallback_after
   FROM public.products p;

COMMENT ON COLUMN "public"."agent_jobs"."plan_approved_at" IS 'When a person approved plan_snapshot, which no later plan of its task replaces.';

COMMENT ON COLUMN "public"."agent_questions"."plan" IS 'The plan that a person is to approve, only by operations.review_plan.';

COMMENT ON COLUMN "public"."sprint_runs"."plan_review" IS 'Whether a person approves these plans before the work begins.';

REVOKE ALL ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text, text, text, text, jsonb, integer, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text, text, text, text, jsonb, integer, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."review_plan"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."review_plan"(uuid, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."start_run"(jsonb, uuid, text, boolean, boolean, boolean, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."start_run"(jsonb, uuid, text, boolean, boolean, boolean, jsonb, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."start_sprint_run"(uuid, jsonb, boolean, boolean, boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."start_sprint_run"(uuid, jsonb, boolean, boolean, boolean, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."ask_again_for_plans"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ask_again_for_plans"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."ask_for_plan"(public.agent_jobs, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ask_for_plan"(public.agent_jobs, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_plan"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."check_plan"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."freeze_plan"(public.agent_jobs, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."freeze_plan"(public.agent_jobs, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."hand_in_plan"(public.agent_jobs, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."hand_in_plan"(public.agent_jobs, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."needs_approved_plan"(public.agent_jobs, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."needs_approved_plan"(public.agent_jobs, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."plan_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plan_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."plan_review_of"(public.products, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plan_review_of"(public.products, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_unapproved"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_unapproved"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."repeats_plan"(public.agent_jobs, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."repeats_plan"(public.agent_jobs, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_waiting_plan"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_waiting_plan"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."worker_gates"(private.job_gates, private.asker) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_gates"(private.job_gates, private.asker) TO "postgres";

REVOKE ALL ("plan_review") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("plan_review"), UPDATE ("plan_review") ON TABLE "public"."products" TO "authenticated";

GRANT USAGE ON TYPE "public"."plan_review" TO "postgres";

GRANT ALL ON TABLE "private"."claimable_jobs" TO "postgres";

GRANT ALL ON TABLE "private"."job_gates" TO "postgres";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";
