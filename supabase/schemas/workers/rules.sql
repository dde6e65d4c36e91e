-- The solo stream sends worker presence to every product of the worker's user. A mere heartbeat is not sent,
-- unless the worker had been silent long enough to count as offline. The events of jobs say which job it took or left.
-- Definer: every write sends its event, but no client may call private.emit (specification: Solo stream).
create function private.tg_agent_workers__emit()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_event jsonb := private.change_event(tg_op, 'worker', to_jsonb(old), to_jsonb(new));
  v_row public.agent_workers := coalesce(new, old);
begin
  if tg_op = 'UPDATE'
    and (v_event -> 'changed_fields') - 'last_seen_at' - 'last_quota_check_at' = '[]'
    and new.last_seen_at - old.last_seen_at < interval '90 seconds'
  then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'name', v_row.name,
    'last_quota_pct', v_row.last_quota_pct,
    'current_job_id', private.current_job_id(v_row.id),
    'stopped', v_row.stopped_at is not null
  );
  perform private.emit('product:' || m.product_id, v_event || jsonb_build_object('product_id', m.product_id))
  from public.product_members as m
  where m.user_id = v_row.user_id;
  return null;
end;
$$;
create trigger _900_emit
after insert or update or delete on public.agent_workers
for each row execute function private.tg_agent_workers__emit();

-- A worker's first call creates its row. An existing one is not locked, because a product lock may still follow.
-- Everyone who shares a product sees the rows, so a user has at most 50: another name reuses the row that was unseen
-- longest, first those that no job names. New names of one user are serialized (specification: Agent worker).
create function private.ensure_worker(p_user_id uuid, p_name text)
returns public.agent_workers language plpgsql volatile set search_path = '' as $$
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
        last_quota_check_at = null, stopped_at = null, agents = null, confinement = 'none', also_repos = '[]', offers = '[]', product_id = null, previews = 0,
        created_at = private.now()
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
$$;

-- Stores presence and what a claim reports about its machine; a claim without a product is for all of them. Written at most every ten seconds unless something
-- changed, so that polling costs next to nothing.
-- Trap: takes the transaction's last lock, so call it after everything else (specification: Agent worker).
create function private.touch_worker(
  p_worker_id uuid, p_hostname text, p_version text, p_quota_pct integer, p_confinement public.confinement default null,
  p_also_repos jsonb default null, p_offers jsonb default null, p_product_id uuid default null
) returns void language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  -- An address may carry a password that is no one's to read here.
  v_also_repos jsonb := regexp_replace(p_also_repos::text, '://[^/?#"]*@', '://', 'g');
begin
  update public.agent_workers w
  set last_seen_at = v_now,
      hostname = coalesce(left(p_hostname, 255), w.hostname),
      version = coalesce(left(p_version, 50), w.version),
      last_quota_pct = coalesce(p_quota_pct, w.last_quota_pct),
      last_quota_check_at = case when p_quota_pct is null then w.last_quota_check_at else v_now end,
      confinement = coalesce(p_confinement, w.confinement),
      also_repos = coalesce(v_also_repos, w.also_repos),
      offers = coalesce(p_offers, w.offers),
      product_id = case when p_offers is null then coalesce(p_product_id, w.product_id) else p_product_id end,
      stopped_at = null
  where w.id = p_worker_id
    and (w.last_seen_at <= v_now - interval '10 seconds'
      or w.last_seen_at > v_now
      or w.stopped_at is not null
      or (p_hostname is not null and left(p_hostname, 255) is distinct from w.hostname)
      or (p_version is not null and left(p_version, 50) is distinct from w.version)
      or (p_quota_pct is not null and p_quota_pct is distinct from w.last_quota_pct)
      or p_confinement <> w.confinement
      or v_also_repos <> w.also_repos
      or p_offers <> w.offers
      or (p_product_id is distinct from w.product_id and (p_offers is not null or p_product_id is not null)));
end;
$$;
