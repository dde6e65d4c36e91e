-- Why: tokens and cost are written once, with the prices of the moment; the sums of a job follow from them.
set local check_function_bodies = off;

DROP FUNCTION "private"."job_cost"(public.agent_jobs);

DROP FUNCTION "private"."record_usage"(public.agent_jobs, text, bigint, bigint, bigint, bigint);

DROP FUNCTION "private"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint);

DROP FUNCTION "private"."usage_so_far"(public.agent_jobs);

DROP FUNCTION "public"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint);

ALTER TABLE "public"."agent_jobs" DROP COLUMN "earlier_usage";

CREATE TABLE "public"."usage_events" ("id" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "product_id" uuid NOT NULL, "job_id" uuid, "task_id" uuid, "sprint_run_id" uuid, "worker_id" uuid, "attempt" integer NOT NULL, "seq" bigint NOT NULL, "model_id" text, "input_tokens" bigint, "output_tokens" bigint, "cache_read_tokens" bigint, "cache_write_tokens" bigint, "reported_cost" numeric(16,8), "rates" jsonb, "cost" numeric(16,8), "currency" text, "source" text NOT NULL, "estimated" boolean NOT NULL DEFAULT false, CONSTRAINT "usage_events_cost_has_currency" CHECK (((cost IS NULL) = (currency IS NULL))), CONSTRAINT "usage_events_currency_form" CHECK ((currency ~ '^[A-Z]{3}$'::text)), CONSTRAINT "usage_events_model_id_length" CHECK ((char_length(model_id) <= 200)), CONSTRAINT "usage_events_once" UNIQUE (job_id, attempt, seq), CONSTRAINT "usage_events_pkey" PRIMARY KEY (id), CONSTRAINT "usage_events_seq_not_zero" CHECK ((seq <> 0)), CONSTRAINT "usage_events_source_fits" CHECK (((source = 'unpriced'::text) = (cost IS NULL))), CONSTRAINT "usage_events_source_known" CHECK ((source = ANY (ARRAY['reported'::text, 'list_price'::text, 'unpriced'::text]))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."usage_events" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.attempt_usage_json(p_job_id uuid, p_attempt integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('input_tokens', sum(e.input_tokens), 'output_tokens', sum(e.output_tokens),
      'cache_read_tokens', sum(e.cache_read_tokens), 'cache_write_tokens', sum(e.cache_write_tokens),
      'estimated', coalesce(bool_or(e.estimated), false),
      'sources', coalesce(jsonb_agg(distinct e.source), '[]'),
      'costs', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
        from (
          select x.currency, round(sum(x.cost), 6) as cost
          from public.usage_events x
          where x.job_id = p_job_id and x.attempt = p_attempt and x.cost is not null
          group by x.currency
        ) s))
    from public.usage_events e
    where e.job_id = p_job_id and e.attempt = p_attempt
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempts_json(p_job_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'worker_id', a.worker_id, 'worker_name', a.worker_name,
      'started_at', a.started_at, 'ended_at', a.ended_at, 'outcome', a.outcome, 'head_sha', a.head_sha,
      'session_id', a.session_id, 'kept_ref', a.kept_ref, 'last_seq', a.last_seq, 'output_bytes', a.output_bytes, 'usage', private.attempt_usage_json(a.job_id, a.attempt))
      order by a.attempt), '[]')
    from public.job_attempts a
    where a.job_id = p_job_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.costs_of(p_product_id uuid, p_sprint_run_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
    from (
      select e.currency, round(sum(e.cost), 6) as cost
      from public.usage_events e
      where e.product_id = p_product_id and (p_sprint_run_id is null or e.sprint_run_id = p_sprint_run_id)
        and e.cost is not null
      group by e.currency
    ) s
  );
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

  if found then
    perform private.release_worker(p_job.worker_id, p_job.id);
  end if;
  return v_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_costs(p_job_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
    from (
      select e.currency, round(sum(e.cost), 6) as cost
      from public.usage_events e
      where e.job_id = p_job_id and e.cost is not null
      group by e.currency
    ) s
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_json(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task record;
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.code, t.title, t.status, t.story_id, s.code as story_code, s.title as story_title
  into v_task
  from public.tasks t
  join public.stories s on s.id = t.story_id
  where t.id = p_job.task_id;

  if not private.may_read_talk(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
  end if;
  return to_jsonb(p_job) - 'lane_id' - 'claim_rank' || jsonb_build_object(
    'status', lower(p_job.status::text),
    'task_code', v_task.code,
    'task_title', v_task.title,
    'task_status', case v_task.status when 'TO_DO' then 'todo' else lower(v_task.status::text) end,
    'story_id', v_task.story_id,
    'story_code', v_task.story_code,
    'story_title', v_task.story_title,
    'idea_code', (select i.code from public.ideas i where i.id = p_job.idea_id and private.may_read_talk(p_job)),
    'product_code', (select p.code from public.products p where p.id = p_job.product_id),
    'worker_name', (select w.name from public.agent_workers w where w.id = p_job.worker_id),
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
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
  perform private.release_worker(p_job.worker_id, p_job.id);
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
    perform private.release_worker(v_job.worker_id, v_job.id);
  end if;
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_usage(p_job public.agent_jobs, p_attempt integer, p_model_id text, p_input bigint, p_output bigint, p_cache_read bigint, p_cache_write bigint, p_events jsonb DEFAULT NULL::jsonb)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := p_job;
begin
  if num_nonnulls(p_model_id, p_input, p_output, p_cache_read, p_cache_write, p_events) = 0 then
    return p_job;
  end if;
  if p_events is not null then
    perform private.record_usage_event(p_job, p_attempt, e.value) from jsonb_array_elements(p_events) e;
  end if;
  perform private.record_usage_total(p_job, p_attempt, p_model_id, p_input, p_output, p_cache_read, p_cache_write);
  update public.agent_jobs j
  set model_id = coalesce(left(p_model_id, 200), used.model_id, j.model_id),
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

CREATE OR REPLACE FUNCTION private.record_usage_event(p_job public.agent_jobs, p_attempt integer, p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_price public.model_prices;
  v_reported numeric := (p_event ->> 'cost')::numeric;
begin
  select m.* into v_price from public.model_prices m where m.model_id = p_event ->> 'model_id';
  insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, estimated)
  select p_job.product_id, p_job.id, p_job.task_id, p_job.sprint_run_id, p_job.worker_id, p_attempt,
    (p_event ->> 'seq')::bigint, left(p_event ->> 'model_id', 200), e.input_tokens, e.output_tokens, e.cache_read_tokens,
    e.cache_write_tokens, v_reported,
    case when v_price.model_id is not null then jsonb_build_object('input', v_price.input_per_million,
      'output', v_price.output_per_million, 'cache_read', v_price.cache_read_per_million,
      'cache_write', v_price.cache_write_per_million, 'currency', v_price.currency) end,
    coalesce(v_reported, priced.cost),
    case when v_reported is not null then coalesce(p_event ->> 'currency', 'USD') when priced.cost is not null then v_price.currency end,
    case when v_reported is not null then 'reported' when priced.cost is not null then 'list_price' else 'unpriced' end,
    coalesce((p_event ->> 'estimated')::boolean, false)
  from jsonb_to_record(p_event)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint)
  cross join lateral (
    select case when v_price.model_id is not null
      and num_nonnulls(e.input_tokens, e.output_tokens, e.cache_read_tokens, e.cache_write_tokens) > 0
    then (
      coalesce(e.input_tokens, 0) * v_price.input_per_million + coalesce(e.output_tokens, 0) * v_price.output_per_million
      + coalesce(e.cache_read_tokens, 0) * v_price.cache_read_per_million
      + coalesce(e.cache_write_tokens, 0) * v_price.cache_write_per_million) / 1000000 end as cost
  ) priced
  on conflict (job_id, attempt, seq) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_usage_total(p_job public.agent_jobs, p_attempt integer, p_model_id text, p_input bigint, p_output bigint, p_cache_read bigint, p_cache_write bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_so_far record;
begin
  if least(p_input, p_output, p_cache_read, p_cache_write) < 0 then
    perform private.refuse(422, 'Token counts must not be negative.');
  end if;
  if num_nonnulls(p_input, p_output, p_cache_read, p_cache_write) = 0 then
    return;
  end if;
  select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
    sum(e.cache_write_tokens) as cache_write, least(coalesce(min(e.seq), 0), 0) - 1 as seq
  into v_so_far
  from public.usage_events e
  where e.job_id = p_job.id and e.attempt = p_attempt;

  if (p_input, p_output, p_cache_read, p_cache_write) is not distinct from (
    case when p_input is null then null else v_so_far.input end, case when p_output is null then null else v_so_far.output end,
    case when p_cache_read is null then null else v_so_far.cache_read end,
    case when p_cache_write is null then null else v_so_far.cache_write end) then
    return;
  end if;
  perform private.record_usage_event(p_job, p_attempt, jsonb_build_object(
    'seq', v_so_far.seq, 'model_id', coalesce(p_model_id, p_job.model_id),
    'input_tokens', p_input - coalesce(v_so_far.input, 0), 'output_tokens', p_output - coalesce(v_so_far.output, 0),
    'cache_read_tokens', p_cache_read - coalesce(v_so_far.cache_read, 0),
    'cache_write_tokens', p_cache_write - coalesce(v_so_far.cache_write, 0)));
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
        v_job := private.record_usage(v_job, p_attempt, p_model_id, p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens);
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
  perform private.record_usage(v_job, p_attempt, p_model_id, p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens);

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

CREATE OR REPLACE FUNCTION private.report_job_usage(p_job_id uuid, p_attempt integer, p_model_id text, p_input_tokens bigint, p_output_tokens bigint, p_cache_read_tokens bigint, p_cache_write_tokens bigint, p_events jsonb)
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
  v_job := private.record_usage(
    v_job, p_attempt, p_model_id, p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens, p_events);
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

  if found then
    perform private.release_worker(p_job.worker_id, p_job.id);
  end if;
  return v_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_json(p_run public.sprint_runs, p_with_jobs boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_totals jsonb;
  v_run jsonb;
  v_costs jsonb := private.costs_of(p_run.product_id, p_run.id);
begin
  select jsonb_build_object(
    'jobs_total', count(*),
    'counts', jsonb_build_object(
      'queued', count(*) filter (where j.status = 'QUEUED'),
      'claimed', count(*) filter (where j.status = 'CLAIMED'),
      'running', count(*) filter (where j.status = 'RUNNING'),
      'done', count(*) filter (where j.status = 'DONE'),
      'failed', count(*) filter (where j.status = 'FAILED'),
      'cancelled', count(*) filter (where j.status = 'CANCELLED'),
      'skipped', count(*) filter (where j.status = 'SKIPPED')),
    'input_tokens', sum(j.input_tokens),
    'output_tokens', sum(j.output_tokens),
    'cache_read_tokens', sum(j.cache_read_tokens),
    'cache_write_tokens', sum(j.cache_write_tokens),
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end)
  into v_totals
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id;

  v_run := to_jsonb(p_run) || v_totals || jsonb_build_object(
    'status', lower(p_run.status::text),
    'sprint_code', (select s.code from public.sprints s where s.id = p_run.sprint_id),
    'started_by_name', private.username(p_run.started_by));
  if not p_with_jobs then
    return v_run;
  end if;

  return v_run || jsonb_build_object(
    'jobs', (
      select coalesce(jsonb_agg(private.job_json(j) order by j.position, j.id), '[]')
      from public.agent_jobs j where j.sprint_run_id = p_run.id),
    'executions', (
      select coalesce(jsonb_agg(private.execution_json(e) order by e.position), '[]')
      from public.task_executions e where e.sprint_run_id = p_run.id),
    'pause_question', (
      select private.question_json(q) from public.agent_questions q where q.id = p_run.pause_question_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.usage_by(p_product_id uuid, p_sprint_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with used as (
      select e.*, (e.created_at at time zone 'UTC')::date as day, r.sprint_id, t.story_id
      from public.usage_events e
      left join public.sprint_runs r on r.id = e.sprint_run_id
      left join public.tasks t on t.id = e.task_id
      where e.product_id = p_product_id and (p_sprint_id is null or r.sprint_id = p_sprint_id)
    ),
    -- One row a key and currency; the keys are brought together below.
    spread as (
      select k.part, k.key, u.currency, u.cost, u.job_id, u.source, u.estimated,
        u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_write_tokens
      from used u
      cross join lateral (values ('totals', ''), ('by_model', u.model_id), ('by_day', u.day::text), ('by_sprint', u.sprint_id::text),
        ('by_run', u.sprint_run_id::text), ('by_story', u.story_id::text), ('by_task', u.task_id::text),
        ('by_worker', u.worker_id::text)) as k (part, key)
    ),
    costs as (
      select s.part, s.key, jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency) as costs,
        max(s.cost) as most
      from (
        select s.part, s.key, s.currency, round(sum(s.cost), 6) as cost from spread s
        where s.cost is not null group by s.part, s.key, s.currency
      ) s
      group by s.part, s.key
    ),
    summed as (
      select s.part, s.key, jsonb_build_object('jobs', count(distinct s.job_id),
        'input_tokens', coalesce(sum(s.input_tokens), 0), 'output_tokens', coalesce(sum(s.output_tokens), 0),
        'cache_read_tokens', coalesce(sum(s.cache_read_tokens), 0), 'cache_write_tokens', coalesce(sum(s.cache_write_tokens), 0),
        'estimated', bool_or(s.estimated), 'unpriced_jobs', count(distinct s.job_id) filter (where s.source = 'unpriced')) as numbers
      from spread s
      group by s.part, s.key
    ),
    named as (
      select s.part, s.key, coalesce(c.most, 0) as most,
        s.numbers || jsonb_build_object('costs', coalesce(c.costs, '[]')) || private.usage_key_json(s.part, s.key) as row
      from summed s
      left join costs c on c.part = s.part and c.key is not distinct from s.key
    )
    select jsonb_build_object(
      'totals', coalesce((select n.row from named n where n.part = 'totals'), jsonb_build_object('jobs', 0, 'input_tokens', 0,
        'output_tokens', 0, 'cache_read_tokens', 0, 'cache_write_tokens', 0, 'estimated', false, 'unpriced_jobs', 0, 'costs', '[]'::jsonb)),
      'by_model', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_model'),
      'by_day', (select coalesce(jsonb_agg(n.row order by n.key), '[]') from named n where n.part = 'by_day'),
      'by_sprint', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_sprint'),
      'by_run', (select coalesce(jsonb_agg(n.row order by n.row ->> 'created_at'), '[]') from named n where n.part = 'by_run'),
      'by_story', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_story'),
      'by_task', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_task'),
      'by_worker', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_worker'))
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.usage_key_json(p_part text, p_key text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case p_part
    when 'by_model' then jsonb_build_object('model_id', p_key)
    when 'by_day' then jsonb_build_object('date', p_key)
    when 'by_sprint' then jsonb_build_object('sprint_id', p_key,
      'sprint_code', (select x.code from public.sprints x where x.id = p_key::uuid))
    when 'by_run' then (
      select jsonb_build_object('sprint_run_id', p_key, 'branch', max(x.branch), 'created_at', max(x.created_at))
      from public.sprint_runs x where x.id = p_key::uuid)
    when 'by_story' then (
      select jsonb_build_object('story_id', p_key, 'story_code', max(x.code), 'story_title', max(x.title))
      from public.stories x where x.id = p_key::uuid)
    when 'by_task' then (
      select jsonb_build_object('task_id', p_key, 'task_code', max(x.code), 'task_title', max(x.title))
      from public.tasks x where x.id = p_key::uuid)
    when 'by_worker' then jsonb_build_object('worker_id', p_key,
      'worker_name', (select x.name from public.agent_workers x where x.id = p_key::uuid))
    else '{}'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_dashboard()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(
    select p.id from public.products p
    where p.archived_at is null and p.id in (select private.accessible_product_ids()));
  v_today timestamptz := date_trunc('day', private.now() at time zone 'UTC') at time zone 'UTC';
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(x) order by lower(x.name), x.id), '[]')
      from (
        select p.id, p.code, p.name, p.description, p.owner_id = auth.uid() as is_owner,
          (select count(*) from public.stories s where s.product_id = p.id and s.status = 'OPEN') as open_stories,
          (
            select row_to_json(a)
            from (
              select s.id, s.code, s.sprint_goal, s.end_date,
                (
                  select coalesce(json_agg(t.status order by st.sort_order, t.sort_order), '[]')
                  from public.tasks t join public.stories st on st.id = t.story_id
                  where st.sprint_id = s.id) as task_statuses
              from public.sprints s where s.product_id = p.id and s.status = 'ACTIVE'
            ) a
          ) as active_sprint,
          (
            select row_to_json(r)
            from (
              select r.id, lower(r.status::text) as status, r.started_at, r.created_at,
                (
                  select coalesce(json_agg(j.status order by j.position, j.id), '[]')
                  from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
              from public.sprint_runs r
              where r.product_id = p.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
              order by r.created_at desc
              limit 1
            ) r
          ) as run
        from public.products p
        where p.id = any (v_products)
      ) x),
    'added_to', (
      select coalesce(json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name,
        'owner_username', private.username(p.owner_id)) order by m.created_at, p.id), '[]')
      from public.product_members m
      join public.products p on p.id = m.product_id
      where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and p.id = any (v_products)),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at), '[]')
      from (
        select q.* from public.agent_questions q
        where q.status = 'OPEN' and q.expires_at > private.now() and q.product_id = any (v_products)
        order by q.created_at
        limit 5
      ) q),
    'reviews', (
      select coalesce(json_agg(row_to_json(t) order by t.changed_at desc), '[]')
      from (
        select t.id, t.code, t.title, p.name as product_name, t.updated_at as changed_at
        from public.tasks t join public.products p on p.id = t.product_id
        where t.status = 'REVIEW' and t.product_id = any (v_products)
        order by t.updated_at desc
        limit 5
      ) t),
    'costs_today', (
      select coalesce(json_agg(json_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
      from (
        select e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = any (v_products) and e.created_at >= v_today and e.cost is not null
        group by e.currency
      ) s),
    'done_today', (
      select count(distinct c.task_id) from public.task_status_changes c
      where c.product_id = any (v_products) and c.changed_at >= v_today and c.to_status = 'DONE'),
    'workers_online', (
      select count(*) from public.agent_workers w
      where w.stopped_at is null and w.last_seen_at > private.now() - interval '3 minutes')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_job_usage(p_job_id uuid, p_attempt integer, p_model_id text DEFAULT NULL::text, p_input_tokens bigint DEFAULT NULL::bigint, p_output_tokens bigint DEFAULT NULL::bigint, p_cache_read_tokens bigint DEFAULT NULL::bigint, p_cache_write_tokens bigint DEFAULT NULL::bigint, p_events jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.report_job_usage(p_job_id, p_attempt, p_model_id,
    p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens, p_events);
end;
$function$;

ALTER TABLE "public"."usage_events" ADD CONSTRAINT "usage_events_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_events" ADD CONSTRAINT "usage_events_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."usage_events" ADD CONSTRAINT "usage_events_sprint_run_id_fkey" FOREIGN KEY (sprint_run_id) REFERENCES public.sprint_runs(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_events" ADD CONSTRAINT "usage_events_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_events" ADD CONSTRAINT "usage_events_worker_id_fkey" FOREIGN KEY (worker_id) REFERENCES public.agent_workers(id) ON DELETE SET NULL;

CREATE INDEX usage_events_sprint_run_id_idx ON public.usage_events USING btree (sprint_run_id);

CREATE INDEX usage_events_task_id_idx ON public.usage_events USING btree (task_id);

CREATE INDEX usage_events_worker_id_idx ON public.usage_events USING btree (worker_id);

CREATE POLICY "usage_events_select" ON "public"."usage_events" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON FUNCTION "private"."attempt_usage_json"(uuid, integer) IS 'Tokens and cost of one attempt (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."costs_of"(uuid, uuid) IS 'What a run or product cost, one sum a currency (specification: Model price).';

COMMENT ON FUNCTION "private"."job_costs"(uuid) IS 'What a job cost, one sum a currency (specification: Model price).';

COMMENT ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, text, bigint, bigint, bigint, bigint, jsonb) IS 'Tokens and model of a job as the sum of its ledger (specification: Agent job).';

COMMENT ON FUNCTION "private"."record_usage_event"(public.agent_jobs, integer, jsonb) IS 'Writes one line of the ledger with the rates of this moment (specification: Agent job, token usage; Model price).';

COMMENT ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, text, bigint, bigint, bigint, bigint) IS 'Writes what a total of an attempt adds to the ledger (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."usage_by"(uuid, uuid) IS 'Tokens and cost by model, day, sprint, run, story, task and worker (specification: Agent job; Model price).';

COMMENT ON FUNCTION "private"."usage_key_json"(text, text) IS 'What a sum of private.usage_by is about, in ids and names.';

COMMENT ON FUNCTION "public"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint, jsonb) IS 'Token usage of a job (specification: Agent job).';

COMMENT ON TABLE "public"."usage_events" IS 'Tokens and cost of agents, written once with the prices of the moment (specification: Agent job, token usage; Model price).';

REVOKE ALL ON FUNCTION "private"."attempt_usage_json"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."attempt_usage_json"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."costs_of"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."costs_of"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_costs"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_costs"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, text, bigint, bigint, bigint, bigint, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, text, bigint, bigint, bigint, bigint, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_usage_event"(public.agent_jobs, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."record_usage_event"(public.agent_jobs, integer, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, text, bigint, bigint, bigint, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, text, bigint, bigint, bigint, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."usage_key_json"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."usage_key_json"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint, jsonb) TO "authenticated", "postgres", "service_role";

GRANT SELECT ON TABLE "public"."usage_events" TO "authenticated";

GRANT ALL ON TABLE "public"."usage_events" TO "postgres", "service_role";

CREATE INDEX usage_events_product_id_idx ON public.usage_events USING btree (product_id, created_at);

-- What was used before the ledger: one line a job, with the price of its model as it is now.
insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id,
  input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, rates, cost, currency, source, created_at)
select j.product_id, j.id, j.task_id, j.sprint_run_id, j.worker_id, greatest(j.attempt, 1), -1, j.model_id,
  j.input_tokens, j.output_tokens, j.cache_read_tokens, j.cache_write_tokens,
  case when m.model_id is not null then jsonb_build_object('input', m.input_per_million, 'output', m.output_per_million,
    'cache_read', m.cache_read_per_million, 'cache_write', m.cache_write_per_million, 'currency', m.currency) end,
  (coalesce(j.input_tokens, 0) * m.input_per_million + coalesce(j.output_tokens, 0) * m.output_per_million
    + coalesce(j.cache_read_tokens, 0) * m.cache_read_per_million
    + coalesce(j.cache_write_tokens, 0) * m.cache_write_per_million) / 1000000,
  m.currency, case when m.model_id is null then 'unpriced' else 'list_price' end, coalesce(j.finished_at, j.updated_at)
from public.agent_jobs j
left join public.model_prices m on m.model_id = j.model_id
where num_nonnulls(j.input_tokens, j.output_tokens, j.cache_read_tokens, j.cache_write_tokens) > 0;
