-- Why: people compare the agents and models of a product by their finished tasks; three tables of Insights go.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.get_scoreboard(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);
  return (
    with jobs as materialized (
      select j.id, j.task_id, j.status, j.author_worker_id, coalesce(j.model_id, j.model) as model
      from public.agent_jobs j
      where j.product_id = p_product_id and j.kind = 'TASK_IMPLEMENTATION' and j.finished_at >= private.now() - interval '180 days'
        and (j.status = 'DONE' or (j.status = 'FAILED' and j.failure_class in ('agent_error', 'verification_failed')))
      order by j.finished_at desc
      limit 2000
    ), tried as materialized (
      select a.job_id, max(a.agent) as agent, sum(extract(epoch from a.ended_at - a.started_at)) / 60 as minutes,
        count(*) filter (where a.outcome = 'failed') as failures
      from jobs j join public.job_attempts a on a.job_id = j.id
      -- Another worker may have checked it.
      where a.ended_at is not null and a.worker_id is not distinct from coalesce(j.author_worker_id, a.worker_id)
      group by a.job_id
      having count(distinct coalesce(a.agent, '')) = 1
    ), measured as materialized (
      select j.id, j.task_id, j.model, t.agent, t.minutes, j.status = 'DONE' as is_done,
        t.failures + private.verify_rounds(j.id) + (j.status = 'DONE')::integer
          + (select count(*) from public.job_reviews r where r.job_id = j.id and r.verdict = 'request_changes') as rounds,
        c.cost, c.currency
      from jobs j
      join tried t on t.job_id = j.id
      left join lateral (
        select sum(e.cost) as cost, max(e.currency) as currency from public.usage_events e
        where e.job_id = j.id and e.cost is not null and not e.subscription
        having count(distinct e.currency) = 1) c on true
    ), placed as (
      select m.*, null as label from measured m
      union all
      select m.*, l.name from measured m
      join public.tasks k on k.id = m.task_id
      join public.labels l on l.id = any (k.label_ids)
    )
    select json_build_object('rows', coalesce(json_agg(r order by r.label nulls first, r.finished desc, r.agent, r.model), '[]'))
    from (
      select p.agent, p.model, p.label, count(*)::integer as finished,
        (count(*) filter (where p.is_done and p.rounds = 1))::integer as passed,
        percentile_cont(0.5) within group (order by p.rounds) as rounds,
        case when count(distinct p.currency) = 1 then round((percentile_cont(0.5) within group (order by p.cost))::numeric, 4) end as cost,
        round((percentile_cont(0.5) within group (order by p.minutes))::numeric, 1) as minutes
      from placed p
      group by p.agent, p.model, p.label
    ) r);
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
    when 'by_story' then (
      select jsonb_build_object('story_id', p_key, 'story_code', max(x.code), 'story_title', max(x.title))
      from public.stories x where x.id = p_key::uuid)
    else '{}'
  end;
end;
$function$;

REVOKE ALL ON FUNCTION "operations"."get_scoreboard"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_scoreboard"(uuid) TO "authenticated", "postgres";
