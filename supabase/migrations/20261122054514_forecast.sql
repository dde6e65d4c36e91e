-- Why: what open tasks will take, from finished ones; estimates beside what came out; and whether the agents under a budget tell what they use.
set local check_function_bodies = off;

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
          where x.job_id = p_job_id and x.attempt = p_attempt and x.cost is not null and not x.subscription
          group by x.currency
        ) s))
    from public.usage_events e
    where e.job_id = p_job_id and e.attempt = p_attempt
  );
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
    'unreported_jobs', private.unreported_jobs(p_budget),
    'state', case when v_is_reached then 'reached' when v_spent >= 0.8 * p_budget.amount then 'warning' else 'open' end,
    'from_at', nullif(v_window.from_at, '-infinity'), 'until_at', v_window.until_at,
    'created_at', p_budget.created_at, 'updated_at', p_budget.updated_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.cost_insights(p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_since timestamptz := private.now() - interval '90 days';
begin
  return jsonb_build_object(
    'by_day_model', (
      select coalesce(jsonb_agg(to_jsonb(d) order by d.date, d.model_id, d.currency), '[]')
      from (
        select (e.created_at at time zone 'UTC')::date as date, e.model_id, e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = p_product_id and e.cost is not null and not e.subscription
        group by 1, 2, 3
      ) d),
    'by_product', (
      select coalesce(jsonb_agg(to_jsonb(x) order by lower(x.name), x.product_id), '[]')
      from (
        select p.id as product_id, p.code, p.name,
          (
            select coalesce(jsonb_agg(jsonb_build_object('currency', c.currency, 'cost', c.cost) order by c.currency), '[]')
            from (
              select e.currency, round(sum(e.cost), 6) as cost from public.usage_events e
              where e.product_id = p.id and e.cost is not null and not e.subscription
              group by e.currency
            ) c
          ) as costs
        from public.products p
        where p.id in (select private.writable_product_ids())
      ) x
      where x.costs <> '[]'),
    'cycle_times', (
      select coalesce(jsonb_agg(to_jsonb(c) order by c.finished_at), '[]')
      from (
        select t.id as task_id, t.code, t.title, s.started_at, f.finished_at
        from (
          select h.task_id, max(h.changed_at) as finished_at
          from public.task_status_changes h
          where h.product_id = p_product_id and h.to_status = 'DONE' and h.changed_at >= v_since
          group by h.task_id
          order by 2 desc
          limit 200
        ) f
        join public.tasks t on t.id = f.task_id and t.status = 'DONE'
        cross join lateral (
          select min(h.changed_at) as started_at from public.task_status_changes h
          where h.task_id = f.task_id and h.to_status = 'IN_PROGRESS'
        ) s
        where s.started_at < f.finished_at
      ) c)
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
        and e.cost is not null and not e.subscription
      group by e.currency
    ) s
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.estimates_of(p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with estimated as (
      select f.*, f.seconds / 60 as minutes,
        case when f.estimated_minutes <= 15 then 'S' when f.estimated_minutes <= 60 then 'M'
          when f.estimated_minutes <= 240 then 'L' else 'XL' end as size
      from private.finished_tasks(p_product_id) f
      where f.estimated_minutes > 0
    )
    select jsonb_build_object(
      'estimates', (
        select coalesce(jsonb_agg(to_jsonb(x) order by array_position(array['S', 'M', 'L', 'XL'], x.size), x.model_id), '[]')
        from (
          select e.size, e.model_id, count(*) as tasks,
            round((percentile_cont(0.5) within group (order by e.estimated_minutes))::numeric, 1) as estimated_minutes,
            round((percentile_cont(0.5) within group (order by e.minutes))::numeric, 1) as actual_minutes
          from estimated e group by e.size, e.model_id
        ) x),
      'surprises', (
        select coalesce(jsonb_agg(to_jsonb(x) - 'far' order by x.far desc), '[]')
        from (
          select t.id as task_id, t.code as task_code, t.title as task_title, e.model_id, e.estimated_minutes,
            round(e.minutes, 1) as actual_minutes, abs(ln(greatest(e.minutes, 0.01) / e.estimated_minutes)) as far
          from estimated e join public.tasks t on t.id = e.task_id
          where greatest(e.minutes, 0.01) / e.estimated_minutes not between 0.5 and 2
          order by far desc limit 5
        ) x))
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.finished_tasks(p_product_id uuid)
 RETURNS TABLE(job_id uuid, task_id uuid, model_id text, estimated_minutes integer, seconds numeric, tokens numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.id, j.task_id, j.model_id, t.estimated_minutes, a.seconds, u.tokens
    from (
      select x.* from public.agent_jobs x
      where x.product_id = p_product_id and x.kind = 'TASK_IMPLEMENTATION' and x.status = 'DONE'
      order by x.created_at desc, x.id limit 200
    ) j
    join public.tasks t on t.id = j.task_id
    cross join lateral (
      select extract(epoch from sum(x.ended_at - x.started_at))::numeric as seconds
      from public.job_attempts x where x.job_id = j.id and x.ended_at is not null
    ) a
    cross join lateral (
      select sum(k.tokens)::numeric as tokens from private.known_usage k where k.job_id = j.id
    ) u
    where a.seconds is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_forecast(p_product_id uuid, p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_tasks integer := 1;
  v_seconds numeric[];
  v_tokens numeric[];
  v_costs jsonb;
begin
  perform private.require_product_access(p_product_id);
  if p_sprint_id is not null then
    if not exists (select from public.sprints s where s.id = p_sprint_id and s.product_id = p_product_id) then
      perform private.refuse(404, 'No such sprint.');
    end if;
    select count(*) into v_tasks from private.sprint_scope(p_sprint_id);
  end if;
  select array_agg(f.seconds), array_agg(f.tokens) filter (where f.tokens > 0) into v_seconds, v_tokens
  from private.finished_tasks(p_product_id) f;
  select coalesce(jsonb_agg(private.spread_of(x.used, v_tasks) || jsonb_build_object('currency', x.currency) order by x.currency)
    filter (where cardinality(x.used) >= 5 and v_tasks > 0), '[]')
  into v_costs
  from (
    select c.currency, array_agg(c.used) as used
    from (
      select k.currency, f.job_id, sum(k.cost) as used
      from private.finished_tasks(p_product_id) f
      join private.known_usage k on k.job_id = f.job_id and k.cost is not null
      group by k.currency, f.job_id
    ) c
    group by c.currency
  ) x;
  return json_build_object('product_id', p_product_id, 'sprint_id', p_sprint_id, 'tasks', v_tasks,
    'finished', coalesce(cardinality(v_seconds), 0), 'too_few', coalesce(cardinality(v_seconds), 0) < 5,
    'seconds', private.spread_of(v_seconds, v_tasks), 'tokens', private.spread_of(v_tokens, v_tasks), 'costs', v_costs)::jsonb
    || private.estimates_of(p_product_id);
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
      where e.job_id = p_job_id and e.cost is not null and not e.subscription
      group by e.currency
    ) s
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.reports_usage(p_worker_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_last public.job_attempts;
begin
  select a.* into v_last from public.job_attempts a
  where a.worker_id = p_worker_id and a.outcome in ('done', 'failed') order by a.ended_at desc limit 1;
  return v_last.job_id is null
    or exists (select from public.usage_events e where e.job_id = v_last.job_id and e.attempt = v_last.attempt);
end;
$function$;

CREATE OR REPLACE FUNCTION private.spread_of(p_values numeric[], p_tasks integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_low numeric;
  v_high numeric;
  v_mean numeric;
  v_deviation numeric;
begin
  if coalesce(cardinality(p_values), 0) < 5 or p_tasks < 1 then
    return null;
  end if;
  select percentile_cont(0.2) within group (order by v), percentile_cont(0.8) within group (order by v), avg(v), stddev_samp(v)
  into v_low, v_high, v_mean, v_deviation
  from unnest(p_values) v;
  if p_tasks > 1 then
    v_low := greatest(p_tasks * v_mean - 0.8416 * v_deviation * sqrt(p_tasks), 0);
    v_high := p_tasks * v_mean + 0.8416 * v_deviation * sqrt(p_tasks);
  end if;
  return jsonb_build_object('low', round(v_low, 6), 'high', round(v_high, 6), 'finished', cardinality(p_values));
end;
$function$;

CREATE OR REPLACE FUNCTION private.unreported_jobs(p_budget public.budgets)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_from timestamptz := (private.budget_window(p_budget)).from_at;
begin
  return (
    select count(*) from public.agent_jobs j
    where j.product_id = p_budget.product_id and j.status in ('DONE', 'FAILED') and j.attempt > 0 and j.finished_at >= v_from
      and private.budget_covers(p_budget, j)
      and not exists (select from public.usage_events e where e.job_id = j.id)
  );
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
      select k.part, k.key, u.currency, case when not u.subscription then u.cost end as cost, u.job_id, u.source, u.estimated,
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

  if (private.budget_settings_of(p_product_id)).unreported = 'refuse' and not private.reports_usage(p_worker_id) then
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

CREATE OR REPLACE FUNCTION public.get_forecast(p_product_id uuid, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_forecast(p_product_id, p_sprint_id);
end;
$function$;

COMMENT ON FUNCTION "private"."estimates_of"(uuid) IS 'Estimates beside what the work took, and what surprised most.';

COMMENT ON FUNCTION "private"."finished_tasks"(uuid) IS 'The newest tasks that agents finished, with time and tokens.';

COMMENT ON FUNCTION "private"."reports_usage"(uuid) IS 'Whether the last finished attempt of a worker told what it used.';

COMMENT ON FUNCTION "private"."spread_of"(numeric[], integer) IS 'Where so many tasks lie at 20 and 80 per cent; null with fewer than five finished ones.';

COMMENT ON FUNCTION "private"."unreported_jobs"(public.budgets) IS 'Finished jobs under a budget whose agents told no usage.';

COMMENT ON FUNCTION "public"."get_forecast"(uuid, uuid) IS 'Time, tokens and money of open tasks from finished ones, and estimates beside what came out.';

REVOKE ALL ON FUNCTION "private"."estimates_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."estimates_of"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finished_tasks"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finished_tasks"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."get_forecast"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_forecast"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."reports_usage"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reports_usage"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."spread_of"(numeric[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."spread_of"(numeric[], integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."unreported_jobs"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unreported_jobs"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "public"."get_forecast"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_forecast"(uuid, uuid) TO "authenticated", "postgres";
