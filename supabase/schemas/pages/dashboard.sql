-- The first page after signing in: per product what is in progress, what needs a person and what today cost.
-- Generic plans, as the backlog's tree: in a large installation planning took as long as the rest.
create function operations.get_dashboard()
returns json language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_products uuid[] := array(
    select p.id from public.products p
    where p.archived_at is null and p.id = any (array(select private.accessible_product_ids())));
  v_first uuid[];
  v_waiting integer;
  v_today timestamptz := date_trunc('day', private.now() at time zone 'UTC') at time zone 'UTC';
begin
  select (array_agg(i.id order by i.place) filter (where i.kind in ('question', 'review')))[:10], count(*) into v_first, v_waiting
  from private.inbox_in_order() i where i.state = 'open';
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(x) order by lower(x.name), x.id), '[]')
      from (
        select p.id, p.code, p.name, p.description, p.owner_id = auth.uid() as is_owner,
          (select count(*) from public.stories s where s.product_id = p.id and s.status = 'OPEN') as open_stories,
          (
            select row_to_json(a)
            from (
              select s.id, s.code, s.sprint_goal, s.end_date,
                (
                  select coalesce(json_agg(t.status order by st.sort_order, st.created_at, st.id, t.sort_order, t.created_at, t.id), '[]')
                  from public.tasks t join public.stories st on st.id = t.story_id
                  where st.sprint_id = s.id) as task_statuses
              from public.sprints s where s.product_id = p.id and s.status = 'ACTIVE'
            ) a
          ) as active_sprint,
          (
            select row_to_json(r)
            from (
              select r.id, lower(r.status::text) as status, r.started_at, r.created_at, private.run_waits(r) as waits_for, private.job_states(r.id) as job_statuses
              from public.sprint_runs r
              where r.product_id = p.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
              order by r.created_at desc
              limit 1
            ) r
          ) as run
        from public.products p
        where p.id = any (v_products)
      ) x),
    -- Only owners can restore a product, so only owners see their archived ones.
    'archived', (
      select coalesce(json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'archived_at', p.archived_at)
        order by p.name, p.id), '[]')
      from private.product_detail_shape p
      where p.id = any (array(select private.accessible_product_ids())) and p.archived_at is not null and p.owner_id = auth.uid()),
    'added_to', (
      select coalesce(json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name,
        'owner_username', private.username(p.owner_id)) order by m.created_at, p.id), '[]')
      from public.product_members m
      join public.products p on p.id = m.product_id
      where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and p.id = any (v_products)),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by array_position(v_first, q.id)), '[]')
      from public.agent_questions q where q.id = any (v_first)),
    'reviews', (
      select coalesce(json_agg(json_build_object('id', t.id, 'code', t.code, 'title', t.title, 'product_name', p.name, 'changed_at', w.since,
        'job_id', (select j.id from public.agent_jobs j where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review' limit 1))
        order by array_position(v_first, t.id)), '[]')
      from public.tasks_in_review w
      join public.tasks t on t.id = w.task_id
      join public.products p on p.id = w.product_id
      where t.id = any (v_first)),
    'waiting', v_waiting,
    'costs_today', (
      select coalesce(json_agg(json_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
      from (
        select e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = any (v_products) and e.created_at >= v_today and e.cost is not null and not e.subscription
        group by e.currency
      ) s),
    'done_today', (
      select count(distinct c.task_id) from public.task_status_changes c
      where c.product_id = any (v_products) and c.changed_at >= v_today and c.to_status = 'DONE'
        -- Null is what an import brought as done already.
        and c.from_status <> 'DONE'),
    'workers_online', private.workers_online(v_products)
  );
end;
$$;
grant execute on function operations.get_dashboard to authenticated;

-- The frame of every signed-in page: products to switch between, the current one's active sprint, the inbox count.
create function operations.get_shell(p_active_product_id uuid default null)
returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(p) order by lower(p.name), p.id), '[]')
      from (
        select p.id, p.code, p.name, m.role
        from public.products p
        join public.product_members m on m.product_id = p.id and m.user_id = auth.uid()
        where p.archived_at is null
      ) p),
    'active_sprint_id', (
      select s.id from public.sprints s where s.product_id = p_active_product_id and s.status = 'ACTIVE'),
    'inbox', private.inbox_count()
  );
end;
$$;
grant execute on function operations.get_shell to authenticated;
