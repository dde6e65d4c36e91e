-- Why: a report is one value with names; the next attempt is told who tried before, and where work and session are kept.
set local check_function_bodies = off;

DROP FUNCTION "private"."record_usage"(public.agent_jobs, integer, text, bigint, bigint, bigint, bigint, jsonb);

DROP FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, text, bigint, bigint, bigint, bigint);

DROP FUNCTION "private"."report_agent_job"(uuid, integer, text, text, text, text, text, timestamp with time zone, text, text, text, timestamp with time zone, text, text, bigint, bigint, bigint, bigint);

DROP FUNCTION "private"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint, jsonb);

DROP FUNCTION "public"."report_agent_job"(uuid, integer, text, text, text, text, text, timestamp with time zone, text, text, text, timestamp with time zone, text, text, bigint, bigint, bigint, bigint);

DROP FUNCTION "public"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint, jsonb);

CREATE TYPE "private"."job_report" AS ("status" text, "verify_result" text, "summary" text, "failure_class" text, "failure_reason" text, "resets_at" timestamp with time zone, "base_sha" text, "head_sha" text, "branch" text, "pushed_at" timestamp with time zone, "pr_url" text, "session_id" text, "kept_ref" text, "model_id" text, "input_tokens" bigint, "output_tokens" bigint, "cache_read_tokens" bigint, "cache_write_tokens" bigint, "events" jsonb);

CREATE OR REPLACE FUNCTION private.earlier_attempts(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('job_id', x.job_id, 'attempt', x.attempt, 'outcome', x.outcome,
      'worker_id', x.worker_id, 'worker_name', x.worker_name, 'session_id', x.session_id, 'kept_ref', x.kept_ref,
      'head_sha', x.head_sha, 'ended_at', x.ended_at) order by x.started_at desc), '[]')
    from (
      select a.*
      from public.agent_jobs j
      join public.job_attempts a on a.job_id = j.id
      where (j.id = p_job.id or (p_job.task_id is not null and j.task_id = p_job.task_id)) and a.ended_at is not null
      order by a.started_at desc
      limit 10
    ) x
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

CREATE OR REPLACE FUNCTION private.note_attempt(p_job public.agent_jobs, p_report private.job_report)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if num_nonnulls(p_report.session_id, p_report.kept_ref) = 0 then
    return;
  end if;
  update public.job_attempts a
  set session_id = coalesce(left(p_report.session_id, 300), a.session_id),
      kept_ref = coalesce(left(p_report.kept_ref, 300), a.kept_ref)
  where a.job_id = p_job.id and a.attempt = p_job.attempt;
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_usage(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := p_job;
begin
  if num_nonnulls(p_report.model_id, p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens,
    p_report.cache_write_tokens, p_report.events) = 0 then
    return p_job;
  end if;
  if p_report.events is not null then
    perform private.record_usage_event(p_job, p_attempt, e.value) from jsonb_array_elements(p_report.events) e;
  end if;
  perform private.record_usage_total(p_job, p_attempt, p_report);
  update public.agent_jobs j
  set model_id = coalesce(left(p_report.model_id, 200), used.model_id, j.model_id),
      input_tokens = used.input, output_tokens = used.output,
      cache_read_tokens = used.cache_read, cache_write_tokens = used.cache_write
  from (
    select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
      sum(e.cache_write_tokens) as cache_write, (array_agg(e.model_id order by e.id desc) filter (where e.model_id is not null))[1] as model_id
    from public.usage_events e where e.job_id = p_job.id
  ) used
  where j.id = p_job.id
  returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_usage_total(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_so_far record;
begin
  if least(p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens, p_report.cache_write_tokens) < 0 then
    perform private.refuse(422, 'Token counts must not be negative.');
  end if;
  if num_nonnulls(p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens, p_report.cache_write_tokens) = 0 then
    return;
  end if;
  select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
    sum(e.cache_write_tokens) as cache_write, least(coalesce(min(e.seq), 0), 0) - 1 as seq
  into v_so_far
  from public.usage_events e
  where e.job_id = p_job.id and e.attempt = p_attempt;

  if coalesce(p_report.input_tokens = v_so_far.input, p_report.input_tokens is null)
    and coalesce(p_report.output_tokens = v_so_far.output, p_report.output_tokens is null)
    and coalesce(p_report.cache_read_tokens = v_so_far.cache_read, p_report.cache_read_tokens is null)
    and coalesce(p_report.cache_write_tokens = v_so_far.cache_write, p_report.cache_write_tokens is null) then
    return;
  end if;
  perform private.record_usage_event(p_job, p_attempt, jsonb_build_object(
    'seq', v_so_far.seq, 'model_id', coalesce(p_report.model_id, p_job.model_id),
    'input_tokens', p_report.input_tokens - coalesce(v_so_far.input, 0), 'output_tokens', p_report.output_tokens - coalesce(v_so_far.output, 0),
    'cache_read_tokens', p_report.cache_read_tokens - coalesce(v_so_far.cache_read, 0),
    'cache_write_tokens', p_report.cache_write_tokens - coalesce(v_so_far.cache_write, 0)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
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

  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'FAILED' then case when v_class = 'rate_limited' then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, v_report.summary);
  end if;
  perform private.record_usage(v_job, p_attempt, v_report);
  perform private.note_attempt(v_job, v_report);

  update public.agent_jobs j
  set status = v_next,
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(v_report.summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then coalesce(v_class, 'agent_error') end,
      failure_reason = case when v_status = 'FAILED'
        then left(coalesce(v_report.failure_reason, v_report.summary, 'The worker gave no reason.'), 4000) end,
      not_before = case when v_next = 'QUEUED' then greatest(coalesce(v_report.resets_at, v_now + interval '5 minutes'), v_now) end,
      base_sha = coalesce(j.base_sha, left(v_report.base_sha, 64)),
      head_sha = coalesce(left(v_report.head_sha, 64), j.head_sha),
      branch = coalesce(j.branch, left(v_report.branch, 200)),
      pushed_at = coalesce(v_report.pushed_at, j.pushed_at),
      pr_url = coalesce(v_report.pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  -- A worker that ends well asks for the next job at once, which writes its presence anyway.
  if v_next not in ('RUNNING', 'DONE') then
    perform private.release_worker(v_job.worker_id, v_job.id);
  end if;
  return private.job_json(v_job);
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
  -- A statement of its own: what follows must see the new lines.
  v_job := private.record_usage(v_job, p_attempt, jsonb_populate_record(null::private.job_report, p_usage));
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.report_agent_job(p_job_id, p_attempt, p_report);
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_job_usage(p_job_id uuid, p_attempt integer, p_usage jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.report_job_usage(p_job_id, p_attempt, p_usage);
end;
$function$;

COMMENT ON FUNCTION "private"."earlier_attempts"(public.agent_jobs) IS 'The ten newest ended attempts at the same work (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."note_attempt"(public.agent_jobs, private.job_report) IS 'Keeps session and kept work of an attempt (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, private.job_report) IS 'Tokens and model of a job as the sum of its ledger (specification: Agent job).';

COMMENT ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, private.job_report) IS 'Writes what a total of an attempt adds to the ledger (specification: Agent job, token usage).';

COMMENT ON FUNCTION "public"."report_agent_job"(uuid, integer, jsonb) IS 'CLAIMED and RUNNING to RUNNING, DONE, FAILED, SKIPPED or back to QUEUED (specification: Agent job).';

COMMENT ON FUNCTION "public"."report_job_usage"(uuid, integer, jsonb) IS 'Token usage of a job (specification: Agent job).';

COMMENT ON TYPE "private"."job_report" IS 'What a worker says of its attempt (specification: Agent job).';

REVOKE ALL ON FUNCTION "private"."earlier_attempts"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."earlier_attempts"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_attempt"(public.agent_jobs, private.job_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_attempt"(public.agent_jobs, private.job_report) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, private.job_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, private.job_report) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, private.job_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, private.job_report) TO "postgres";

REVOKE ALL ON FUNCTION "private"."report_agent_job"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_agent_job"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."report_job_usage"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_job_usage"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."report_agent_job"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."report_agent_job"(uuid, integer, jsonb) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."report_job_usage"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."report_job_usage"(uuid, integer, jsonb) TO "authenticated", "postgres", "service_role";

GRANT USAGE ON TYPE "private"."job_report" TO "postgres";
