-- Why: the sum that is kept for a budget, and what came after it: all that was used in its window, and how much of it is in
-- the ledger for good.
create function private.add_up_budget(p_budget public.budgets, out used numeric, out in_ledger numeric, out from_at timestamptz)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_sum private.budget_sums;
begin
  from_at := (private.budget_window(p_budget)).from_at;
  select s.* into v_sum from private.budget_sums s where s.budget_id = p_budget.id and s.from_at = add_up_budget.from_at;
  select coalesce(v_sum.amount, 0) + coalesce(sum(x.amount), 0),
    coalesce(v_sum.amount, 0) + coalesce(sum(x.amount) filter (where u.id < 9223372036854775807), 0)
  into used, in_ledger
  from private.usage_under(p_budget, from_at, coalesce(v_sum.last_id, 0)) u
  cross join lateral (
    select case when p_budget.unit = 'tokens' then u.tokens when u.currency = p_budget.unit then u.cost end as amount
  ) x;
end;
$$;

comment on function private.add_up_budget is 'What was used in the window of a budget, and how much of it is in the ledger.';
