-- Why: a batch outlives the task that its job names, skipping needs its verification, a report moves neither branch nor base,
-- a worker that stops in order gives its job back without a retry, and a claim tells what earlier jobs have left.
set local check_function_bodies = off;

DROP FUNCTION "private"."restart_worker"(text);

DROP FUNCTION "public"."restart_worker"(text);

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
  perform private.release_worker(v_job.worker_id, v_job.id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION private.complete_run(p_sprint_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    return;
  end if;
  if exists (
    select from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  ) then
    return;
  end if;
  if exists (select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.status = 'FAILED') then
    return;
  end if;
  if exists (
    select from public.task_executions e
    where e.sprint_run_id = p_sprint_run_id and e.status in ('PENDING', 'RUNNING')
  ) then
    perform private.end_run(v_run, 'CANCELLED', 'The job of the batch was cancelled.', null);
    return;
  end if;
  perform private.end_run(v_run, 'DONE', null, null);
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
      perform private.refuse(422, 'A job is skipped only when the verification found that the work is already present (verify_result empty).');
    end if;
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
      and e.status in ('PENDING', 'RUNNING') and e.verify_result is distinct from 'EMPTY';
    if v_open is not null then
      perform private.refuse(422, format('A batch is skipped only when each of its tasks was verified as already present. Verify these with verify_sprint_task first: %s.', v_open));
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
      perform private.refuse(422, format('Not done yet: these tasks of the batch are unfinished: %s. Report each with update_task_execution first.', v_open));
    end if;
    return 'DONE';
  end if;

  select t.* into v_task from public.tasks t where t.id = p_job.task_id;
  v_outcome := private.gate(v_task.verify_required, p_result, v_task.verify_only);
  if v_outcome is null then
    perform private.refuse_gate(v_task.verify_required, p_result);
  end if;
  return v_outcome::public.agent_job_status;
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
  set status = 'QUEUED', failure_class = null, earlier_usage = private.usage_so_far(j), lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  if found then
    perform private.release_worker(p_job.worker_id, p_job.id);
  end if;
  return v_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hold_execution(p_job public.agent_jobs, p_task_id uuid)
 RETURNS public.task_executions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_execution public.task_executions;
begin
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'This job is no batch. Report it with report_agent_job.');
  end if;
  select e.* into v_execution from public.task_executions e
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id for update;
  if not found then
    perform private.refuse(404, 'This task is not, or no longer, in the scope of the batch run. The job is still yours: go on with the next task.');
  end if;
  return v_execution;
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

  return json_build_object(
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
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
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
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then (
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
      where e.sprint_run_id = p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then (
      select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description,
        'status', lower(i.status::text))
      from public.ideas i where i.id = p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then (
      select coalesce(json_agg(json_build_object('id', u.id, 'question', u.question, 'answer', u.answer,
        'status', lower(u.status::text), 'asked_for_this_job', u.job_id = p_job.id, 'created_at', u.created_at)
        order by u.created_at, u.id), '[]')
      from public.user_questions u where u.idea_id = p_job.idea_id) end,
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = p_job.id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_agent_job(p_job_id uuid, p_attempt integer, p_status text, p_verify_result text, p_summary text, p_failure_class text, p_failure_reason text, p_resets_at timestamp with time zone, p_base_sha text, p_head_sha text, p_branch text, p_pushed_at timestamp with time zone, p_pr_url text, p_model_id text, p_input_tokens bigint, p_output_tokens bigint, p_cache_read_tokens bigint, p_cache_write_tokens bigint)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_now timestamptz := private.now();
  v_status text := private.require_choice('status', p_status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED'));
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  perform private.require_link('pr_url', p_pr_url);
  v_class := lower(private.require_choice('failure_class', p_failure_class,
    array['AGENT_ERROR', 'VERIFICATION_FAILED', 'RATE_LIMITED', 'INFRASTRUCTURE', 'CANCELLED']));
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_job.verify_result);

  if v_state <> 'held' then
    if private.repeats_report(v_job, v_state, v_status, v_class, v_result) then
      -- The end of a task may have ended its batch before: what this report knows besides is not lost.
      if v_state = 'finished' then
        update public.agent_jobs j set failure_class = v_class
        where j.id = p_job_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status = 'FAILED' and v_class is not null;
        select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
        v_job := private.record_usage(v_job, p_model_id, p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens);
      end if;
      return private.job_json(v_job);
    end if;
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;

  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'FAILED' then case when v_class = 'rate_limited' then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, p_summary);
  end if;
  perform private.record_usage(v_job, p_model_id, p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens);

  update public.agent_jobs j
  set status = v_next,
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(p_summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then coalesce(v_class, 'agent_error') end,
      failure_reason = case when v_status = 'FAILED'
        then left(coalesce(p_failure_reason, p_summary, 'The worker gave no reason.'), 4000) end,
      not_before = case when v_next = 'QUEUED' then greatest(coalesce(p_resets_at, v_now + interval '5 minutes'), v_now) end,
      earlier_usage = case when v_next = 'QUEUED' then private.usage_so_far(j) else j.earlier_usage end,
      base_sha = coalesce(j.base_sha, left(p_base_sha, 64)),
      head_sha = coalesce(left(p_head_sha, 64), j.head_sha),
      branch = coalesce(j.branch, left(p_branch, 200)),
      pushed_at = coalesce(p_pushed_at, j.pushed_at),
      pr_url = coalesce(p_pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  -- A worker that ends well asks for the next job at once, which writes its presence anyway.
  if v_next not in ('RUNNING', 'DONE') then
    perform private.release_worker(v_job.worker_id, v_job.id);
  end if;
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_job_usage(p_job_id uuid, p_attempt integer, p_model_id text, p_input_tokens bigint, p_output_tokens bigint, p_cache_read_tokens bigint, p_cache_write_tokens bigint)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_state text := private.attempt_state(v_job, p_attempt);
begin
  if v_state not in ('held', 'finished', 'cancelled') then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  return private.job_json(private.record_usage(
    v_job, p_model_id, p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens));
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

  perform private.touch_worker(v_worker.id, null, null, null, null);
  return json_build_object('worker_id', v_worker.id, 'closed', v_closed);
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_job(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb)
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
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_worker_id, claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, failure_class = null, verify_result = null,
      plan_snapshot = coalesce(
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t where t.id = x.task_id))
  where x.id = (
    select j.id
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
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

  perform private.release_worker(v_job.worker_id, v_job.id);
  perform private.end_run(v_run, 'FAILED', format('Task %s failed, so the run was stopped.', new.code),
    jsonb_build_object('task_id', new.id, 'task_code', new.code, 'job_id', v_job.id,
      'failure_class', v_job.failure_class, 'reason', v_job.failure_reason));

  update public.sprints s set status = 'FAILED' where s.id = v_run.sprint_id and s.status = 'ACTIVE';
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__keep_batch_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.products p where p.id = old.product_id) then
    update public.agent_jobs j
    set task_id = (
      select e.task_id from public.task_executions e
      where e.sprint_run_id = j.sprint_run_id and e.task_id <> old.id
      order by (e.status = 'RUNNING') desc, (e.status = 'PENDING') desc, e.position
      limit 1)
    where j.task_id = old.id and j.kind = 'SPRINT_IMPLEMENTATION'
      and exists (
        select from public.task_executions e where e.sprint_run_id = j.sprint_run_id and e.task_id <> old.id);
  end if;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_task_execution(p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text, p_failure_reason text)
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
begin
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_execution.verify_result);
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
    perform private.refuse(409, format('This task of the batch is already %s. The job is still yours: go on with the next task.', lower(v_execution.status::text)));
  end if;
  if v_status = 'SKIPPED' and v_result is distinct from 'EMPTY' then
    perform private.refuse(422, 'A task is skipped only when the verification found that the work is already present (verify_result empty).');
  end if;
  if v_status = 'DONE' then
    v_next := private.gate(v_execution.verify_required, v_result, (select t.verify_only from public.tasks t where t.id = p_task_id));
    if v_next is null then
      perform private.refuse_gate(v_execution.verify_required, v_result);
    end if;
  end if;

  update public.agent_jobs j
  set lease_until = private.now() + private.lease(), status = 'RUNNING', started_at = coalesce(j.started_at, private.now()),
      failure_reason = case when v_next = 'FAILED' then left(coalesce(p_failure_reason, 'A task of the batch failed.'), 4000) end
  where j.id = p_job_id;
  update public.task_executions e
  set status = v_next::public.task_execution_status,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      failure_reason = case when v_next = 'FAILED' then left(p_failure_reason, 4000) end
  where e.id = v_execution.id
  returning e.* into v_execution;
  return private.execution_json(v_execution);
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
      evidence = coalesce(p_evidence, j.evidence), lease_until = private.now() + private.lease()
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

CREATE OR REPLACE FUNCTION public.restart_worker(p_worker text, p_stopped boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.restart_worker(p_worker, p_stopped);
end;
$function$;

CREATE TRIGGER _160_keep_batch_job BEFORE DELETE ON public.tasks FOR EACH ROW EXECUTE FUNCTION private.tg_tasks__keep_batch_job();

COMMENT ON FUNCTION "private"."give_back_job"(public.agent_jobs) IS 'QUEUED again without a retry: its worker stopped in order (specification: Agent job).';

COMMENT ON FUNCTION "private"."tg_tasks__keep_batch_job"() IS 'A batch job outlives the task that it names (specification: Agent job, task_id; Sprint run).';

COMMENT ON FUNCTION "public"."restart_worker"(text, boolean) IS 'Closes the attempts of a worker that restarted or stops (specification: Agent job; lease lost).';

REVOKE ALL ON FUNCTION "private"."give_back_job"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."give_back_job"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."restart_worker"(text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restart_worker"(text, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__keep_batch_job"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__keep_batch_job"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."restart_worker"(text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."restart_worker"(text, boolean) TO "authenticated", "postgres", "service_role";
