-- Why: the one write behind all operations that create or change a budget. Earlier spending counts. Called with the
-- product's lock.
create function private.put_budget(
  p_product_id uuid, p_scope text, p_period text, p_target_id uuid, p_unit text, p_amount numeric)
returns public.budgets
language plpgsql
volatile
set search_path = ''
as $$
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
    perform private.refuse(422, format('There is no such %s in this product.', v_scope));
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
  perform private.settle_budgets(p_product_id);
  select b.* into v_budget from public.budgets b where b.id = v_budget.id;
  return v_budget;
end;
$$;

comment on function private.put_budget is 'Makes or changes the budget of a scope, period and unit.';
