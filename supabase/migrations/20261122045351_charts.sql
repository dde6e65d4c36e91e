-- What the charts of the insights page show: cost by day and model and by product, and how long tasks took.
set local check_function_bodies = off;

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
        where e.product_id = p_product_id and e.cost is not null
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
              where e.product_id = p.id and e.cost is not null
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

CREATE OR REPLACE FUNCTION private.get_insights(p_product_id uuid, p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  perform private.require_product_access(p_product_id);
  select s.* into v_sprint from public.sprints s
  where s.product_id = p_product_id and (p_sprint_id is null or s.id = p_sprint_id)
  order by (s.status = 'ACTIVE') desc, s.started_at desc nulls last, s.created_at desc
  limit 1;
  if p_sprint_id is not null and v_sprint.id is null then
    perform private.refuse(404, 'No such sprint.');
  end if;
  return jsonb_build_object(
    'product_id', p_product_id,
    'sprint', case when v_sprint.id is not null then jsonb_build_object('id', v_sprint.id, 'code', v_sprint.code,
      'sprint_goal', v_sprint.sprint_goal, 'status', lower(v_sprint.status::text), 'start_date', v_sprint.start_date,
      'end_date', v_sprint.end_date, 'started_at', v_sprint.started_at, 'completed_at', v_sprint.completed_at) end,
    'burndown', case when v_sprint.id is not null then private.burndown(v_sprint) else '[]' end)
    || private.usage_by(p_product_id, p_sprint_id) || private.cost_insights(p_product_id);
end;
$function$;

COMMENT ON FUNCTION "private"."cost_insights"(uuid) IS 'Cost by day and model, by product, and how long tasks took.';

REVOKE ALL ON FUNCTION "private"."cost_insights"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."cost_insights"(uuid) TO "postgres";
