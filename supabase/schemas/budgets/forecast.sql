-- Before a run people ask how long and how much; afterwards, what differed from the estimates. Returns working
-- time, tokens and money of a sprint's open tasks (without a sprint, of one task) at 20 and 80 per cent, estimates
-- next to actual times by size and model, and the biggest surprises. Currencies are never added.
-- Definer: access is checked first.
create function operations.get_forecast(p_product_id uuid, p_sprint_id uuid default null)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_tasks integer := 1;
  v_seconds numeric[];
  v_tokens numeric[];
  v_costs jsonb;
begin
  perform private.require_product_access(p_product_id);
  if p_sprint_id is not null then
    if not exists (select from public.sprints s where s.id = p_sprint_id and s.product_id = p_product_id) then
      perform private.refuse_unknown('sprint');
    end if;
    v_tasks := cardinality(private.sprint_task_ids(p_sprint_id));
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

-- Forecasts and comparisons are based on tasks that agents have finished: the time of all attempts, and their
-- usage. The 200 newest are enough, and older ones say less and less.
create function private.finished_tasks(p_product_id uuid)
returns table (job_id uuid, task_id uuid, model_id text, estimated_minutes integer, seconds numeric, tokens numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
    select j.id, j.task_id, j.model_id, t.estimated_minutes, a.seconds, u.tokens
    from (
      select x.* from public.agent_jobs x
      where x.product_id = p_product_id and x.kind = 'TASK_IMPLEMENTATION' and x.status = 'DONE'
      order by x.finished_at desc limit 200
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
