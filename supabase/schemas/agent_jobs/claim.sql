-- A worker that wants to stop asks whether anything is left: claimable now, waiting, or held by others.
-- Definer: counts over all the user's products in one query (specification: Agent job).
create function operations.check_queue_empty(p_product_id uuid default null)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_user_id uuid := auth.uid();
  v_queued integer;
  v_held integer;
  v_claimable boolean;
  -- Any worker of the user's, as able as workers can be.
  v_asker private.asker := private.asker_of(v_user_id, p_confinement => 'bwrap');
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select count(*) filter (where j.status = 'QUEUED'), count(*) filter (where j.status <> 'QUEUED')
  into v_queued, v_held
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = v_user_id
    and private.is_open_to_token(m.product_id)
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);
  v_claimable := private.next_product(v_asker, p_product_id, null, null, '{}') is not null;
  return json_build_object('empty', v_queued = 0 and v_held = 0, 'claimable', v_claimable, 'queued', v_queued, 'held', v_held,
    'reason', case when not v_claimable then private.nothing_to_claim(v_asker, p_product_id) end);
end;
$$;
grant execute on function operations.check_queue_empty to authenticated;

-- A worker asks for work. Claims the oldest claimable job of its user's products, or returns the reason why there
-- is none. A worker that reports no sandbox has none, one that lists no repositories works only in those of products,
-- and one that announces no agents gets only jobs that name none. Two workers never hold one job. Refusals: 401, 403 for
-- demo accounts and for a viewer of the named product, 422.
-- The locks, always in this order: the sorted products of expired leases, a share of the product of the job and its
-- budgets, with avoid_overlap its forecasts, the worker's row. A transaction that holds one product never waits for another.
-- Definer: jobs are written by functions only (specification: Agent job).
create function operations.claim_agent_job(
  p_worker text, p_product_id uuid default null, p_sprint_run_id uuid default null, p_kinds jsonb default null,
  p_hostname text default null, p_version text default null, p_quota_pct integer default null,
  p_confinement text default null, p_also_repos jsonb default null, p_agents jsonb default null)
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
  v_chosen uuid;
  v_asker private.asker := private.asker_of(v_user_id, p_confinement => coalesce(p_confinement, 'none'),
    p_also_repos => coalesce(p_also_repos, '[]'), p_agents => coalesce(p_agents, '[]'));
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_asker.worker_id := v_worker.id;
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is null and v_asker.agents <> '[]' then
    v_asker.agents := private.able_agents(p_agents, (select u.min_quota_pct from public.users u where u.id = v_user_id));
    v_quota_reason := case when v_asker.agents = '[]' then 'Each agent of this worker is at its limit or below the quota that its user wants to keep (min_quota_pct).' end;
  end if;
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_asker.confinement, v_asker.also_repos, coalesce(p_agents, '[]'), p_product_id);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_asker, p_product_id, p_sprint_run_id, p_kinds, v_tried);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_rooms := private.budget_headroom(v_product_id, v_worker.id, v_tried = '{}');
    v_full_budgets := case when v_rooms is not null then array(select r.budget_id from unnest(v_rooms) r where r.is_full) end;
    v_chosen := private.least_overlap(v_asker, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets, v_tried = '{}');
    v_job := private.claim_next_job(v_asker, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets, v_chosen);
    if v_job.id is null and v_chosen is not null then
      v_job := private.claim_next_job(v_asker, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets);
    end if;
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_asker.confinement, v_asker.also_repos, coalesce(p_agents, '[]'), p_product_id);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason',
      private.nothing_to_claim(v_asker, p_product_id, v_full_budgets));
  end if;
  -- Tools that can stop themselves at an amount get it; heartbeats stop the others.
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || jsonb_build_object('budget_left', (
      select coalesce(jsonb_agg(jsonb_build_object('unit', l.unit, 'amount', round(l.amount, 6)) order by l.unit), '[]')
      from private.budget_left(v_job, v_rooms) l)))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$$;
grant execute on function operations.claim_agent_job to authenticated;
comment on function operations.claim_agent_job is 'scope work';

-- A claim first takes back jobs that dead workers hold in its user's products, so that the very next claim takes
-- over an expired lease, and checks budgets under which an earlier claim found nothing left. Products are locked in one
-- order. Returns those products; nearly always none (specification: Agent job, lease_until).
create function private.take_back_expired(p_user_id uuid, p_product_id uuid)
returns uuid[] language plpgsql volatile set search_path = '' as $$
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
    perform private.apply_budgets(v_product_id);
  end loop;
  return v_products;
end;
$$;

-- The claim itself in one statement: the oldest claimable job of the product (or the chosen one), skipping locked rows, becomes
-- CLAIMED with a new attempt, a lease, and the current plan (specification: Agent job, plan_snapshot). The triggers
-- move the task and the run. Called under a share of the product lock.
create function private.claim_next_job(
  p_asker private.asker, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[], p_chosen uuid default null)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
-- The filters hide from the planner how many jobs wait: it would sort all, although the index has the first one.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
begin
  with next as materialized (
    select j.id, j.wants
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and private.is_asked_for(j.sprint_run_id, j.kind, j.wants, p_asker, p_sprint_run_id, p_kinds)
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
      and (p_chosen is null or j.id = p_chosen)
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_asker.worker_id, confinement = p_asker.confinement,
      agent = case when p_asker.agents <> '[]' then private.agent_for(next.wants, p_asker.agents) end, effort = (next.wants).effort,
      model = case when p_asker.agents = '[]' then (next.wants).model
        else private.model_for(next.wants, private.agent_for(next.wants, p_asker.agents)) end,
      claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, stopped_by_budget_id = null, failure_class = null,
      parked_question_id = null,
      -- A verifier looks at the criteria; how the work meets the plan was found before.
      verify_result = case when x.phase = 'verify' then x.verify_result end,
      plan_snapshot = coalesce(
        case when x.plan_approved_at is not null then x.plan_snapshot end,
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        private.plan_in_force(x.task_id, x.sprint_run_id))
  from next
  where x.id = next.id
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

-- Finds the product with the oldest job that a user's worker may take. Reads the partial index in claim order, one
-- row per product, without a lock. private.claim_next_job asks the gates again under the product's lock, but not consent and
-- role (specification: Agent job; claiming).
create function private.next_product(
  p_asker private.asker, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[])
returns uuid
language plpgsql
stable
set search_path = ''
-- The filters hide from the planner how many jobs wait: it would sort all, although the index has the first one.
set enable_sort = off
set enable_bitmapscan = off
as $$
begin
  return (
    select w.product_id
    from private.consented_products(p_asker.user_id, p_product_id) as w (product_id)
    cross join lateral (
      select j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = w.product_id
        and private.is_asked_for(j.sprint_run_id, j.kind, j.wants, p_asker, p_sprint_run_id, p_kinds)
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where w.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
end;
$$;

-- Whether the queue is empty or which gates are closed, as a code and message (specification: Agent job; claiming).
create function private.nothing_to_claim(p_asker private.asker, p_product_id uuid, p_full_budgets uuid[] default null)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_products uuid[] := array(select private.consented_products(p_asker.user_id, p_product_id));
  v_waiting record;
  v_held integer;
  v_closed jsonb;
begin
  select count(*) filter (where not x.archived) as queued, count(*) filter (where x.archived) as archived,
    count(*) filter (where 'paused' = any (x.gates)) as paused,
    count(*) filter (where x.gates && '{question,plan}') as asked,
    count(*) filter (where 'plan' = any (x.gates)) as plans,
    count(*) filter (where 'held' = any (x.gates)) as taken,
    count(*) filter (where 'not_before' = any (x.gates)) as delayed,
    count(*) filter (where 'not_before' = any (x.gates) and g.failure_class = 'rate_limited') as limited,
    count(*) filter (where 'order' = any (x.gates)) as in_order,
    count(*) filter (where 'review' = any (x.gates)) as in_review,
    count(*) filter (where 'needs_other_worker' = any (x.gates)) as to_verify,
    count(*) filter (where 'dependency' = any (x.gates) and 'order' <> all (x.gates)) as blocked,
    count(*) filter (where 'sandbox' = any (x.gates)) as unconfined,
    min((g.wants).own_repo) filter (where 'repository' = any (x.gates)) as foreign_repo,
    min((g.wants).agent) filter (where 'agent' = any (x.gates)) as missing_agent,
    count(*) filter (where 'agent' = any (x.gates)) as for_agents
  into v_waiting
  from private.job_gates g
  cross join lateral (select private.worker_gates(g.wants, p_asker) as own) w
  cross join lateral (select 'archived' = any (g.gates) as archived,
    case when 'archived' = any (g.gates) then '{}' else g.gates || w.own end as gates) x
  where g.product_id = any (v_products) and 'conversation' <> all (w.own);
  select count(*) into v_held from public.agent_jobs j
  where j.product_id = any (v_products) and j.status in ('CLAIMED', 'RUNNING')
    and (j.kind <> 'PLAN_CHAT' or j.created_by = p_asker.user_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_asker.user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('There are jobs in %s, where your workers are not allowed yet. Press "Allow my workers" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 and v_waiting.archived > 0 then
    return jsonb_build_object('code', 'archived', 'message', format('%s queued, all in archived products: %s', v_waiting.archived,
      'their work rests until an owner takes the product out of the archive.'));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_held > 0 then format('; %s held by workers', v_held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.unconfined > 0 then 'sandbox'
      when v_waiting.foreign_repo is not null then 'repository'
      when v_waiting.for_agents > 0 then 'agent'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.taken > 0 then 'held'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none available now%s.%s', v_waiting.queued,
      (select ': ' || string_agg(format('%s %s', w.n, case w.n when 1 then w.one else w.many end), ', ' order by w.place)
        from (values
          (1, v_waiting.in_review, 'waits for a review', 'wait for a review'),
          (2, v_waiting.asked - v_waiting.plans, 'waits for an answer', 'wait for an answer'),
          (3, v_waiting.plans, 'waits for the approval of its plan', 'wait for the approval of their plans'),
          (4, v_waiting.taken, 'is in a terminal', 'are in terminals'),
          (5, v_waiting.paused, 'is of a paused run', 'are of a paused run'),
          (6, v_waiting.in_order, 'waits for its turn', 'wait for their turn'),
          (7, v_waiting.blocked, 'waits for other tasks', 'wait for other tasks'),
          (8, v_waiting.limited, 'waits for a rate limit', 'wait for a rate limit'),
          (9, v_waiting.delayed - v_waiting.limited, 'waits to be tried again', 'wait to be tried again'),
          (10, v_waiting.to_verify, 'waits for another worker', 'wait for another worker'),
          (11, v_held, 'is held by a worker', 'are held by workers')
        ) w (place, n, one, many)
        where w.n > 0),
      concat(case when p_full_budgets <> '{}' then ' A budget allows no new work.' end,
        case when v_waiting.unconfined > 0 then format(' %s are in products that require a sandbox, and this worker has none: %s', v_waiting.unconfined, private.sandbox_advice()) end,
        case when v_waiting.foreign_repo is not null
          then format(' A task uses the repository %s, which this worker does not follow: %s', v_waiting.foreign_repo, private.repository_advice(v_waiting.foreign_repo)) end,
        case when v_waiting.for_agents > 0 then format(' %s want %s, which this worker does not have: %s', v_waiting.for_agents,
          coalesce('the agent ' || v_waiting.missing_agent, 'a model'), private.agent_advice(v_waiting.missing_agent)) end)))
    || case when v_held + v_waiting.delayed + v_waiting.to_verify + v_waiting.blocked = 0
        and v_waiting.paused + v_waiting.asked + v_waiting.in_review > 0
      then jsonb_build_object('waits_for_person', true) else '{}' end
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_asker.user_id, p_product_id)))
      else '{}' end;
end;
$$;

-- Jobs that a worker would get with its user's consent must not look like an empty queue. Null when there are
-- none; at most ten products (specification: Agent job; claiming).
create function private.products_without_consent(p_user_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('id', x.id, 'code', x.code, 'name', x.name) order by x.name, x.id)
    from (
      select p.id, p.code, p.name
      from public.product_members m
      join public.products p on p.id = m.product_id and p.archived_at is null
      where m.user_id = p_user_id and m.role = 'MEMBER' and not m.workers_allowed and private.is_open_to_token(m.product_id)
        and exists (
          select from private.claimable_jobs j
          where j.product_id = p.id and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id))
      order by p.name, p.id
      limit 10
    ) x
  );
end;
$$;
