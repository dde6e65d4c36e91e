-- Why: people take the job of a task into a terminal, and give it back. Jobs there are taken by no one.
set local check_function_bodies = off;

DROP VIEW "private"."claimable_jobs";

DROP FUNCTION "private"."worker_gates"(private.job_gates, private.asker);

DROP VIEW "private"."job_gates";

ALTER TABLE "public"."agent_jobs" ADD COLUMN "taken_by" uuid;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "taken_until" timestamp with time zone;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "take_at_once" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION operations.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer DEFAULT NULL::integer, p_usage jsonb DEFAULT NULL::jsonb, p_seen_messages jsonb DEFAULT NULL::jsonb)
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
  v_messages json;
begin
  perform private.require_no_viewer(private.require_job(p_job_id));
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
    return json_build_object('action', 'stop', 'status', lower(v_job.status::text), 'lease_until', null,
      'reason', json_build_object('code', v_state, 'message', private.attempt_words(v_job, p_attempt, v_state)));
  end if;

  v_spent_up := private.heed_budget(v_job, p_usage);
  if v_spent_up is not null then
    return json_build_object('action', 'stop', 'status', 'queued', 'lease_until', null,
      'reason', json_build_object('code', 'budget', 'message', v_spent_up));
  end if;
  select r.pause_context into v_pause from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status = 'PAUSED';
  if not private.is_in_hand(v_job) then
    perform private.touch_worker(v_job.worker_id, null, null, p_quota_pct);
  end if;
  v_messages := private.hand_over_messages(v_job, p_seen_messages);
  return private.with_key(json_build_object(
    'action', case when v_pause is null then 'continue' else 'pause' end,
    'status', lower(v_job.status::text),
    'lease_until', v_job.lease_until,
    'reason', case when v_job.taken_until > v_now then private.take_over_reason(v_job) when v_pause is not null then json_build_object('code', 'paused',
      'message', format('The run is paused (%s).', replace(v_pause ->> 'reason', '_', ' '))) end), 'messages', v_messages);
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

CREATE OR REPLACE FUNCTION operations.take_agent_job(p_task text, p_product text DEFAULT NULL::text, p_worker text DEFAULT NULL::text, p_at_once boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_now timestamptz := private.now();
  v_job public.agent_jobs := private.lock_job(private.job_to_take(p_task, p_product));
  v_worker public.agent_workers;
begin
  perform private.refuse_to_take(v_job, v_user_id);
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
  set status = 'CLAIMED', attempt = j.attempt + 1, worker_id = v_worker.id, confinement = 'none', agent = null, model = null, effort = null,
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

CREATE OR REPLACE FUNCTION private.board_tasks(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    -- Once a story and once for all cards: for each card alone they were half of the page's time in the database.
    with story as materialized (
      select s.id, s.created_at, s.code, s.title, s.sort_order, s.assignee_id, private.proof_count(s.id) as proof
      from public.stories s where s.sprint_id = p_sprint_id
    ), waiting as materialized (
      select x.blocker_id, count(*) as frees
      from (
        select d.blocker_id, d.blocked_id
        from story s join public.tasks t on t.story_id = s.id join public.task_dependencies d on d.blocker_id = t.id
        union
        select t.id, i.id
        from story s
        join public.story_dependencies d on d.blocker_id = s.id
        join public.tasks i on i.story_id = d.blocked_id
        join public.tasks t on t.story_id = s.id
      ) x
      join public.tasks i on i.id = x.blocked_id
      where i.status <> 'DONE'
      group by x.blocker_id
    )
    select coalesce(json_agg(row_to_json(t) order by t.story_sort_order, t.story_created_at, t.story_id, t.sort_order, t.created_at, t.id), '[]')
    from (
      select t.id, t.created_at, s.created_at as story_created_at, t.code, t.title, t.story_id, t.sort_order, t.priority,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.implementation_plan is not null and t.implementation_plan <> '' as has_plan,
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id, t.label_ids,
        j.id as job_id, lower(j.status::text) as job_status, j.phase as job_phase, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        case when j.status in ('CLAIMED', 'RUNNING') then private.doing_now(j.id, j.attempt) end as job_doing,
        a.name as worker_name, j.holder_name,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
          and (q.reader_id is null or q.reader_id = auth.uid())
        ) as open_questions,
        (
          select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]') from private.task_blockers b
          where b.task_id = t.id and not b.resolved and t.status <> 'DONE'
        ) as waits_for,
        coalesce(w.frees, 0) as frees,
        (
          select json_build_array(c.additions, c.deletions) from public.agent_jobs c
          where c.task_id = t.id and c.kind = 'TASK_IMPLEMENTATION' and c.additions is not null
          order by c.created_at desc limit 1
        ) as changes,
        (
          select json_build_object('number', p.number, 'url', p.url, 'state', p.state, 'draft', p.draft, 'ci', p.ci, 'review', p.review)
          from public.agent_jobs c
          join public.pulls p on p.product_id = c.product_id and p.branch = c.branch
          where c.task_id = t.id
          order by c.created_at desc, p.number desc limit 1
        ) as pull,
        s.proof
      from story s
      join public.tasks t on t.story_id = s.id
      left join waiting w on w.blocker_id = t.id
      left join lateral (
        select j.id, j.status, j.phase, j.attempt, j.started_at, j.updated_at, j.worker_id,
          case when j.taken_by is not null and private.is_in_hand(j) then private.username(j.taken_by) end as holder_name
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers a on a.id = j.worker_id
    ) t
  );
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
  when 'held' then
    return private.held_reasons(p_job);
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
    -- It waits for an answer first, and then takes its turn.
    if v_first.id = p_job.id then
      return '[]';
    end if;
    return jsonb_build_array(jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id));
  when 'archived' then
    return jsonb_build_array(jsonb_build_object('code', 'archived', 'message', 'The product is archived.'));
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.held_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_array(jsonb_build_object('code', 'held',
    'message', format('%s %s. It goes back to the agents by itself if the terminal is not heard of until %s.', private.username(p_job.taken_by),
      case when p_job.status = 'QUEUED' then 'takes it over in a terminal'
        else 'has it in a terminal, and hands it in with give or returns it with give --back' end,
      private.time_text(coalesce(p_job.taken_until, p_job.lease_until))),
    'command', 'node backloom-worker.mjs give --back', 'job_id', p_job.id, 'lease_until', coalesce(p_job.taken_until, p_job.lease_until)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_in_hand(p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_job.taken_by is not null and case when p_job.status = 'QUEUED' then coalesce(p_job.taken_until > private.now(), false)
    else p_job.status in ('CLAIMED', 'RUNNING') and p_job.taken_until is null end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_end_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_worker record;
begin
  if p_job.status in ('CLAIMED', 'RUNNING') and private.is_in_hand(p_job) then
    return private.held_reasons(p_job);
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        private.time_text(p_job.lease_until), p_job.attempt,
        case when p_job.lease_until <= private.now() then '; the lease has expired, so the job returns to the queue within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;
  return jsonb_build_array(jsonb_build_object(
    'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
      then 'budget' else 'finished' end,
    'message', format('The job is %s%s', lower(p_job.status::text),
      coalesce(': ' || case when private.may_read_talk(p_job) then p_job.failure_reason end, '.')),
    'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
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
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.code as task_code, t.title as task_title, t.status as task_status, t.story_id, s.code as story_code, s.title as story_title,
    p.code as product_code, w.name as worker_name, i.code as idea_code
  into v
  from (select) as job
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.products p on p.id = p_job.product_id
  left join public.agent_workers w on w.id = p_job.worker_id
  left join public.ideas i on i.id = p_job.idea_id;

  if not private.may_read_talk(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
    v.idea_code := null;
  end if;
  return to_jsonb(p_job) - '{lane_id,claim_rank,taken_by,taken_until,take_at_once}'::text[] || jsonb_build_object(
    'holder', case when private.is_in_hand(p_job) then 'person' end,
    'holder_name', case when private.is_in_hand(p_job) then private.username(p_job.taken_by) end,
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
    'pull', (
      select private.pull_json(p) from public.pulls p
      where p.product_id = p_job.product_id and p.branch = p_job.branch
      order by p.number desc limit 1),
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_to_take(p_task text, p_product text)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
  v_products text;
  v_job_id uuid;
begin
  select array_agg(t.id), string_agg(p.code, ', ' order by p.code) into v_task_ids, v_products
  from public.product_members m
  join public.products p on p.id = m.product_id
  join public.tasks t on t.product_id = p.id and t.code = upper(btrim(p_task))
  where m.user_id = auth.uid() and private.is_open_to_token(m.product_id)
    and (p_product is null or upper(p.code) = upper(btrim(p_product)) or p.id::text = lower(btrim(p_product)));
  if v_task_ids is null then
    perform private.refuse(404, 'No such task. Give its code, such as T-42.');
  end if;
  if cardinality(v_task_ids) > 1 then
    perform private.refuse(409, format('There is such a task in %s. Name the one you mean with --product.', v_products));
  end if;
  select j.id into v_job_id from public.agent_jobs j
  where j.task_id = v_task_ids[1] and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  order by j.created_at desc limit 1;
  if v_job_id is null and (private.active_run_of_task(v_task_ids[1])).id is not null then
    perform private.refuse(409, 'The task has no job of its own: it is done, or part of a batch, which one agent does as a whole. Cancel the run and start one that has a job for each task.');
  end if;
  if v_job_id is null then
    perform private.refuse(409, 'No run has a job for this task. Start a run with it first.');
  end if;
  return v_job_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.needs_approved_plan(p_job public.agent_jobs, p_task_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.phase <> 'implement' or p_task_id is null or private.is_in_hand(p_job)
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

CREATE OR REPLACE FUNCTION private.refuse_to_take(p_job public.agent_jobs, p_user_id uuid)
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

CREATE OR REPLACE FUNCTION private.require_scope(p_scopes text[], p_function text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_work constant text[] := '{claim_agent_job, take_agent_job, heartbeat_agent_job, report_agent_job, report_job_usage, append_job_output,
    save_job_diff, report_job_conflict, report_merged, verify_sprint_task, verify_task_against_plan, update_task_execution,
    worker_heartbeat, restart_worker, add_evidence, observe_pulls, observe_issues, propose_lesson, save_job_guide}';
  v_either constant text[] := '{update_task, set_task_status, append_story_log, ask_question, cancel_question, answer_user_question,
    pause_sprint_run, cancel_agent_job, add_comment, edit_comment, delete_comment}';
  v_allowed constant text[] := (case
    when p_function = any (v_work) then '{work}'
    when p_function = any (v_either) then '{plan, work}'
    else '{plan}' end)::text[];
begin
  if not p_scopes && v_allowed then
    raise exception using errcode = 'PT403',
      message = format('This token does not include the scope %s. Use a token that does, or ask its owner for one.',
        array_to_string(v_allowed, ' or ')),
      detail = json_build_object('scope', v_allowed[1])::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_over_reason(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('code', case when p_job.take_at_once then 'held_at_once' else 'held' end,
    'message', format('%s takes this job over in a terminal. Keep your work and report queued %s.', private.username(p_job.taken_by),
      case when p_job.take_at_once then 'at once' else 'after this tool call' end));
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__stamp()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    if current_user = 'authenticated' or (new.sprint_run_id is null and new.kind <> 'PLAN_CHAT') then
      perform private.refuse(409,
        'Single jobs can no longer be created. Start a sprint run instead: it creates the jobs of all its tasks (start_sprint_run).');
    end if;
    new.lane_id := coalesce(new.lane_id, new.id);
  end if;

  -- A hold ends with the attempt of the person, with the job, and when an agent claims after the time to wait.
  if tg_op = 'UPDATE' and new.taken_by is not null and (new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED')
    or (new.attempt <> old.attempt and new.taken_until is not null)
    or (new.status = 'QUEUED' and old.status <> 'QUEUED' and new.taken_until is null)) then
    new.taken_by := null;
    new.taken_until := null;
    new.take_at_once := false;
  end if;

  new.updated_at := private.now();
  if new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED') then
    new.finished_at := coalesce(new.finished_at, private.now());
    new.lease_until := null;
  else
    new.finished_at := null;
  end if;
  if new.status = 'QUEUED' then
    new.lease_until := null;
  end if;
  return new;
end;
$function$;

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_taken_by_fkey" FOREIGN KEY (taken_by) REFERENCES public.users(id) ON DELETE SET NULL;

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

CREATE INDEX agent_jobs_taken_by_idx ON public.agent_jobs USING btree (taken_by) WHERE (taken_by IS NOT NULL);

COMMENT ON COLUMN "public"."agent_jobs"."take_at_once" IS 'Its agent is to end at once, and not after its tool call.';

COMMENT ON COLUMN "public"."agent_jobs"."taken_by" IS 'The person who has it in a terminal, or takes it over.';

COMMENT ON COLUMN "public"."agent_jobs"."taken_until" IS 'Until when it waits for taken_by, while its agent ends; null once the person has it.';

REVOKE ALL ON FUNCTION "operations"."take_agent_job"(text, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."take_agent_job"(text, text, text, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."held_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."held_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_in_hand"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_in_hand"(public.agent_jobs) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."job_to_take"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_to_take"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_to_take"(public.agent_jobs, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_to_take"(public.agent_jobs, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."take_over_reason"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_over_reason"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."worker_gates"(private.job_gates, private.asker) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_gates"(private.job_gates, private.asker) TO "postgres";

GRANT ALL ON TABLE "private"."claimable_jobs" TO "postgres";

GRANT ALL ON TABLE "private"."job_gates" TO "postgres";
