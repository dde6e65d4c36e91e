-- Why: what the charts of the insights page need beside the sums: what each model cost on each day, what the other products of the
-- caller cost, and how long finished tasks took from their first start to their last end (90 days, the newest 200).
-- Called by get_insights, which has checked the access.
create function private.cost_insights(p_product_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
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

comment on function private.cost_insights is 'Cost by day and model, by product, and how long tasks took.';
