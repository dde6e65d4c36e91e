-- Why: a new amount above what was spent reopens a budget; the old overshoot is kept. Called with the product's lock.
create function private.raise_budget(p_budget public.budgets, p_amount numeric)
returns public.budgets
language plpgsql
volatile
set search_path = ''
as $$
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

comment on function private.raise_budget is 'Changes the sum of a budget, and audits it.';
