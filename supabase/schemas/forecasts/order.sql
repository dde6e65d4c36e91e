-- In a product with avoid_overlap, which of the equals a claim takes: of the first twelve with the first one's run, rank and
-- priority, the one that meets the least running work. Who was passed over eight times goes first. Null: the order decides. Claims look one
-- after the other, so that each sees what the other took, and make forecasts for at most 0.3 s, the next claim the others; the lock is taken after the product's and the budgets', before a job's
-- row, and no one who holds such a lock of another product waits for it (p_waits).
create function private.least_overlap(
  p_asker private.asker, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[], p_waits boolean)
returns uuid language plpgsql volatile set search_path = '' set enable_sort = on as $$
declare
  v_jobs uuid[];
  v_tasks uuid[];
  v_chosen integer;
  v_task_id uuid;
  v_end timestamptz := clock_timestamp() + interval '0.3 seconds';
begin
  if not exists (select from public.products p where p.id = p_product_id and p.avoid_overlap and p.change_index) then
    return null;
  end if;
  if p_waits then
    perform pg_advisory_xact_lock(hashtextextended('forecasts:' || p_product_id::text, 0));
  elsif not pg_try_advisory_xact_lock(hashtextextended('forecasts:' || p_product_id::text, 0)) then
    return null;
  end if;
  with first as materialized (
    select j.id, j.task_id, j.sprint_run_id, j.claim_rank, j.phase, j.created_at, j.position
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and private.is_asked_for(j.sprint_run_id, j.kind, j.wants, p_asker, p_sprint_run_id, p_kinds)
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
    order by j.claim_rank, j.created_at, j.position, j.id limit 12
  ),
  placed as (
    select f.*, t.priority as task_priority, s.priority as story_priority, row_number() over (order by f.claim_rank, f.created_at, f.position, f.id) as place
    from first f left join public.tasks t on t.id = f.task_id left join public.stories s on s.id = t.story_id
  )
  select array_agg(p.id order by p.place), array_agg(p.task_id order by p.place)
  into v_jobs, v_tasks
  from placed p join placed x on x.place = 1 and x.phase = 'implement'
    and (p.sprint_run_id, p.claim_rank, p.phase, p.task_priority, p.story_priority)
      = (x.sprint_run_id, x.claim_rank, x.phase, x.task_priority, x.story_priority);
  if coalesce(cardinality(v_jobs), 0) < 2 then
    return null;
  end if;
  for v_task_id in
    select unnest(v_tasks)
    union all select w.task_id from public.change_indexes x, private.running_paths(x.id) w where x.product_id = p_product_id
  loop
    exit when clock_timestamp() > v_end;
    perform private.keep_forecast(v_task_id);
  end loop;

  select c.place into v_chosen
  from (
    select u.place, f.passed_over, (
      select coalesce(sum(1.0 / (10 + greatest(own.place, r.place))), 0)
      from unnest(f.ranked) with ordinality own (path, place)
      join (
        select p.path, min(p.place) as place
        from private.running_paths(f.index_id) w
        left join public.forecasts o on o.task_id = w.task_id
        cross join lateral (
          select x.path, x.place from unnest(o.ranked) with ordinality x (path, place)
          union all select x, 1 from unnest(w.paths) x
        ) p group by p.path
      ) r using (path)
    ) as cost
    from unnest(v_tasks) with ordinality u (task_id, place) left join public.forecasts f using (task_id)
  ) c
  order by coalesce(c.passed_over, 0) < 8, case when coalesce(c.passed_over, 0) < 8 then c.cost end, c.place
  limit 1;
  update public.forecasts f set passed_over = f.passed_over + 1 where f.task_id = any (v_tasks[: v_chosen - 1]);
  return v_jobs[v_chosen];
end;
$$;
