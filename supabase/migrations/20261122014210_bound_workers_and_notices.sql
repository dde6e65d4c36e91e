-- Why: bounds on what an account can make others carry (names of workers, attempts of a notice, metadata over the Data API), one
-- order of locks for the ends of runs, sweeps and restarts, and a clean-up in portions under the locks of its products.
set local check_function_bodies = off;

ALTER TABLE "public"."story_logs" DROP CONSTRAINT "story_logs_metadata_size";

DROP FUNCTION "private"."sweep_expired_leases"();

DROP FUNCTION "private"."write_down_expired"(boolean);

CREATE OR REPLACE FUNCTION private.cleanup_agent_artifacts()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_portion constant integer := 1000;
  v_ids uuid[];
  v_product_id uuid;
  v_deleted integer;
begin
  v_ids := array(
    select d.id from public.agent_jobs d
    where d.status in ('FAILED', 'CANCELLED') and d.finished_at < v_now - interval '7 days'
    order by d.product_id, d.id
    limit v_portion);
  for v_product_id in
    select distinct j.product_id from public.agent_jobs j where j.id = any (v_ids) order by 1
  loop
    perform private.lock_product(v_product_id);
  end loop;
  delete from public.agent_jobs j where j.id = any (v_ids) and j.status in ('FAILED', 'CANCELLED');
  get diagnostics v_deleted = row_count;
  return json_build_object('deleted', v_deleted, 'more', cardinality(v_ids) = v_portion, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_run(p_run public.sprint_runs, p_status public.sprint_run_status, p_reason text, p_failure jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.sprint_runs r
  set status = p_status, pause_context = null, finished_at = private.now(), failure = p_failure
  where r.id = p_run.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');

  perform private.close_question(p_run.pause_question_id);
  if p_status = 'DONE' then
    return;
  end if;

  perform private.close_question(j.parked_question_id)
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.parked_question_id is not null;

  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = p_reason
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');

  update public.task_executions e
  set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_run.id and e.status = 'RUNNING';

  -- Last, as everywhere: a heartbeat takes its job first and its worker after it.
  update public.agent_workers w
  set current_job_id = null
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id and j.status not in ('CLAIMED', 'RUNNING') and w.id = j.worker_id and w.current_job_id = j.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.ensure_worker(p_user_id uuid, p_name text)
 RETURNS public.agent_workers
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_worker public.agent_workers;
begin
  if coalesce(char_length(p_name), 0) not between 1 and 100 then
    perform private.refuse(422, 'worker takes a name of 1 to 100 characters. Keep the same name across restarts.');
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  if found then
    return v_worker;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('new worker:' || p_user_id::text, 0));
  if (select count(*) from public.agent_workers w where w.user_id = p_user_id) >= 50
    and not exists (select from public.agent_workers w where w.user_id = p_user_id and w.name = p_name) then
    update public.agent_workers w
    set name = p_name, hostname = null, version = null, last_seen_at = private.now(), last_quota_pct = null,
        last_quota_check_at = null, current_job_id = null, stopped_at = null, created_at = private.now()
    where w.id = (
      select u.id from public.agent_workers u
      where u.user_id = p_user_id
        and not exists (select from public.agent_jobs j where j.worker_id = u.id and j.status in ('CLAIMED', 'RUNNING'))
      order by exists (select from public.agent_jobs j where j.worker_id = u.id), u.last_seen_at, u.id
      limit 1
      for update skip locked
    );
    if not found then
      perform private.refuse(409, 'All 50 of your workers hold jobs. Use one of their names, or let one finish first.');
    end if;
  else
    insert into public.agent_workers (user_id, name) values (p_user_id, p_name)
    on conflict (user_id, name) do nothing;
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  return v_worker;
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job(p_job_id);
  return (
    select private.job_json(j) || jsonb_build_object('attempts', private.attempts_json(j.id), 'questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = j.id and private.may_read_talk(j)))
    from public.agent_jobs j where j.id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_agent_workers(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  return json_build_object('workers', (
    select coalesce(jsonb_agg(private.worker_json(w) || jsonb_build_object('current_job', (
        select private.job_json(j) from public.agent_jobs j
        where j.id = w.current_job_id and j.product_id in (
          select mine.product_id from public.product_members mine where mine.user_id = auth.uid())))
      order by w.last_seen_at desc, w.id), '[]')
    from public.agent_workers w
    where w.id in (
      select v.id from public.agent_workers v
      where v.last_seen_at > private.now() - interval '7 days'
        and (p_product_id is not null or v.user_id = auth.uid() or exists (
          select from public.product_members mine
          join public.product_members theirs on theirs.product_id = mine.product_id
          where mine.user_id = auth.uid() and theirs.user_id = v.user_id))
        and (p_product_id is null or exists (
          select from public.product_members m where m.product_id = p_product_id and m.user_id = v.user_id))
      order by v.last_seen_at desc, v.id
      limit 200)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.products_past_due()
 RETURNS uuid[]
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  select array(
    select j.product_id from public.agent_jobs j
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= private.now()
    union
    select q.product_id from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at <= private.now() and (q.park or q.on_expiry <> 'STOP')
    order by 1);
$function$;

CREATE OR REPLACE FUNCTION private.remove_stale_rows()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_counters integer;
  v_sessions integer;
  v_pairings integer;
  v_notices integer;
  v_outputs integer;
  v_workers integer;
  v_messages integer := 0;
begin
  delete from public.rate_limit_counters c where c.window_start < v_now - interval '2 hours';
  get diagnostics v_counters = row_count;
  delete from public.user_sessions s where least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  get diagnostics v_sessions = row_count;
  delete from public.login_pairings l where l.created_at < v_now - interval '1 day';
  get diagnostics v_pairings = row_count;
  delete from public.notices n where n.status <> 'PENDING' and n.created_at < v_now - interval '30 days';
  get diagnostics v_notices = row_count;
  delete from public.job_outputs o
  where (o.job_id, o.attempt, o.seq) in (
    select x.job_id, x.attempt, x.seq from public.job_outputs x
    where x.created_at < v_now - interval '14 days' order by x.created_at limit 20000);
  get diagnostics v_outputs = row_count;
  delete from public.agent_workers w
  where w.last_seen_at < v_now - interval '30 days'
    and not exists (select from public.agent_jobs j where j.worker_id = w.id)
    and not exists (select from public.job_attempts a where a.worker_id = w.id);
  get diagnostics v_workers = row_count;
  begin
    execute 'delete from realtime.messages m where m.ctid = any (array(
      select x.ctid from realtime.messages x where x.inserted_at < $1 order by x.inserted_at limit 20000))'
    using (v_now at time zone 'UTC') - interval '1 hour';
    get diagnostics v_messages = row_count;
  exception
    when insufficient_privilege or undefined_table then
      null;
  end;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'agent_workers', v_workers, 'realtime_messages', v_messages);
end;
$function$;

CREATE OR REPLACE FUNCTION private.restart_worker(p_worker text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers := private.ensure_worker(v_user_id, p_worker);
  v_products uuid[];
  v_product_id uuid;
  v_job public.agent_jobs;
  v_closed jsonb := '[]';
  v_status public.agent_job_status;
begin
  v_products := array(
    select distinct j.product_id from public.agent_jobs j
    where j.worker_id = v_worker.id and j.status in ('CLAIMED', 'RUNNING') order by 1);
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;

  -- What the worker claimed since, in a product that is not locked, belongs to its new life.
  for v_job in
    select j.* from public.agent_jobs j
    where j.worker_id = v_worker.id and j.status in ('CLAIMED', 'RUNNING') and j.product_id = any (v_products) order by j.claimed_at, j.id for update
  loop
    v_status := private.requeue_lost_job(v_job, format('Worker %s restarted during attempt %s.', v_worker.name, v_job.attempt));
    if v_status is not null then
      v_closed := v_closed || jsonb_build_object('id', v_job.id, 'attempt', v_job.attempt, 'status', lower(v_status::text));
    end if;
  end loop;

  perform private.touch_worker(v_worker.id, null, null, null, null);
  return json_build_object('worker_id', v_worker.id, 'closed', v_closed);
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep(p_full boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := private.products_past_due();
  v_product_id uuid;
  v_leases json;
  v_questions integer;
  v_removed jsonb;
begin
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  v_leases := private.sweep_expired_leases(v_products);
  v_questions := private.write_down_expired(true, v_products);

  if (coalesce(p_full, false) or extract(second from v_now) < 5)
    and pg_try_advisory_xact_lock(hashtextextended('backloom:sweep', 0)) then
    v_removed := private.remove_stale_rows();
  end if;
  return json_build_object('taken_back', v_leases -> 'taken_back', 'expired_questions', v_questions, 'removed', v_removed,
    'ran_at', v_now);
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep_expired_leases(p_locked uuid[])
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := p_locked;
  v_product_id uuid;
  v_count integer := 0;
begin
  if v_products is null then
    v_products := array(
      select distinct j.product_id from public.agent_jobs j
      where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now order by 1);
    foreach v_product_id in array v_products loop
      perform private.lock_product(v_product_id);
    end loop;
  end if;
  foreach v_product_id in array v_products loop
    v_count := v_count + private.requeue_expired_leases(v_product_id);
  end loop;
  return json_build_object('taken_back', v_count, 'ran_at', v_now);
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_due_notices(p_limit integer, p_lease_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_notices json;
begin
  update public.notices n
  set status = 'FAILED', last_error = coalesce(n.last_error, 'Given up: ten attempts ended without a word from the sender.')
  where n.id in (
    select d.id from public.notices d
    where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts >= 10
    order by d.next_attempt_at, d.id
    limit 500
    for update skip locked
  );

    with taken as (
      update public.notices n
      set attempts = n.attempts + 1, next_attempt_at = v_now + make_interval(secs => greatest(coalesce(p_lease_seconds, 60), 5))
      where n.id in (
        select d.id from public.notices d
        where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts < 10
        order by d.next_attempt_at, d.id
        limit least(greatest(coalesce(p_limit, 50), 1), 500)
        for update skip locked
      )
      returning n.*
    )
    select json_build_object('notices', coalesce(json_agg(json_build_object(
      'id', t.id, 'kind', t.kind, 'attempts', t.attempts, 'payload', t.payload, 'created_at', t.created_at,
      'webhook', (select json_build_object('id', w.id, 'url', w.url, 'secret', w.secret, 'active', w.active)
        from public.webhooks w where w.id = t.webhook_id),
      'user_id', t.user_id,
      'subscriptions', (select coalesce(json_agg(json_build_object('id', s.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh,
          'auth', s.auth) order by s.created_at), '[]')
        from public.push_subscriptions s where s.user_id = t.user_id and s.disabled_at is null)
    ) order by t.created_at, t.id), '[]'))
    into v_notices
    from taken t;
  return v_notices;
end;
$function$;

CREATE OR REPLACE FUNCTION private.write_down_expired(p_only_waiting boolean, p_locked uuid[] DEFAULT NULL::uuid[])
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := p_locked;
  v_product_id uuid;
  v_question public.agent_questions;
  v_count integer := 0;
begin
  if v_products is null then
    v_products := array(
      select distinct q.product_id from public.agent_questions q
      where q.status = 'OPEN' and q.expires_at <= v_now and (not p_only_waiting or q.park or q.on_expiry <> 'STOP') order by 1);
    foreach v_product_id in array v_products loop
      perform private.lock_product(v_product_id);
    end loop;
  end if;

  for v_question in
    update public.agent_questions q
    set status = 'EXPIRED'
    where q.product_id = any (v_products) and q.status = 'OPEN' and q.expires_at <= v_now
      and (not p_only_waiting or q.park or q.on_expiry <> 'STOP')
    returning q.*
  loop
    v_count := v_count + 1;
    perform private.carry_out_expiry(v_question);
  end loop;
  return v_count;
end;
$function$;

CREATE OR REPLACE FUNCTION public.sweep_expired_leases()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.sweep_expired_leases(null);
end;
$function$;

ALTER TABLE "public"."story_logs" ADD CONSTRAINT "story_logs_metadata_size" CHECK (((octet_length((metadata)::text) <= 65536) OR (octet_length(regexp_replace((metadata)::text, '("(?:[^"\\]|\\.)*")| '::text, '\1'::text, 'g'::text)) <= 65536))) NOT VALID;

COMMENT ON FUNCTION "private"."products_past_due"() IS 'Products with an expired lease or a waiting question past its expiry, in the order of their locks.';

COMMENT ON FUNCTION "private"."write_down_expired"(boolean, uuid[]) IS 'open to expired, with its policy (specification: Agent question).';

REVOKE ALL ON FUNCTION "private"."products_past_due"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."products_past_due"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."sweep_expired_leases"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sweep_expired_leases"(uuid[]) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."write_down_expired"(boolean, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."write_down_expired"(boolean, uuid[]) TO "postgres";
