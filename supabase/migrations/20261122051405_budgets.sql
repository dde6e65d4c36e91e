-- Why: what work may cost. Budgets of products, sprints, runs and tasks with their reservations, what attempts have used so far, and
-- the places in claims, heartbeats and pauses that ask for them. Products without a budget notice nothing.
set local check_function_bodies = off;

ALTER TABLE "public"."job_attempts" DROP CONSTRAINT "job_attempts_outcome_known";

ALTER TABLE "public"."notices" DROP CONSTRAINT "notices_kind";

DROP FUNCTION "private"."heartbeat_agent_job"(uuid, integer, integer);

DROP FUNCTION "private"."nothing_to_claim"(uuid, uuid);

DROP FUNCTION "private"."start_sprint_run"(uuid);

DROP FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb);

DROP FUNCTION "public"."heartbeat_agent_job"(uuid, integer, integer);

DROP FUNCTION "public"."start_sprint_run"(uuid);

CREATE TABLE "public"."budget_reservations" ("job_id" uuid NOT NULL, "unit" text NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "amount" numeric(20,6) NOT NULL DEFAULT 0, "seen" numeric(20,6) NOT NULL DEFAULT 0, "step" numeric(20,6) NOT NULL DEFAULT 0, CONSTRAINT "budget_reservations_pkey" PRIMARY KEY (job_id, unit));

ALTER TABLE "public"."budget_reservations" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."budget_settings" ("product_id" uuid NOT NULL, "time_zone" text NOT NULL DEFAULT 'UTC'::text, "unreported" text NOT NULL DEFAULT 'allow'::text, "expected_tokens" bigint NOT NULL DEFAULT 200000, "expected_cost" numeric(16,6) NOT NULL DEFAULT 1, CONSTRAINT "budget_settings_expected_cost_positive" CHECK ((expected_cost > (0)::numeric)), CONSTRAINT "budget_settings_expected_tokens_positive" CHECK ((expected_tokens > 0)), CONSTRAINT "budget_settings_pkey" PRIMARY KEY (product_id), CONSTRAINT "budget_settings_time_zone_length" CHECK (((char_length(time_zone) >= 1) AND (char_length(time_zone) <= 64))), CONSTRAINT "budget_settings_unreported_known" CHECK ((unreported = ANY (ARRAY['allow'::text, 'refuse'::text]))));

ALTER TABLE "public"."budget_settings" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."budgets" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "scope" text NOT NULL, "period" text, "sprint_id" uuid, "sprint_run_id" uuid, "task_id" uuid, "unit" text NOT NULL, "amount" numeric(20,6) NOT NULL, "spent_before" numeric(20,6) NOT NULL DEFAULT 0, "due_at" timestamp with time zone, "reached_at" timestamp with time zone, "warned_at" timestamp with time zone, "overshoot" numeric(20,6) NOT NULL DEFAULT 0, "finish_job_ids" uuid[] NOT NULL DEFAULT '{}'::uuid[], "created_by" uuid, CONSTRAINT "budgets_amount_range" CHECK (((amount > (0)::numeric) AND (amount <= ('1000000000000'::bigint)::numeric))), CONSTRAINT "budgets_one_each" UNIQUE NULLS NOT DISTINCT (product_id, scope, period, sprint_id, sprint_run_id, task_id, unit), CONSTRAINT "budgets_period_known" CHECK ((period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text]))), CONSTRAINT "budgets_pkey" PRIMARY KEY (id), CONSTRAINT "budgets_scope_known" CHECK ((scope = ANY (ARRAY['product'::text, 'sprint'::text, 'run'::text, 'task'::text]))), CONSTRAINT "budgets_scope_target" CHECK (((num_nonnulls(sprint_id, sprint_run_id, task_id) =
CASE scope
    WHEN 'product'::text THEN 0
    ELSE 1
END) AND ((scope = 'product'::text) = (period IS NOT NULL)) AND ((scope = 'sprint'::text) = (sprint_id IS NOT NULL)) AND ((scope = 'run'::text) = (sprint_run_id IS NOT NULL)) AND ((scope = 'task'::text) = (task_id IS NOT NULL)))), CONSTRAINT "budgets_unit_form" CHECK (((unit = 'tokens'::text) OR (unit ~ '^[A-Z]{3}$'::text))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."budgets" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."usage_so_far" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "model_id" text NOT NULL DEFAULT ''::text, "after_seq" bigint NOT NULL DEFAULT 0, "product_id" uuid NOT NULL, "task_id" uuid, "sprint_run_id" uuid, "worker_id" uuid, "input_tokens" bigint, "output_tokens" bigint, "cache_read_tokens" bigint, "cache_write_tokens" bigint, "reported_cost" numeric(16,8), "rates" jsonb, "cost" numeric(16,8), "currency" text, "source" text NOT NULL, "subscription" boolean NOT NULL DEFAULT false, CONSTRAINT "usage_so_far_currency_form" CHECK ((currency ~ '^[A-Z]{3}$'::text)), CONSTRAINT "usage_so_far_model_id_length" CHECK ((char_length(model_id) <= 200)), CONSTRAINT "usage_so_far_pkey" PRIMARY KEY (job_id, attempt, model_id), CONSTRAINT "usage_so_far_source_known" CHECK ((source = ANY (ARRAY['reported'::text, 'list_price'::text, 'unpriced'::text]))), "told_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."usage_so_far" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "stopped_by_budget_id" uuid;

ALTER TABLE "public"."usage_events" ADD COLUMN "subscription" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.act_on_budget_answer(p_question public.agent_questions, p_option integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_budget public.budgets;
begin
  select r.* into v_run from public.sprint_runs r
  where r.pause_question_id = p_question.id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  if not found then
    return;
  end if;
  perform private.require_person();
  if p_option is null then
    perform private.refuse(422, 'Choose one of the options: raise the budget, finish, or stop.');
  end if;
  if p_option = 2 then
    perform private.end_run(v_run, 'CANCELLED', 'The run was stopped at its budget.', null);
    return;
  end if;

  perform private.require_product_owner(p_question.product_id);
  select b.* into v_budget from public.budgets b where b.id = (v_run.pause_context ->> 'budget_id')::uuid;
  if p_option = 0 then
    perform private.raise_budget(v_budget, v_budget.amount + (v_run.pause_context ->> 'raise_by')::numeric);
    perform private.settle_budgets(p_question.product_id);
    return;
  end if;
  v_run := private.continue_run(v_run);
  update public.budgets b
  set finish_job_ids = private.jobs_to_finish(v_run, v_budget)
  where b.id = v_budget.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.answer_question(p_question_id uuid, p_answer text, p_option integer)
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
      when 'CANCELLED' then 'This question was cancelled; the agent does not wait for it any more.'
      else 'This question has expired.' end);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answer = v_answer, answered_by = auth.uid(), answered_at = private.now()
  where q.id = p_question_id
  returning q.* into v_question;
  perform private.unpark_job(v_question);
  perform private.act_on_budget_answer(v_question, p_option);
  return private.question_json(v_question);
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
    when p_job.failure_class = 'rate_limited' then 'requeued'
    when exists (select from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt and a.outcome = 'done') then 'handed_over'
    when num_nonnulls(p_job.parked_question_id, p_job.stopped_by_budget_id) > 0 and p_job.failure_class is null then 'parked'
    else 'lost'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempt_used(p_job_id uuid, p_attempt integer, p_unit text)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(sum(case when p_unit = 'tokens' then u.tokens when u.currency = p_unit then u.cost end), 0)
    from private.known_usage u where u.job_id = p_job_id and u.attempt = p_attempt
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_amount_text(p_amount numeric, p_unit text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when p_unit = 'tokens' then to_char(p_amount, 'FM999999999999990') || ' tokens'
    else to_char(p_amount, case when abs(p_amount) < 1 and p_amount <> round(p_amount, 2)
      then 'FM999999999990.0000' else 'FM999999999990.00' end) || ' ' || p_unit end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_at_work(p_budget public.budgets, p_except uuid DEFAULT NULL::uuid, OUT jobs integer, OUT reserved numeric)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  select count(*), coalesce(sum(greatest(coalesce(r.amount, 0)
    - private.attempt_used(j.id, j.attempt, p_budget.unit), 0)), 0)
  into jobs, reserved
  from public.agent_jobs j
  left join public.budget_reservations r on r.job_id = j.id and r.unit = p_budget.unit and r.attempt = j.attempt
  where j.product_id = p_budget.product_id and j.status in ('CLAIMED', 'RUNNING') and j.id is distinct from p_except
    and private.budget_covers(p_budget, j);
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_covers(p_budget public.budgets, p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case p_budget.scope
    when 'product' then p_budget.product_id = p_job.product_id
    when 'run' then p_budget.sprint_run_id = p_job.sprint_run_id
    when 'task' then p_budget.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION'
    else p_budget.sprint_id = (select r.sprint_id from public.sprint_runs r where r.id = p_job.sprint_run_id)
  end is true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_json(p_budget public.budgets)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_window record;
  v_work record;
  v_spent numeric := private.budget_spent(p_budget);
  v_is_reached boolean := private.is_budget_reached(p_budget);
begin
  select * into v_window from private.budget_window(p_budget);
  select * into v_work from private.budget_at_work(p_budget);
  return jsonb_build_object(
    'id', p_budget.id, 'product_id', p_budget.product_id, 'scope', p_budget.scope, 'period', p_budget.period,
    'sprint_id', p_budget.sprint_id, 'sprint_run_id', p_budget.sprint_run_id, 'task_id', p_budget.task_id,
    'name', private.budget_name(p_budget),
    'unit', p_budget.unit, 'amount', p_budget.amount,
    'spent', round(v_spent, 6), 'reserved', round(v_work.reserved, 6), 'at_work', v_work.jobs,
    'left', round(greatest(p_budget.amount - v_spent - v_work.reserved, 0), 6),
    'overshoot', round(greatest(p_budget.overshoot, v_spent - p_budget.amount, 0), 6),
    'state', case when v_is_reached then 'reached' when v_spent >= 0.8 * p_budget.amount then 'warning' else 'open' end,
    'from_at', nullif(v_window.from_at, '-infinity'), 'until_at', v_window.until_at,
    'created_at', p_budget.created_at, 'updated_at', p_budget.updated_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_name(p_budget public.budgets)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case p_budget.scope
    when 'run' then format('this run of sprint %s', (
      select s.code from public.sprint_runs r join public.sprints s on s.id = r.sprint_id where r.id = p_budget.sprint_run_id))
    when 'sprint' then format('sprint %s', (select s.code from public.sprints s where s.id = p_budget.sprint_id))
    when 'task' then format('task %s', (select t.code from public.tasks t where t.id = p_budget.task_id))
    else format('product %s for this %s', (select p.code from public.products p where p.id = p_budget.product_id), p_budget.period)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_need(p_job public.agent_jobs, p_usage jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_kept public.budget_reservations;
  v_new numeric;
  v_used numeric;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    select r.* into v_kept from public.budget_reservations r
    where r.job_id = p_job.id and r.unit = v_budget.unit and r.attempt = p_job.attempt;
    v_used := private.attempt_used(p_job.id, p_job.attempt, v_budget.unit);
    v_new := greatest(0, private.usage_in_unit(p_usage, v_budget.unit) - (
      select coalesce(sum(case when v_budget.unit = 'tokens'
        then coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(s.cache_write_tokens, 0)
        when s.currency = v_budget.unit and not s.subscription then s.cost end), 0)
      from public.usage_so_far s where s.job_id = p_job.id and s.attempt = p_job.attempt));
    v_used := v_used + v_new;
    if v_used > 0 and v_used + greatest(coalesce(v_kept.step, 0), v_used - coalesce(v_kept.seen, 0)) > coalesce(v_kept.amount, 0)
      or private.budget_spent(v_budget) + v_new >= v_budget.amount then
      return v_budget.id;
    end if;
  end loop;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_raise(p_budget public.budgets)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_least numeric := greatest(p_budget.amount / 4, private.expected_use(p_budget.product_id, p_budget.unit, null),
    private.budget_spent(p_budget) - p_budget.amount);
  v_grain numeric := power(10::numeric, floor(log(v_least))) / 2;
begin
  return trim_scale(ceil(v_least / v_grain) * v_grain);
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_spent numeric;
  v_work record;
  v_need numeric;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    v_spent := private.budget_spent(v_budget);
    select * into v_work from private.budget_at_work(v_budget);
    v_need := private.expected_use(p_job.product_id, v_budget.unit, p_job.model_id);
    if private.is_budget_reached(v_budget)
      or (v_budget.amount - v_spent - v_work.reserved < v_need
        and (v_work.jobs > 0 or v_budget.amount - v_spent - v_work.reserved <= v_need / 10)) then
      return jsonb_build_array(jsonb_build_object('code', 'budget',
        'message', format('The budget of %s has %s of %s left%s; a task usually needs %s.', private.budget_name(v_budget),
          private.budget_amount_text(greatest(v_budget.amount - v_spent - v_work.reserved, 0), v_budget.unit),
          private.budget_amount_text(v_budget.amount, v_budget.unit),
          case when v_work.reserved > 0
            then format(', %s are reserved by jobs at work', private.budget_amount_text(v_work.reserved, v_budget.unit)) else '' end,
          private.budget_amount_text(round(v_need, 6), v_budget.unit)),
        'budget_id', v_budget.id, 'unit', v_budget.unit, 'amount', v_budget.amount, 'spent', round(v_spent, 6),
        'reserved', round(v_work.reserved, 6), 'expected', round(v_need, 6)));
    end if;
  end loop;
  return '[]';
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_settings_of(p_product_id uuid)
 RETURNS public.budget_settings
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_settings public.budget_settings;
begin
  select s.* into v_settings from public.budget_settings s where s.product_id = p_product_id;
  if not found then
    v_settings := (p_product_id, 'UTC', 'allow', 200000, 1);
  end if;
  return v_settings;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_spent(p_budget public.budgets)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_window record;
  v_is_tokens boolean := p_budget.unit = 'tokens';
  v_spent numeric;
begin
  if p_budget.scope = 'run' then
    select sum(case when v_is_tokens then u.tokens when u.currency = p_budget.unit then u.cost end) into v_spent
    from private.known_usage u where u.sprint_run_id = p_budget.sprint_run_id;
  elsif p_budget.scope = 'task' then
    select sum(case when v_is_tokens then u.tokens when u.currency = p_budget.unit then u.cost end) into v_spent
    from private.known_usage u
    join public.agent_jobs j on j.id = u.job_id
    where u.task_id = p_budget.task_id and j.kind = 'TASK_IMPLEMENTATION';
  elsif p_budget.scope = 'sprint' then
    select sum(case when v_is_tokens then u.tokens when u.currency = p_budget.unit then u.cost end) into v_spent
    from private.known_usage u
    where u.sprint_run_id in (select r.id from public.sprint_runs r where r.sprint_id = p_budget.sprint_id);
  else
    select * into v_window from private.budget_window(p_budget);
    select sum(case when v_is_tokens then u.tokens when u.currency = p_budget.unit then u.cost end) into v_spent
    from private.known_usage u where u.product_id = p_budget.product_id and u.created_at >= v_window.from_at;
  end if;
  return p_budget.spent_before + coalesce(v_spent, 0);
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_window(p_budget public.budgets, OUT from_at timestamp with time zone, OUT until_at timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_zone text := (private.budget_settings_of(p_budget.product_id)).time_zone;
  v_local timestamp := date_trunc(p_budget.period, private.now() at time zone v_zone);
begin
  from_at := coalesce(v_local at time zone v_zone, '-infinity');
  until_at := (v_local + ('1 ' || p_budget.period)::interval) at time zone v_zone;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_webhook(p_url text, p_events jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_known jsonb := '["question_opened", "question_answered", "question_expired", "run_paused", "run_failed", "run_done", "review_needed", "budget_warning"]';
  v_events jsonb := coalesce(p_events, v_known);
begin
  if p_url is not null and (p_url !~ '^https?://[^/]+' or char_length(p_url) > 2000) then
    perform private.refuse(422, 'url must be an https address of at most 2000 characters.');
  end if;
  if jsonb_typeof(v_events) <> 'array' or jsonb_array_length(v_events) = 0 or not v_known @> v_events then
    perform private.refuse(422, 'events must name at least one of question_opened, question_answered, question_expired, run_paused, run_failed, run_done, review_needed, budget_warning.');
  end if;
  return (select jsonb_agg(distinct e) from jsonb_array_elements(v_events) e);
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
  v_full_budgets uuid[];
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
    v_full_budgets := private.weigh_budgets(v_product_id, v_worker.id, v_tried = '{}');
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_full_budgets is not null and v_job.id is not null then
    perform private.reserve_budget(v_job);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', private.nothing_to_claim(v_user_id, p_product_id, v_full_budgets));
  end if;
  return json_build_object('job', private.job_payload(v_job), 'worker_id', v_worker.id, 'reason', null);
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
  perform private.complete_run(p_run.id);

  select r.* into v_run from public.sprint_runs r where r.id = p_run.id;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.delete_budget(p_product_id uuid, p_budget_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_person();
  select b.* into v_budget from public.budgets b where b.id = p_budget_id and b.product_id = p_product_id;
  if not found then
    return json_build_object('id', p_budget_id, 'removed', false);
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'budget.removed', jsonb_build_object('product_id', p_product_id,
    'budget', private.budget_name(v_budget), 'unit', v_budget.unit, 'amount', v_budget.amount));
  delete from public.budgets b where b.id = p_budget_id;
  perform private.settle_budgets(p_product_id);
  return json_build_object('id', p_budget_id, 'removed', true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.expected_use(p_product_id uuid, p_unit text, p_model_id text)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_expected numeric;
  v_settings public.budget_settings;
begin
  select coalesce(
    case when count(*) filter (where x.model_id = p_model_id) >= 3
      then percentile_cont(0.5) within group (order by x.used) filter (where x.model_id = p_model_id) end,
    case when count(*) >= 3 then percentile_cont(0.5) within group (order by x.used) end)
  into v_expected
  from (
    select f.model_id, f.used from private.finished_use(p_product_id, p_unit) f limit 100
  ) x;
  if v_expected > 0 then
    return v_expected;
  end if;
  v_settings := private.budget_settings_of(p_product_id);
  return case when p_unit = 'tokens' then v_settings.expected_tokens else v_settings.expected_cost end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finished_use(p_product_id uuid, p_unit text)
 RETURNS TABLE(job_id uuid, task_id uuid, model_id text, used numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.id, j.task_id, j.model_id, u.used
    from public.agent_jobs j
    cross join lateral (
      select sum(case when p_unit = 'tokens' then k.tokens when k.currency = p_unit then k.cost end)::numeric as used
      from private.known_usage k where k.job_id = j.id
    ) u
    where j.product_id = p_product_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE' and u.used is not null
    order by j.created_at desc, j.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.fits_budgets(p_job_id uuid, p_full uuid[])
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return not exists (
    select from public.agent_jobs j
    join public.budgets b on b.id = any (p_full) and j.id <> all (b.finish_job_ids)
    where j.id = p_job_id and private.budget_covers(b, j)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_budgets(p_product_id uuid, p_sprint_run_id uuid, p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_settings public.budget_settings;
begin
  perform private.require_product_access(p_product_id);
  v_settings := private.budget_settings_of(p_product_id);
  return json_build_object('product_id', p_product_id,
    'may_set', private.may_set_budgets(p_product_id),
    'settings', to_jsonb(v_settings) - 'product_id',
    'budgets', (
      select coalesce(json_agg(private.budget_json(b) order by array_position(array['run', 'sprint', 'task', 'product'], b.scope),
        array_position(array['day', 'week', 'month'], b.period), b.unit, b.created_at), '[]')
      from public.budgets b
      where b.product_id = p_product_id
        and case b.scope
          when 'product' then true
          when 'run' then case
            when p_sprint_run_id is not null then b.sprint_run_id = p_sprint_run_id
            when p_sprint_id is not null then false
            else (select r.finished_at is null from public.sprint_runs r where r.id = b.sprint_run_id) end
          when 'sprint' then case
            when p_sprint_run_id is not null
              then b.sprint_id = (select r.sprint_id from public.sprint_runs r where r.id = p_sprint_run_id)
            when p_sprint_id is not null then b.sprint_id = p_sprint_id
            else (select s.status in ('PLANNED', 'ACTIVE', 'FAILED') from public.sprints s where s.id = b.sprint_id) end
          else case
            when p_sprint_run_id is not null then exists (
              select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.task_id = b.task_id)
            when p_sprint_id is not null then exists (
              select from public.tasks t join public.stories s on s.id = t.story_id where t.id = b.task_id and s.sprint_id = p_sprint_id)
            else (select t.status <> 'DONE' from public.tasks t where t.id = b.task_id) end
        end));
end;
$function$;

CREATE OR REPLACE FUNCTION private.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer, p_usage jsonb)
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
begin
  perform private.require_job(p_job_id);
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
    if v_state = 'parked' and v_job.stopped_by_budget_id is not null then
      v_state := 'budget';
    end if;
    return json_build_object('action', 'stop', 'status', lower(v_job.status::text), 'lease_until', null,
      'reason', json_build_object('code', v_state, 'message', case v_state
        when 'cancelled' then 'The job was cancelled' || coalesce(': ' || v_job.failure_reason, '.')
        when 'finished' then format('The job is already %s.', lower(v_job.status::text))
        when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
        when 'budget' then 'A budget is reached. The job waits for a person.'
        when 'parked' then 'The job waits for the answer to a question.'
        when 'requeued' then 'The job went back to the queue until the rate limit ends.'
        else format('Attempt %s no longer holds this job.', coalesce(p_attempt::text, '?')) end));
  end if;

  v_spent_up := private.heed_budget(v_job, p_usage);
  if v_spent_up is not null then
    return json_build_object('action', 'stop', 'status', 'queued', 'lease_until', null,
      'reason', json_build_object('code', 'budget', 'message', v_spent_up));
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

CREATE OR REPLACE FUNCTION private.heed_budget(p_job public.agent_jobs, p_usage jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_is_locked boolean := current_setting('backloom.locked_product', true) = p_job.product_id::text;
  v_step numeric;
  v_left numeric;
  v_others integer;
begin
  if jsonb_typeof(p_usage -> 'models') = 'array' then
    perform private.note_usage_so_far(p_job, p_usage);
  end if;
  if not exists (select from public.budgets b where b.product_id = p_job.product_id) then
    return null;
  end if;

  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    v_step := private.note_budget_step(p_job, v_budget.unit);
    select v_budget.amount - private.budget_spent(v_budget) - w.reserved, w.jobs into v_left, v_others
    from private.budget_at_work(v_budget, p_job.id) w;
    perform private.warn_of_budget(v_budget, private.budget_spent(v_budget));
    continue when not v_is_locked;
    if v_left <= 0 or (v_others > 0 and v_left < v_step and private.budget_need(p_job, null) is not null) then
      return private.stop_for_budget(p_job, v_budget);
    end if;
    update public.budget_reservations r
    set amount = private.attempt_used(p_job.id, p_job.attempt, r.unit)
      + least(v_left, greatest(2 * v_step, private.expected_use(p_job.product_id, r.unit, p_job.model_id) / 2))
    where r.job_id = p_job.id and r.unit = v_budget.unit and r.attempt = p_job.attempt
      and r.amount < private.attempt_used(p_job.id, p_job.attempt, r.unit) + v_step;
  end loop;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_budget_reached(p_budget public.budgets)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_budget.reached_at is not null and p_budget.reached_at >= (private.budget_window(p_budget)).from_at;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_reasons jsonb := '[]';
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
  v_worker record;
  v_pbi record;
begin
  if not private.may_read_talk(p_job) then
    p_job.failure_reason := null;
  end if;
  if p_job.status in ('DONE', 'SKIPPED', 'CANCELLED', 'FAILED') then
    return jsonb_build_array(jsonb_build_object(
      'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
        then 'budget' else 'finished' end,
      'message', format('The job is %s%s', lower(p_job.status::text), coalesce(': ' || p_job.failure_reason, '.')),
      'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        to_char(p_job.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), p_job.attempt,
        case when p_job.lease_until <= v_now then '; the lease has run out and the job is taken back within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;

  if p_job.phase = 'review' then
    return jsonb_build_array(jsonb_build_object('code', 'review',
      'message', 'The work is done and waits for a person to review it.', 'task_id', p_job.task_id));
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.status = 'PAUSED' then
    v_reasons := v_reasons || jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can go on.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id);
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
  if v_question.status = 'OPEN' and not (v_question.on_expiry = 'RECOMMENDED' and v_question.expires_at <= v_now) then
    v_reasons := v_reasons || jsonb_build_object('code', 'question',
      'message', format(case when v_question.expires_at <= v_now then 'The question that it waits for was not answered in time: %s'
        else 'It waits for the answer to a question: %s' end, case when private.may_read_talk(p_job) then left(v_question.question, 300) else 'of its own.' end),
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at);
  end if;
  if p_job.not_before > v_now then
    v_reasons := v_reasons || jsonb_build_object('code', 'not_before',
      'message', format('A rate limit holds it back until %s.', to_char(p_job.not_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      'not_before', p_job.not_before);
  end if;
  if p_job.open_blockers > 0 then
    v_reasons := v_reasons || private.job_dependency_reasons(p_job);
  end if;
  v_reasons := v_reasons || private.budget_reasons(p_job);
  if not p_job.in_turn then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.position limit 1;
    v_reasons := v_reasons || jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id);
  end if;
  select b.id, b.code into v_pbi
  from public.tasks t join public.stories s on s.id = t.story_id join public.pbis b on b.id = s.pbi_id
  where t.id = p_job.task_id and b.status = 'BLOCKED';
  if found then
    v_reasons := v_reasons || jsonb_build_object('code', 'blocked', 'blocking', false,
      'message', format('PBI %s was blocked after the run began; the job is still given out.', v_pbi.code), 'pbi_id', v_pbi.id);
  end if;
  if exists (select from public.products p where p.id = p_job.product_id and p.archived_at is not null) then
    v_reasons := v_reasons || jsonb_build_object('code', 'archived', 'message', 'The product is archived.');
  end if;
  v_reasons := v_reasons || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    v_reasons := jsonb_build_array(jsonb_build_object('code', 'ready', 'message', 'Ready: the next free worker takes it.'));
  end if;
  return v_reasons;
end;
$function$;

CREATE OR REPLACE FUNCTION private.jobs_to_finish(p_run public.sprint_runs, p_budget public.budgets)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_begun uuid[] := array(
    select j.id from public.agent_jobs j
    where j.sprint_run_id = p_run.id
      and (j.status in ('CLAIMED', 'RUNNING') or (j.status = 'QUEUED' and j.stopped_by_budget_id = p_budget.id)));
begin
  if v_begun <> '{}' then
    return v_begun;
  end if;
  return array(
    select j.id from public.agent_jobs j
    where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.in_turn
    order by j.claim_rank, j.created_at, j.position, j.id limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_usage_so_far(p_job_id uuid, p_attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with told as (
    delete from public.usage_so_far s where s.job_id = p_job_id and s.attempt = p_attempt returning s.*
  )
  insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id, input_tokens,
    output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, estimated, subscription)
  select t.product_id, t.job_id, t.task_id, t.sprint_run_id, t.worker_id, t.attempt,
    least(coalesce((
      select min(e.seq) from public.usage_events e where e.job_id = p_job_id and e.attempt = p_attempt), 0), 0)
      - row_number() over (order by t.model_id),
    nullif(t.model_id, ''), t.input_tokens, t.output_tokens, t.cache_read_tokens, t.cache_write_tokens, t.reported_cost, t.rates,
    t.cost, t.currency, t.source, true, t.subscription
  from told t;
  if found then
    perform private.sum_usage(p_job_id, null);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_for_budget(p_job_id uuid, p_attempt integer, p_usage jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j
  where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING');
  if v_job.id is not null and private.budget_need(v_job, p_usage) is not null then
    perform private.lock_product(v_job.product_id);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.may_set_budgets(p_product_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.product_members m
    join public.products p on p.id = m.product_id
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER' and p.archived_at is null
  ) and not private.is_demo()
    and coalesce(nullif(current_setting('request.jwt.claims', true), '')::jsonb ? 'token_id', false) = false;
end;
$function$;

CREATE OR REPLACE FUNCTION private.model_of_worker(p_worker_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select e.model_id from public.usage_events e
    where e.worker_id = p_worker_id and e.model_id is not null order by e.id desc limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_budget_step(p_job public.agent_jobs, p_unit text)
 RETURNS numeric
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_used numeric := private.attempt_used(p_job.id, p_job.attempt, p_unit);
  v_step numeric;
begin
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, seen, step)
  values (p_job.id, p_unit, p_job.attempt, p_job.product_id, v_used, v_used)
  on conflict (job_id, unit) do update
  set step = case when r.attempt = excluded.attempt then greatest(r.step, v_used - r.seen) else v_used end,
      amount = case when r.attempt = excluded.attempt then r.amount else 0 end,
      seen = v_used, attempt = excluded.attempt
  returning r.step into v_step;
  return v_step;
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_usage_so_far(p_job public.agent_jobs, p_usage jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_after bigint := coalesce((p_usage ->> 'after_seq')::bigint, 0);
begin
  delete from public.usage_so_far s where s.job_id = p_job.id and s.attempt = p_job.attempt and s.after_seq < v_after;
  if exists (
    select from public.usage_events e where e.job_id = p_job.id and e.attempt = p_job.attempt and e.seq > v_after
  ) then
    return;
  end if;
  insert into public.usage_so_far as s (job_id, attempt, model_id, after_seq, product_id, task_id, sprint_run_id, worker_id,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, subscription)
  select distinct on (x.model_id) p_job.id, p_job.attempt, x.model_id, v_after, p_job.product_id, p_job.task_id,
    p_job.sprint_run_id, p_job.worker_id, e.input_tokens, e.output_tokens, e.cache_read_tokens, e.cache_write_tokens,
    (u.value ->> 'cost')::numeric, p.rates, p.cost, p.currency, p.source, coalesce((u.value ->> 'subscription')::boolean, false)
  from jsonb_array_elements(p_usage -> 'models') u
  cross join lateral jsonb_to_record(u.value)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint)
  cross join lateral (select coalesce(left(u.value ->> 'model_id', 200), '') as model_id) x
  cross join lateral private.price_usage(u.value) p
  on conflict (job_id, attempt, model_id) do update
  set after_seq = excluded.after_seq, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
      cache_read_tokens = excluded.cache_read_tokens, cache_write_tokens = excluded.cache_write_tokens,
      reported_cost = excluded.reported_cost, rates = excluded.rates, cost = excluded.cost, currency = excluded.currency,
      source = excluded.source, subscription = excluded.subscription, told_at = private.now();
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_user_id uuid, p_product_id uuid, p_full_budgets uuid[] DEFAULT NULL::uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting record;
  v_closed jsonb;
begin
  select count(*) filter (where j.status = 'QUEUED') as queued,
    count(*) filter (where j.status = 'QUEUED' and r.status = 'PAUSED') as paused,
    count(*) filter (where j.status = 'QUEUED' and q.status = 'OPEN') as asked,
    count(*) filter (where j.status = 'QUEUED' and j.not_before > private.now()) as delayed,
    count(*) filter (where j.status = 'QUEUED' and not j.in_turn) as in_order,
    count(*) filter (where j.status = 'QUEUED' and j.phase = 'review') as in_review,
    count(*) filter (where j.status = 'QUEUED' and j.phase = 'verify') as to_verify,
    count(*) filter (where j.status = 'QUEUED' and j.in_turn and j.open_blockers > 0) as blocked,
    count(*) filter (where j.status in ('CLAIMED', 'RUNNING')) as held
  into v_waiting
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    and (m.workers_allowed or p_product_id is not null)
  left join public.sprint_runs r on r.id = j.sprint_run_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('Jobs wait in %s, where your workers may not work yet. Switch on "My workers may work here" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_waiting.held > 0 then format('; %s held by workers', v_waiting.held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none claimable now: %s wait for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_waiting.held,
      case when p_full_budgets <> '{}' then ' A budget lets nobody begin.' else '' end));
end;
$function$;

CREATE OR REPLACE FUNCTION private.pause_for_budget(p_run public.sprint_runs, p_budget public.budgets, p_job_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_spent numeric := private.budget_spent(p_budget);
  v_raise_by numeric := private.budget_raise(p_budget);
  v_begun text;
  v_context jsonb;
  v_question_id uuid;
begin
  select string_agg(t.code, ', ' order by j.position) into v_begun
  from public.agent_jobs j join public.tasks t on t.id = j.task_id
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.stopped_by_budget_id = p_budget.id;
  v_context := jsonb_build_object('reason', 'budget', 'pr_url', null, 'conflict_files', '[]'::jsonb, 'budget_id', p_budget.id,
    'unit', p_budget.unit, 'amount', p_budget.amount, 'spent', round(v_spent, 6), 'raise_by', v_raise_by);

  insert into public.agent_questions (product_id, story_id, task_id, sprint_run_id, assignee_id, question, options)
  select p_run.product_id, t.story_id, t.id, p_run.id, p.owner_id,
    format('The budget of %s is reached: %s of %s used.%s How should it go on?', private.budget_name(p_budget),
      private.budget_amount_text(v_spent, p_budget.unit), private.budget_amount_text(p_budget.amount, p_budget.unit),
      coalesce(' ' || left(v_begun, 500) || ' was stopped; its work is kept.', '')),
    jsonb_build_array(
      jsonb_build_object('label', 'Raise by ' || private.budget_amount_text(v_raise_by, p_budget.unit),
        'description', 'To ' || private.budget_amount_text(p_budget.amount + v_raise_by, p_budget.unit) || '. The run goes on.'),
      case when v_begun is not null or p_run.pr_strategy = 'SPRINT_BATCH'
        then jsonb_build_object('label', 'Finish what was begun', 'description', 'Whatever it takes; then the run waits again.')
        else jsonb_build_object('label', 'Do one more task', 'description', 'Whatever it takes; then the run waits again.') end,
      jsonb_build_object('label', 'Stop here', 'description', 'The run is cancelled. What is done stays done.'))
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  join public.products p on p.id = p_run.product_id
  where j.sprint_run_id = p_run.id
  order by (j.id is not distinct from p_job_id) desc, (j.stopped_by_budget_id is not null) desc, (j.status = 'QUEUED') desc, j.position
  limit 1
  returning id into v_question_id;

  update public.sprint_runs r
  set status = 'PAUSED', pause_context = v_context, pause_question_id = v_question_id
  where r.id = p_run.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.price_usage(p_usage jsonb, OUT rates jsonb, OUT cost numeric, OUT currency text, OUT source text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_price public.model_prices;
  v_reported numeric := (p_usage ->> 'cost')::numeric;
  v_counts record;
begin
  select m.* into v_price from public.model_prices m where m.model_id = p_usage ->> 'model_id';
  if v_price.model_id is not null then
    rates := jsonb_build_object('input', v_price.input_per_million, 'output', v_price.output_per_million,
      'cache_read', v_price.cache_read_per_million, 'cache_write', v_price.cache_write_per_million, 'currency', v_price.currency);
  end if;
  if v_reported is not null then
    cost := v_reported;
    currency := coalesce(p_usage ->> 'currency', 'USD');
    source := 'reported';
    return;
  end if;
  source := 'unpriced';
  select * into v_counts from jsonb_to_record(p_usage)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint);
  if v_price.model_id is null
    or num_nonnulls(v_counts.input_tokens, v_counts.output_tokens, v_counts.cache_read_tokens, v_counts.cache_write_tokens) = 0 then
    return;
  end if;
  cost := (coalesce(v_counts.input_tokens, 0) * v_price.input_per_million
    + coalesce(v_counts.output_tokens, 0) * v_price.output_per_million
    + coalesce(v_counts.cache_read_tokens, 0) * v_price.cache_read_per_million
    + coalesce(v_counts.cache_write_tokens, 0) * v_price.cache_write_per_million) / 1000000;
  currency := v_price.currency;
  source := 'list_price';
end;
$function$;

CREATE OR REPLACE FUNCTION private.products_past_due()
 RETURNS uuid[]
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  select array(
    select j.product_id from public.agent_jobs j
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= private.now()
    union
    select q.product_id from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at <= private.now() and (q.park or q.on_expiry <> 'STOP')
    union
    select d.product_id from private.products_with_due_budgets() as d (product_id)
    order by 1);
$function$;

CREATE OR REPLACE FUNCTION private.products_with_due_budgets()
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select distinct b.product_id from public.budgets b
    where b.due_at is not null or (b.reached_at is not null and b.period is not null and not private.is_budget_reached(b));
end;
$function$;

CREATE OR REPLACE FUNCTION private.put_budget(p_product_id uuid, p_scope text, p_period text, p_target_id uuid, p_unit text, p_amount numeric)
 RETURNS public.budgets
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_scope text := lower(private.require_choice('scope', p_scope, array['PRODUCT', 'SPRINT', 'RUN', 'TASK']));
  v_period text := lower(private.require_choice('period', p_period, array['DAY', 'WEEK', 'MONTH']));
  v_budget public.budgets;
begin
  if v_scope is null or (v_scope = 'product') <> (v_period is not null) then
    perform private.refuse(422, 'A budget of a product has a period: day, week or month; one of a sprint, run or task has none.');
  end if;
  if (v_scope = 'product') <> (p_target_id is null) then
    perform private.refuse(422, format('Name the %s that the budget is for.', coalesce(v_scope, 'scope')));
  end if;
  if coalesce(p_unit, '') !~ '^(tokens|[A-Z]{3})$' then
    perform private.refuse(422, 'unit is tokens, or a currency as three capital letters.');
  end if;
  if p_amount is null or p_amount <= 0 or p_amount > 1000000000000 then
    perform private.refuse(422, 'amount must be more than 0 and at most 1000000000000.');
  end if;
  if v_scope = 'sprint' and not exists (select from public.sprints s where s.id = p_target_id and s.product_id = p_product_id)
    or v_scope = 'run' and not exists (select from public.sprint_runs r where r.id = p_target_id and r.product_id = p_product_id)
    or v_scope = 'task' and not exists (select from public.tasks t where t.id = p_target_id and t.product_id = p_product_id) then
    perform private.refuse(422, format('There is no such %s in this product.', v_scope));
  end if;

  select b.* into v_budget from public.budgets b
  where b.product_id = p_product_id and b.scope = v_scope and b.period is not distinct from v_period and b.unit = p_unit
    and coalesce(b.sprint_id, b.sprint_run_id, b.task_id) is not distinct from p_target_id;
  if not found then
    insert into public.budgets (product_id, scope, period, sprint_id, sprint_run_id, task_id, unit, amount, due_at, created_by)
    values (p_product_id, v_scope, v_period, case when v_scope = 'sprint' then p_target_id end,
      case when v_scope = 'run' then p_target_id end, case when v_scope = 'task' then p_target_id end, p_unit, p_amount,
      private.now(), auth.uid())
    returning * into v_budget;
    perform private.audit(auth.uid(), auth.uid(), 'budget.set', jsonb_build_object('product_id', p_product_id,
      'budget', private.budget_name(v_budget), 'unit', p_unit, 'amount', p_amount));
  else
    perform private.raise_budget(v_budget, p_amount);
  end if;
  perform private.settle_budgets(p_product_id);
  select b.* into v_budget from public.budgets b where b.id = v_budget.id;
  return v_budget;
end;
$function$;

CREATE OR REPLACE FUNCTION private.raise_budget(p_budget public.budgets, p_amount numeric)
 RETURNS public.budgets
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
begin
  update public.budgets b
  set amount = p_amount, warned_at = case when p_amount > b.amount then null else b.warned_at end,
      overshoot = greatest(b.overshoot, private.budget_spent(b) - b.amount),
      reached_at = case when private.budget_spent(b) < p_amount then null else b.reached_at end,
      due_at = private.now()
  where b.id = p_budget.id
  returning b.* into v_budget;
  perform private.audit(auth.uid(), auth.uid(), 'budget.changed', jsonb_build_object('product_id', v_budget.product_id,
    'budget', private.budget_name(v_budget), 'unit', v_budget.unit, 'from', p_budget.amount, 'to', p_amount));
  return v_budget;
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_usage(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_has_totals boolean := num_nonnulls(p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens,
    p_report.cache_write_tokens) > 0;
begin
  if not v_has_totals and num_nonnulls(p_report.model_id, p_report.events) = 0 then
    return p_job;
  end if;
  if p_report.events is not null then
    perform private.record_usage_event(p_job, p_attempt, e.value) from jsonb_array_elements(p_report.events) e;
  end if;
  perform private.record_usage_total(p_job, p_attempt, p_report);
  delete from public.usage_so_far s
  where s.job_id = p_job.id and s.attempt = p_attempt and (v_has_totals or s.after_seq < (
    select max((e.value ->> 'seq')::bigint) from jsonb_array_elements(p_report.events) e));
  return private.sum_usage(p_job.id, p_report.model_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_usage_event(p_job public.agent_jobs, p_attempt integer, p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_priced record;
begin
  select * into v_priced from private.price_usage(p_event);
  insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, estimated,
    subscription)
  select p_job.product_id, p_job.id, p_job.task_id, p_job.sprint_run_id, p_job.worker_id, p_attempt,
    (p_event ->> 'seq')::bigint, left(p_event ->> 'model_id', 200), e.input_tokens, e.output_tokens, e.cache_read_tokens,
    e.cache_write_tokens, (p_event ->> 'cost')::numeric, v_priced.rates, v_priced.cost, v_priced.currency, v_priced.source,
    coalesce((p_event ->> 'estimated')::boolean, false), coalesce((p_event ->> 'subscription')::boolean, false)
  from jsonb_to_record(p_event)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint)
  on conflict (job_id, attempt, seq) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_stale_rows()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_counters integer;
  v_sessions integer;
  v_pairings integer;
  v_notices integer;
  v_outputs integer;
  v_diffs integer;
  v_workers integer;
begin
  delete from public.rate_limit_counters c where c.window_start < v_now - interval '2 hours';
  get diagnostics v_counters = row_count;
  delete from public.user_sessions s where least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  get diagnostics v_sessions = row_count;
  delete from private.changes c where c.changed_at < v_now - interval '1 minute';
  delete from public.login_pairings l where l.created_at < v_now - interval '1 day';
  get diagnostics v_pairings = row_count;
  delete from public.notices n where n.status <> 'PENDING' and n.created_at < v_now - interval '30 days';
  get diagnostics v_notices = row_count;
  delete from public.job_outputs o
  where (o.job_id, o.attempt, o.seq) in (
    select x.job_id, x.attempt, x.seq from public.job_outputs x
    where x.created_at < v_now - interval '14 days' order by x.created_at limit 20000);
  get diagnostics v_outputs = row_count;
  delete from public.job_diffs d
  where d.created_at < v_now - interval '14 days'
    and exists (select from public.job_diffs n where n.job_id = d.job_id and n.attempt > d.attempt);
  get diagnostics v_diffs = row_count;
  perform private.keep_usage_so_far(x.job_id, x.attempt)
  from (
    select distinct s.job_id, s.attempt from public.usage_so_far s
    where s.told_at < v_now - interval '1 hour' and not exists (
      select from public.agent_jobs j where j.id = s.job_id and j.attempt = s.attempt and j.status in ('CLAIMED', 'RUNNING'))
  ) x;
  delete from public.agent_workers w
  where w.last_seen_at < v_now - interval '30 days'
    and not exists (select from public.agent_jobs j where j.worker_id = w.id)
    and not exists (select from public.job_attempts a where a.worker_id = w.id);
  get diagnostics v_workers = row_count;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'job_diffs', v_diffs, 'agent_workers', v_workers);
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_budget_left(p_run public.sprint_runs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
begin
  if p_run.pause_context ->> 'reason' <> 'budget' then
    return;
  end if;
  select b.* into v_budget from public.budgets b where b.id = (p_run.pause_context ->> 'budget_id')::uuid;
  if v_budget.id is not null and private.is_budget_reached(v_budget) then
    perform private.refuse(409, format('The budget of %s is used up. Raise it, or answer the question of the run.',
      private.budget_name(v_budget)));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_person()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if nullif(current_setting('request.jwt.claims', true), '')::jsonb ? 'token_id' then
    perform private.refuse(403, 'Budgets are set by people: sign in, an API token may only read them.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reserve_budget(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_model_id text := coalesce(p_job.model_id, private.model_of_worker(p_job.worker_id));
  v_tasks integer := 1;
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select count(*) into v_tasks from public.task_executions e
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
  end if;
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, amount)
  select p_job.id, x.unit, p_job.attempt, p_job.product_id,
    greatest(0, least(greatest(v_tasks, 1) * private.expected_use(p_job.product_id, x.unit, v_model_id), x.rest))
  from (
    select b.unit, min(b.amount - private.budget_spent(b) - (private.budget_at_work(b, p_job.id)).reserved) as rest
    from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    group by b.unit
  ) x
  on conflict (job_id, unit) do update
  set attempt = excluded.attempt, amount = excluded.amount, seen = 0, step = 0;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resume_sprint_run(p_sprint_run_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
begin
  if v_run.status <> 'PAUSED' then
    perform private.refuse(409, format('Only a paused run can be resumed; this one is %s.', lower(v_run.status::text)));
  end if;
  perform private.require_budget_left(v_run);
  perform private.close_question(v_run.pause_question_id);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.continue_run(v_run);
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_budget(p_product_id uuid, p_scope text, p_period text, p_target_id uuid, p_unit text, p_amount numeric)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_person();
  v_budget := private.put_budget(p_product_id, p_scope, p_period, p_target_id, p_unit, p_amount);
  return private.budget_json(v_budget);
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_budget_settings(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_settings public.budget_settings;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_person();
  v_settings := jsonb_populate_record(private.budget_settings_of(p_product_id), p_changes - 'product_id');
  if not exists (select from pg_catalog.pg_timezone_names z where z.name = v_settings.time_zone) then
    perform private.refuse(422, 'time_zone must be a name like Europe/Paris.',
      '{"issues":[{"path":"time_zone","message":"Not a known time zone."}]}');
  end if;
  if v_settings.unreported is null or v_settings.unreported not in ('allow', 'refuse')
    or coalesce(v_settings.expected_tokens, 0) <= 0 or coalesce(v_settings.expected_cost, 0) <= 0 then
    perform private.refuse(422, 'unreported is allow or refuse; expected_tokens and expected_cost are more than 0.');
  end if;
  insert into public.budget_settings (product_id, time_zone, unreported, expected_tokens, expected_cost)
  values (p_product_id, v_settings.time_zone, v_settings.unreported, v_settings.expected_tokens, v_settings.expected_cost)
  on conflict (product_id) do update
  set time_zone = excluded.time_zone, unreported = excluded.unreported, expected_tokens = excluded.expected_tokens,
      expected_cost = excluded.expected_cost;
  perform private.settle_budgets(p_product_id);
  return to_jsonb(v_settings) - 'product_id';
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_budget(p_budget public.budgets)
 RETURNS public.budgets
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_work record;
  v_left numeric;
  v_reached_at timestamptz := case when private.is_budget_reached(p_budget) then p_budget.reached_at end;
  v_budget public.budgets;
begin
  if v_reached_at is null and p_budget.due_at is not null then
    select * into v_work from private.budget_at_work(p_budget);
    v_left := p_budget.amount - private.budget_spent(p_budget);
    if v_work.jobs = 0 and v_left <= private.expected_use(p_budget.product_id, p_budget.unit, null) / 10 then
      v_reached_at := private.now();
    end if;
  end if;
  update public.budgets b
  set reached_at = v_reached_at, due_at = null,
      overshoot = greatest(b.overshoot, private.budget_spent(b) - b.amount)
  where b.id = p_budget.id
  returning b.* into v_budget;
  return v_budget;
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_budgets(p_product_id uuid, p_job_id uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_run public.sprint_runs;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_product_id and (b.due_at is not null or b.reached_at is not null)
    order by b.id
  loop
    v_budget := private.settle_budget(v_budget);
    continue when v_budget.reached_at is null;
    for v_run in
      select r.* from public.sprint_runs r
      where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING')
        and exists (
          select from public.agent_jobs j
          where j.sprint_run_id = r.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.phase <> 'review'
            and private.budget_covers(v_budget, j))
        and not exists (
          select from public.agent_jobs j
          where j.sprint_run_id = r.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.id = any (v_budget.finish_job_ids))
      order by r.id
    loop
      perform private.pause_for_budget(v_run, v_budget, p_job_id);
    end loop;
  end loop;

  for v_run in
    select r.* from public.sprint_runs r
    where r.product_id = p_product_id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget'
      and not exists (
        select from public.budgets b
        where b.id = (r.pause_context ->> 'budget_id')::uuid and b.reached_at is not null)
    order by r.id
  loop
    perform private.close_question(v_run.pause_question_id);
    perform private.continue_run(v_run);
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_sprint_run(p_sprint_id uuid, p_stop_at jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_product_id;

  v_blockers := private.run_blockers(v_sprint, v_product);
  if v_blockers <> '[]' then
    perform private.refuse(409, private.blockers_sentence(v_blockers), jsonb_build_object('blockers', v_blockers));
  end if;

  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, null);
  if p_stop_at is not null then
    perform private.require_person();
    perform private.put_budget(v_product_id, 'run', null, v_run.id, p_stop_at ->> 'unit', (p_stop_at ->> 'amount')::numeric);
  end if;
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_for_budget(p_job public.agent_jobs, p_budget public.budgets)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.budgets b set reached_at = private.now(), due_at = null where b.id = p_budget.id;
  update public.agent_jobs j
  set status = 'QUEUED', stopped_by_budget_id = p_budget.id, failure_class = null, failure_reason = null
  where j.id = p_job.id;
  perform private.settle_budgets(p_job.product_id, p_job.id);
  update public.agent_jobs j
  set parked_question_id = r.pause_question_id
  from public.sprint_runs r
  where j.id = p_job.id and r.id = j.sprint_run_id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  return format('The budget of %s is reached: %s of %s used. The work is kept and the job waits for a person.',
    private.budget_name(p_budget), private.budget_amount_text(private.budget_spent(p_budget), p_budget.unit),
    private.budget_amount_text(p_budget.amount, p_budget.unit));
end;
$function$;

CREATE OR REPLACE FUNCTION private.sum_usage(p_job_id uuid, p_model_id text)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  update public.agent_jobs j
  set model_id = coalesce(left(p_model_id, 200), used.model_id, j.model_id),
      input_tokens = used.input, output_tokens = used.output,
      cache_read_tokens = used.cache_read, cache_write_tokens = used.cache_write
  from (
    select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
      sum(e.cache_write_tokens) as cache_write, (array_agg(e.model_id order by e.id desc) filter (where e.model_id is not null))[1] as model_id
    from public.usage_events e where e.job_id = p_job_id
  ) used
  where j.id = p_job_id
  returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep(p_full boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := private.products_past_due();
  v_product_id uuid;
  v_leases json;
  v_questions integer;
  v_removed jsonb;
begin
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  v_leases := private.sweep_expired_leases(v_products);
  v_questions := private.write_down_expired(true, v_products);
  foreach v_product_id in array v_products loop
    perform private.settle_budgets(v_product_id);
  end loop;

  if (coalesce(p_full, false) or extract(second from v_now) < 5)
    and pg_try_advisory_xact_lock(hashtextextended('backloom:sweep', 0)) then
    v_removed := private.remove_stale_rows();
  end if;
  return json_build_object('taken_back', v_leases -> 'taken_back', 'expired_questions', v_questions, 'removed', v_removed,
    'ran_at', v_now);
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_back_expired(p_user_id uuid, p_product_id uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[];
  v_product_id uuid;
begin
  if not exists (
    select from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
  ) and not exists (select from private.products_with_due_budgets()) then
    return '{}';
  end if;

  select coalesce(array_agg(x.product_id order by x.product_id), '{}')
  into v_products
  from (
    select distinct j.product_id
    from public.agent_jobs j
    join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
      and (p_product_id is null or j.product_id = p_product_id)
    union
    select d.product_id
    from private.products_with_due_budgets() as d (product_id)
    join public.product_members m on m.product_id = d.product_id and m.user_id = p_user_id
    where p_product_id is null or d.product_id = p_product_id
  ) x;

  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    perform private.requeue_expired_leases(v_product_id);
    perform private.settle_budgets(v_product_id);
  end loop;
  return v_products;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_job(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[])
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
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, stopped_by_budget_id = null, failure_class = null,
      -- A verifier looks at the criteria; how the work meets the plan was found before.
      verify_result = case when x.phase = 'verify' then x.verify_result end,
      plan_snapshot = coalesce(
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t where t.id = x.task_id))
  where x.id = (
    select j.id
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
      and (j.phase <> 'verify' or j.author_worker_id is distinct from p_worker_id)
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
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

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__keep_usage()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.keep_usage_so_far(old.id, old.attempt);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__note_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.attempt <> old.attempt then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at)
    values (new.id, new.attempt, new.product_id, new.worker_id,
      coalesce((select w.name from public.agent_workers w where w.id = new.worker_id), ''), coalesce(new.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    return null;
  end if;

  update public.job_attempts a
  set ended_at = private.now(),
      head_sha = new.head_sha,
      outcome = case
        when new.status <> 'QUEUED' then lower(new.status::text)
        when new.phase <> old.phase then 'done'
        when new.failure_class = 'rate_limited' then 'rate_limited'
        when new.failure_class is not null then 'lost'
        when new.stopped_by_budget_id is not null then 'budget'
        when new.parked_question_id is not null then 'question'
        else 'returned'
      end
  where a.job_id = new.id and a.attempt = new.attempt and a.ended_at is null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_sprint_runs__carry_budget()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.budgets b
  set sprint_run_id = new.id, spent_before = private.budget_spent(b), reached_at = null, due_at = private.now(), finish_job_ids = '{}'
  where b.sprint_run_id = new.previous_run_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.usage_in_unit(p_usage jsonb, p_unit text)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(sum(case
      when p_unit = 'tokens' then coalesce((u.value ->> 'input_tokens')::numeric, 0)
        + coalesce((u.value ->> 'output_tokens')::numeric, 0) + coalesce((u.value ->> 'cache_write_tokens')::numeric, 0)
      when p.currency = p_unit and (u.value ->> 'subscription')::boolean is not true then p.cost end), 0)
    from jsonb_array_elements(p_usage -> 'models') u
    cross join lateral private.price_usage(u.value) p
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.warn_of_budget(p_budget public.budgets, p_spent numeric)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_from timestamptz := (private.budget_window(p_budget)).from_at;
begin
  if p_spent < 0.8 * p_budget.amount or p_budget.warned_at >= v_from then
    return;
  end if;
  update public.budgets b set warned_at = private.now()
  where b.id in (
    select x.id from public.budgets x where x.id = p_budget.id and (x.warned_at is null or x.warned_at < v_from) for update skip locked);
  if found then
    perform private.queue_notices('budget_warning', p_budget.product_id, null, true,
      format('%s of %s used', private.budget_amount_text(p_spent, p_budget.unit),
        private.budget_amount_text(p_budget.amount, p_budget.unit)),
      format('The budget of %s is nearly reached.', private.budget_name(p_budget)),
      case when p_budget.sprint_run_id is null then format('/products/%s/settings', p_budget.product_id)
        else format('/products/%s/runs/%s', p_budget.product_id, p_budget.sprint_run_id) end,
      private.budget_json(p_budget));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.weigh_budgets(p_product_id uuid, p_worker_id uuid, p_wait boolean)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_full uuid[] := '{}';
  v_spent numeric;
  v_work record;
  v_left numeric;
  v_need numeric;
begin
  if not exists (select from public.budgets b where b.product_id = p_product_id) then
    return null;
  end if;
  if p_wait then
    perform pg_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0));
  elsif not pg_try_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0)) then
    return array(select b.id from public.budgets b where b.product_id = p_product_id);
  end if;

  for v_budget in select b.* from public.budgets b where b.product_id = p_product_id order by b.id loop
    v_spent := private.budget_spent(v_budget);
    select * into v_work from private.budget_at_work(v_budget);
    v_left := v_budget.amount - v_spent - v_work.reserved;
    v_need := private.expected_use(p_product_id, v_budget.unit, private.model_of_worker(p_worker_id));
    perform private.warn_of_budget(v_budget, v_spent);
    continue when not private.is_budget_reached(v_budget)
      and (v_left >= v_need or (v_work.jobs = 0 and v_left > v_need / 10));
    v_full := v_full || v_budget.id;
    if v_work.jobs = 0 then
      update public.budgets b set due_at = private.now()
      where b.id in (select x.id from public.budgets x where x.id = v_budget.id and x.due_at is null for update skip locked);
    end if;
  end loop;
  return v_full;
end;
$function$;

CREATE OR REPLACE FUNCTION public.delete_budget(p_product_id uuid, p_budget_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.delete_budget(p_product_id, p_budget_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_budgets(p_product_id uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_budgets(p_product_id, p_sprint_run_id, p_sprint_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_sprint_board(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
begin
  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'pr_strategy', (select p.pr_strategy from public.products p where p.id = v_product),
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
          ) as open_questions
        from public.stories s where s.sprint_id = p_sprint_id
      ) x),
    'tasks', private.board_tasks(p_sprint_id),
    'run', (
      select row_to_json(r)
      from (
        select r.id, lower(r.status::text) as status, r.started_at, r.created_at, r.finished_at, r.pause_context,
          r.failure,
          (
            select coalesce(json_agg(j.status order by j.position, j.id), '[]')
            from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
        from public.sprint_runs r
        where r.sprint_id = p_sprint_id
        order by r.created_at desc
        limit 1
      ) r),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product),
    'candidates', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at,
          (select count(*) from public.tasks t where t.story_id = s.id) as task_count
        from public.stories s
        where s.product_id = v_product and s.sprint_id is null and s.status in ('OPEN', 'FAILED')
        order by s.sort_order, s.created_at, s.id
        limit 200
      ) x),
    'budgets', public.get_budgets(v_product, null, p_sprint_id),
    'preflight', private.preflight_sprint_run(p_sprint_id),
    'burndown', private.get_sprint_burndown(p_sprint_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer DEFAULT NULL::integer, p_usage jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.heartbeat_agent_job(p_job_id, p_attempt, p_quota_pct, p_usage);
end;
$function$;

CREATE OR REPLACE FUNCTION public.set_budget(p_product_id uuid, p_scope text, p_unit text, p_amount numeric, p_period text DEFAULT NULL::text, p_target_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.set_budget(p_product_id, p_scope, p_period, p_target_id, p_unit, p_amount);
end;
$function$;

CREATE OR REPLACE FUNCTION public.set_budget_settings(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.set_budget_settings(p_product_id, p_changes);
end;
$function$;

CREATE OR REPLACE FUNCTION public.start_sprint_run(p_sprint_id uuid, p_stop_at jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.start_sprint_run(p_sprint_id, p_stop_at);
end;
$function$;

ALTER TABLE "public"."budget_reservations" ADD CONSTRAINT "budget_reservations_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."budget_reservations" ADD CONSTRAINT "budget_reservations_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."budget_settings" ADD CONSTRAINT "budget_settings_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."budgets" ADD CONSTRAINT "budgets_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_stopped_by_budget_id_fkey" FOREIGN KEY (stopped_by_budget_id) REFERENCES public.budgets(id) ON DELETE SET NULL;

ALTER TABLE "public"."budgets" ADD CONSTRAINT "budgets_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."budgets" ADD CONSTRAINT "budgets_sprint_id_fkey" FOREIGN KEY (sprint_id) REFERENCES public.sprints(id) ON DELETE CASCADE;

ALTER TABLE "public"."budgets" ADD CONSTRAINT "budgets_sprint_run_id_fkey" FOREIGN KEY (sprint_run_id) REFERENCES public.sprint_runs(id) ON DELETE CASCADE;

ALTER TABLE "public"."budgets" ADD CONSTRAINT "budgets_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_outcome_known" CHECK ((outcome = ANY (ARRAY['done'::text, 'skipped'::text, 'failed'::text, 'cancelled'::text, 'rate_limited'::text, 'question'::text, 'lost'::text, 'returned'::text, 'budget'::text])));

ALTER TABLE "public"."notices" ADD CONSTRAINT "notices_kind" CHECK ((kind = ANY (ARRAY['question_opened'::text, 'question_answered'::text, 'question_expired'::text, 'run_paused'::text, 'run_failed'::text, 'run_done'::text, 'review_needed'::text, 'budget_warning'::text, 'ping'::text])));

ALTER TABLE "public"."usage_so_far" ADD CONSTRAINT "usage_so_far_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."usage_so_far" ADD CONSTRAINT "usage_so_far_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."usage_so_far" ADD CONSTRAINT "usage_so_far_sprint_run_id_fkey" FOREIGN KEY (sprint_run_id) REFERENCES public.sprint_runs(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_so_far" ADD CONSTRAINT "usage_so_far_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_so_far" ADD CONSTRAINT "usage_so_far_worker_id_fkey" FOREIGN KEY (worker_id) REFERENCES public.agent_workers(id) ON DELETE SET NULL;

CREATE INDEX agent_jobs_stopped_by_budget_id_idx ON public.agent_jobs USING btree (stopped_by_budget_id) WHERE (stopped_by_budget_id IS NOT NULL);

CREATE INDEX budget_reservations_product_id_idx ON public.budget_reservations USING btree (product_id);

CREATE INDEX budgets_created_by_idx ON public.budgets USING btree (created_by);

CREATE INDEX budgets_sprint_id_idx ON public.budgets USING btree (sprint_id);

CREATE INDEX budgets_sprint_run_id_idx ON public.budgets USING btree (sprint_run_id);

CREATE INDEX budgets_task_id_idx ON public.budgets USING btree (task_id);

CREATE INDEX budgets_unsettled_idx ON public.budgets USING btree (product_id) WHERE ((due_at IS NOT NULL) OR (reached_at IS NOT NULL));

CREATE INDEX usage_so_far_sprint_run_id_idx ON public.usage_so_far USING btree (sprint_run_id);

CREATE INDEX usage_so_far_task_id_idx ON public.usage_so_far USING btree (task_id);

CREATE INDEX usage_so_far_worker_id_idx ON public.usage_so_far USING btree (worker_id);

CREATE TRIGGER _530_keep_usage AFTER UPDATE OF status, attempt ON public.agent_jobs FOR EACH ROW WHEN ((((old.attempt > 0) AND (new.attempt <> old.attempt)) OR ((old.status = ANY (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status])) AND (new.status = ANY (ARRAY['QUEUED'::public.agent_job_status, 'FAILED'::public.agent_job_status])) AND (new.failure_class = 'infrastructure'::public.failure_class)))) EXECUTE FUNCTION private.tg_agent_jobs__keep_usage();

CREATE TRIGGER _400_touch BEFORE UPDATE ON public.budgets FOR EACH ROW EXECUTE FUNCTION private.tg_any__touch();

CREATE TRIGGER _530_carry_budget AFTER INSERT ON public.sprint_runs FOR EACH ROW WHEN ((new.previous_run_id IS NOT NULL)) EXECUTE FUNCTION private.tg_sprint_runs__carry_budget();

CREATE POLICY "budget_reservations_select" ON "public"."budget_reservations" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "budget_settings_select" ON "public"."budget_settings" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "budgets_select" ON "public"."budgets" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "usage_so_far_select" ON "public"."usage_so_far" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON COLUMN "public"."agent_jobs"."stopped_by_budget_id" IS 'The budget that stopped the last attempt; null once it is claimed again.';

COMMENT ON COLUMN "public"."budget_settings"."expected_cost" IS 'Of one task, in whatever currency its budget has.';

COMMENT ON COLUMN "public"."usage_events"."subscription" IS 'Paid by a subscription: the cost is what the list price would be, and no money that anybody spends.';

COMMENT ON COLUMN "public"."usage_so_far"."after_seq" IS 'The last line of the ledger that the worker had told of this attempt.';

COMMENT ON FUNCTION "private"."act_on_budget_answer"(public.agent_questions, integer) IS 'Raise, finish or stop, as a person answered (specification: Agent question; Sprint run, pause).';

COMMENT ON FUNCTION "private"."attempt_used"(uuid, integer, text) IS 'What an attempt has used so far, in tokens or in one currency.';

COMMENT ON FUNCTION "private"."budget_amount_text"(numeric, text) IS 'An amount of a budget in words.';

COMMENT ON FUNCTION "private"."budget_at_work"(public.budgets, uuid) IS 'Held jobs under a budget, and what is reserved for them beyond what they used.';

COMMENT ON FUNCTION "private"."budget_covers"(public.budgets, public.agent_jobs) IS 'Whether a job falls under a budget.';

COMMENT ON FUNCTION "private"."budget_json"(public.budgets) IS 'A budget with what was spent, what is reserved and what is left.';

COMMENT ON FUNCTION "private"."budget_name"(public.budgets) IS 'Whose budget it is, in words.';

COMMENT ON FUNCTION "private"."budget_need"(public.agent_jobs, jsonb) IS 'The budget that a job at work comes near to, if any.';

COMMENT ON FUNCTION "private"."budget_raise"(public.budgets) IS 'By how much the button of a reached budget raises it.';

COMMENT ON FUNCTION "private"."budget_reasons"(public.agent_jobs) IS 'budget (specification: Agent job; budgets).';

COMMENT ON FUNCTION "private"."budget_settings_of"(uuid) IS 'The settings of a product for its budgets.';

COMMENT ON FUNCTION "private"."budget_spent"(public.budgets) IS 'What was used of a budget in its window, in its unit.';

COMMENT ON FUNCTION "private"."budget_window"(public.budgets) IS 'The day, week or month that a budget is in, in the time zone of its product.';

COMMENT ON FUNCTION "private"."continue_run"(public.sprint_runs) IS 'PAUSED to RUNNING or QUEUED, or a new batch run (specification: Sprint run).';

COMMENT ON FUNCTION "private"."expected_use"(uuid, text, text) IS 'What one task will probably use, in tokens or in a currency.';

COMMENT ON FUNCTION "private"."finished_use"(uuid, text) IS 'What finished tasks of a product used, in tokens or in a currency, newest first.';

COMMENT ON FUNCTION "private"."fits_budgets"(uuid, uuid[]) IS 'Whether a job falls under none of the given budgets.';

COMMENT ON FUNCTION "private"."heed_budget"(public.agent_jobs, jsonb) IS 'Continue or stop, as the budgets of a job say.';

COMMENT ON FUNCTION "private"."is_budget_reached"(public.budgets) IS 'Whether nobody may begin under a budget in its window.';

COMMENT ON FUNCTION "private"."jobs_to_finish"(public.sprint_runs, public.budgets) IS 'The jobs that a person lets finish beyond a budget.';

COMMENT ON FUNCTION "private"."keep_usage_so_far"(uuid, integer) IS 'The last known usage of an attempt that died becomes part of the ledger (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."lock_for_budget"(uuid, integer, jsonb) IS 'Takes the lock of a product for a heartbeat that is near a budget.';

COMMENT ON FUNCTION "private"."may_set_budgets"(uuid) IS 'Whether the caller may set the budgets of a product.';

COMMENT ON FUNCTION "private"."model_of_worker"(uuid) IS 'The model that a worker used last.';

COMMENT ON FUNCTION "private"."note_budget_step"(public.agent_jobs, text) IS 'Keeps the largest step of an attempt between two heartbeats.';

COMMENT ON FUNCTION "private"."note_usage_so_far"(public.agent_jobs, jsonb) IS 'Keeps what an attempt has used so far (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[]) IS 'Why a claim found nothing (specification: Agent job; claiming).';

COMMENT ON FUNCTION "private"."pause_for_budget"(public.sprint_runs, public.budgets, uuid) IS 'Run to PAUSED because of a budget, with a question and its buttons (specification: Sprint run, pause).';

COMMENT ON FUNCTION "private"."price_usage"(jsonb) IS 'Cost, currency and source of some usage (specification: Model price).';

COMMENT ON FUNCTION "private"."products_past_due"() IS 'Products with an expired lease, a waiting question past its expiry or a budget to settle, in the order of their locks.';

COMMENT ON FUNCTION "private"."products_with_due_budgets"() IS 'Products whose budgets private.settle_budgets has to look at.';

COMMENT ON FUNCTION "private"."put_budget"(uuid, text, text, uuid, text, numeric) IS 'Makes or changes the budget of a scope, period and unit.';

COMMENT ON FUNCTION "private"."raise_budget"(public.budgets, numeric) IS 'Changes the sum of a budget, and audits it.';

COMMENT ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, private.job_report) IS 'Writes down what a worker tells of its tokens (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."require_budget_left"(public.sprint_runs) IS 'PT409 for a run whose budget is used up (specification: Sprint run, pause).';

COMMENT ON FUNCTION "private"."require_person"() IS 'PT403 for API tokens (specification: Authentication).';

COMMENT ON FUNCTION "private"."reserve_budget"(public.agent_jobs) IS 'Reserves for a claimed job what it is expected to use.';

COMMENT ON FUNCTION "private"."settle_budget"(public.budgets) IS 'Marks a budget as reached, or open again.';

COMMENT ON FUNCTION "private"."settle_budgets"(uuid, uuid) IS 'Pauses the runs of reached budgets and lets those of open ones go on (specification: Sprint run, pause).';

COMMENT ON FUNCTION "private"."stop_for_budget"(public.agent_jobs, public.budgets) IS 'A held job back to the queue because of a budget (specification: Agent job; Sprint run, pause).';

COMMENT ON FUNCTION "private"."sum_usage"(uuid, text) IS 'Tokens and model of a job as the sum of its ledger (specification: Agent job).';

COMMENT ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[]) IS 'QUEUED to CLAIMED in one statement (specification: Agent job).';

COMMENT ON FUNCTION "private"."tg_agent_jobs__keep_usage"() IS 'Keeps the usage of attempts that were lost (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."tg_sprint_runs__carry_budget"() IS 'The budget of a run goes on with the run that continues it.';

COMMENT ON FUNCTION "private"."usage_in_unit"(jsonb, text) IS 'Usage of a heartbeat in tokens or in one currency.';

COMMENT ON FUNCTION "private"."warn_of_budget"(public.budgets, numeric) IS 'Notices at 80 per cent of a budget.';

COMMENT ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) IS 'The budgets of a product under which nobody may begin now.';

COMMENT ON FUNCTION "public"."delete_budget"(uuid, uuid) IS 'Takes a budget away; the owner of the product, in a session.';

COMMENT ON FUNCTION "public"."get_budgets"(uuid, uuid, uuid) IS 'Budgets of a product with what is spent, reserved and left, and its settings for them.';

COMMENT ON FUNCTION "public"."heartbeat_agent_job"(uuid, integer, integer, jsonb) IS 'Renews a lease; continue, pause or stop (specification: Agent job, lease_until).';

COMMENT ON FUNCTION "public"."set_budget"(uuid, text, text, numeric, text, uuid) IS 'Makes or changes a budget; the owner of the product, in a session.';

COMMENT ON FUNCTION "public"."set_budget_settings"(uuid, jsonb) IS 'Time zone, agents without usage, expectations; the owner of the product, in a session.';

COMMENT ON FUNCTION "public"."start_sprint_run"(uuid, jsonb) IS 'Starts a run of an active sprint, or PT409 with all blockers (specification: Starting a sprint run).';

COMMENT ON TABLE "public"."budget_reservations" IS 'What held jobs may still use of the budgets that they fall under.';

COMMENT ON TABLE "public"."budget_settings" IS 'Settings for the budgets of a product: time zone, agents without usage, expectations.';

COMMENT ON TABLE "public"."budgets" IS 'Budgets: what may be used, and how far it is. Only people who own the product raise them.';

COMMENT ON TABLE "public"."usage_so_far" IS 'Tokens of turns that are under way, one row a model, told by heartbeats (specification: Agent job, token usage).';

REVOKE ALL ON FUNCTION "private"."act_on_budget_answer"(public.agent_questions, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."act_on_budget_answer"(public.agent_questions, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."attempt_used"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."attempt_used"(uuid, integer, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_amount_text"(numeric, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_amount_text"(numeric, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_at_work"(public.budgets, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_at_work"(public.budgets, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_covers"(public.budgets, public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_covers"(public.budgets, public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_json"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_json"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_name"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_name"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_need"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_need"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_raise"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_raise"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_settings_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_settings_of"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_spent"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_spent"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_window"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_window"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."continue_run"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."continue_run"(public.sprint_runs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_budget"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."delete_budget"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."expected_use"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."expected_use"(uuid, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finished_use"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finished_use"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."fits_budgets"(uuid, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fits_budgets"(uuid, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."get_budgets"(uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_budgets"(uuid, uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."heartbeat_agent_job"(uuid, integer, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."heartbeat_agent_job"(uuid, integer, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."heed_budget"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."heed_budget"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_budget_reached"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_budget_reached"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."jobs_to_finish"(public.sprint_runs, public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."jobs_to_finish"(public.sprint_runs, public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_usage_so_far"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_usage_so_far"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_for_budget"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lock_for_budget"(uuid, integer, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."may_set_budgets"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."may_set_budgets"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."model_of_worker"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."model_of_worker"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_budget_step"(public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_budget_step"(public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_usage_so_far"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_usage_so_far"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pause_for_budget"(public.sprint_runs, public.budgets, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pause_for_budget"(public.sprint_runs, public.budgets, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."price_usage"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."price_usage"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."products_with_due_budgets"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."products_with_due_budgets"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."put_budget"(uuid, text, text, uuid, text, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."put_budget"(uuid, text, text, uuid, text, numeric) TO "postgres";

REVOKE ALL ON FUNCTION "private"."raise_budget"(public.budgets, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."raise_budget"(public.budgets, numeric) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_budget_left"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_budget_left"(public.sprint_runs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_person"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_person"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."reserve_budget"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reserve_budget"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."set_budget"(uuid, text, text, uuid, text, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_budget"(uuid, text, text, uuid, text, numeric) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."set_budget_settings"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_budget_settings"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."settle_budget"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_budget"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_budgets"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_budgets"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_sprint_run"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_sprint_run"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."stop_for_budget"(public.agent_jobs, public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."stop_for_budget"(public.agent_jobs, public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sum_usage"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sum_usage"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__keep_usage"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__keep_usage"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_sprint_runs__carry_budget"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_sprint_runs__carry_budget"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."usage_in_unit"(jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."usage_in_unit"(jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."warn_of_budget"(public.budgets, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."warn_of_budget"(public.budgets, numeric) TO "postgres";

REVOKE ALL ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "public"."delete_budget"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."delete_budget"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_budgets"(uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_budgets"(uuid, uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."heartbeat_agent_job"(uuid, integer, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."heartbeat_agent_job"(uuid, integer, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."set_budget"(uuid, text, text, numeric, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."set_budget"(uuid, text, text, numeric, text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."set_budget_settings"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."set_budget_settings"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."start_sprint_run"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_sprint_run"(uuid, jsonb) TO "authenticated", "postgres";

GRANT SELECT ON TABLE "public"."budget_reservations" TO "authenticated";

GRANT ALL ON TABLE "public"."budget_reservations" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."budget_reservations" TO "service_role";

GRANT SELECT ON TABLE "public"."budget_settings" TO "authenticated";

GRANT ALL ON TABLE "public"."budget_settings" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."budget_settings" TO "service_role";

GRANT SELECT ON TABLE "public"."budgets" TO "authenticated";

GRANT ALL ON TABLE "public"."budgets" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."budgets" TO "service_role";

GRANT SELECT ON TABLE "public"."usage_so_far" TO "authenticated";

GRANT ALL ON TABLE "public"."usage_so_far" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."usage_so_far" TO "service_role";

CREATE VIEW "private"."known_usage" WITH (security_invoker=true) AS  SELECT e.product_id,
    e.sprint_run_id,
    e.task_id,
    e.job_id,
    e.attempt,
    e.worker_id,
    e.created_at,
    ((COALESCE(e.input_tokens, (0)::bigint) + COALESCE(e.output_tokens, (0)::bigint)) + COALESCE(e.cache_write_tokens, (0)::bigint)) AS tokens,
        CASE
            WHEN (NOT e.subscription) THEN e.cost
            ELSE NULL::numeric
        END AS cost,
    e.currency
   FROM public.usage_events e
UNION ALL
 SELECT s.product_id,
    s.sprint_run_id,
    s.task_id,
    s.job_id,
    s.attempt,
    s.worker_id,
    s.told_at AS created_at,
    ((COALESCE(s.input_tokens, (0)::bigint) + COALESCE(s.output_tokens, (0)::bigint)) + COALESCE(s.cache_write_tokens, (0)::bigint)) AS tokens,
        CASE
            WHEN (NOT s.subscription) THEN s.cost
            ELSE NULL::numeric
        END AS cost,
    s.currency
   FROM public.usage_so_far s;

CREATE INDEX usage_so_far_product_id_idx ON public.usage_so_far USING btree (product_id, told_at);

COMMENT ON VIEW "private"."known_usage" IS 'Ledger and turns under way, in tokens and real money (specification: Agent job, token usage).';

GRANT ALL ON TABLE "private"."known_usage" TO "postgres";
