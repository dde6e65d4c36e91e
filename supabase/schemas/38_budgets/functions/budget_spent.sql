-- Why: what was spent of a budget in its window, including unfinished turns.
create function private.budget_spent(p_budget public.budgets)
returns numeric
language plpgsql
stable
set search_path = ''
as $$
begin
  return p_budget.spent_before + (private.add_up_budget(p_budget)).used;
end;
$$;

comment on function private.budget_spent is 'What was used of a budget in its window, in its unit.';
