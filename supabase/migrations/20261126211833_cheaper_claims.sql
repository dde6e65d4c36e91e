-- Why: claims and ends of jobs cost the database less, with the same answers: gates are looked up once a candidate, one
-- query says what else a job has, and short functions keep their plan.
set local check_function_bodies = off;

DROP VIEW "private"."claimable_jobs";

DROP FUNCTION "private"."accepted_lessons"(uuid);

DROP FUNCTION "private"."awaits_choice"(public.agent_jobs);

DROP FUNCTION "private"."job_costs"(uuid);

DROP FUNCTION "private"."scope_of_words"(uuid);

DROP FUNCTION "private"."with_key"(json, text, json);

DROP FUNCTION "private"."worker_gates"(private.job_gates, private.asker);

DROP VIEW "private"."job_gates";

ALTER TYPE "private"."job_wants" ADD ATTRIBUTE "is_conversation" boolean CASCADE;

ALTER TYPE "private"."job_wants" ADD ATTRIBUTE "created_by" uuid CASCADE;

ALTER TYPE "private"."job_wants" ADD ATTRIBUTE "author_worker_id" uuid CASCADE;

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
  if v_report.agent is not null
    and not exists (select from public.agent_workers w where w.id = v_job.worker_id and w.offers @> jsonb_build_array(jsonb_build_object('id', v_report.agent))) then
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

CREATE OR REPLACE FUNCTION private.accepted_lessons(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select json_agg(l.text order by l.since, l.id) from public.lessons l where l.product_id = p_product_id and l.status = 'accepted');
end;
$function$;

CREATE OR REPLACE FUNCTION private.awaits_choice(p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_job.status = 'QUEUED' and p_job.parked_question_id is not null and p_job.failure_class is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.begins_from(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_story_ids uuid[];
  v_repo_url text;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.id is null or p_job.phase = 'verify' or p_job.kind = 'PLAN_CHAT' then
    return '[]';
  end if;
  v_repo_url := (select coalesce(nullif(t.repo_url, ''), p.repo_url)
    from public.tasks t join public.products p on p.id = t.product_id where t.id = p_job.task_id);
  if exists (
    select from public.agent_jobs j
    join public.tasks t on t.id = j.task_id
    join public.products p on p.id = t.product_id
    where j.sprint_run_id = v_run.id and j.lane_id = p_job.lane_id and j.status = 'DONE' and j.pushed_at is not null
      and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url)
  then
    return '[]';
  end if;
  v_story_ids := case v_run.pr_strategy
    when 'STORY' then array(select t.story_id from public.tasks t where t.id = p_job.task_id)
    else array(
      select s.id from public.stories s where s.sprint_id = v_run.sprint_id
      union
      select t.story_id from private.run_tasks(v_run.id) x join public.tasks t on t.id = x.task_id where v_run.sprint_id is null) end;
  return (
    select coalesce(json_agg(json_build_object('story_id', h.story_id, 'story_code', h.story_code, 'task_id', h.task_id,
      'task_code', h.task_code, 'job_id', h.job_id, 'judged', h.judged, 'branch', h.branch, 'base_sha', h.base_sha, 'head_sha', h.head_sha)
      order by h.finished_at, h.story_code, h.task_code), '[]')
    from (
      select distinct on (w.head_sha) w.*
      from private.unlanded_work(v_story_ids, v_run.id) w
      where w.repo_url = v_repo_url
      order by w.head_sha, w.task_id = p_job.task_id desc, w.judged desc, w.finished_at
    ) h);
end;
$function$;

CREATE OR REPLACE FUNCTION private.branch_prefix_of(p_branch text, p_product public.products)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_folder text;
  v_end text;
begin
  if p_branch is null or starts_with(p_branch, p_product.branch_prefix || '/') then
    return p_product.branch_prefix;
  end if;
  v_folder := regexp_replace(p_branch, '/[^/]*$', '');
  v_end := '/' || private.branch_part(p_product.code, p_product.id);
  return case when right(v_folder, length(v_end)) = v_end then left(v_folder, -length(v_end)) else v_folder end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.close_messages(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- Nearly always there are none, and preparing two updates costs more than this look.
  if not exists (select from public.agent_messages m where m.job_id = p_new.id and m.state in ('sent', 'seen')) then
    return;
  end if;
  if p_new.status in ('DONE', 'SKIPPED', 'QUEUED') then
    update public.agent_messages m
    set state = 'acted_on', attempt = coalesce(m.attempt, p_new.attempt), seen_at = coalesce(m.seen_at, private.now())
    where m.job_id = p_new.id and (m.state = 'seen' or (m.state = 'sent' and p_old.phase = 'implement' and m.sent_at <= (
      select a.started_at from public.job_attempts a where a.job_id = p_new.id and a.attempt = p_new.attempt)));
  end if;
  if p_new.status in ('DONE', 'SKIPPED', 'FAILED', 'CANCELLED') then
    update public.agent_messages m
    set state = 'undelivered', reason = format('The job %s before its agent saw this.',
      case p_new.status when 'FAILED' then 'failed' when 'CANCELLED' then 'was cancelled' else 'was done' end)
    where m.job_id = p_new.id and m.state = 'sent';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_json(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v record;
  v_is_in_hand boolean := private.is_in_hand(p_job);
begin
  select t.code as task_code, t.title as task_title, t.status as task_status, t.story_id, s.code as story_code, s.title as story_title,
    p.code as product_code, w.name as worker_name, i.code as idea_code, a.ended_at as attempt_ended_at,
    (select private.pull_json(u) from public.pulls u
      where u.product_id = p_job.product_id and u.branch = p_job.branch order by u.number desc limit 1) as pull,
    -- One sum per currency: currencies are never added, and subscription usage is not money spent. Empty while nothing that
    -- the job used has a price (specification: Model price).
    (select coalesce(jsonb_agg(jsonb_build_object('currency', c.currency, 'cost', c.cost) order by c.currency), '[]')
      from (
        select e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.job_id = p_job.id and e.cost is not null and not e.subscription
        group by e.currency) c) as costs
  into v
  from (select) as job
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.products p on p.id = p_job.product_id
  left join public.agent_workers w on w.id = p_job.worker_id
  left join public.ideas i on i.id = p_job.idea_id
  left join public.job_attempts a on a.job_id = p_job.id and a.attempt = p_job.attempt;

  if not private.can_read_conversation(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
    v.idea_code := null;
  end if;
  return to_jsonb(p_job) - '{lane_id,claim_rank,taken_by,taken_until,take_at_once}'::text[] || jsonb_build_object(
    'holder', case when v_is_in_hand then 'person' end,
    'holder_name', case when v_is_in_hand then private.username(p_job.taken_by) end,
    'status', lower(p_job.status::text),
    'task_code', v.task_code,
    'task_title', v.task_title,
    'task_status', case v.task_status when 'TO_DO' then 'todo' else lower(v.task_status::text) end,
    'story_id', v.story_id,
    'story_code', v.story_code,
    'story_title', v.story_title,
    'idea_code', v.idea_code,
    'product_code', v.product_code,
    'worker_name', v.worker_name,
    'attempt_ended_at', v.attempt_ended_at,
    'pull', v.pull,
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v.costs,
    'cost', case when jsonb_array_length(v.costs) = 1 then v.costs -> 0 -> 'cost' end
  );
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
  v_lacks_plan boolean := coalesce(p_job.plan_snapshot, '') !~ '\S';
  v_questions json := '[]';
  v_idea json;
  v_user_questions json;
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
    exists (select from public.job_conflicts c where c.job_id = p_job.id) as has_conflicts,
    exists (select from public.sprint_runs o where o.product_id = r.product_id and o.id <> r.id) as has_other_runs,
    p_job.phase <> 'verify'
      and exists (select from public.agent_messages m where m.job_id = p_job.id and m.state in ('sent', 'seen')) as has_messages
  into v
  from public.products p
  left join public.sprint_runs r on r.id = p_job.sprint_run_id
  left join public.sprints n on n.id = r.sprint_id
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.pbis b on b.id = s.pbi_id
  where p.id = p_job.product_id;

  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    v_lacks_plan := exists (
      select from public.task_executions e
      where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and coalesce(e.plan_snapshot, '') !~ '\S');
  elsif p_job.kind = 'PLAN_CHAT' then
    select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description, 'status', lower(i.status::text))
    into v_idea from public.ideas i where i.id = p_job.idea_id;
    select coalesce(json_agg(json_build_object('id', u.id, 'question', u.question, 'answer', u.answer,
      'status', lower(u.status::text), 'asked_for_this_job', u.job_id = p_job.id, 'created_at', u.created_at)
      order by u.created_at, u.id), '[]')
    into v_user_questions from public.user_questions u where u.idea_id = p_job.idea_id;
  end if;
  if v.has_past then
    -- Not the permissions that someone else gave for their own machine.
    select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    into v_questions from public.agent_questions q where q.job_id = p_job.id and (q.reader_id is null or q.reader_id = auth.uid());
  end if;

  return private.with_key(private.with_key(json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'plan_first', v.plans_first and p_job.phase = 'implement' and v_lacks_plan,
    'previous_failure', case when v.has_past then private.previous_failure(p_job) end,
    'earlier_jobs', case when v.has_past then private.earlier_jobs(p_job, v.sprint_id) else '[]' end,
    'earlier_attempts', case when v.has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v.has_past then private.findings(p_job) else '[]' end,
    'questions', v_questions,
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
    'begins_from', case when v.has_other_runs then private.begins_from(p_job) else '[]' end,
    'awaited_heads', case when v.dependency_release = 'merged' then private.awaited_heads(auth.uid(), p_job.product_id) end,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', v.run,
    'task', v.task,
    'story', v.story,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job) end,
    'idea', v_idea,
    'user_questions', v_user_questions
  ), 'messages', case when v.has_messages then private.open_messages(p_job) end), 'lessons', private.accepted_lessons(p_job.product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_product(p_asker private.asker, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[])
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return (
    select w.product_id
    from private.worker_products(p_asker.user_id, p_product_id) as w (product_id)
    cross join lateral (
      select j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = w.product_id
        and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
        and (p_kinds is null or p_kinds ? j.kind::text)
        and private.worker_gates(j.wants, p_asker) = '{}'
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where w.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
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
    count(*) filter (where 'held' = any (x.gates)) as taken,
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
  cross join lateral (select private.worker_gates(g.wants, p_asker) as own) w
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
      when v_waiting.taken > 0 then 'held'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none available now: %s waiting for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed - v_waiting.failed,
      case when v_waiting.failed > 0 then format(', %s for another try', v_waiting.failed) else '' end,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_held,
      concat(case when v_waiting.taken > 0 then format(' %s wait for a person who takes them over in a terminal.', v_waiting.taken) end,
        case when p_full_budgets <> '{}' then ' A budget allows no new work.' end,
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

CREATE OR REPLACE FUNCTION private.open_messages(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.messages_json(array(
    select m.id from public.agent_messages m where m.job_id = p_job.id and m.state in ('sent', 'seen')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.scope_of_words(p_scope uuid)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return left(p_scope::text, 13) || ' ';
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
      and private.worker_gates(j.wants, p_asker) = '{}'
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

CREATE OR REPLACE FUNCTION private.with_key(p_answer json, p_key text, p_value json)
 RETURNS json
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when p_value is null then p_answer
    else (left(p_answer::text, -1) || ',' || to_json(p_key) || ':' || p_value || '}')::json end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_gates(p_wants private.job_wants, p_asker private.asker)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array_remove(array[
    case when p_wants.is_conversation and p_wants.created_by is distinct from p_asker.user_id then 'conversation' end,
    case when p_wants.author_worker_id = p_asker.worker_id then 'needs_other_worker' end,
    case when p_wants.needs_sandbox and p_asker.confinement = 'none' then 'sandbox' end,
    case when p_wants.own_repo is not null and not private.is_allowed_repo(p_wants.own_repo, p_asker.also_repos) then 'repository' end,
    case when p_wants.agent is not null and p_asker.agents = '[]' then 'agent'
      when (p_wants.agent is not null or p_wants.model is not null or p_wants.requires_opus)
        and p_asker.agents <> '[]' and private.agent_for(p_wants, p_asker.agents) is null then 'agent' end
  ], null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_wants private.job_wants := (select g.wants from private.job_gates g where g.id = p_job.id);
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
  v_confined integer;
  v_following integer;
  v_with_agent integer;
  v_able integer;
  v_repo_url text;
  v_written_by text;
begin
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed),
    count(*) filter (where m.workers_allowed and 'sandbox' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and 'repository' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and 'agent' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and x.gates = '{}')
  into v_online, v_with_quota, v_without_consent, v_confined, v_following, v_with_agent, v_able
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id and m.role <> 'VIEWER'
  cross join lateral (select private.worker_gates(v_wants, row(w.user_id, w.id, w.confinement,
    w.also_repos, private.able_agents(w.offers, u.min_quota_pct))::private.asker) as gates) x
  where private.is_online(w.last_seen_at, w.stopped_at) and not x.gates && '{conversation,needs_other_worker}';

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and must be reviewed by a worker other than %s. Start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online but not allowed here yet. Each of them can press "Allow my workers" on the members page, or name the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one: "Connect an agent" shows the command.',
      'command', private.agent_line(v_wants.agent)));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want to keep (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  if v_able > 0 then
    return '[]';
  end if;
  v_repo_url := regexp_replace(v_wants.own_repo, '://[^/?#]*@', '://');
  v_written_by := (select u.username from public.tasks t join public.users u on u.id = t.repo_url_by where t.id = p_job.task_id);
  -- Where each lacks something else, one of it is told.
  return case when v_confined = 0 or (v_following > 0 and v_with_agent > 0 and v_wants.needs_sandbox) then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product requires a sandbox, and no online worker that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task has its own repository, %s%s, and no online worker follows it: %s', v_repo_url,
        ' (written by ' || v_written_by || ')', private.repository_advice(v_repo_url)),
      'repo_url', v_repo_url, 'written_by', v_written_by))
      else '[]' end
    || case when v_with_agent = 0 or (v_following > 0 and not v_wants.needs_sandbox) then private.agent_reasons(v_wants)
      else '[]' end;
end;
$function$;

CREATE OR REPLACE FUNCTION public.call_as(p_credential jsonb, p_function text, p_arguments jsonb DEFAULT '{}'::jsonb, p_key text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
  v_caller text := current_setting('role');
  v_claims text := coalesce(current_setting('request.jwt.claims', true), '');
  v_call record := private.build_call('authenticated', p_function, p_arguments);
  v_earlier text;
  v_answer json;
begin
  if v_call.p_writes and v_principal.is_demo then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;

  if v_call.p_writes and v_principal.scopes is not null then
    perform private.require_scope(v_principal.scopes, p_function);
  end if;

  if v_call.p_writes and p_key is not null then
    v_earlier := private.take_idempotency_key(v_principal.user_id, p_key,
      sha256(convert_to(p_function || p_arguments::text || coalesce(v_principal.product_ids::text, ''), 'UTF8')));
    if v_earlier is not null then
      perform private.refuse_former_member(v_principal.user_id, p_arguments);
      return json_build_object('answer', v_earlier, 'kept', true, 'replayed', true);
    end if;
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', v_principal.user_id, 'role', 'authenticated',
      'session_id', v_principal.session_id, 'token_id', v_principal.token_id))::text, true),
    set_config('backloom.token_products', coalesce(v_principal.product_ids::text, ''), true),
    set_config('role', 'authenticated', true);
  execute v_call.p_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true),
    set_config('backloom.token_products', '', true);
  if p_key is null then
    return v_answer;
  end if;
  if v_call.p_writes then
    perform private.keep_answer(v_principal.user_id, p_key, v_answer);
  end if;
  return json_build_object('answer', v_answer::text, 'kept', v_call.p_writes, 'replayed', false);
end;
$function$;

CREATE VIEW "private"."job_gates" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    task_id,
    created_by,
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
                END, COALESCE(t.effort, s.effort, p.effort), COALESCE(t.requires_opus, false), (j.kind = 'PLAN_CHAT'::public.agent_job_kind), j.created_by,
                CASE
                    WHEN (j.phase = 'verify'::public.job_phase) THEN j.author_worker_id
                    ELSE NULL::uuid
                END)::private.job_wants AS "row"
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
            WHEN (taken_until > private.now()) THEN 'held'::text
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

CREATE VIEW "private"."claimable_jobs" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    task_id,
    created_by,
    phase,
    claim_rank,
    created_at,
    "position",
    in_turn,
    open_blockers,
    failure_class,
    wants,
    gates
   FROM private.job_gates g
  WHERE (in_turn AND (open_blockers = 0) AND (gates = '{}'::text[]));

REVOKE ALL ON FUNCTION "private"."accepted_lessons"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."accepted_lessons"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."awaits_choice"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."awaits_choice"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."scope_of_words"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."scope_of_words"(uuid) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."with_key"(json, text, json) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."with_key"(json, text, json) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."worker_gates"(private.job_wants, private.asker) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_gates"(private.job_wants, private.asker) TO "postgres";

GRANT ALL ON TABLE "private"."claimable_jobs" TO "postgres";

GRANT ALL ON TABLE "private"."job_gates" TO "postgres";
