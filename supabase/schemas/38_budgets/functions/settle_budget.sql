-- Why: whether one budget is reached now. A new window begins anew and remembers what the old one went beyond.
create function private.settle_budget(p_budget public.budgets)
returns public.budgets
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_work record;
  v_left numeric;
  v_reached_at timestamptz := case when private.is_budget_reached(p_budget) then p_budget.reached_at end;
  v_budget public.budgets;
begin
  perform private.sum_budget(p_budget);
  if v_reached_at is null and p_budget.due_at is not null then
    select * into v_work from private.budget_at_work(p_budget);
    v_left := p_budget.amount - private.budget_spent(p_budget);
    if v_work.jobs = 0 and v_left <= private.expected_use(p_budget.product_id, p_budget.unit, null) / 10 then
      v_reached_at := private.now();
    end if;
  end if;
  update public.budgets b
  set reached_at = v_reached_at, due_at = null,
      overshoot = greatest(b.overshoot, private.budget_spent(b) - b.amount)
  where b.id = p_budget.id
  returning b.* into v_budget;
  return v_budget;
end;
$$;

comment on function private.settle_budget is 'Marks a budget as reached, or open again.';
