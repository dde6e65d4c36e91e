-- Why: operators watch queue, leases, outbox, budgets and size in Prometheus (docs/operate.md).
set local check_function_bodies = off;

CREATE SEQUENCE "private"."lost_lease_seq" AS bigint INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1 NO CYCLE;

CREATE OR REPLACE FUNCTION operations.get_metrics()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
    'budgets', private.budget_metrics(),
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
$function$;

CREATE OR REPLACE FUNCTION private.budget_metrics()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('id', x.id, 'product', x.code, 'scope', x.scope, 'period', x.period,
      'unit', x.unit, 'amount', x.amount, 'spent', x.spent)), '[]')
    from (
      select b.id, p.code, b.scope, b.period, b.unit, b.amount, private.budget_spent(b) as spent
      from public.budgets b
      join public.products p on p.id = b.product_id and p.archived_at is null
      where b.scope = 'product' or exists (
        select from public.sprint_runs r where r.id = b.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))
      order by b.created_at desc, b.id limit 100) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_metrics()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_answer json;
begin
  with queued as materialized (
    select j.id, j.product_id, j.claim_rank, j.created_at, j.position,
      case
        when j.phase = 'review' then 'review'
        when r.status = 'PAUSED' then 'paused'
        when q.status = 'OPEN' then 'question'
        when j.not_before > v_now then 'not_before'
        when j.open_blockers > 0 then 'dependency'
        when not j.in_turn then 'order'
      end as reason
    from public.agent_jobs j
    left join public.sprint_runs r on r.id = j.sprint_run_id
    left join public.agent_questions q on q.id = j.parked_question_id
    where j.status = 'QUEUED'
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
$function$;

CREATE OR REPLACE FUNCTION private.requeue_lost_job(p_job public.agent_jobs, p_reason text)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = case when j.retry_count >= 3 then 'FAILED' else 'QUEUED' end::public.agent_job_status,
      retry_count = least(j.retry_count + 1, 3),
      failure_class = 'infrastructure',
      failure_reason = case when j.retry_count >= 3 then 'All 3 retries are used up. ' else '' end || p_reason,
      lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  if v_status is not null then
    perform nextval('private.lost_lease_seq');
  end if;
  return v_status;
end;
$function$;

COMMENT ON FUNCTION "operations"."get_metrics"() IS 'What GET /metrics says of the database (docs/operate.md). Service only.';

COMMENT ON FUNCTION "private"."budget_metrics"() IS 'Budgets that can still stop work, at most 100, the newest (docs/operate.md).';

COMMENT ON FUNCTION "private"."job_metrics"() IS 'Queued jobs by what they wait for, and held ones (docs/operate.md).';

COMMENT ON SEQUENCE "private"."lost_lease_seq" IS 'How many leases were lost since the installation began. Only private.requeue_lost_job takes numbers.';

REVOKE ALL ON FUNCTION "operations"."get_metrics"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_metrics"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."budget_metrics"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_metrics"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_metrics"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_metrics"() TO "postgres";

GRANT SELECT, UPDATE, USAGE ON SEQUENCE "private"."lost_lease_seq" TO "postgres";
