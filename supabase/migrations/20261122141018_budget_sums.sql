-- Why: the sum of a budget is kept up to a line of the ledger, so that claims and heartbeats add only what came after it.
set local check_function_bodies = off;

DROP INDEX "public"."usage_events_sprint_run_id_idx";

DROP INDEX "public"."usage_events_task_id_idx";

DROP INDEX "public"."usage_events_worker_id_idx";

DROP VIEW "private"."known_usage";

DROP FUNCTION "private"."budget_left"(public.agent_jobs);

DROP FUNCTION "private"."budget_payload"(public.agent_jobs);

DROP FUNCTION "private"."reserve_budget"(public.agent_jobs);

DROP FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean);

CREATE TABLE "private"."budget_sums" ("budget_id" uuid NOT NULL, "from_at" timestamp with time zone NOT NULL, "last_id" bigint NOT NULL, "amount" numeric NOT NULL, CONSTRAINT "budget_sums_pkey" PRIMARY KEY (budget_id));

ALTER TABLE "private"."budget_sums" ENABLE ROW LEVEL SECURITY;

CREATE TYPE "private"."budget_room" AS ("budget_id" uuid, "unit" text, "room" numeric, "need" numeric, "is_full" boolean);

CREATE OR REPLACE FUNCTION private.add_up_budget(p_budget public.budgets, OUT used numeric, OUT in_ledger numeric, OUT from_at timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_sum private.budget_sums;
begin
  from_at := (private.budget_window(p_budget)).from_at;
  select s.* into v_sum from private.budget_sums s where s.budget_id = p_budget.id and s.from_at = add_up_budget.from_at;
  select coalesce(v_sum.amount, 0) + coalesce(sum(x.amount), 0),
    coalesce(v_sum.amount, 0) + coalesce(sum(x.amount) filter (where u.id < 9223372036854775807), 0)
  into used, in_ledger
  from private.usage_under(p_budget, from_at, coalesce(v_sum.last_id, 0)) u
  cross join lateral (
    select case when p_budget.unit = 'tokens' then u.tokens when u.currency = p_budget.unit then u.cost end as amount
  ) x;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_left(p_job public.agent_jobs, p_rooms private.budget_room[])
 RETURNS TABLE(unit text, amount numeric, need numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select r.unit, greatest(0, min(r.room)), min(r.need)
    from unnest(p_rooms) r
    join public.budgets b on b.id = r.budget_id
    where r.room is not null and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    group by r.unit;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_payload(p_job public.agent_jobs, p_rooms private.budget_room[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('budget_left', (
    select coalesce(jsonb_agg(jsonb_build_object('unit', l.unit, 'amount', round(l.amount, 6)) order by l.unit), '[]')
    from private.budget_left(p_job, p_rooms) l));
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_spent(p_budget public.budgets)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_budget.spent_before + (private.add_up_budget(p_budget)).used;
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
  v_rooms private.budget_room[];
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
    v_rooms := private.weigh_budgets(v_product_id, v_worker.id, v_tried = '{}');
    v_full_budgets := private.full_budgets(v_rooms);
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', private.nothing_to_claim(v_user_id, p_product_id, v_full_budgets));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.closed_budgets(p_product_id uuid)
 RETURNS private.budget_room[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select row (b.id, b.unit, null, null, true)::private.budget_room from public.budgets b where b.product_id = p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.full_budgets(p_rooms private.budget_room[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when p_rooms is not null then array(select r.budget_id from unnest(p_rooms) r where r.is_full) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.last_line(p_product_id uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((select e.id from public.usage_events e where e.product_id = p_product_id order by e.id desc limit 1), 0);
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
    select distinct s.product_id, s.job_id, s.attempt from public.usage_so_far s
    where s.told_at < v_now - interval '1 hour' and not exists (
      select from public.agent_jobs j where j.id = s.job_id and j.attempt = s.attempt and j.status in ('CLAIMED', 'RUNNING'))
  ) x
  -- Whoever writes lines of the ledger holds a share of its product; one that is busy is looked at the next time.
  where private.try_share_product(x.product_id);
  delete from public.agent_workers w
  where w.last_seen_at < v_now - interval '30 days'
    and not exists (select from public.agent_jobs j where j.worker_id = w.id)
    and not exists (select from public.job_attempts a where a.worker_id = w.id);
  get diagnostics v_workers = row_count;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'job_diffs', v_diffs, 'agent_workers', v_workers);
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
  if v_state = 'held' then
    update public.agent_jobs j set lease_until = private.now() + private.lease() where j.id = p_job_id returning j.* into v_job;
  end if;
  -- A statement of its own: what follows must see the new lines.
  v_job := private.record_usage(v_job, p_attempt, jsonb_populate_record(null::private.job_report, p_usage));
  perform private.sum_budgets(v_job);
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION private.reserve_budget(p_job public.agent_jobs, p_rooms private.budget_room[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_tasks integer := 1;
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select count(*) into v_tasks from public.task_executions e
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
  end if;
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, amount)
  select p_job.id, x.unit, p_job.attempt, p_job.product_id, least(greatest(v_tasks, 1) * x.need, x.amount)
  from private.budget_left(p_job, p_rooms) x
  on conflict (job_id, unit) do update
  set attempt = excluded.attempt, amount = excluded.amount, seen = 0, step = 0;
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
  perform private.sum_budget(p_budget);
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

CREATE OR REPLACE FUNCTION private.sum_budget(p_budget public.budgets)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if current_setting('backloom.shared_product', true) = p_budget.product_id::text then
    return;
  end if;
  insert into private.budget_sums as s (budget_id, from_at, last_id, amount)
  select p_budget.id, a.from_at, private.last_line(p_budget.product_id), a.in_ledger
  from private.add_up_budget(p_budget) a
  on conflict (budget_id) do update
  set from_at = excluded.from_at, last_id = excluded.last_id, amount = excluded.amount;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sum_budgets(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.budgets b where b.product_id = p_job.product_id) then
    perform private.sum_budget(b)
    from public.budgets b
    left join private.budget_sums s on s.budget_id = b.id
    where b.product_id = p_job.product_id and coalesce(s.last_id, 0) < private.last_line(p_job.product_id) - 100
      and private.budget_covers(b, p_job);
  end if;
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
  delete from private.budget_sums s using public.budgets b where b.id = s.budget_id and b.sprint_run_id = new.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.weigh_budgets(p_product_id uuid, p_worker_id uuid, p_wait boolean)
 RETURNS private.budget_room[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_rooms private.budget_room[] := '{}';
  v_room private.budget_room;
  v_model_id text;
  v_spent numeric;
  v_work record;
  v_last_line bigint;
begin
  if not exists (select from public.budgets b where b.product_id = p_product_id) then
    return null;
  end if;
  if p_wait then
    perform pg_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0));
  elsif not pg_try_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0)) then
    return private.closed_budgets(p_product_id);
  end if;

  if (private.budget_settings_of(p_product_id)).unreported = 'refuse' and not private.reports_usage(p_worker_id) then
    return private.closed_budgets(p_product_id);
  end if;
  v_last_line := private.last_line(p_product_id);
  v_model_id := private.model_of_worker(p_worker_id);
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_product_id
      and not exists (select from public.sprint_runs r where r.id = b.sprint_run_id and r.finished_at is not null)
    order by b.unit, b.id
  loop
    v_spent := private.budget_spent(v_budget);
    select * into v_work from private.budget_at_work(v_budget);
    -- What a task is expected to use is the same for all budgets in one unit.
    v_room := (v_budget.id, v_budget.unit, v_budget.amount - v_spent - v_work.reserved,
      case when v_room.unit = v_budget.unit then v_room.need else private.expected_use(p_product_id, v_budget.unit, v_model_id) end,
      null);
    v_room.is_full := private.is_budget_reached(v_budget)
      or (v_room.room < v_room.need and (v_work.jobs > 0 or v_room.room <= v_room.need / 10));
    v_rooms := v_rooms || v_room;
    perform private.warn_of_budget(v_budget, v_spent);
    if v_room.is_full and v_work.jobs = 0 or not exists (
      select from private.budget_sums s where s.budget_id = v_budget.id and s.last_id >= v_last_line - 1000
    ) then
      update public.budgets b set due_at = private.now()
      where b.id in (select x.id from public.budgets x where x.id = v_budget.id and x.due_at is null for update skip locked);
    end if;
  end loop;
  return v_rooms;
end;
$function$;

ALTER TABLE "private"."budget_sums" ADD CONSTRAINT "budget_sums_budget_id_fkey" FOREIGN KEY (budget_id) REFERENCES public.budgets(id) ON DELETE CASCADE;

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
    e.currency,
    e.id
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
    s.currency,
    '9223372036854775807'::bigint AS id
   FROM public.usage_so_far s;

CREATE OR REPLACE FUNCTION private.usage_under(p_budget public.budgets, p_from_at timestamp with time zone, p_after_id bigint)
 RETURNS SETOF private.known_usage
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_budget.scope = 'task' then
    return query
      select u.* from private.known_usage u
      left join public.sprint_runs r on r.id = u.sprint_run_id
      where u.task_id = p_budget.task_id and u.id > p_after_id and r.pr_strategy is distinct from 'SPRINT_BATCH';
  elsif p_budget.scope in ('run', 'sprint') then
    return query
      select u.* from private.known_usage u
      where u.id > p_after_id and u.sprint_run_id = any (
        array(select r.id from public.sprint_runs r where r.sprint_id = p_budget.sprint_id) || p_budget.sprint_run_id);
  elsif p_after_id = 0 then
    return query
      select u.* from private.known_usage u where u.product_id = p_budget.product_id and u.created_at >= p_from_at;
  else
    -- "is true" keeps the planner from the index of dates: few lines are new, and the whole window may be long.
    return query
      select u.* from private.known_usage u
      where u.product_id = p_budget.product_id and u.id > p_after_id and (u.created_at >= p_from_at) is true;
  end if;
end;
$function$;

CREATE INDEX usage_events_product_lines_idx ON public.usage_events USING btree (product_id, id);

CREATE INDEX usage_events_sprint_run_id_idx ON public.usage_events USING btree (sprint_run_id, id);

CREATE INDEX usage_events_task_id_idx ON public.usage_events USING btree (task_id, id);

CREATE INDEX usage_events_worker_id_idx ON public.usage_events USING btree (worker_id, id);

CREATE POLICY "budget_sums_service" ON "private"."budget_sums" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON FUNCTION "private"."add_up_budget"(public.budgets) IS 'What was used in the window of a budget, and how much of it is in the ledger.';

COMMENT ON FUNCTION "private"."budget_left"(public.agent_jobs, private.budget_room[]) IS 'What is left for a job of the budgets that it falls under.';

COMMENT ON FUNCTION "private"."budget_payload"(public.agent_jobs, private.budget_room[]) IS 'What a claimed job may use at most, by unit.';

COMMENT ON FUNCTION "private"."closed_budgets"(uuid) IS 'All budgets of a product as full.';

COMMENT ON FUNCTION "private"."full_budgets"(private.budget_room[]) IS 'The budgets under which nobody may begin.';

COMMENT ON FUNCTION "private"."last_line"(uuid) IS 'The last line in the ledger of a product; 0 without any.';

COMMENT ON FUNCTION "private"."reserve_budget"(public.agent_jobs, private.budget_room[]) IS 'Reserves for a claimed job what it is expected to use.';

COMMENT ON FUNCTION "private"."sum_budget"(public.budgets) IS 'Keeps what the ledger has for a budget.';

COMMENT ON FUNCTION "private"."sum_budgets"(public.agent_jobs) IS 'Lets the sums of the budgets of a job follow the ledger.';

COMMENT ON FUNCTION "private"."usage_under"(public.budgets, timestamp with time zone, bigint) IS 'Usage that falls under a budget, after a line of the ledger.';

COMMENT ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) IS 'What the budgets of a product leave for a job that begins now.';

COMMENT ON TABLE "private"."budget_sums" IS 'What the ledger has for a budget up to a line of it (private.sum_budget).';

COMMENT ON TYPE "private"."budget_room" IS 'What a claim found of a budget.';

COMMENT ON VIEW "private"."known_usage" IS 'Ledger and turns under way, in tokens and real money (specification: Agent job, token usage).';

REVOKE ALL ON FUNCTION "private"."add_up_budget"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_up_budget"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_left"(public.agent_jobs, private.budget_room[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_left"(public.agent_jobs, private.budget_room[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_payload"(public.agent_jobs, private.budget_room[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_payload"(public.agent_jobs, private.budget_room[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."closed_budgets"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."closed_budgets"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."full_budgets"(private.budget_room[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."full_budgets"(private.budget_room[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."last_line"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."last_line"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reserve_budget"(public.agent_jobs, private.budget_room[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reserve_budget"(public.agent_jobs, private.budget_room[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sum_budget"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sum_budget"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sum_budgets"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sum_budgets"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."usage_under"(public.budgets, timestamp with time zone, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."usage_under"(public.budgets, timestamp with time zone, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) TO "postgres";

GRANT ALL ON TABLE "private"."budget_sums" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "private"."budget_sums" TO "service_role";

GRANT USAGE ON TYPE "private"."budget_room" TO "postgres";

GRANT ALL ON TABLE "private"."known_usage" TO "postgres";
