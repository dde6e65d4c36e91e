-- A counter that only grows, as jobs get deleted. A sequence takes no lock; one that is rolled back still counts.
create sequence private.lost_lease_seq;

comment on sequence private.lost_lease_seq is
  'How many leases were lost since the installation began. Only private.requeue_lost_job takes numbers.';

-- The database part of an operator's monitoring in one query that is cheap at any size: it walks indexes of
-- unfinished rows, and reads the reasons of one claimable job per product, for at most 200 products. Service only.
-- Definer: reads the outbox, the schedule and everyone's jobs.
create function operations.get_metrics()
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object(
    'jobs', private.job_metrics(),
    'runs', (select coalesce(json_object_agg(x.status, x.n), '{}') from (
      select lower(r.status::text) as status, count(*) as n from public.sprint_runs r
      where r.status in ('QUEUED', 'RUNNING', 'PAUSED') group by 1) x),
    'leases_lost', (select case when s.is_called then s.last_value else 0 end from private.lost_lease_seq s),
    'workers_online', (select count(*) from public.agent_workers w where private.is_online(w.last_seen_at, w.stopped_at)),
    'questions', (select json_build_object('open', count(*), 'oldest_seconds', extract(epoch from v_now - min(q.created_at)))
      from public.agent_questions q where q.status = 'OPEN'),
    'notices', (select json_build_object('pending', count(*), 'oldest_seconds', extract(epoch from v_now - min(n.created_at)))
      from public.notices n where n.status = 'PENDING'),
    'chats', (select coalesce(json_object_agg(x.service, json_build_object(
        'on', (x.state = 'on' and x.held_until > v_now)::integer,
        'waiting', (select count(*) from public.chat_messages m join public.chats c on c.id = m.chat_id
          where c.service = x.service and m.state = 'queued'))), '{}') from public.chat_connections x),
    -- Those that can still stop something: of products and of unfinished runs (docs/operate.md).
    'budgets', (select coalesce(json_agg(json_build_object('id', x.id, 'product', x.code, 'scope', x.scope, 'period', x.period,
        'unit', x.unit, 'amount', x.amount, 'spent', x.spent)), '[]')
      from (
        select b.id, p.code, b.scope, b.period, b.unit, b.amount, private.budget_spent(b) as spent
        from public.budgets b join public.products p on p.id = b.product_id and p.archived_at is null
        where b.scope = 'product' or exists (
          select from public.sprint_runs r where r.id = b.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))
        order by b.created_at desc, b.id limit 100) x),
    'schedules', (select coalesce(json_object_agg(x.name, x.finished_at), '{}') from (
      select s.name, extract(epoch from max(s.finished_at)) as finished_at from public.schedule_runs s
      where s.finished_at is not null group by 1) x),
    'database', (select json_build_object('connections', sum(d.numbackends),
        'max_connections', current_setting('max_connections')::integer,
        'bytes', pg_catalog.pg_database_size(current_database()))
      from pg_catalog.pg_stat_database d),
    'rows', (select json_object_agg(c.relname, greatest(c.reltuples, 0)::bigint) from pg_catalog.pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relname in ('products', 'stories', 'tasks', 'agent_jobs', 'usage_events')));
end;
$$;
grant execute on function operations.get_metrics to service_role;

-- Queued jobs by what they wait for. The row itself gives most reasons; whether a worker is there is the same for
-- all claimable jobs of a product, so the first one answers for the rest (docs/operate.md).
create function private.job_metrics() returns json language plpgsql stable set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_answer json;
begin
  with queued as materialized (
    select g.id, g.product_id, g.claim_rank, g.created_at, g.position, g.gates[1] as reason from private.job_gates g
  ), first_of_product as (
    select distinct on (q.product_id) q.product_id, q.id from queued q where q.reason is null
    order by q.product_id, q.claim_rank, q.created_at, q.position, q.id
    limit 200
  ), reason_of_product as (
    select f.product_id, (
      select e.reason ->> 'code' from public.agent_jobs j
      cross join lateral jsonb_array_elements(private.job_reasons(j)) as e (reason)
      where j.id = f.id and coalesce((e.reason ->> 'blocking')::boolean, true)
      limit 1) as reason
    from first_of_product f
  ), known as (
    select coalesce(q.reason, p.reason, 'ready') as reason, q.created_at
    from queued q left join reason_of_product p on p.product_id = q.product_id
  )
  select json_build_object(
    'queued', (select coalesce(json_object_agg(x.reason, x.n), '{}')
      from (select k.reason, count(*) as n from known k group by 1) x),
    'oldest_ready_seconds', (select extract(epoch from v_now - min(k.created_at)) from known k where k.reason = 'ready'),
    'held', count(*),
    'longest_wait_seconds', extract(epoch from max(j.claimed_at - j.created_at)))
  into v_answer
  from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING');
  return v_answer;
end;
$$;
