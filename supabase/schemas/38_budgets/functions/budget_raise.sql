-- Why: the sum that the button offers: a quarter more, at least what one task is expected to use, rounded up so that it reads well.
create function private.budget_raise(p_budget public.budgets)
returns numeric
language plpgsql
stable
set search_path = ''
as $$
declare
  v_least numeric := greatest(p_budget.amount / 4, private.expected_use(p_budget.product_id, p_budget.unit, null),
    private.budget_spent(p_budget) - p_budget.amount);
  v_grain numeric := power(10::numeric, floor(log(v_least))) / 2;
begin
  return trim_scale(ceil(v_least / v_grain) * v_grain);
end;
$$;

comment on function private.budget_raise is 'By how much the button of a reached budget raises it.';
