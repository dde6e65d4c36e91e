-- Why: a worker needs no registration: its first call creates its row. An existing row is not locked, because a product
-- lock may still follow. Everybody who shares a product sees the rows, so a user has at most 50: another name reuses
-- the row that was unseen longest, first those that no job names. New names of one user are serialized.
create function private.ensure_worker(p_user_id uuid, p_name text)
returns public.agent_workers
language plpgsql
volatile
set search_path = ''
as $$
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
        last_quota_check_at = null, stopped_at = null, agents = null, confinement = 'none', also_repos = '[]', created_at = private.now()
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

comment on function private.ensure_worker is 'The presence row of a worker by user and name (specification: Agent worker).';
