-- Forecasts are made by the sweep, so that a claim costs nothing more: of work that has just been claimed, before it changes anything,
-- and compared when it is delivered; for at most a second, since the sweep has other work. A claim that looks for little overlap makes them itself, one at a time per product.
create function private.follow_forecasts()
returns void language plpgsql volatile set search_path = '' as $$
declare
  v record;
  v_end timestamptz := clock_timestamp() + interval '1 second';
begin
  for v in
    select x.id, x.product_id, j.task_id, j.claimed_at
    from public.change_indexes x
    join public.agent_jobs j on j.product_id = x.product_id and j.status in ('CLAIMED', 'RUNNING') and j.task_id is not null
    where not exists (select from public.forecasts f where f.task_id = j.task_id and f.claimed_at is not null)
      and x.known_changes >= 8 and private.index_of(j.task_id) = x.id
    order by x.product_id, j.task_id limit 10
  loop
    exit when clock_timestamp() > v_end;
    if pg_try_advisory_xact_lock(hashtextextended('forecasts:' || v.product_id::text, 0)) then
      perform private.keep_forecast(v.task_id, v.claimed_at);
    end if;
  end loop;
  for v in
    select f.task_id, f.index_id, x.product_id, (
      select j.id from public.agent_jobs j where j.task_id = f.task_id and j.status = 'DONE' order by j.finished_at desc limit 1) as job_id
    from public.forecasts f
    join public.change_indexes x on x.id = f.index_id
    join public.tasks t on t.id = f.task_id and t.status = 'DONE'
    where f.claimed_at is not null and f.settled_at is null
    order by x.product_id, f.task_id limit 10
  loop
    exit when clock_timestamp() > v_end;
    if pg_try_advisory_xact_lock(hashtextextended('forecasts:' || v.product_id::text, 0)) then
      update public.forecasts f set settled_at = private.now(), changed = private.changed_paths(v.job_id) where f.task_id = v.task_id;
      perform private.join_finished_tasks(v.index_id, array[v.task_id]);
    end if;
  end loop;
end;
$$;
