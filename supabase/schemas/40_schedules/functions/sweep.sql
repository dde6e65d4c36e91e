-- Why: what cannot wait for the daily schedule: expired leases, and expired questions that work waits for. Also deletes
-- stale rows, about once a minute or with p_full. Any number of processes may call it at once; one that finds another
-- doing it leaves the stale rows to that one. The products of leases and questions are locked together, in one order.
-- Service only. Definer: jobs and questions are written by functions only.
create function operations.sweep(p_full boolean default false)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := private.products_past_due();
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
  foreach v_product_id in array v_products loop
    perform private.settle_budgets(v_product_id);
  end loop;

  if (coalesce(p_full, false) or extract(second from v_now) < 5)
    and pg_try_advisory_xact_lock(hashtextextended('backloom:sweep', 0)) then
    v_removed := private.remove_stale_rows();
  end if;
  return json_build_object('taken_back', v_taken_back, 'expired_questions', v_questions, 'removed', v_removed,
    'due_recurrences', (select count(*) from public.recurrences r join public.products p on p.id = r.product_id and p.archived_at is null where r.next_at <= v_now), 'ran_at', v_now);
end;
$$;

comment on function operations.sweep is
  'Leases, waiting questions and stale rows (specification: What the service does 10). Service only.';
grant execute on function operations.sweep to service_role;

-- Why: locking for leases and then again for questions would break the one order of product locks.
create function private.products_past_due()
returns uuid[]
language sql
volatile
set search_path = ''
as $$
  select array(
    select j.product_id from public.agent_jobs j
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= private.now()
    union
    select q.product_id from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at <= private.now() and (q.park or q.on_expiry <> 'STOP')
    union
    select d.product_id from private.products_with_due_budgets() as d (product_id)
    order by 1);
$$;

comment on function private.products_past_due is
  'Products with an expired lease, a waiting question past its expiry or a budget to settle, in the order of their locks.';

-- Why: rows nobody will read again: counters of old windows, sessions that ended long ago, pairings and codes of
-- yesterday, grants that ended a month ago, programs registered but unused for a month, finished notices, agent output
-- after two weeks, diffs of superseded attempts, workers unseen for a month (unless a job still names them), answers to
-- idempotency keys after a day. Broadcast messages are left alone: Realtime drops them daily, and other apps of the
-- project send some too. Returns the counts.
create function private.remove_stale_rows()
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
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
  delete from public.idempotency_keys k where k.created_at <= v_now - private.kept_call_lifetime();
  get diagnostics v_keys = row_count;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'job_diffs', v_diffs, 'agent_workers', v_workers,
    'idempotency_keys', v_keys);
end;
$$;

comment on function private.remove_stale_rows is
  'Deletes what nobody reads any more (specification: What the service does 10).';
