-- Why: a dependency may be added during a run. What has not begun is then reordered, so that nothing comes before its
-- blockers; what has begun keeps its place. Called under the exclusive product lock.
create function private.order_runs(p_product_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_run_id uuid;
begin
  for v_run_id in
    select r.id from public.sprint_runs r where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED') order by r.id
  loop
    with waiting as (
      select array_agg(j.task_id order by j.position) as ids, array_agg(j.position order by j.position) as places
      from public.agent_jobs j
      where j.sprint_run_id = v_run_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'QUEUED' and j.attempt = 0
    ), ordered as (
      select x.id, w.places[x.place] as position
      from waiting w cross join lateral unnest(private.order_by_dependencies(w.ids)) with ordinality x (id, place)
    )
    update public.agent_jobs j
    set position = o.position
    from ordered o
    where j.sprint_run_id = v_run_id and j.task_id = o.id and j.position <> o.position;
    perform private.pass_turn(v_run_id, l.lane_id)
    from (select distinct j.lane_id from public.agent_jobs j where j.sprint_run_id = v_run_id and j.status = 'QUEUED') l;

    with waiting as (
      select array_agg(e.task_id order by e.position) as ids, array_agg(e.position order by e.position) as places
      from public.task_executions e where e.sprint_run_id = v_run_id and e.status = 'PENDING'
    ), ordered as (
      select x.id, w.places[x.place] as position
      from waiting w cross join lateral unnest(private.order_by_dependencies(w.ids)) with ordinality x (id, place)
    )
    update public.task_executions e
    set position = o.position
    from ordered o
    where e.sprint_run_id = v_run_id and e.task_id = o.id and e.position <> o.position;
  end loop;
end;
$$;

comment on function private.order_runs is 'The places of what has not begun follow new dependencies (specification: Sprint run).';
