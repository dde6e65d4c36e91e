create trigger _400_touch before update on public.budgets for each row execute function private.tg_any__touch();

-- A run that continues another (a paused batch) keeps its budget and spending. Definer: users may not write budgets.
create function private.tg_sprint_runs__carry_budget()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.budgets b
  set sprint_run_id = new.id, spent_before = private.budget_spent(b), reached_at = null, due_at = private.now(), finish_job_ids = '{}'
  where b.sprint_run_id = new.previous_run_id;
  delete from private.budget_sums s using public.budgets b where b.id = s.budget_id and b.sprint_run_id = new.id;
  return null;
end;
$$;
create trigger _530_carry_budget
after insert on public.sprint_runs
for each row when (new.previous_run_id is not null)
execute function private.tg_sprint_runs__carry_budget();

-- Answering the question of a reached budget applies the answer, in the same transaction. Only the product's owner
-- may raise it or continue; everyone who may answer may stop. API tokens are refused. Does nothing for any other
-- question. Called with the product's lock (specification: Agent question; Sprint run, pause).
create function private.act_on_budget_answer(p_question public.agent_questions, p_option integer)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_run public.sprint_runs;
  v_budget public.budgets;
begin
  select r.* into v_run from public.sprint_runs r
  where r.pause_question_id = p_question.id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  if not found then
    return;
  end if;
  perform private.require_person();
  if p_option is null then
    perform private.refuse(422, 'Choose one of the options: raise the budget, finish, or stop.');
  end if;
  if p_option = 2 then
    perform private.end_run(v_run, 'CANCELLED', 'The run was stopped at its budget.', null);
    return;
  end if;

  perform private.require_product_owner(p_question.product_id);
  select b.* into v_budget from public.budgets b where b.id = (v_run.pause_context ->> 'budget_id')::uuid;
  if p_option = 0 then
    perform private.raise_budget(v_budget, v_budget.amount + (v_run.pause_context ->> 'raise_by')::numeric);
    perform private.apply_budgets(p_question.product_id);
    return;
  end if;
  v_run := private.continue_run(v_run);
  update public.budgets b
  set finish_job_ids = private.jobs_to_finish(v_run, v_budget)
  where b.id = v_budget.id;
end;
$$;

-- "finish what was begun": the jobs that the budget stopped and those at work; without any, the next one.
create function private.jobs_to_finish(p_run public.sprint_runs, p_budget public.budgets)
returns uuid[] language plpgsql stable set search_path = '' as $$
declare
  v_begun uuid[] := array(
    select j.id from public.agent_jobs j
    where j.sprint_run_id = p_run.id
      and (j.status in ('CLAIMED', 'RUNNING') or (j.status = 'QUEUED' and j.stopped_by_budget_id = p_budget.id)));
begin
  if v_begun <> '{}' then
    return v_begun;
  end if;
  return array(
    select j.id from public.agent_jobs j
    where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.in_turn
    order by j.claim_rank, j.created_at, j.position, j.id limit 1);
end;
$$;

-- The one write behind all operations on a budget. Earlier spending counts. Called with the product's lock.
create function private.put_budget(
  p_product_id uuid, p_scope text, p_period text, p_target_id uuid, p_unit text, p_amount numeric
) returns public.budgets language plpgsql volatile set search_path = '' as $$
declare
  v_scope text := lower(private.require_choice('scope', p_scope, array['PRODUCT', 'SPRINT', 'RUN', 'TASK']));
  v_period text := lower(private.require_choice('period', p_period, array['DAY', 'WEEK', 'MONTH']));
  v_budget public.budgets;
begin
  if v_scope is null or (v_scope = 'product') <> (v_period is not null) then
    perform private.refuse(422, 'A budget of a product has a period: day, week or month; one of a sprint, run or task has none.');
  end if;
  if (v_scope = 'product') <> (p_target_id is null) then
    perform private.refuse(422, format('Name the %s that the budget is for.', coalesce(v_scope, 'scope')));
  end if;
  if coalesce(p_unit, '') !~ '^(tokens|[A-Z]{3})$' then
    perform private.refuse(422, 'unit is tokens, or a currency as three capital letters.');
  end if;
  if p_amount is null or p_amount <= 0 or p_amount > 1000000000000 then
    perform private.refuse(422, 'amount must be more than 0 and at most 1000000000000.');
  end if;
  if v_scope = 'sprint' and not exists (select from public.sprints s where s.id = p_target_id and s.product_id = p_product_id)
    or v_scope = 'run' and not exists (select from public.sprint_runs r where r.id = p_target_id and r.product_id = p_product_id)
    or v_scope = 'task' and not exists (select from public.tasks t where t.id = p_target_id and t.product_id = p_product_id) then
    perform private.refuse(422, format('There is no such %s in this product. Check target_id.', v_scope));
  end if;

  select b.* into v_budget from public.budgets b
  where b.product_id = p_product_id and b.scope = v_scope and b.period is not distinct from v_period and b.unit = p_unit
    and coalesce(b.sprint_id, b.sprint_run_id, b.task_id) is not distinct from p_target_id;
  if not found then
    insert into public.budgets (product_id, scope, period, sprint_id, sprint_run_id, task_id, unit, amount, due_at, created_by)
    values (p_product_id, v_scope, v_period, case when v_scope = 'sprint' then p_target_id end,
      case when v_scope = 'run' then p_target_id end, case when v_scope = 'task' then p_target_id end, p_unit, p_amount,
      private.now(), auth.uid())
    returning * into v_budget;
    perform private.audit(auth.uid(), auth.uid(), 'budget.set', jsonb_build_object('product_id', p_product_id,
      'budget', private.budget_name(v_budget), 'unit', p_unit, 'amount', p_amount));
  else
    perform private.raise_budget(v_budget, p_amount);
  end if;
  perform private.apply_budgets(p_product_id);
  select b.* into v_budget from public.budgets b where b.id = v_budget.id;
  return v_budget;
end;
$$;

-- A new amount above what was spent reopens a budget; the old overshoot is kept. Called with the product's lock.
create function private.raise_budget(p_budget public.budgets, p_amount numeric)
returns public.budgets language plpgsql volatile set search_path = '' as $$
declare
  v_budget public.budgets;
begin
  update public.budgets b
  set amount = p_amount, warned_at = case when p_amount > b.amount then null else b.warned_at end,
      overshoot = greatest(b.overshoot, private.budget_spent(b) - b.amount),
      reached_at = case when private.budget_spent(b) < p_amount then null else b.reached_at end,
      due_at = private.now()
  where b.id = p_budget.id
  returning b.* into v_budget;
  perform private.audit(auth.uid(), auth.uid(), 'budget.changed', jsonb_build_object('product_id', v_budget.product_id,
    'budget', private.budget_name(v_budget), 'unit', v_budget.unit, 'from', p_budget.amount, 'to', p_amount));
  return v_budget;
end;
$$;

-- A ceiling at a start is the budget of each of its tasks; a batch is one job, so there it is a budget of the run. Where
-- a task has a budget, only the product's owner, signed in, may raise it so (docs/budgets.md).
create function private.set_ceilings(p_run public.sprint_runs, p_task_ids uuid[], p_ceiling jsonb)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_unit text := case when p_ceiling ? 'tokens' then 'tokens' else p_ceiling ->> 'currency' end;
  v_amount numeric := coalesce(p_ceiling ->> 'tokens', p_ceiling ->> 'amount')::numeric;
  v_may_raise boolean := not private.is_token() and exists (
    select from public.product_members m where m.product_id = p_run.product_id and m.user_id = auth.uid() and m.role = 'OWNER');
begin
  if p_ceiling is null then
    return;
  end if;
  if (v_unit ~ '^(tokens|[A-Z]{3})$' and v_amount > 0 and v_amount <= 1000000000000) is not true then
    perform private.refuse(422, 'ceiling is { amount, currency } or { tokens }, more than 0.');
  end if;
  if p_run.pr_strategy = 'SPRINT_BATCH' then
    if not exists (select from public.budgets b where b.sprint_run_id = p_run.id and b.unit = v_unit) then
      perform private.put_budget(p_run.product_id, 'run', null, p_run.id, v_unit, v_amount * cardinality(p_task_ids));
    end if;
    return;
  end if;
  insert into public.budgets as b (product_id, scope, task_id, unit, amount, due_at, created_by)
  select p_run.product_id, 'task', k.id, v_unit, v_amount,
    case when exists (select from private.known_usage u where u.task_id = k.id) then private.now() end, auth.uid()
  from unnest(p_task_ids) k (id)
  on conflict on constraint budgets_one_each do update
  set amount = case when v_may_raise then excluded.amount else least(b.amount, excluded.amount) end, warned_at = null,
      reached_at = case when private.budget_spent(b) < excluded.amount and v_may_raise then null else b.reached_at end,
      due_at = private.now();
  perform private.audit(auth.uid(), auth.uid(), 'budget.set', jsonb_build_object('product_id', p_run.product_id,
    'budget', format('each task of this run of %s', private.run_subject(p_run)), 'unit', v_unit, 'amount', v_amount));
  perform private.apply_budgets(p_run.product_id);
end;
$$;
