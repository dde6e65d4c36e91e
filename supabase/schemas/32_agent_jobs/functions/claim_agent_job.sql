-- Why: a worker asks for work. The oldest claimable job of the products that its user reaches is claimed, or it is told why
-- there is none. Two workers never hold one job. Refusals: 401, 403 for demo accounts, 422.
-- The locks, always in this order: expired leases' products sorted, a share of the product of the job and its budgets, the
-- worker's row.
-- Whoever holds one product never waits for another.
-- Definer: jobs are written by functions only.
create function private.claim_agent_job(
  p_worker text, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_hostname text, p_version text, p_quota_pct integer)
returns json
language plpgsql
volatile
security definer
set search_path = ''
-- For all that this calls, triggers too: planning the short statements anew each time costs more than running them, and a plan
-- that was made while a table was short must not read the whole of it for ever.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
  v_locked uuid[];
  v_tried uuid[] := '{}';
  v_product_id uuid;
  v_job public.agent_jobs;
  v_rooms private.budget_room[];
  v_full_budgets uuid[];
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_worker.id, v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_rooms := private.weigh_budgets(v_product_id, v_worker.id, v_tried = '{}');
    v_full_budgets := case when v_rooms is not null then private.full_budgets(v_rooms) end;
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', private.nothing_to_claim(v_user_id, p_product_id, v_full_budgets));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$$;

grant execute on function private.claim_agent_job to authenticated;

create function public.claim_agent_job(
  p_worker text, p_product_id uuid default null, p_sprint_run_id uuid default null, p_kinds jsonb default null,
  p_hostname text default null, p_version text default null, p_quota_pct integer default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.claim_agent_job(p_worker, p_product_id, p_sprint_run_id, p_kinds, p_hostname, p_version, p_quota_pct);
end;
$$;

comment on function public.claim_agent_job is
  'QUEUED to CLAIMED for one worker, with everything it needs (specification: Agent job).';

grant execute on function public.claim_agent_job to authenticated;
