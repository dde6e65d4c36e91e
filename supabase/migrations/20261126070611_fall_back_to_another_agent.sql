-- Why: an attempt that fails or waits for a far limit hands its work to the next agent of the list of its product.
set local check_function_bodies = off;

DROP FUNCTION "private"."batch_executions"(uuid);

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
  if v_state = 'failed' and v_status = 'FAILED' then
    return private.execution_json(v_execution);
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
  if v_status = 'FAILED' and private.next_agent(v_job, null) is not null then
    perform operations.report_agent_job(p_job_id, p_attempt,
      jsonb_build_object('status', 'failed', 'failure_reason', coalesce(p_failure_reason, 'A task of the batch failed.')));
    return private.execution_json(v_execution);
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
    when 'failed' then 'Your attempt has failed, and a person chooses what follows, or another agent goes on. Ask for the next one.'
    when 'failed_look' then 'You could not review this work, so the job went back to the queue. Ask for the next one.'
    when 'returned' then 'This job was given back to the queue. Ask for the next one.'
    when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
    else format('Attempt %s no longer holds this job (it is at attempt %s, %s). Stop working on it and ask for the next one.',
      coalesce(p_attempt::text, '?'), p_job.attempt, lower(p_job.status::text))
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.batch_executions(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('id', e.id, 'position', e.position, 'status', lower(e.status::text),
      'task_id', t.id, 'task_code', t.code, 'title', t.title, 'description', t.description,
      'plan', e.plan_snapshot, 'verify_required', e.verify_required, 'verify_only', t.verify_only,
      'requires_opus', t.requires_opus, 'agent', coalesce(p_job.fallback_agent, t.agent, s.agent, p.agent),
      'model', case when p_job.fallback_agent is null then coalesce(t.model, s.model, p.model) end,
      'effort', coalesce(t.effort, s.effort, p.effort), 'story_id', s.id, 'story_code', s.code, 'story_title', s.title,
      'story_description', s.description, 'acceptance_criteria', s.acceptance_criteria, 'verify_result', e.verify_result,
      'previous_failure', (
        select f.failure_reason from public.task_executions f
        where f.task_id = e.task_id and f.status = 'FAILED' order by f.finished_at desc nulls last limit 1)) order by e.position), '[]')
    from public.task_executions e
    join public.tasks t on t.id = e.task_id
    join public.stories s on s.id = t.story_id
    join public.products p on p.id = p_job.product_id
    where e.sprint_run_id = p_job.sprint_run_id);
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
      when p_new.fallback_agent is distinct from p_old.fallback_agent and p_new.failure_class <> 'rate_limited' then 'failed'
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
    'attempt_agent', p_job.agent,
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
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then private.idea_payload(p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end
  ), 'messages', private.open_messages(p_job)), 'lessons', private.accepted_lessons(p_job.product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_agent(p_job public.agent_jobs, p_until timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select f.agent
    from public.products p
    cross join lateral jsonb_array_elements_text(p.fallback) with ordinality f (agent, place)
    where p.id = p_job.product_id and p_job.phase = 'implement' and f.agent is distinct from p_job.agent
      and coalesce(p_until > private.now() + p.fallback_after * interval '1 minute', true)
      and not exists (select from public.job_attempts a where a.job_id = p_job.id and a.agent = f.agent)
    order by f.place
    limit 1);
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

REVOKE ALL ON FUNCTION "private"."batch_executions"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."batch_executions"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."next_agent"(public.agent_jobs, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_agent"(public.agent_jobs, timestamp with time zone) TO "postgres";
