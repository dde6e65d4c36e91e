-- Why: one form of a worker: presence, quota, current job, and whether its quota allows work.
create function private.worker_json(p_worker public.agent_workers)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_minimum integer := (select u.min_quota_pct from public.users u where u.id = p_worker.user_id);
  v_online boolean := private.is_online(p_worker.last_seen_at, p_worker.stopped_at);
begin
  return to_jsonb(p_worker) - 'also_repos' || jsonb_build_object(
    'current_job_id', private.current_job_id(p_worker.id),
    'username', private.username(p_worker.user_id),
    'online', v_online,
    'min_quota_pct', v_minimum,
    'quota_ok', coalesce(p_worker.last_quota_pct >= v_minimum, true));
end;
$$;

comment on function private.worker_json is 'An agent worker as it is shown (specification: Agent worker).';
