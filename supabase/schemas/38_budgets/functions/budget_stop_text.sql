-- Why: a worker whose heartbeat stopped its job gets the same message again: of two concurrent heartbeats, or after a
-- lost answer, either may be the one it receives.
create function private.budget_stop_text(p_budget public.budgets)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return format('The budget of %s is reached: %s of %s used. The work is kept and the job is waiting for a person.',
    private.budget_name(p_budget), private.budget_amount_text(private.budget_spent(p_budget), p_budget.unit),
    private.budget_amount_text(p_budget.amount, p_budget.unit));
end;
$$;

comment on function private.budget_stop_text is 'Why a budget has stopped a job, for its worker.';
