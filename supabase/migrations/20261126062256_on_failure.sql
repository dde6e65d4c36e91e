-- Why: owners choose what follows when a job fails: the failure goes up as before, or a person is asked and the rest goes on.
set local check_function_bodies = off;

DROP VIEW "private"."product_detail_shape";

DROP FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text, text, text, text, jsonb, integer);

DROP FUNCTION "operations"."import_backlog"(jsonb, uuid, text, text, boolean);

ALTER TABLE "public"."agent_questions" ADD COLUMN "failed_attempt" integer;

CREATE TYPE "public"."on_failure" AS ENUM ('stop', 'ask');

ALTER TABLE "public"."products" ADD COLUMN "on_failure" public.on_failure NOT NULL DEFAULT 'stop'::public.on_failure;

CREATE OR REPLACE FUNCTION operations.answer_question(p_question_id uuid, p_answer text DEFAULT NULL::text, p_option integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions := private.lock_question(p_question_id);
  v_status public.agent_question_status := private.question_status(v_question);
  v_answer text;
begin
  perform private.take_rate_limit('answer', auth.uid()::text);
  if v_question.reader_id <> auth.uid() then
    perform private.refuse(403, format('%s has left the product, so nobody can give this permission. Dismiss the question to let the job continue without it.',
      coalesce(private.username(v_question.reader_id), 'The user of the worker')));
  end if;
  if p_option not between 0 and jsonb_array_length(v_question.options) - 1 then
    perform private.refuse(422, 'option is the index of one of the options, from 0.');
  end if;
  v_answer := concat_ws(': ', v_question.options -> p_option ->> 'label', nullif(btrim(p_answer), ''));
  if v_answer = '' or char_length(v_answer) > 4000 then
    perform private.refuse(422, 'Answer with an option, a text of at most 4000 characters, or both.');
  end if;
  if v_status <> 'OPEN' then
    perform private.refuse(409, case v_status
      when 'ANSWERED' then format('This question was already answered by %s.', coalesce(private.username(v_question.answered_by), 'somebody'))
      when 'CANCELLED' then 'This question was cancelled; the agent is no longer waiting for it.'
      else 'This question has expired.' end);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answer = v_answer, answered_by = auth.uid(), answered_at = private.now()
  where q.id = p_question_id
  returning q.* into v_question;
  perform private.act_on_failure_answer(v_question, p_option);
  perform private.unpark_job(v_question);
  perform private.act_on_budget_answer(v_question, p_option);
  perform private.act_on_reach_answer(v_question, p_option);
  return private.question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb, p_plan_first text DEFAULT 'ask'::text, p_pull_requests text DEFAULT 'none'::text, p_agent_items text DEFAULT 'backlog'::text, p_landing text DEFAULT 'manual'::text, p_branch_prefix text DEFAULT 'backloom'::text, p_agent text DEFAULT NULL::text, p_model text DEFAULT NULL::text, p_effort text DEFAULT NULL::text, p_fallback jsonb DEFAULT '[]'::jsonb, p_fallback_after integer DEFAULT 15, p_on_failure text DEFAULT 'stop'::text)
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
    dependency_release, requires_sandbox, may_reach, plan_first, pull_requests, agent_items, landing, branch_prefix, agent, model, effort,
    fallback, fallback_after, on_failure)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first,
    coalesce(p_pull_requests, 'none')::public.pull_requests,
    coalesce(p_agent_items, 'backlog')::public.agent_items, coalesce(p_landing, 'manual')::public.landing,
    coalesce(p_branch_prefix, 'backloom'), p_agent, p_model, p_effort, coalesce(p_fallback, '[]'), coalesce(p_fallback_after, 15),
    coalesce(p_on_failure, 'stop')::public.on_failure);
  return operations.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_backlog(p_pbis jsonb, p_product_id uuid DEFAULT NULL::uuid, p_name text DEFAULT NULL::text, p_code text DEFAULT NULL::text, p_preview boolean DEFAULT false, p_done_requires text DEFAULT 'person'::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := p_product_id;
  v_report jsonb;
begin
  if p_product_id is null then
    perform private.require_no_demo();
  else
    perform private.require_write('product', p_product_id);
  end if;
  begin
    if v_product_id is null then
      v_product_id := (operations.create_product(p_code, p_name, p_done_requires => coalesce(p_done_requires, 'person'), p_agent_items => 'triage') ->> 'id')::uuid;
      perform private.lock_product(v_product_id);
    end if;
    v_report := private.import_rows(v_product_id, p_pbis) || jsonb_build_object('product', (
      select jsonb_build_object('id', case when p_product_id is not null or not coalesce(p_preview, false) then p.id end,
        'code', p.code, 'name', p.name)
      from public.products p where p.id = v_product_id));
    if p_preview then
      raise exception using errcode = 'IMPRV';
    end if;
  exception when sqlstate 'IMPRV' then
    -- The rows are gone again; what was counted stays.
  end;
  return v_report;
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
  if v_report.implementation_plan is not null then
    perform private.keep_plan(v_job, v_job.task_id, v_report.implementation_plan);
  end if;
  if v_report.evidence is not null then
    perform private.record_evidence(v_job, v_report.evidence);
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

CREATE OR REPLACE FUNCTION private.act_on_failure_answer(p_question public.agent_questions, p_option integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.parked_question_id = p_question.id and private.awaits_choice(j);
  if v_job.id is null then
    return;
  end if;
  case p_option
    when 1 then perform private.skip_failed(v_job);
    when 2 then perform private.fail_after_all(v_job);
    else null;
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.ask_about_failure(p_job public.agent_jobs, p_reason text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_question_id uuid;
begin
  if p_job.kind <> 'TASK_IMPLEMENTATION' or not private.is_run_unfinished(p_job.sprint_run_id)
    or (select p.on_failure from public.products p where p.id = p_job.product_id) = 'stop'
  then
    return null;
  end if;
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, failed_attempt, question, options, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id, p_job.created_by, p_job.attempt,
    left(format('%s has failed in attempt %s: %s What should follow?', t.code, p_job.attempt, p_reason), 4000),
    jsonb_build_array(
      jsonb_build_object('label', 'Try again', 'description', 'Its next attempt reads what you write here.'),
      jsonb_build_object('label', 'Skip it and what it blocks', 'description', 'These tasks return to To do; the run goes on without them.'),
      jsonb_build_object('label', 'Stop the run', 'description', 'The task has failed, and with it story, PBI, sprint and run.')), true
  from public.tasks t where t.id = p_job.task_id
  returning id into v_question_id;
  return v_question_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempt_state(p_job public.agent_jobs, p_attempt integer)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_attempt is distinct from p_job.attempt or p_job.attempt = 0 then
    return 'lost';
  end if;
  if not exists (
    select from public.agent_workers w where w.id = p_job.worker_id and w.user_id = auth.uid()
  ) then
    return 'lost';
  end if;
  return case
    when p_job.status in ('CLAIMED', 'RUNNING') then 'held'
    when p_job.status = 'CANCELLED' then 'cancelled'
    when p_job.status <> 'QUEUED' then 'finished'
    else coalesce((
      select case a.outcome
        when 'rate_limited' then 'requeued'
        when 'done' then 'handed_over'
        when 'question' then 'parked'
        when 'budget' then 'budget'
        when 'conflict' then 'sent_home'
        when 'returned' then 'returned'
        when 'failed_look' then 'failed_look'
        when 'failed' then 'failed'
      end
      from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt), 'lost')
  end;
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
    when 'parked' then 'This job is waiting for the answer to a question. It goes back to a worker once it is answered.'
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

CREATE OR REPLACE FUNCTION private.awaits_choice(p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select p_job.status = 'QUEUED' and p_job.parked_question_id is not null and p_job.failure_class is not null;
$function$;

CREATE OR REPLACE FUNCTION private.bring_next_in_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next record;
begin
  for v_look in 1 .. 2 loop
    select n.id, n.in_turn, n.open_blockers, n.attempt > 0 as comes_back, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0 as waits into v_next
    from public.agent_jobs n
    where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id and n.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and not (n.status = 'QUEUED' and n.phase = 'review') and not private.awaits_choice(n)
    order by n.in_turn desc, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0, n.position
    limit 1;
    exit when v_next.id is null or v_next.in_turn or not v_next.waits;
    perform private.lock_part('run', p_sprint_run_id);
  end loop;
  if v_next.id is null then
    return exists (
      select from public.agent_jobs w
      where w.sprint_run_id = p_sprint_run_id and w.lane_id = p_lane_id and w.status in ('QUEUED', 'CLAIMED', 'RUNNING'));
  end if;
  if not v_next.in_turn and not (v_next.comes_back and private.is_lane_held(p_sprint_run_id, p_lane_id)) then
    update public.agent_jobs j set in_turn = true where j.id = v_next.id;
    if v_next.open_blockers > 0 then
      perform private.pass_turn(p_sprint_run_id, p_lane_id);
    end if;
  end if;
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.carry_out_expiry(p_question public.agent_questions)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_next_id uuid;
begin
  select j.* into v_job from public.agent_jobs j where j.parked_question_id = p_question.id and j.status = 'QUEUED';

  if p_question.on_expiry = 'ESCALATE' and p_question.escalate_to is not null and (v_job.id is not null or not p_question.park) then
    insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
      reader_id, question, options, recommended_option, expires_at, park)
    values (p_question.product_id, p_question.story_id, p_question.idea_id, p_question.task_id, p_question.escalate_to,
      p_question.job_id, p_question.sprint_run_id, p_question.asked_by, p_question.reader_id, p_question.question, p_question.options,
      p_question.recommended_option, private.now() + interval '7 days', p_question.park)
    returning id into v_next_id;
    update public.agent_jobs j set parked_question_id = v_next_id where j.id = v_job.id;
    return;
  end if;
  if v_job.id is null then
    return;
  end if;
  if private.awaits_choice(v_job) then
    perform private.fail_after_all(v_job);
    return;
  end if;
  if p_question.on_expiry = 'RECOMMENDED' then
    perform private.unpark_job(p_question);
    return;
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status in ('QUEUED', 'RUNNING');
  if v_run.id is not null then
    perform private.pause_run(v_run, 'question_expired', null, null, v_job.id);
  elsif v_job.sprint_run_id is null then
    update public.agent_jobs j
    set status = 'FAILED', failure_class = 'agent_error', failure_reason = 'Its question was not answered in time.'
    where j.id = v_job.id;
  end if;
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

CREATE OR REPLACE FUNCTION private.fail_after_all(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.agent_jobs j set status = 'FAILED' where j.id = p_job.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pass_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next_id uuid;
begin
  select n.id into v_next_id
  from public.agent_jobs n
  where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id
    and n.status = 'QUEUED' and not n.in_turn and n.open_blockers = 0 and n.phase <> 'review' and not private.awaits_choice(n)
  order by n.position
  limit 1;
  if v_next_id is null then
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_sprint_run_id and j.lane_id = p_lane_id
    and j.in_turn and j.status = 'QUEUED' and j.phase <> 'review' and j.open_blockers > 0
    and (j.attempt = 0 or exists (
      select from private.task_blockers b
      join public.tasks t on b.blocker_id in (t.id, t.story_id)
      join public.agent_jobs w on w.task_id = t.id and w.sprint_run_id = j.sprint_run_id and w.lane_id = j.lane_id
      where b.task_id = j.task_id and not b.resolved and w.status = 'QUEUED'));
  if found and not private.is_lane_held(p_sprint_run_id, p_lane_id) then
    update public.agent_jobs j set in_turn = true where j.id = v_next_id;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reject_review(p_job_id uuid)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_has_turn boolean;
begin
  perform private.require_review(v_job);
  if not private.is_run_unfinished(v_job.sprint_run_id) then
    return private.reject_after_run(v_job);
  end if;
  v_has_turn := private.take_turn(v_job);
  update public.agent_jobs j
  set phase = 'implement', claim_rank = 0, in_turn = v_has_turn, verify_result = null
  where j.id = p_job_id
  returning j.* into v_job;
  perform private.reopen_tasks(v_job, private.stories_to_finish(v_job));
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reopen_job(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_has_turn boolean;
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(409, 'This batch is over. Create a task for further changes.');
  end if;
  if p_job.status not in ('DONE', 'SKIPPED') then
    return;
  end if;
  if not private.is_run_unfinished(p_job.sprint_run_id) then
    update public.tasks t set status = 'TO_DO' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
    return;
  end if;

  v_has_turn := private.take_turn(p_job);
  update public.agent_jobs j
  set status = 'QUEUED', phase = 'implement', claim_rank = 0, in_turn = v_has_turn, verify_result = null,
      retry_count = 0, failure_class = null, failure_reason = null, parked_question_id = null, not_before = null
  where j.id = p_job.id;
  update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
end;
$function$;

CREATE OR REPLACE FUNCTION private.repeats_report(p_job public.agent_jobs, p_state text, p_status text, p_class public.failure_class, p_result public.verify_result)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case p_state
    when 'finished' then p_job.status::text = p_status or (p_job.status = 'SKIPPED' and p_status = 'DONE' and p_result = 'EMPTY')
    when 'handed_over' then p_status = 'DONE'
    when 'requeued' then p_status = 'FAILED' and p_class = 'rate_limited'
    when 'failed_look' then p_status = 'FAILED' and p_class is distinct from 'rate_limited'
    when 'failed' then p_status = 'FAILED' and p_class is distinct from 'rate_limited'
    when 'returned' then p_status = 'QUEUED'
    else false
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.requeue_lost_job(p_job public.agent_jobs, p_reason text)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_is_last boolean := p_job.retry_count >= 3;
  v_reason text := case when v_is_last then 'All 3 retries are used up. ' else '' end || p_reason;
  v_question_id uuid := case when v_is_last then private.ask_about_failure(p_job, v_reason) end;
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = case when v_is_last and v_question_id is null then 'FAILED' else 'QUEUED' end::public.agent_job_status,
      retry_count = least(j.retry_count + 1, 3),
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

CREATE OR REPLACE FUNCTION private.skip_failed(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_code text := (select t.code from public.tasks t where t.id = p_job.task_id);
  v_jobs uuid[] := array(
    with recursive left_out (id, story_id) as (
      select t.id, t.story_id from public.tasks t where t.id = p_job.task_id
      union
      select t.id, t.story_id
      from left_out l
      cross join lateral (
        select d.blocked_id as id from public.task_dependencies d where d.blocker_id = l.id
        union
        select k.id from public.story_dependencies d join public.tasks k on k.story_id = d.blocked_id where d.blocker_id = l.story_id) n
      join public.tasks t on t.id = n.id
    )
    select j.id from left_out l join public.agent_jobs j on j.task_id = l.id
    where j.sprint_run_id = p_job.sprint_run_id and j.status = 'QUEUED' and j.phase = 'implement');
begin
  perform private.close_question(j.parked_question_id) from public.agent_jobs j where j.id = any (v_jobs) and j.parked_question_id is not null;
  update public.tasks t set status = 'TO_DO'
  where t.status = 'IN_PROGRESS' and t.id in (select j.task_id from public.agent_jobs j where j.id = any (v_jobs));
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = case when j.id = p_job.id
    then left('Skipped. ' || j.failure_reason, 4000) else format('Skipped with %s, which it waits for.', v_code) end
  where j.id = any (v_jobs);
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_failed_run(p_task public.tasks)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_job public.agent_jobs;
begin
  perform private.lock_product(p_task.product_id);
  v_run := private.active_run_of_task(p_task.id);
  if v_run.id is null then
    return;
  end if;

  perform private.close_question(j.parked_question_id) from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = p_task.id and private.awaits_choice(j);
  update public.agent_jobs j
  set status = 'FAILED', failure_class = coalesce(j.failure_class, 'agent_error'),
      failure_reason = coalesce(j.failure_reason, 'Its task failed.')
  where j.sprint_run_id = v_run.id and j.task_id = p_task.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  update public.task_executions e
  set status = 'FAILED', failure_reason = coalesce(e.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where j.sprint_run_id = v_run.id and j.task_id = p_task.id and j.status = 'FAILED' order by j.position limit 1), 'Its task failed.')
  where e.sprint_run_id = v_run.id and e.task_id = p_task.id and e.status in ('PENDING', 'RUNNING');

  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = p_task.id order by j.position limit 1;

  perform private.end_run(v_run, 'FAILED', format('Task %s failed, so the run was stopped.', p_task.code),
    jsonb_build_object('task_id', p_task.id, 'task_code', p_task.code, 'job_id', v_job.id,
      'failure_class', v_job.failure_class, 'reason', v_job.failure_reason));

  update public.sprints s set status = 'FAILED' where s.id = v_run.sprint_id and s.status = 'ACTIVE';
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_turn(p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.id <> p_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  return not private.is_lane_held(p_job.sprint_run_id, p_job.lane_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.try_again(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_has_turn boolean := private.take_turn(p_job);
begin
  update public.agent_jobs j set retry_count = 0, failure_class = null, in_turn = v_has_turn where j.id = p_job.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unpark_job(p_question public.agent_questions)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.parked_question_id = p_question.id and j.status = 'QUEUED';
  if private.awaits_choice(v_job) then
    perform private.try_again(v_job);
  end if;
  update public.agent_jobs j
  set claim_rank = 0
  where j.id = v_job.id;
end;
$function$;

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

COMMENT ON COLUMN "public"."agent_questions"."failed_attempt" IS 'The attempt of its job that failed and that it asks about.';

REVOKE ALL ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text, text, text, text, jsonb, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text, text, text, text, jsonb, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."import_backlog"(jsonb, uuid, text, text, boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."import_backlog"(jsonb, uuid, text, text, boolean, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."act_on_failure_answer"(public.agent_questions, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."act_on_failure_answer"(public.agent_questions, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."ask_about_failure"(public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ask_about_failure"(public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."awaits_choice"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."awaits_choice"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."fail_after_all"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fail_after_all"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."skip_failed"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."skip_failed"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."take_turn"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_turn"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."try_again"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."try_again"(public.agent_jobs) TO "postgres";

REVOKE ALL ("on_failure") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("on_failure"), UPDATE ("on_failure") ON TABLE "public"."products" TO "authenticated";

GRANT USAGE ON TYPE "public"."on_failure" TO "postgres";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";
