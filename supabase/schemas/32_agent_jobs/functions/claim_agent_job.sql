-- Why: a worker asks for work. Claims the oldest claimable job of its user's products, or returns the reason why there
-- is none. A worker that reports no sandbox has none, and one that lists no repositories works only in those of
-- products. Two workers never hold one job. Refusals: 401, 403 for demo accounts and for a viewer of the named product,
-- 422.
-- The locks, always in this order: the sorted products of expired leases, a share of the product of the job and its
-- budgets, the worker's row. A transaction that holds one product never waits for another.
-- Definer: jobs are written by functions only.
create function operations.claim_agent_job(
  p_worker text, p_product_id uuid default null, p_sprint_run_id uuid default null, p_kinds jsonb default null,
  p_hostname text default null, p_version text default null, p_quota_pct integer default null,
  p_confinement text default null, p_also_repos jsonb default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
-- These apply to everything this calls, including triggers: planning the short statements each time costs more than
-- running them, and a plan made while a table was small must not scan all of it forever.
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
  v_confinement public.confinement := coalesce(p_confinement, 'none');
  v_also_repos jsonb := coalesce(p_also_repos, '[]');
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_confinement, v_also_repos);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_worker.id, v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried,
      v_confinement <> 'none', v_also_repos);
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
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets,
      v_confinement, v_also_repos);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_confinement, v_also_repos);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', 
      private.nothing_to_claim(v_user_id, p_product_id, v_full_budgets, v_confinement <> 'none', v_also_repos));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$$;

comment on function operations.claim_agent_job is
  'QUEUED to CLAIMED for one worker, with everything it needs (specification: Agent job).';
grant execute on function operations.claim_agent_job to authenticated;

-- Why: a claim first takes back jobs that dead workers hold in its user's products, so that the very next claim takes
-- over an expired lease, and checks budgets under which an earlier claim found nothing left. Products are locked in one
-- order. Returns those products; nearly always none.
create function private.take_back_expired(p_user_id uuid, p_product_id uuid)
returns uuid[]
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[];
  v_product_id uuid;
begin
  if not exists (
    select from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
  ) and not exists (
    select from public.budgets b where b.due_at is not null or (b.reached_at is not null and b.period is not null)
  ) then
    return '{}';
  end if;

  select coalesce(array_agg(x.product_id order by x.product_id), '{}')
  into v_products
  from (
    select distinct j.product_id
    from public.agent_jobs j
    join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
      and (p_product_id is null or j.product_id = p_product_id)
    union
    select d.product_id
    from private.products_with_due_budgets() as d (product_id)
    join public.product_members m on m.product_id = d.product_id and m.user_id = p_user_id
    where p_product_id is null or d.product_id = p_product_id
  ) x;

  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    perform private.requeue_expired_leases(v_product_id);
    perform private.settle_budgets(v_product_id);
  end loop;
  return v_products;
end;
$$;

comment on function private.take_back_expired is
  'Expired leases in reach go back to the queue (specification: Agent job, lease_until).';

-- Why: the claim itself in one statement: the oldest claimable job of the product, skipping locked rows, becomes
-- CLAIMED with a new attempt, a lease, and the current plan (specification: Agent job, plan_snapshot). The triggers
-- move the task and the run. Called under a share of the product lock.
create function private.take_job(
  p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb,
  p_full_budgets uuid[], p_confinement public.confinement, p_also_repos jsonb)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
-- The filters hide from the planner how many jobs wait: by itself it reads and sorts all of them, although the index
-- returns the first one directly.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
begin
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_worker_id, confinement = p_confinement, claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, stopped_by_budget_id = null, failure_class = null,
      parked_question_id = null,
      -- A verifier looks at the criteria; how the work meets the plan was found before.
      verify_result = case when x.phase = 'verify' then x.verify_result end,
      plan_snapshot = coalesce(
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t where t.id = x.task_id))
  where x.id = (
    select j.id
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
      and (j.phase <> 'verify' or j.author_worker_id is distinct from p_worker_id)
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
      and (p_confinement <> 'none' or not (select p.requires_sandbox from public.products p where p.id = p_product_id))
      and not exists (
        select from public.tasks t
        where t.id = j.task_id and t.repo_url <> (select p.repo_url from public.products p where p.id = p_product_id)
          and not private.is_followed(t.repo_url, p_also_repos))
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
  returning x.* into v_job;
  -- What an earlier attempt found of a task that it did not finish says nothing about this one.
  if v_job.kind = 'SPRINT_IMPLEMENTATION' then
    update public.task_executions e
    set verify_result = null
    where e.sprint_run_id = v_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and e.verify_result is not null;
  end if;
  return v_job;
end;
$$;

comment on function private.take_job is 'QUEUED to CLAIMED in one statement (specification: Agent job).';
