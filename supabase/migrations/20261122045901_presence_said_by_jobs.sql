-- Why: what a worker holds is said by its jobs alone, so that a claim writes no presence, and the ways of claims and reports are shorter.
set local check_function_bodies = off;

DROP TRIGGER "_550_record_status_update" ON "public"."tasks";

DROP INDEX "public"."agent_workers_current_job_id_idx";

DROP INDEX "public"."agent_workers_last_seen_at_idx";

ALTER TABLE "public"."agent_workers" DROP CONSTRAINT "agent_workers_current_job_id_fkey";

DROP FUNCTION "private"."release_worker"(uuid, uuid);

DROP FUNCTION "private"."touch_worker"(uuid, text, text, integer, uuid, boolean);

ALTER TABLE "public"."agent_workers" DROP COLUMN "current_job_id";

CREATE OR REPLACE FUNCTION private.batch_executions(p_sprint_run_id uuid)
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
      'requires_opus', t.requires_opus, 'story_id', s.id, 'story_code', s.code, 'story_title', s.title,
      'story_description', s.description, 'acceptance_criteria', s.acceptance_criteria, 'verify_result', e.verify_result,
      'previous_failure', (
        select f.failure_reason from public.task_executions f
        where f.task_id = e.task_id and f.status = 'FAILED' order by f.finished_at desc nulls last limit 1)) order by e.position), '[]')
    from public.task_executions e
    join public.tasks t on t.id = e.task_id
    join public.stories s on s.id = t.story_id
    where e.sprint_run_id = p_sprint_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.cancel_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  if v_job.status = 'CANCELLED' then
    return private.job_json(v_job);
  end if;
  if v_job.status in ('CLAIMED', 'RUNNING') and v_job.kind <> 'PLAN_CHAT' then
    perform private.refuse(409, 'This job is held by a worker. Cancel its run to stop it; a pause lets it come to its end.');
  end if;
  if v_job.status not in ('QUEUED', 'CLAIMED', 'RUNNING') then
    perform private.refuse(409, format('Only a queued job can be cancelled; this one is %s.', lower(v_job.status::text)));
  end if;

  perform private.close_question(v_job.parked_question_id);
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = 'The job was cancelled.'
  where j.id = p_job_id;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION private.chat_questions(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('id', u.id, 'question', u.question, 'answer', u.answer,
      'status', lower(u.status::text), 'asked_for_this_job', u.job_id = p_job.id, 'created_at', u.created_at)
      order by u.created_at, u.id), '[]')
    from public.user_questions u where u.idea_id = p_job.idea_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_agent_job(p_worker text, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_hostname text, p_version text, p_quota_pct integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
  v_locked uuid[];
  v_tried uuid[] := '{}';
  v_product_id uuid;
  v_job public.agent_jobs;
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_worker.id, v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', private.nothing_to_claim(v_user_id, p_product_id));
  end if;
  return json_build_object('job', private.job_payload(v_job), 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.current_job_id(p_worker_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select j.id from public.agent_jobs j
    where j.worker_id = p_worker_id and j.status in ('CLAIMED', 'RUNNING')
    order by j.claimed_at desc, j.id
    limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_run(p_run public.sprint_runs, p_status public.sprint_run_status, p_reason text, p_failure jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.sprint_runs r
  set status = p_status, pause_context = null, finished_at = private.now(), failure = p_failure
  where r.id = p_run.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');

  perform private.close_question(p_run.pause_question_id);
  if p_status = 'DONE' then
    return;
  end if;

  perform private.close_question(j.parked_question_id)
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.parked_question_id is not null;

  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = p_reason
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');

  update public.task_executions e
  set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_run.id and e.status = 'RUNNING';
end;
$function$;

CREATE OR REPLACE FUNCTION private.ensure_worker(p_user_id uuid, p_name text)
 RETURNS public.agent_workers
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_worker public.agent_workers;
begin
  if coalesce(char_length(p_name), 0) not between 1 and 100 then
    perform private.refuse(422, 'worker takes a name of 1 to 100 characters. Keep the same name across restarts.');
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  if found then
    return v_worker;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('new worker:' || p_user_id::text, 0));
  if (select count(*) from public.agent_workers w where w.user_id = p_user_id) >= 50
    and not exists (select from public.agent_workers w where w.user_id = p_user_id and w.name = p_name) then
    update public.agent_workers w
    set name = p_name, hostname = null, version = null, last_seen_at = private.now(), last_quota_pct = null,
        last_quota_check_at = null, stopped_at = null, created_at = private.now()
    where w.id = (
      select u.id from public.agent_workers u
      where u.user_id = p_user_id
        and not exists (select from public.agent_jobs j where j.worker_id = u.id and j.status in ('CLAIMED', 'RUNNING'))
      order by exists (select from public.agent_jobs j where j.worker_id = u.id), u.last_seen_at, u.id
      limit 1
      for update skip locked
    );
    if not found then
      perform private.refuse(409, 'All 50 of your workers hold jobs. Use one of their names, or let one finish first.');
    end if;
  else
    insert into public.agent_workers (user_id, name) values (p_user_id, p_name)
    on conflict (user_id, name) do nothing;
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  return v_worker;
end;
$function$;

CREATE OR REPLACE FUNCTION private.give_back_job(p_job public.agent_jobs)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = 'QUEUED', failure_class = null, lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  return v_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer)
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
begin
  perform private.require_job(p_job_id);
  perform private.require_writer();
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;

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
      'reason', json_build_object('code', v_state, 'message', case v_state
        when 'cancelled' then 'The job was cancelled' || coalesce(': ' || v_job.failure_reason, '.')
        when 'finished' then format('The job is already %s.', lower(v_job.status::text))
        when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
        when 'parked' then 'The job waits for the answer to a question.'
        when 'requeued' then 'The job went back to the queue until the rate limit ends.'
        else format('Attempt %s no longer holds this job.', coalesce(p_attempt::text, '?')) end));
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

CREATE OR REPLACE FUNCTION private.job_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
  v_run public.sprint_runs;
  v_task public.tasks;
begin
  select p.* into v_product from public.products p where p.id = p_job.product_id;
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  select t.* into v_task from public.tasks t where t.id = p_job.task_id;

  return (json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'previous_failure', coalesce(p_job.failure_reason, (
      select j.failure_reason from public.agent_jobs j
      where p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id and j.status = 'FAILED' and j.id <> p_job.id
      order by j.finished_at desc limit 1)),
    'earlier_jobs', (
      select coalesce(json_agg(x.id order by x.created_at desc), '[]') from (
        select j.id, j.created_at from public.agent_jobs j
        where j.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION' and j.kind = p_job.kind
          and j.status in ('FAILED', 'CANCELLED')
        union all
        select j.id, j.created_at from public.agent_jobs j
        join public.sprint_runs r on r.id = j.sprint_run_id
        where p_job.kind = 'SPRINT_IMPLEMENTATION' and r.sprint_id = v_run.sprint_id and j.kind = p_job.kind
          and j.status in ('FAILED', 'CANCELLED')
        order by created_at desc limit 3) x),
    'earlier_attempts', private.earlier_attempts(p_job),
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', json_build_object('id', v_product.id, 'code', v_product.code, 'name', v_product.name,
      'description', v_product.description, 'repo_url', v_product.repo_url,
      'definition_of_done', v_product.definition_of_done, 'auto_pr', v_product.auto_pr, 'pr_strategy', v_product.pr_strategy),
    'repo_url', coalesce(nullif(v_task.repo_url, ''), v_product.repo_url),
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', case when v_run.id is not null then (
      select json_build_object('id', v_run.id, 'status', lower(v_run.status::text), 'branch', v_run.branch,
        'pr_strategy', v_run.pr_strategy, 'previous_run_id', v_run.previous_run_id,
        'sprint_id', s.id, 'sprint_code', s.code, 'sprint_goal', s.sprint_goal)
      from public.sprints s where s.id = v_run.sprint_id) end,
    'task', case when p_job.kind = 'TASK_IMPLEMENTATION' then json_build_object('id', v_task.id, 'code', v_task.code,
      'title', v_task.title, 'description', v_task.description, 'status', private.task_status_word(v_task.status),
      'verify_only', v_task.verify_only, 'verify_required', v_task.verify_required,
      'requires_opus', v_task.requires_opus, 'estimated_minutes', v_task.estimated_minutes) end,
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
        'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title)
      from public.stories s join public.pbis b on b.id = s.pbi_id
      where s.id = v_task.story_id and p_job.kind = 'TASK_IMPLEMENTATION'),
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then (
      select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description,
        'status', lower(i.status::text))
      from public.ideas i where i.id = p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end,
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = p_job.id)
  )::jsonb || private.proof_payload(p_job))::json;
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_agent_workers(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  return json_build_object('workers', (
    select coalesce(jsonb_agg(private.worker_json(w) || jsonb_build_object('current_job', (
        select private.job_json(j) from public.agent_jobs j
        where j.id = private.current_job_id(w.id) and j.product_id in (
          select mine.product_id from public.product_members mine where mine.user_id = auth.uid())))
      order by w.last_seen_at desc, w.id), '[]')
    from public.agent_workers w
    where w.id in (
      select v.id from public.agent_workers v
      where v.last_seen_at > private.now() - interval '7 days'
        and (p_product_id is not null or v.user_id = auth.uid() or exists (
          select from public.product_members mine
          join public.product_members theirs on theirs.product_id = mine.product_id
          where mine.user_id = auth.uid() and theirs.user_id = v.user_id))
        and (p_product_id is null or exists (
          select from public.product_members m where m.product_id = p_product_id and m.user_id = v.user_id))
      order by v.last_seen_at desc, v.id
      limit 200)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.park_job(p_job public.agent_jobs, p_question_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.agent_jobs j
  set status = 'QUEUED', parked_question_id = p_question_id, failure_class = null, failure_reason = null
  where j.id = p_job.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pause_sprint_run(p_sprint_run_id uuid, p_reason text, p_pr_url text, p_conflict_files jsonb, p_job_id uuid, p_attempt integer, p_release boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
  v_reason text := btrim(coalesce(p_reason, 'paused_by_person'));
  v_job public.agent_jobs;
begin
  perform private.require_link('pr_url', p_pr_url);
  if v_reason = '' or char_length(v_reason) > 500 then
    perform private.refuse(422, 'reason takes 1 to 500 characters.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.sprint_run_id is distinct from p_sprint_run_id then
      perform private.refuse(422, 'This job does not belong to the run.');
    end if;
  end if;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    perform private.refuse(409, format('Only a run that is queued or running can be paused; this one is %s.', lower(v_run.status::text)));
  end if;

  v_run := private.pause_run(v_run, v_reason, p_pr_url, p_conflict_files, v_job.id);
  if v_job.id is not null and p_release then
    update public.agent_jobs j
    set status = 'QUEUED', failure_class = null, pr_url = coalesce(p_pr_url, j.pr_url)
    where j.id = v_job.id;
  end if;
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
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
  v_status text := private.require_choice('status', v_report.status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED'));
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
  v_phase public.job_phase;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
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
  perform private.record_evidence(v_job, v_report.evidence);
  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'FAILED' then case when v_class = 'rate_limited' or (v_job.phase = 'verify' and v_job.retry_count < 3)
      then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, v_report.summary);
  end if;
  perform private.record_usage(v_job, p_attempt, v_report);
  perform private.note_attempt(v_job, v_report);
  perform private.note_head(t.story_id, v_job, v_report.head_sha)
  from public.tasks t where v_job.kind = 'TASK_IMPLEMENTATION' and t.id = v_job.task_id;
  v_phase := case when v_next = 'DONE' then private.phase_after(v_job) end;
  if v_phase is not null then
    v_next := 'QUEUED';
  end if;

  update public.agent_jobs j
  set status = v_next,
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      phase = coalesce(v_phase, j.phase),
      claim_rank = case when v_phase is null then j.claim_rank else 0 end,
      author_worker_id = case when v_phase = 'verify' then j.worker_id else j.author_worker_id end,
      retry_count = j.retry_count + case when v_status = 'FAILED' and v_next = 'QUEUED' and v_class is distinct from 'rate_limited' then 1 else 0 end,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(v_report.summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then coalesce(v_class, 'agent_error') end,
      failure_reason = case when v_status = 'FAILED'
        then left(coalesce(v_report.failure_reason, v_report.summary, 'The worker gave no reason.'), 4000) end,
      not_before = case when v_next = 'QUEUED' and v_status = 'FAILED' then greatest(coalesce(v_report.resets_at, v_now + interval '5 minutes'), v_now) end,
      base_sha = coalesce(j.base_sha, left(v_report.base_sha, 64)),
      head_sha = coalesce(left(v_report.head_sha, 64), j.head_sha),
      branch = coalesce(j.branch, left(v_report.branch, 200)),
      pushed_at = coalesce(v_report.pushed_at, j.pushed_at),
      pr_url = coalesce(v_report.pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  if v_phase is not null then
    perform private.enter_phase(v_job);
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  end if;
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION private.requeue_lost_job(p_job public.agent_jobs, p_reason text)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = case when j.retry_count >= 3 then 'FAILED' else 'QUEUED' end::public.agent_job_status,
      retry_count = least(j.retry_count + 1, 3),
      failure_class = 'infrastructure',
      failure_reason = case when j.retry_count >= 3 then 'All 3 retries are used up. ' else '' end || p_reason,
      lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  return v_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restart_worker(p_worker text, p_stopped boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers := private.ensure_worker(v_user_id, p_worker);
  v_products uuid[];
  v_product_id uuid;
  v_job public.agent_jobs;
  v_closed jsonb := '[]';
  v_status public.agent_job_status;
begin
  v_products := array(
    select distinct j.product_id from public.agent_jobs j
    where j.worker_id = v_worker.id and j.status in ('CLAIMED', 'RUNNING') order by 1);
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;

  -- What the worker claimed since, in a product that is not locked, belongs to its new life.
  for v_job in
    select j.* from public.agent_jobs j
    where j.worker_id = v_worker.id and j.status in ('CLAIMED', 'RUNNING') and j.product_id = any (v_products) order by j.claimed_at, j.id for update
  loop
    v_status := case
      when p_stopped then private.give_back_job(v_job)
      else private.requeue_lost_job(v_job, format('Worker %s restarted during attempt %s.', v_worker.name, v_job.attempt))
    end;
    if v_status is not null then
      v_closed := v_closed || jsonb_build_object('id', v_job.id, 'attempt', v_job.attempt, 'status', lower(v_status::text));
    end if;
  end loop;

  perform private.touch_worker(v_worker.id, null, null, null);
  return json_build_object('worker_id', v_worker.id, 'closed', v_closed);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_event jsonb;
  v_row public.agent_jobs := coalesce(new, old);
begin
  if tg_op = 'UPDATE' and new.in_turn <> old.in_turn and new.status = old.status then
    return null;
  end if;
  v_event := private.change_event(tg_op, 'job', to_jsonb(old), to_jsonb(new));
  if v_event is null or v_event -> 'changed_fields' = '["lease_until"]' then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'task_id', v_row.task_id,
    'idea_id', v_row.idea_id,
    'kind', v_row.kind,
    'status', v_row.status,
    'sprint_run_id', v_row.sprint_run_id
  );
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_workers__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_event jsonb := private.change_event(tg_op, 'worker', to_jsonb(old), to_jsonb(new));
  v_row public.agent_workers := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;
  if tg_op = 'UPDATE'
    and (v_event -> 'changed_fields') - 'last_seen_at' - 'last_quota_check_at' = '[]'
    and new.last_seen_at - old.last_seen_at < interval '90 seconds'
  then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'name', v_row.name,
    'last_quota_pct', v_row.last_quota_pct,
    'current_job_id', private.current_job_id(v_row.id),
    'stopped', v_row.stopped_at is not null
  );
  perform private.emit('product:' || m.product_id, v_event || jsonb_build_object('product_id', m.product_id))
  from public.product_members as m
  where m.user_id = v_row.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__cascade_failure()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_job public.agent_jobs;
begin
  perform private.lock_product(new.product_id);
  v_run := private.active_run_of_task(new.id);
  if v_run.id is null then
    return null;
  end if;

  update public.agent_jobs j
  set status = 'FAILED', failure_class = coalesce(j.failure_class, 'agent_error'),
      failure_reason = coalesce(j.failure_reason, 'Its task failed.')
  where j.sprint_run_id = v_run.id and j.task_id = new.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  update public.task_executions e
  set status = 'FAILED', failure_reason = coalesce(e.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where j.sprint_run_id = v_run.id and j.task_id = new.id and j.status = 'FAILED' order by j.position limit 1), 'Its task failed.')
  where e.sprint_run_id = v_run.id and e.task_id = new.id and e.status in ('PENDING', 'RUNNING');

  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = new.id order by j.position limit 1;

  perform private.end_run(v_run, 'FAILED', format('Task %s failed, so the run was stopped.', new.code),
    jsonb_build_object('task_id', new.id, 'task_code', new.code, 'job_id', v_job.id,
      'failure_class', v_job.failure_class, 'reason', v_job.failure_reason));

  update public.sprints s set status = 'FAILED' where s.id = v_run.sprint_id and s.status = 'ACTIVE';
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__record_status_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, to_status)
    select n.id, n.story_id, n.product_id, s.sprint_id, n.status
    from new_tasks n
    join public.stories s on s.id = n.story_id;
    return null;
  end if;

  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  values (new.id, new.story_id, new.product_id, (select s.sprint_id from public.stories s where s.id = new.story_id),
    old.status, new.status);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.touch_worker(p_worker_id uuid, p_hostname text, p_version text, p_quota_pct integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  update public.agent_workers w
  set last_seen_at = v_now,
      hostname = coalesce(left(p_hostname, 255), w.hostname),
      version = coalesce(left(p_version, 50), w.version),
      last_quota_pct = coalesce(p_quota_pct, w.last_quota_pct),
      last_quota_check_at = case when p_quota_pct is null then w.last_quota_check_at else v_now end,
      stopped_at = null
  where w.id = p_worker_id
    and (w.last_seen_at <= v_now - interval '10 seconds'
      or w.last_seen_at > v_now
      or w.stopped_at is not null
      or (p_hostname is not null and left(p_hostname, 255) is distinct from w.hostname)
      or (p_version is not null and left(p_version, 50) is distinct from w.version)
      or (p_quota_pct is not null and p_quota_pct is distinct from w.last_quota_pct));
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_heartbeat(p_worker text, p_hostname text, p_version text, p_quota_pct integer, p_stopped boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  if p_stopped then
    update public.agent_workers w set stopped_at = private.now() where w.id = v_worker.id;
  else
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
  end if;
  select w.* into v_worker from public.agent_workers w where w.id = v_worker.id;
  v_quota_reason := private.quota_reason(v_user_id, v_worker.last_quota_pct);
  return json_build_object('worker', private.worker_json(v_worker), 'may_claim', v_quota_reason is null,
    'reason', case when v_quota_reason is not null then json_build_object('code', 'quota', 'message', v_quota_reason) end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_json(p_worker public.agent_workers)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_minimum integer := (select u.min_quota_pct from public.users u where u.id = p_worker.user_id);
  v_online boolean := private.is_online(p_worker);
begin
  return to_jsonb(p_worker) || jsonb_build_object(
    'current_job_id', private.current_job_id(p_worker.id),
    'username', private.username(p_worker.user_id),
    'online', v_online,
    'min_quota_pct', v_minimum,
    'quota_ok', coalesce(p_worker.last_quota_pct >= v_minimum, true));
end;
$function$;

CREATE INDEX agent_jobs_held_idx ON public.agent_jobs USING btree (worker_id) WHERE (status = ANY (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status]));

CREATE TRIGGER _550_record_status_update AFTER UPDATE OF status ON public.tasks FOR EACH ROW WHEN ((new.status <> old.status)) EXECUTE FUNCTION private.tg_tasks__record_status_change();

COMMENT ON FUNCTION "private"."batch_executions"(uuid) IS 'The tasks of a batch as its worker gets them (specification: Sprint run, executions).';

COMMENT ON FUNCTION "private"."chat_questions"(public.agent_jobs) IS 'Questions and answers about an idea (specification: Agent job, PLAN_CHAT).';

COMMENT ON FUNCTION "private"."current_job_id"(uuid) IS 'The job that a worker holds (specification: Agent worker).';

COMMENT ON FUNCTION "private"."touch_worker"(uuid, text, text, integer) IS 'Presence and quota of a worker (specification: Agent worker).';

COMMENT ON TABLE "public"."agent_workers" IS 'Presence of workers (specification: Agent worker): last seen, quota. What a worker holds is said by its jobs.';

REVOKE ALL ON FUNCTION "private"."batch_executions"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."batch_executions"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."chat_questions"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."chat_questions"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."current_job_id"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."current_job_id"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."touch_worker"(uuid, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."touch_worker"(uuid, text, text, integer) TO "postgres";
