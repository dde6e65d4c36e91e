-- Why: a claim reads what the product's budgets have left, and which are full: those that are reached, and those with
-- less left, after others' reservations, than a task is expected to use. The last remainder may be used by one worker
-- alone, unless it is next to nothing. If the product says so, a worker that reports no usage may begin nothing under
-- any budget. Budgets of finished runs are left out; one whose stored sum is far behind the ledger becomes due too.
-- Claims of one product do this one after another, so that they never reserve the same remainder. Returns null when the
-- product has no budgets. Takes only its own lock; with p_wait false it does not wait for it.
create function private.weigh_budgets(p_product_id uuid, p_worker_id uuid, p_wait boolean)
returns private.budget_room[]
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_budget public.budgets;
  v_rooms private.budget_room[] := '{}';
  v_room private.budget_room;
  v_model_id text;
  v_spent numeric;
  v_work record;
  v_last_line bigint;
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
  v_model_id := private.model_of_worker(p_worker_id);
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_product_id
      and not exists (select from public.sprint_runs r where r.id = b.sprint_run_id and r.finished_at is not null)
    order by b.unit, b.id
  loop
    v_spent := private.budget_spent(v_budget);
    select * into v_work from private.budget_at_work(v_budget);
    -- What a task is expected to use is the same for all budgets in one unit.
    v_room := (v_budget.id, v_budget.unit, v_budget.amount - v_spent - v_work.reserved,
      case when v_room.unit = v_budget.unit then v_room.need else private.expected_use(p_product_id, v_budget.unit, v_model_id) end,
      null);
    v_room.is_full := private.is_budget_reached(v_budget)
      or (v_room.room < v_room.need and (v_work.jobs > 0 or v_room.room <= v_room.need / 10));
    v_rooms := v_rooms || v_room;
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

comment on function private.weigh_budgets is 'What the budgets of a product leave for a job that begins now.';

-- Why: if no job may begin under any budget, there is nothing to sum.
create function private.closed_budgets(p_product_id uuid)
returns private.budget_room[]
language plpgsql
stable
set search_path = ''
as $$
begin
  return array(
    select row (b.id, b.unit, null, null, true)::private.budget_room from public.budgets b where b.product_id = p_product_id);
end;
$$;

comment on function private.closed_budgets is 'All budgets of a product as full.';

-- Why: the model a worker will use is not known beforehand; nearly always it is the last one it used.
create function private.model_of_worker(p_worker_id uuid)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select e.model_id from public.usage_events e
    where e.worker_id = p_worker_id and e.model_id is not null order by e.id desc limit 1);
end;
$$;

comment on function private.model_of_worker is 'The model that a worker used last.';

-- Why: a budget cannot see the usage of an agent that reports none. Decided by the last attempt the worker finished; a
-- new worker is trusted.
create function private.reports_usage(p_worker_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  v_last public.job_attempts;
begin
  select a.* into v_last from public.job_attempts a
  where a.worker_id = p_worker_id and a.outcome in ('done', 'failed') order by a.ended_at desc limit 1;
  return v_last.job_id is null
    or exists (select from public.usage_events e where e.job_id = v_last.job_id and e.attempt = v_last.attempt);
end;
$$;

comment on function private.reports_usage is 'Whether the last finished attempt of a worker told what it used.';
