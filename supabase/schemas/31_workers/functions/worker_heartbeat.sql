-- Why: a worker reports that it is online, its quota, the agents on its machine, or that it stops. Returns whether it
-- may get work.
-- Refusals: 401, 403 for demo accounts, 422. Definer: presence is written by functions only.
create function operations.worker_heartbeat(
  p_worker text, p_hostname text default null, p_version text default null, p_quota_pct integer default null,
  p_stopped boolean default false, p_agents jsonb default null, p_confinement text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  if p_stopped then
    update public.agent_workers w set stopped_at = private.now() where w.id = v_worker.id;
  else
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, p_confinement::public.confinement);
    update public.agent_workers w set agents = p_agents
    where w.id = v_worker.id and p_agents is not null and w.agents is distinct from p_agents;
  end if;
  select w.* into v_worker from public.agent_workers w where w.id = v_worker.id;
  v_quota_reason := private.quota_reason(v_user_id, v_worker.last_quota_pct);
  return json_build_object('worker', private.worker_json(v_worker), 'may_claim', v_quota_reason is null,
    'reason', case when v_quota_reason is not null then json_build_object('code', 'quota', 'message', v_quota_reason) end);
end;
$$;

comment on function operations.worker_heartbeat is 'Presence and quota of a worker (specification: Agent worker).';
grant execute on function operations.worker_heartbeat to authenticated;
