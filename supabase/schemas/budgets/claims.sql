-- A claim reserves the expected usage of its work, so that parallel workers never spend the same remainder. It is
-- in force while its attempt holds the job; what the attempt has used counts as spent and is deducted from it.
-- seen, step  usage at the last heartbeat, and the most used between two of them: a job whose next step might exceed
--             its reservation asks for more, or stops
create table public.budget_reservations (
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  unit text not null,
  attempt integer not null,
  product_id uuid not null references public.products (id) on delete cascade,
  amount numeric(20, 6) not null default 0,
  seen numeric(20, 6) not null default 0,
  step numeric(20, 6) not null default 0,
  primary key (job_id, unit)
);

comment on table public.budget_reservations is 'Amounts reserved by held jobs in each of their budgets.';
create index budget_reservations_product_id_idx on public.budget_reservations (product_id);

alter table public.budget_reservations enable row level security;

create policy budget_reservations_select on public.budget_reservations for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.budget_reservations to authenticated;

-- The first budget that a job at work is close to: it is used up, or one more step would exceed the job's reservation.
-- Null if it can continue, or a person lets it finish. p_usage is what a heartbeat reports and is not stored yet.
create function private.budget_need(p_job public.agent_jobs, p_usage jsonb)
returns uuid language plpgsql stable set search_path = '' as $$
declare
  v_budget public.budgets;
  v_kept public.budget_reservations;
  v_new numeric;
  v_used numeric;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and coalesce(b.task_id = p_job.task_id, true)
      and private.budget_covers(b, p_job)
    order by b.id
  loop
    select r.* into v_kept from public.budget_reservations r
    where r.job_id = p_job.id and r.unit = v_budget.unit and r.attempt = p_job.attempt;
    v_used := private.attempt_used(p_job.id, p_job.attempt, v_budget.unit);
    v_new := greatest(0, private.usage_in_unit(p_usage, v_budget.unit) - (
      select coalesce(sum(case when v_budget.unit = 'tokens'
        then coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(s.cache_write_tokens, 0)
        when s.currency = v_budget.unit and not s.subscription then s.cost end), 0)
      from public.usage_so_far s where s.job_id = p_job.id and s.attempt = p_job.attempt));
    v_used := v_used + v_new;
    if v_used > 0 and v_used + greatest(coalesce(v_kept.step, 0), v_used - coalesce(v_kept.seen, 0)) > coalesce(v_kept.amount, 0)
      or private.budget_spent(v_budget) + v_new >= v_budget.amount then
      return v_budget.id;
    end if;
  end loop;
  return null;
end;
$$;

-- Usage of a heartbeat in the unit of a budget, before it is stored.
create function private.usage_in_unit(p_usage jsonb, p_unit text)
returns numeric language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(sum(case
      when p_unit = 'tokens' then coalesce((u.value ->> 'input_tokens')::numeric, 0)
        + coalesce((u.value ->> 'output_tokens')::numeric, 0) + coalesce((u.value ->> 'cache_write_tokens')::numeric, 0)
      when p.currency = p_unit and (u.value ->> 'subscription')::boolean is not true then p.cost end), 0)
    from jsonb_array_elements(p_usage -> 'models') u
    cross join lateral private.price_usage(u.value) p
  );
end;
$$;

-- Whether a job may begin although some budgets are full: it falls under none of them, or a person lets it finish.
create function private.fits_budgets(p_job_id uuid, p_full uuid[])
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return not exists (
    select from public.agent_jobs j
    join public.budgets b on b.id = any (p_full) and j.id <> all (b.finish_job_ids)
    where j.id = p_job_id and private.budget_covers(b, j)
  );
end;
$$;

-- Stores the usage of a heartbeat, and gives a job near a budget more of it or stops it. While other jobs are at work,
-- a job stops as soon as another step like its largest might not fit; the last one may use up the rest. So overspending
-- is at most what one task uses between two heartbeats. Returns the message for the worker, or null to continue. Called
-- with the job's row locked. Stops only under the product's lock (private.lock_for_budget).
create function private.enforce_budget(p_job public.agent_jobs, p_usage jsonb)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_budget public.budgets;
  v_is_locked boolean := current_setting('backloom.locked_product', true) = p_job.product_id::text;
  v_step numeric;
  v_left numeric;
  v_others integer;
begin
  if jsonb_typeof(p_usage -> 'models') = 'array' then
    perform private.note_usage_so_far(p_job, p_usage);
  end if;
  if not exists (select from public.budgets b where b.product_id = p_job.product_id) then
    return null;
  end if;

  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and coalesce(b.task_id = p_job.task_id, true)
      and private.budget_covers(b, p_job)
    order by b.id
  loop
    v_step := private.note_budget_step(p_job, v_budget.unit);
    select v_budget.amount - private.budget_spent(v_budget) - w.reserved, w.jobs into v_left, v_others
    from private.budget_at_work(v_budget, p_job.id) w;
    perform private.warn_of_budget(v_budget, private.budget_spent(v_budget));
    continue when not v_is_locked;
    if v_left <= 0 or (v_others > 0 and v_left < v_step and private.budget_need(p_job, null) is not null) then
      return private.stop_for_budget(p_job, v_budget);
    end if;
    update public.budget_reservations r
    set amount = private.attempt_used(p_job.id, p_job.attempt, r.unit)
      + least(v_left, greatest(2 * v_step, private.expected_use(p_job.product_id, r.unit, p_job.model_id) / 2))
    where r.job_id = p_job.id and r.unit = v_budget.unit and r.attempt = p_job.attempt
      and r.amount < private.attempt_used(p_job.id, p_job.attempt, r.unit) + v_step;
  end loop;
  return null;
end;
$$;

-- An attempt's usage between two heartbeats shows whether one more step fits. Returns the largest so far.
create function private.note_budget_step(p_job public.agent_jobs, p_unit text)
returns numeric language plpgsql volatile set search_path = '' as $$
declare
  v_used numeric := private.attempt_used(p_job.id, p_job.attempt, p_unit);
  v_step numeric;
begin
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, seen, step)
  values (p_job.id, p_unit, p_job.attempt, p_job.product_id, v_used, v_used)
  on conflict (job_id, unit) do update
  set step = case when r.attempt = excluded.attempt then greatest(r.step, v_used - r.seen) else v_used end,
      amount = case when r.attempt = excluded.attempt then r.amount else 0 end,
      seen = v_used, attempt = excluded.attempt
  returning r.step into v_step;
  return v_step;
end;
$$;

-- A job that reaches a budget is requeued with its work, without a retry; runs under the budget are paused with a
-- question, whose answer puts the job first. Under the product lock (specification: Agent job; Sprint run, pause).
create function private.stop_for_budget(p_job public.agent_jobs, p_budget public.budgets)
returns text language plpgsql volatile set search_path = '' as $$
begin
  update public.budgets b set reached_at = private.now(), due_at = null where b.id = p_budget.id;
  update public.agent_jobs j
  set status = 'QUEUED', stopped_by_budget_id = p_budget.id, failure_class = null, failure_reason = null
  where j.id = p_job.id;
  perform private.apply_budgets(p_job.product_id, p_job.id);
  update public.agent_jobs j
  set parked_question_id = r.pause_question_id
  from public.sprint_runs r
  where j.id = p_job.id and r.id = j.sprint_run_id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  return private.budget_stop_text(p_budget);
end;
$$;

-- Few heartbeats need the product's lock, to stop the job or take more of a budget: it comes before the job's row.
create function private.lock_for_budget(p_job_id uuid, p_attempt integer, p_usage jsonb)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j
  where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING');
  if v_job.id is not null and private.budget_need(v_job, p_usage) is not null then
    perform private.lock_product(v_job.product_id);
  end if;
end;
$$;

-- A run cannot be resumed while its budget is used up: it would be paused again (specification: Sprint run, pause).
create function private.require_budget_left(p_run public.sprint_runs)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_budget public.budgets;
begin
  if p_run.pause_context ->> 'reason' <> 'budget' then
    return;
  end if;
  select b.* into v_budget from public.budgets b where b.id = (p_run.pause_context ->> 'budget_id')::uuid;
  if v_budget.id is not null and private.is_budget_reached(v_budget) then
    perform private.refuse(409, format('The budget of %s is used up. Raise it, or answer the question of the run.',
      private.budget_name(v_budget)));
  end if;
end;
$$;

-- Reserves what a claimed job is expected to use; if less is left, the rest.
create function private.reserve_budget(p_job public.agent_jobs, p_rooms private.budget_room[])
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_tasks integer := 1;
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select count(*) into v_tasks from public.task_executions e
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
  end if;
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, amount)
  select p_job.id, x.unit, p_job.attempt, p_job.product_id, least(greatest(v_tasks, 1) * x.need, x.amount)
  from private.budget_left(p_job, p_rooms) x
  on conflict (job_id, unit) do update
  set attempt = excluded.attempt, amount = excluded.amount, seen = 0, step = 0;
end;
$$;

-- Warns at four fifths of a budget, once per window. If another transaction holds it, that one warns: no one waits.
create function private.warn_of_budget(p_budget public.budgets, p_spent numeric)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_from timestamptz := (private.budget_window(p_budget)).from_at;
begin
  if p_spent < 0.8 * p_budget.amount or p_budget.warned_at >= v_from then
    return;
  end if;
  update public.budgets b set warned_at = private.now()
  where b.id in (
    select x.id from public.budgets x where x.id = p_budget.id and (x.warned_at is null or x.warned_at < v_from) for update skip locked);
  if found then
    perform private.queue_notices('budget_warning', p_budget.product_id, null, true,
      format('%s of %s used', private.budget_amount_text(p_spent, p_budget.unit),
        private.budget_amount_text(p_budget.amount, p_budget.unit)),
      format('The budget of %s is nearly reached.', private.budget_name(p_budget)),
      case when p_budget.sprint_run_id is null then format('/products/%s/settings', p_budget.product_id)
        else format('/products/%s/runs/%s', p_budget.product_id, p_budget.sprint_run_id) end,
      private.budget_json(p_budget));
  end if;
end;
$$;

-- A claim reads what the product's budgets have left, and which are full: those that are reached, and those with
-- less left, after others' reservations, than a task is expected to use. The last remainder may be used by one worker
-- alone, unless it is next to nothing. If the product says so, a worker that reports no usage may begin nothing under
-- any budget. Budgets of finished runs, and of tasks without a job whose turn it is, are left out; one of a task that used
-- nothing yet is whole, because there may be hundreds; one whose stored sum is far behind the ledger becomes due too.
-- Claims of one product do this one after another, so that they never reserve the same remainder. Returns null when the
-- product has no budgets. Takes only its own lock; with p_wait false it does not wait for it.
create function private.budget_headroom(p_product_id uuid, p_worker_id uuid, p_wait boolean)
returns private.budget_room[] language plpgsql volatile set search_path = '' as $$
declare
  v_budget public.budgets;
  v_rooms private.budget_room[] := '{}';
  v_room private.budget_room;
  v_model_id text;
  v_spent numeric;
  v_work record;
  v_last_line bigint;
  v_is_whole boolean;
begin
  if not exists (select from public.budgets b where b.product_id = p_product_id) then
    return null;
  end if;
  if p_wait then
    perform pg_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0));
  elsif not pg_try_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0)) then
    return private.closed_budgets(p_product_id);
  end if;

  if (private.budget_settings_of(p_product_id)).unreported = 'refuse' and not private.reports_usage(p_worker_id) then
    return private.closed_budgets(p_product_id);
  end if;
  v_last_line := private.last_line(p_product_id);
  -- The model a worker will use is not known beforehand; nearly always it is the last one it used.
  select e.model_id into v_model_id from public.usage_events e
  where e.worker_id = p_worker_id and e.model_id is not null order by e.id desc limit 1;
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_product_id
      and not exists (select from public.sprint_runs r where r.id = b.sprint_run_id and r.finished_at is not null)
      and (b.scope <> 'task' or exists (select from public.agent_jobs j where j.task_id = b.task_id and j.status = 'QUEUED' and j.in_turn))
    order by b.unit, b.id
  loop
    v_is_whole := v_budget.scope = 'task' and v_budget.reached_at is null and not exists (select from private.known_usage k where k.task_id = v_budget.task_id);
    if v_is_whole then
      select 0 as jobs, 0::numeric as reserved into v_work;
      v_spent := 0;
    else
      v_spent := private.budget_spent(v_budget);
      select * into v_work from private.budget_at_work(v_budget);
    end if;
    -- What a task is expected to use is the same for all budgets in one unit.
    v_room := (v_budget.id, v_budget.unit, v_budget.amount - v_spent - v_work.reserved,
      case when v_room.unit = v_budget.unit then v_room.need else private.expected_use(p_product_id, v_budget.unit, v_model_id) end,
      null);
    v_room.is_full := private.is_budget_reached(v_budget)
      or (v_room.room < v_room.need and (v_work.jobs > 0 or v_room.room <= v_room.need / 10));
    v_rooms := v_rooms || v_room;
    continue when v_is_whole and not v_room.is_full;
    perform private.warn_of_budget(v_budget, v_spent);
    if v_room.is_full and v_work.jobs = 0
      or coalesce((select s.last_id from private.budget_sums s where s.budget_id = v_budget.id), 0) < v_last_line - 1000 then
      update public.budgets b set due_at = private.now()
      where b.id in (select x.id from public.budgets x where x.id = v_budget.id and x.due_at is null for update skip locked);
    end if;
  end loop;
  return v_rooms;
end;
$$;

-- If no job may begin under any budget, there is nothing to sum.
create function private.closed_budgets(p_product_id uuid)
returns private.budget_room[] language plpgsql stable set search_path = '' as $$
begin
  return array(
    select row (b.id, b.unit, null, null, true)::private.budget_room from public.budgets b where b.product_id = p_product_id);
end;
$$;

-- Whether its usage can be seen: decided by the last attempt the worker finished; a new worker is trusted.
create function private.reports_usage(p_worker_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
declare
  v_last public.job_attempts;
begin
  select a.* into v_last from public.job_attempts a
  where a.worker_id = p_worker_id and a.outcome in ('done', 'failed') order by a.ended_at desc limit 1;
  return v_last.job_id is null
    or exists (select from public.usage_events e where e.job_id = v_last.job_id and e.attempt = v_last.attempt);
end;
$$;
