-- Why: beside what is left of a sprint, insights and the sprint's page say how many of those tasks are started.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.burndown(p_sprint public.sprints)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
$function$;
