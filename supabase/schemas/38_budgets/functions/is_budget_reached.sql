-- Why: a budget reached in an earlier window is open again.
create function private.is_budget_reached(p_budget public.budgets)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return p_budget.reached_at is not null and p_budget.reached_at >= (private.budget_window(p_budget)).from_at;
end;
$$;

comment on function private.is_budget_reached is 'Whether nobody may begin under a budget in its window.';
