-- A worker that restarts says so, and all jobs it still held are closed in one call instead of waiting for leases:
-- requeued with a retry, or failed after three. A worker that announces its stop returns its jobs without a retry.
-- Products are locked in one order, the worker's row last. Returns the closed jobs. Definer: jobs are written by
-- functions only (specification: Agent job, lease_until).
create function operations.restart_worker(p_worker text, p_stopped boolean default false)
returns json language plpgsql volatile security definer set search_path = '' as $$
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
    v_status := case
      when p_stopped then private.give_back_job(v_job)
      else private.requeue_lost_job(v_job, format('Worker %s restarted during attempt %s.', v_worker.name, v_job.attempt))
    end;
    if v_status is not null then
      v_closed := v_closed || jsonb_build_object('id', v_job.id, 'attempt', v_job.attempt, 'status', lower(v_status::text));
    end if;
  end loop;

  perform private.touch_worker(v_worker.id, null, null, null);
  return json_build_object('worker_id', v_worker.id, 'closed', v_closed);
end;
$$;
grant execute on function operations.restart_worker to authenticated;
comment on function operations.restart_worker is 'scope work';

-- A worker is online, with its quota and agents, or stops. Returns whether it may get work. Refusals: 401, 403 for demo
-- accounts, 422. Definer: presence is written by functions only (specification: Agent worker).
create function operations.worker_heartbeat(
  p_worker text, p_hostname text default null, p_version text default null, p_quota_pct integer default null,
  p_stopped boolean default false, p_agents jsonb default null, p_confinement text default null, p_product_id uuid default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  if p_stopped then
    update public.agent_workers w set stopped_at = private.now() where w.id = v_worker.id;
  else
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, p_confinement::public.confinement,
      p_product_id => p_product_id);
    update public.agent_workers w set agents = p_agents
    where w.id = v_worker.id and p_agents is not null and w.agents is distinct from p_agents;
  end if;
  select w.* into v_worker from public.agent_workers w where w.id = v_worker.id;
  v_quota_reason := private.quota_reason(v_user_id, v_worker.last_quota_pct);
  return json_build_object('worker', private.worker_json(v_worker), 'may_claim', v_quota_reason is null,
    'reason', case when v_quota_reason is not null then json_build_object('code', 'quota', 'message', v_quota_reason) end);
end;
$$;
grant execute on function operations.worker_heartbeat to authenticated;
comment on function operations.worker_heartbeat is 'scope work';
