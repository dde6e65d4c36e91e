-- The insights page: burn-down of a sprint (the given, the active or the newest one), and tokens and cost of the
-- product, or of the given sprint. Definer: access is checked first (specification: Sprint; Agent job; Model price).
create function operations.get_insights(p_product_id uuid, p_sprint_id uuid default null)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_sprint public.sprints;
begin
  perform private.require_product_access(p_product_id);
  select s.* into v_sprint from public.sprints s
  where s.product_id = p_product_id and (p_sprint_id is null or s.id = p_sprint_id)
  order by (s.status = 'ACTIVE') desc, s.started_at desc nulls last, s.created_at desc
  limit 1;
  if p_sprint_id is not null and v_sprint.id is null then
    perform private.refuse_unknown('sprint');
  end if;
  return jsonb_build_object(
    'product_id', p_product_id,
    'sprint', case when v_sprint.id is not null then jsonb_build_object('id', v_sprint.id, 'code', v_sprint.code,
      'sprint_goal', v_sprint.sprint_goal, 'status', lower(v_sprint.status::text), 'start_date', v_sprint.start_date,
      'end_date', v_sprint.end_date, 'started_at', v_sprint.started_at, 'completed_at', v_sprint.completed_at) end,
    'burndown', case when v_sprint.id is not null then private.burndown(v_sprint) else '[]' end)
    || private.usage_by(p_product_id, p_sprint_id) || private.cost_insights(p_product_id)
    || jsonb_build_object('landing', private.landing_insights(p_product_id), 'review_times', private.review_times(p_product_id),
      'forecast', operations.get_forecast(p_product_id));
end;
$$;
grant execute on function operations.get_insights to authenticated;

-- The data of the insights charts beyond the sums: cost per model and day, cost of the caller's other products, and how
-- long finished tasks took from first start to last end (90 days, the newest 200). Access is checked before.
create function private.cost_insights(p_product_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
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
        where p.id in (select private.open_product_ids())
      ) x
      where x.costs <> '[]'),
    'cycle_times', (
      select coalesce(jsonb_agg(to_jsonb(c) order by c.finished_at), '[]')
      from (
        select t.id as task_id, t.code, t.title, s.started_at, f.finished_at
        from (
          select h.task_id, max(h.changed_at) as finished_at
          from public.task_status_changes h
          where h.product_id = p_product_id and h.to_status = 'DONE' and h.from_status is distinct from h.to_status and h.changed_at >= v_since
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
$$;

-- How long finished work waited for main, and what returned work (90 days) (docs/forges.md).
create function private.landing_insights(p_product_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_since timestamptz := private.now() - interval '90 days';
begin
  return jsonb_build_object('returns', (
      select coalesce(jsonb_agg(to_jsonb(r) order by r.returned + r.asked desc, r.kind), '[]')
      from (
        select x.kind, count(*) filter (where not x.asks) as returned, count(*) filter (where x.asks) as asked
        from (
          select distinct k.kind, k.pull_id, k.head_sha, k.decision = 'asked' as asks
          from public.pull_reactions k join public.pulls p on p.id = k.pull_id
          where p.product_id = p_product_id and k.created_at >= v_since and k.decision <> 'noted'
          union all
          select 'landing_' || l.state, l.id, '', l.state = 'refused'
          from public.landings l
          where l.product_id = p_product_id and l.finished_at >= v_since and l.state in ('conflict', 'test_failed', 'refused')
        ) x
        group by x.kind
      ) r)) || (
    select jsonb_build_object('landed', count(*), 'median_seconds', round(percentile_cont(0.5) within group (order by w.seconds))::bigint,
      'longest_seconds', round(max(w.seconds))::bigint)
    from (
      select extract(epoch from j.merged_at - j.finished_at) as seconds
      from public.agent_jobs j
      where j.product_id = p_product_id and j.status = 'DONE' and j.merged_at >= v_since and j.merged_at >= j.finished_at
        and j.head_sha is distinct from j.base_sha
    ) w);
end;
$$;

-- Tokens and cost of a product from its ledger, summed in one pass by model, day, sprint, story, and in total. Currencies are never added: costs are a list. `unpriced_jobs` counts jobs that have tokens
-- without a price, `estimated` says whether anything was estimated (specification: Agent job; Model price).
create function private.usage_by(p_product_id uuid, p_sprint_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
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
        ('by_story', u.story_id::text)) as k (part, key)
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
      'by_story', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_story'))
  );
end;
$$;

-- Labels a sum with the ids and names that a page shows.
create function private.usage_key_json(p_part text, p_key text)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return case p_part
    when 'by_model' then jsonb_build_object('model_id', p_key)
    when 'by_day' then jsonb_build_object('date', p_key)
    when 'by_sprint' then jsonb_build_object('sprint_id', p_key,
      'sprint_code', (select x.code from public.sprints x where x.id = p_key::uuid))
    when 'by_story' then (
      select jsonb_build_object('story_id', p_key, 'story_code', max(x.code), 'story_title', max(x.title))
      from public.stories x where x.id = p_key::uuid)
    else '{}'
  end;
end;
$$;

-- How many tasks were in a sprint, started, and not done at the end of each day, from the recorded history, so that the past
-- does not change. The day a sprint was completed counts up to that moment: tasks that then return to the backlog are
-- what was left (specification: Sprint; Task, states).
create function private.burndown(p_sprint public.sprints)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_today date := (private.now() at time zone 'UTC')::date;
  v_from date := coalesce(p_sprint.start_date, (p_sprint.started_at at time zone 'UTC')::date, (p_sprint.created_at at time zone 'UTC')::date);
  v_to date := least(v_today, greatest(coalesce(p_sprint.end_date, v_today), (p_sprint.completed_at at time zone 'UTC')::date), v_from + 120);
begin
  return (
    -- A part of its own: beside the looks at each day's last change the planner takes reading the whole history for as cheap.
    with scope as materialized (
      select distinct c.task_id from public.task_status_changes c where c.sprint_id = p_sprint.id
    )
    select coalesce(jsonb_agg(jsonb_build_object('date', x.day, 'remaining', x.remaining, 'started', x.started, 'total', x.total) order by x.day), '[]')
    from (
      select d.day::date as day, count(*) as total, count(*) filter (where l.to_status <> 'DONE') as remaining,
        count(*) filter (where l.to_status in ('IN_PROGRESS', 'REVIEW')) as started
      from generate_series(v_from::timestamp, v_to::timestamp, interval '1 day') as d (day)
      cross join scope
      cross join lateral (
        select c.to_status, c.sprint_id from public.task_status_changes c
        where c.task_id = scope.task_id
          and c.changed_at < least((d.day + interval '1 day') at time zone 'UTC', p_sprint.completed_at)
        order by c.changed_at desc, c.id desc
        limit 1
      ) l
      where l.sprint_id = p_sprint.id
      group by d.day
    ) x
  );
end;
$$;

-- The sprint page shows the burndown next to the board. Definer: access is checked once, first (specification: Sprint).
create function private.get_sprint_burndown(p_sprint_id uuid)
returns jsonb language plpgsql stable security definer set search_path = '' as $$
declare
  v_sprint public.sprints;
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  return private.burndown(v_sprint);
end;
$$;
grant execute on function private.get_sprint_burndown to authenticated;
