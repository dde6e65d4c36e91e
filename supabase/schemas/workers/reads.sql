-- Workers of everyone who shares a product with the caller, seen in the last week, the latest 200.
-- Definer: other users' presence is visible only where a product is shared (specification: Agent worker).
create function operations.list_agent_workers(p_product_id uuid default null)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  return json_build_object('workers', (
    select coalesce(jsonb_agg(private.worker_json(w) || jsonb_build_object(
      'takes_product', coalesce(w.product_id = p_product_id, w.product_id is null or p_product_id is null),
      'current_job', (
        select private.job_json(j) from public.agent_jobs j
        where j.id = private.current_job_id(w.id) and j.product_id in (select private.accessible_product_ids())))
      order by w.last_seen_at desc, w.id), '[]')
    from public.agent_workers w
    where w.id in (
      select v.id from public.agent_workers v
      where v.last_seen_at > private.now() - interval '7 days'
        and (p_product_id is not null or v.user_id = auth.uid() or exists (
          select from public.product_members mine
          join public.product_members theirs on theirs.product_id = mine.product_id
          where mine.user_id = auth.uid() and private.is_open_to_token(mine.product_id) and theirs.user_id = v.user_id))
        and (p_product_id is null or exists (
          select from public.product_members m where m.product_id = p_product_id and m.user_id = v.user_id))
      order by v.last_seen_at desc, v.id
      limit 200)));
end;
$$;
grant execute on function operations.list_agent_workers to authenticated;

-- One form of a worker: presence, quota, current job, and whether its quota allows work (specification: Agent worker).
create function private.worker_json(p_worker public.agent_workers)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_minimum integer := (select u.min_quota_pct from public.users u where u.id = p_worker.user_id);
  v_online boolean := private.is_online(p_worker.last_seen_at, p_worker.stopped_at);
begin
  return to_jsonb(p_worker) - '{also_repos,product_id,previews}'::text[] || jsonb_build_object(
    'current_job_id', private.current_job_id(p_worker.id),
    'username', private.username(p_worker.user_id),
    'online', v_online,
    'min_quota_pct', v_minimum,
    'quota_ok', coalesce(p_worker.last_quota_pct >= v_minimum, true));
end;
$$;

-- The one definition of "online": seen in the last two minutes, and not stopped since (specification: Agent worker).
create function private.is_online(p_last_seen_at timestamptz, p_stopped_at timestamptz)
returns boolean language sql stable set search_path = '' as $$
  select p_stopped_at is null and p_last_seen_at > private.now() - interval '2 minutes';
$$;
grant execute on function private.is_online to authenticated;

-- A worker's current job is the one it holds. It is stored nowhere else, so that a claim writes no presence. A
-- worker with several jobs shows the one it took last (specification: Agent worker).
create function private.current_job_id(p_worker_id uuid) returns uuid language plpgsql stable set search_path = '' as $$
begin
  return (
    select j.id from public.agent_jobs j
    where j.worker_id = p_worker_id and j.status in ('CLAIMED', 'RUNNING')
    order by j.claimed_at desc, j.id
    limit 1);
end;
$$;

-- Why a worker under its user's quota gets no job. Null when it may work (specification: User, min_quota_pct).
create function private.quota_reason(p_user_id uuid, p_quota_pct integer)
returns text language plpgsql stable set search_path = '' as $$
declare
  v_minimum integer := (select u.min_quota_pct from public.users u where u.id = p_user_id);
begin
  if p_quota_pct is null or p_quota_pct >= v_minimum then
    return null;
  end if;
  return format('The worker has %s%% of its quota left, and its user wants to keep at least %s%% (min_quota_pct). It gets no job until it reports more.',
    p_quota_pct, v_minimum);
end;
$$;

-- One number for pages and streams: online workers of the members of these products, without viewers' and those that take
-- another product only, each once
-- (specification: Solo stream, workers). Definer: users may not read which product a worker takes; callers check access.
create function private.workers_online(p_product_ids uuid[])
returns bigint language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select count(*) from public.agent_workers w
    where private.is_online(w.last_seen_at, w.stopped_at) and exists (
      select from public.product_members m where m.user_id = w.user_id and m.role <> 'VIEWER' and m.product_id = any (p_product_ids)
        and coalesce(w.product_id, m.product_id) = m.product_id));
end;
$$;
grant execute on function private.workers_online to authenticated;
