-- Before a run people ask how long and how much; afterwards, what differed from the estimates. Returns working
-- time, tokens and money of a sprint's open tasks or of these tasks (otherwise of one task) at 20 and 80 per cent, what one
-- of them may take with the ceiling for it, estimates next to actual times by size and model, and the biggest surprises.
-- Currencies are never added. Definer: access is checked first.
create function operations.get_forecast(p_product_id uuid, p_sprint_id uuid default null, p_task_ids jsonb default null)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_task_ids uuid[] := array(select x::uuid from jsonb_array_elements_text(p_task_ids) x);
  v_tasks integer := greatest(cardinality(v_task_ids), 1);
  v_seconds numeric[];
  v_tokens numeric[];
  v_costs jsonb;
begin
  perform private.require_product_access(p_product_id);
  if p_sprint_id is not null then
    if not exists (select from public.sprints s where s.id = p_sprint_id and s.product_id = p_product_id) then
      perform private.refuse_unknown('sprint');
    end if;
    v_task_ids := private.sprint_task_ids(p_sprint_id);
    v_tasks := cardinality(v_task_ids);
  else
    perform private.require_one_product(v_task_ids, p_product_id);
  end if;
  with finished as materialized (select f.* from private.finished_tasks(p_product_id) f)
  select array_agg(f.seconds), array_agg(f.tokens) filter (where f.tokens > 0), (
    select coalesce(jsonb_agg(private.spread_of(x.used, v_tasks) || jsonb_build_object('currency', x.currency) order by x.currency)
      filter (where cardinality(x.used) >= 5 and v_tasks > 0), '[]')
    from (
      select c.key as currency, array_agg(c.value::numeric) as used
      from finished k cross join lateral jsonb_each_text(k.costs) c group by c.key) x)
  into v_seconds, v_tokens, v_costs
  from finished f;
  return json_build_object('product_id', p_product_id, 'sprint_id', p_sprint_id, 'tasks', v_tasks,
    'finished', coalesce(cardinality(v_seconds), 0), 'too_few', coalesce(cardinality(v_seconds), 0) < 5,
    'seconds', private.spread_of(v_seconds, v_tasks), 'tokens', private.spread_of(v_tokens, v_tasks), 'costs', v_costs)::jsonb
    || private.estimates_of(p_product_id) || private.estimate(p_product_id, v_task_ids);
end;
$$;
grant execute on function operations.get_forecast to authenticated;

-- Shows how good estimates are: by size (up to 15 minutes, an hour, four hours, more) and model the median
-- estimate next to the median actual time, and the tasks that missed their estimate most.
create function private.estimates_of(p_product_id uuid) returns jsonb language plpgsql stable set search_path = '' as $$
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
$$;

-- Forecasts and comparisons are based on tasks that agents have finished: the time and usage of all attempts of all
-- their jobs, failed and deleted ones too. The 200 newest are enough, and older ones say less and less.
create function private.finished_tasks(p_product_id uuid)
returns table (task_id uuid, model_id text, agent text, label_ids uuid[], estimated_minutes integer, began_at timestamptz,
  finished_at timestamptz, seconds numeric, tokens numeric, costs jsonb)
language plpgsql stable set search_path = '' as $$
begin
  return query
    select j.task_id, j.model_id, j.agent, t.label_ids || s.label_ids, t.estimated_minutes, a.began_at, j.finished_at, a.seconds, u.tokens, u.costs
    from (
      select distinct on (x.task_id) x.*
      from (
        select k.* from public.agent_jobs k
        where k.product_id = p_product_id and k.kind = 'TASK_IMPLEMENTATION' and k.status = 'DONE'
        order by k.finished_at desc limit 200) x
      order by x.task_id, x.finished_at desc
    ) j
    join public.tasks t on t.id = j.task_id
    join public.stories s on s.id = t.story_id
    cross join lateral (
      select min(x.started_at) as began_at, extract(epoch from sum(x.ended_at - x.started_at))::numeric as seconds
      from public.agent_jobs k join public.job_attempts x on x.job_id = k.id
      where k.task_id = j.task_id and k.kind = 'TASK_IMPLEMENTATION' and x.ended_at is not null
    ) a
    cross join lateral (
      select sum(c.tokens) as tokens, jsonb_object_agg(c.currency, c.cost) filter (where c.cost is not null) as costs
      from (
        select case when k.cost is not null then k.currency else '' end as currency, sum(k.cost) as cost, sum(k.tokens)::numeric as tokens
        from private.known_usage k left join public.sprint_runs r on r.id = k.sprint_run_id
        where k.task_id = j.task_id and r.pr_strategy is distinct from 'SPRINT_BATCH'
        group by 1) c
    ) u
    where a.seconds is not null;
end;
$$;

-- What a task may take, from at least eight whole finished tasks: of one task those with one of its labels and its agent, otherwise
-- those of the product. The range leaves out a fifth at each end, or less where it has held for fewer than three in five of the
-- last fifty tasks, each judged by what was finished before it began. The ceiling leaves out the dearest twentieth, on top of what
-- was used already; without enough tasks it is 5 dollars, or 2 million tokens where agents report no money (docs/budgets.md).
create function private.estimate(p_product_id uuid, p_task_ids uuid[])
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_task record;
  v_unit text;
  v_used numeric;
  v_has_usage boolean;
  v_answer jsonb;
begin
  select t.label_ids || s.label_ids as label_ids, coalesce(t.agent, s.agent, p.agent) as agent into v_task
  from public.tasks t join public.stories s on s.id = t.story_id join public.products p on p.id = t.product_id
  where t.id = p_task_ids[1] and cardinality(p_task_ids) = 1;
  -- Money of one currency, the one that the newest work was paid in.
  select e.currency into v_unit from public.usage_events e
  where e.product_id = p_product_id and e.cost is not null and not e.subscription order by e.id desc limit 1;
  v_has_usage := exists (select from public.usage_events e where e.product_id = p_product_id);
  select coalesce(max(x.used), 0) into v_used
  from (
    select sum(case when v_unit is null then k.tokens when k.currency = v_unit then k.cost end) as used
    from private.known_usage k where k.task_id = any (p_task_ids) group by k.task_id) x;

  with finished as materialized (
    select f.*, case when v_unit is null then f.tokens else (f.costs ->> v_unit)::numeric end as amount,
      f.label_ids && v_task.label_ids and (v_task.agent is null or f.agent = v_task.agent) as is_like
    from private.finished_tasks(p_product_id) f
  ), chosen as materialized (
    select f.* from finished f where f.is_like or (select count(*) from finished x where x.is_like) < 8
  ), judged as (
    select count(*) as of, count(*) filter (where p.amount between e.q[3] and e.q[4]) as held_80,
      count(*) filter (where p.amount between e.q[2] and e.q[5]) as held_90
    from (select * from chosen c where c.amount is not null order by c.began_at desc limit 50) p
    cross join lateral (
      select count(*) as n, percentile_cont(array[0.05, 0.1, 0.2, 0.8, 0.9, 0.95]) within group (order by c.amount) as q
      from chosen c where c.finished_at <= p.began_at and c.amount is not null) e
    where e.n >= 8
  ), width as (
    select j.of, w.* from judged j cross join lateral (
      select 0.2 as low, 0.8 as high, j.held_80 as held where j.of < 10 or j.held_80 >= 0.6 * j.of
      union all select 0.1, 0.9, j.held_90 limit 1) w
  ), ranges as (
    select count(*) as of, percentile_cont(array[w.low, w.high]::float[]) within group (order by c.tokens) filter (where c.tokens > 0) as tokens,
      percentile_cont(array[w.low, w.high]::float[]) within group (order by c.seconds / 60) as minutes,
      count(c.amount) filter (where v_unit is not null) as paid,
      percentile_cont(array[w.low, w.high, 0.95]::float[]) within group (order by c.amount) as amount, count(c.amount) as counted,
      w.held, w.of as held_of
    from width w left join chosen c on true
    group by w.low, w.high, w.held, w.of
  )
  select jsonb_build_object(
    'estimate', jsonb_build_object(
      'cost', case when r.paid >= 8 then jsonb_build_object('low', round(r.amount[1]::numeric, 4), 'high', round(r.amount[2]::numeric, 4), 'currency', v_unit) end,
      'tokens', case when r.of >= 8 and r.tokens[1] is not null then jsonb_build_object('low', round(r.tokens[1]), 'high', round(r.tokens[2])) end,
      'minutes', case when r.of >= 8 then jsonb_build_object('low', round(r.minutes[1]::numeric, 1), 'high', round(r.minutes[2]::numeric, 1)) end,
      'of', r.of, 'too_few', r.of < 8, 'held', r.held, 'held_of', r.held_of),
    'ceiling', case when v_unit is null and v_has_usage then jsonb_build_object('tokens',
        ceil((v_used + case when r.counted >= 8 then r.amount[3] else 2000000 end) / 1000) * 1000)
      else jsonb_build_object('amount', ceil((v_used + case when r.counted >= 8 then r.amount[3]::numeric else 5 end) * 100) / 100,
        'currency', coalesce(v_unit, 'USD')) end)
  into v_answer from ranges r;
  return v_answer;
end;
$$;

-- One task is between the 20th and 80th percentile; the sum of many is closer to their average, because high and
-- low values cancel out. Returns both ends and the number of finished tasks behind them.
create function private.spread_of(p_values numeric[], p_tasks integer)
returns jsonb language plpgsql immutable set search_path = '' as $$
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
$$;
