-- Several app processes may share one database, and each entry of the schedule must run once. The process that
-- inserts the row for (name, due_at) runs the entry; the others find it taken. An unfinished one (its call failed, or
-- its process died) is taken again after five minutes.
create table public.schedule_runs (
  name text not null check (char_length(name) between 1 and 100),
  due_at timestamptz not null,
  claimed_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  -- The call that pg_net makes for pg_cron, and whose answer it keeps for six hours.
  request_id bigint,
  primary key (name, due_at)
);

comment on table public.schedule_runs is
  'Which entry of the in-process schedule was taken for which due time (specification: Schedules). Service only.';

alter table public.schedule_runs enable row level security;

-- Writes the contract's two entries into pg_cron. Idempotent. Returns how many entries are installed.
create function private.install_schedules() returns integer language plpgsql volatile set search_path = '' as $$
begin
  if to_regnamespace('cron') is null
    or to_regnamespace('net') is null
    or to_regclass('vault.decrypted_secrets') is null then
    return 0;
  end if;

  execute 'select cron.schedule($1, $2, $3)'
    using 'backloom-cleanup-agent-artifacts', '0 3 * * *',
      'select private.call_scheduled_endpoint(''/api/cron/cleanup-agent-artifacts'')';
  execute 'select cron.schedule($1, $2, $3)'
    using 'backloom-expire-questions', '0 4 * * *',
      'select private.call_scheduled_endpoint(''/api/cron/expire-questions'')';
  return 2;
end;
$$;

-- A database without pg_cron has nothing to do here.
select private.install_schedules();

-- On hosted Supabase the schedules live in the database: pg_cron starts them, pg_net posts to the scheduled
-- endpoints. Each call is a row, so that doctor can say what became of it. The address and the secret come from Vault at each call, so that neither is in a job's text: select
-- vault.create_secret('https://backlog.example.com', 'backloom_origin'); select vault.create_secret('<CRON_SECRET>',
-- 'backloom_cron_secret'); Without pg_cron, pg_net or Vault (the embedded database) nothing is scheduled here and the
-- app's scheduler does it. Posts to one scheduled endpoint. Run by pg_cron as the database's owner. Returns the id of
-- the pg_net request (specification: Scheduled endpoints).
create function private.call_scheduled_endpoint(p_path text)
returns bigint language plpgsql volatile set search_path = '' as $$
declare
  v_origin text;
  v_secret text;
  v_request_id bigint;
begin
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
    into v_origin using 'backloom_origin';
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
    into v_secret using 'backloom_cron_secret';
  if v_origin is null or v_secret is null then
    raise exception 'Vault has no secret named backloom_origin or backloom_cron_secret: create both, see docs/supabase.md';
  end if;

  execute 'select net.http_post(url := $1, headers := $2, body := $3)'
    into v_request_id
    using rtrim(v_origin, '/') || p_path,
      jsonb_build_object('Authorization', 'Bearer ' || v_secret, 'Content-Type', 'application/json'),
      '{}'::jsonb;
  delete from public.schedule_runs r where r.due_at < clock_timestamp() - interval '30 days';
  insert into public.schedule_runs (name, due_at, request_id)
  values (regexp_replace(p_path, '^/api/cron/', ''), clock_timestamp(), v_request_id);
  return v_request_id;
end;
$$;

-- Decides which app process runs a scheduled entry. Returns true for one caller per (p_name, p_due_at), and again for
-- one every five minutes until finish_schedule_run is called. Deletes entries older than 30 days. One that was missed
-- before anyone had an account here was not missed.
create function operations.claim_schedule_run(p_name text, p_due_at timestamptz, p_missed boolean default false)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_taken integer;
begin
  delete from public.schedule_runs where due_at < clock_timestamp() - interval '30 days';
  if p_missed and not exists (select from public.users u where u.created_at <= p_due_at) then
    return to_json(false);
  end if;

  insert into public.schedule_runs (name, due_at)
  values (p_name, p_due_at)
  on conflict (name, due_at) do update
    set claimed_at = clock_timestamp()
    where schedule_runs.finished_at is null
      and schedule_runs.claimed_at < clock_timestamp() - interval '5 minutes';
  get diagnostics v_taken = row_count;

  return to_json(v_taken = 1);
end;
$$;
grant execute on function operations.claim_schedule_run to service_role;

-- The scheduled cleanup: hard-deletes failed and cancelled jobs that finished more than 7 days ago, and no others
-- (specification: Scheduled endpoints). Each call deletes one portion, under the locks of its products, and says
-- whether there is more, so that a large backlog never times out. Parallel calls wait for each other product by
-- product; the one that deletes a job counts it. Rows that later calls still read stay (private.keep_past).
-- Service only. Definer: jobs are written by functions only.
create function operations.cleanup_agent_artifacts()
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_portion constant integer := 1000;
  v_found integer;
  v_ids uuid[];
  v_product_id uuid;
  v_deleted integer;
begin
  v_ids := array(
    select d.id from public.agent_jobs d
    where d.status in ('FAILED', 'CANCELLED') and d.finished_at < v_now - interval '7 days'
    order by d.product_id, d.id
    limit v_portion);
  v_found := cardinality(v_ids);
  for v_product_id in
    select distinct j.product_id from public.agent_jobs j where j.id = any (v_ids) order by 1
  loop
    perform private.lock_product(v_product_id);
  end loop;
  v_ids := array(select j.id from public.agent_jobs j where j.id = any (v_ids) and j.status in ('FAILED', 'CANCELLED'));
  perform private.keep_past(v_ids);
  delete from public.agent_jobs j where j.id = any (v_ids);
  get diagnostics v_deleted = row_count;
  return json_build_object('deleted', v_deleted, 'more', v_found = v_portion, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;
grant execute on function operations.cleanup_agent_artifacts to service_role;

-- With a job go its output, attempts and drafts. Its pushed work, what people decided about it, and what proves a
-- criterion is read for as long as the task, so it no longer hangs on the job. A batch's reviews are about no one task.
create function private.keep_past(p_job_ids uuid[]) returns void language plpgsql volatile set search_path = '' as $$
begin
  insert into public.past_jobs (id, product_id, task_id, kind, status, sprint_run_id, branch, base_sha, head_sha, commits, pushed_at,
    merged_at, finished_at, created_at)
  select w.id, w.product_id, w.task_id, w.kind, w.status, w.sprint_run_id, w.branch, w.base_sha, w.head_sha, w.commits, w.pushed_at,
    w.merged_at, w.finished_at, w.created_at
  from private.works w where w.id = any (p_job_ids);
  update public.job_comments c set job_id = null
  from public.agent_jobs j
  where c.job_id = any (p_job_ids) and c.review_id is not null and j.id = c.job_id and j.kind = 'TASK_IMPLEMENTATION';
  update public.job_reviews r set task_id = j.task_id, job_id = null
  from public.agent_jobs j
  where r.job_id = any (p_job_ids) and j.id = r.job_id and j.kind = 'TASK_IMPLEMENTATION';
  update public.files f set job_id = null, story_id = coalesce(f.story_id, e.story_id)
  from public.evidence e
  where f.job_id = any (p_job_ids) and f.id in (e.file_id, e.base_file_id);
  -- What ended a run is still told; the job that it names is gone.
  update public.sprint_runs r set failure = r.failure || '{"job_id": null}'
  from public.agent_jobs j
  where j.id = any (p_job_ids) and r.id = j.sprint_run_id and r.failure ->> 'job_id' = j.id::text;
end;
$$;

-- A claimed entry whose call failed is taken again; one that succeeded is not.
create function operations.finish_schedule_run(p_name text, p_due_at timestamptz)
returns json language plpgsql volatile set search_path = '' as $$
begin
  update public.schedule_runs
  set finished_at = clock_timestamp()
  where name = p_name and due_at = p_due_at;
  return json_build_object('ok', true);
end;
$$;
grant execute on function operations.finish_schedule_run to service_role;

-- What cannot wait for the daily schedule: expired leases, expired questions that work waits for, due verdicts and budgets. Also deletes
-- stale rows, about once a minute or with p_full. Any number of processes may call it at once; one that finds another
-- doing it leaves the stale rows to that one. The products of leases and questions are locked together, in one order.
-- Service only. Definer: jobs and questions are written by functions only.
create function operations.sweep(p_full boolean default false)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  -- Locking for leases and then again for questions would break the one order of product locks.
  v_products uuid[] := array(
    select j.product_id from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
    union
    select q.product_id from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at <= v_now and (q.park or q.on_expiry <> 'STOP')
    union
    select v.product_id from public.pending_verdicts v where v.undo_until <= v_now
    union
    select d.product_id from private.products_with_due_budgets() as d (product_id)
    order by 1);
  v_product_id uuid;
  v_taken_back integer := 0;
  v_questions integer;
  v_removed jsonb;
begin
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    v_taken_back := v_taken_back + private.requeue_expired_leases(v_product_id);
  end loop;
  v_questions := private.write_down_expired(true, v_products);
  perform private.give_due_verdicts(v_products);
  foreach v_product_id in array v_products loop
    perform private.apply_budgets(v_product_id);
  end loop;

  if (coalesce(p_full, false) or extract(second from v_now) < 5)
    and pg_try_advisory_xact_lock(hashtextextended('backloom:sweep', 0)) then
    v_removed := private.remove_stale_rows();
  end if;
  begin
    perform private.follow_forecasts();
  -- A time limit is none of the others.
  exception when query_canceled or others then
    -- Nothing else may wait for a guess.
    raise warning 'Forecasts could not be made: %', sqlerrm;
  end;
  return json_build_object('taken_back', v_taken_back, 'expired_questions', v_questions, 'removed', v_removed,
    'due_recurrences', (select count(*) from public.recurrences r join public.products p on p.id = r.product_id and p.archived_at is null where r.next_at <= v_now), 'ran_at', v_now);
end;
$$;
grant execute on function operations.sweep to service_role;

-- Rows no one will read again: counters of old windows, sessions that ended long ago, pairings and codes of yesterday,
-- grants that ended a month ago, programs registered but unused for a month, finished notices, agent output after two
-- weeks, diffs of superseded attempts, workers unseen for a month (unless a job still names them), answers to
-- idempotency keys after a day. Not messages: Realtime drops them daily, and other apps send some. Returns the counts.
create function private.remove_stale_rows() returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_counters integer;
  v_sessions integer;
  v_pairings integer;
  v_notices integer;
  v_outputs integer;
  v_diffs integer;
  v_workers integer;
  v_keys integer;
begin
  delete from public.rate_limit_counters c where c.window_start < v_now - interval '2 hours';
  get diagnostics v_counters = row_count;
  delete from public.user_sessions s where least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  get diagnostics v_sessions = row_count;
  delete from private.changes c where c.changed_at < v_now - interval '1 minute';
  delete from public.login_pairings l where l.created_at < v_now - interval '1 day';
  get diagnostics v_pairings = row_count;
  delete from public.oauth_codes c where c.created_at < v_now - interval '1 day';
  delete from public.api_tokens t
  where t.client_id is not null and least(t.revoked_at, t.refresh_expires_at) < v_now - interval '30 days';
  delete from public.oauth_clients c
  where c.created_at < v_now - interval '30 days' and coalesce(c.used_at, c.created_at) < v_now - interval '30 days'
    and not exists (
      select from public.api_tokens t
      where t.client_id = c.id and t.revoked_at is null and t.refresh_expires_at > v_now);
  delete from public.notices n where n.status <> 'PENDING' and n.created_at < v_now - interval '30 days';
  get diagnostics v_notices = row_count;
  delete from public.job_outputs o
  where (o.job_id, o.attempt, o.seq) in (
    select x.job_id, x.attempt, x.seq from public.job_outputs x
    where x.created_at < v_now - interval '14 days' order by x.created_at limit 20000);
  get diagnostics v_outputs = row_count;
  delete from public.job_diffs d
  where d.created_at < v_now - interval '14 days'
    and exists (select from public.job_diffs n where n.job_id = d.job_id and n.attempt > d.attempt);
  get diagnostics v_diffs = row_count;
  perform private.keep_usage_so_far(x.job_id, x.attempt)
  from (
    select distinct s.product_id, s.job_id, s.attempt from public.usage_so_far s
    where s.told_at < v_now - interval '1 hour' and not exists (
      select from public.agent_jobs j where j.id = s.job_id and j.attempt = s.attempt and j.status in ('CLAIMED', 'RUNNING'))
  ) x
  -- Whoever writes lines of the ledger holds a share of its product; one that is busy is looked at the next time.
  where private.try_share_product(x.product_id);
  delete from public.agent_workers w
  where w.last_seen_at < v_now - interval '30 days'
    and not exists (select from public.agent_jobs j where j.worker_id = w.id)
    and not exists (select from public.job_attempts a where a.worker_id = w.id);
  get diagnostics v_workers = row_count;
  perform private.keep_scheduled_answers();
  delete from public.idempotency_keys k where k.created_at <= v_now - private.kept_call_lifetime();
  get diagnostics v_keys = row_count;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'job_diffs', v_diffs, 'agent_workers', v_workers,
    'idempotency_keys', v_keys);
end;
$$;

-- pg_net forgets an answer after six hours, and doctor is asked for the last success the next day.
create function private.keep_scheduled_answers() returns void language plpgsql volatile set search_path = '' as $$
begin
  if has_table_privilege(to_regclass('net._http_response'), 'select') then
    execute 'update public.schedule_runs r set finished_at = a.created from net._http_response a
      where a.id = r.request_id and r.finished_at is null and a.status_code = 200';
  end if;
end;
$$;

-- `admin doctor` compares the applied migrations, rules and installed schedules with the files of the checkout, over any
-- transport. Definer, because they are in schemas the API roles cannot reach. Returns no secrets: p_hashes has the SHA-256
-- that each secret of Vault should have (without a slash at its end), and vault says which has it. Service only.
create function operations.doctor_facts(p_hashes jsonb default '{}')
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_migrations json := '[]';
  v_schedules json := '[]';
  v_vault json := '{}';
  v_calls json := '[]';
begin
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    execute 'select coalesce(json_agg(version order by version), ''[]'') from supabase_migrations.schema_migrations'
      into v_migrations;
  end if;
  if to_regclass('cron.job') is not null then
    execute 'select coalesce(json_agg(jobname order by jobname), ''[]'') from cron.job where jobname like ''backloom-%'' and active'
      into v_schedules;
  end if;
  if to_regclass('vault.decrypted_secrets') is not null then
    execute 'select coalesce(json_object_agg(s.name,
        encode(sha256(convert_to(rtrim(s.decrypted_secret, ''/''), ''UTF8'')), ''hex'') is not distinct from $1 ->> s.name), ''{}'')
      from vault.decrypted_secrets s where s.name like ''backloom_%'''
      into v_vault using p_hashes;
  end if;
  if has_table_privilege(to_regclass('net._http_response'), 'select') then
    execute 'select coalesce(json_agg(c), ''[]'') from (
        select distinct on (r.name) r.name, r.due_at as called_at, a.status_code as status, a.error_msg as error,
          case when a.status_code = 200 then a.created else r.finished_at end as answered_at,
          (select max(s.finished_at) from public.schedule_runs s where s.name = r.name) as succeeded_at
        from public.schedule_runs r left join net._http_response a on a.id = r.request_id
        where r.request_id is not null and r.due_at < clock_timestamp() - interval ''1 minute''
        order by r.name, r.due_at desc) c'
      into v_calls;
  end if;
  return json_build_object('migrations', v_migrations,
    'rules', (select r.hash from private.applied_rules r order by r.applied_at desc, r.id desc limit 1), 'schedules', v_schedules, 'vault', v_vault, 'calls', v_calls);
end;
$$;
grant execute on function operations.doctor_facts to service_role;
