-- Why: stores presence and what a claim reports about its machine. Written at most every ten seconds unless something
-- changed, so that polling costs next to nothing.
-- Trap: takes the transaction's last lock, so call it after everything else.
create function private.touch_worker(
  p_worker_id uuid, p_hostname text, p_version text, p_quota_pct integer,
  p_confinement public.confinement default null, p_also_repos jsonb default null)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  -- An address may carry a password that is nobody's to read here.
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
      stopped_at = null
  where w.id = p_worker_id
    and (w.last_seen_at <= v_now - interval '10 seconds'
      or w.last_seen_at > v_now
      or w.stopped_at is not null
      or (p_hostname is not null and left(p_hostname, 255) is distinct from w.hostname)
      or (p_version is not null and left(p_version, 50) is distinct from w.version)
      or (p_quota_pct is not null and p_quota_pct is distinct from w.last_quota_pct)
      or p_confinement <> w.confinement
      or v_also_repos <> w.also_repos);
end;
$$;

comment on function private.touch_worker is 'Presence and quota of a worker (specification: Agent worker).';
