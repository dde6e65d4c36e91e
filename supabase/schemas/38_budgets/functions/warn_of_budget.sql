-- Why: people are warned at four fifths of a budget, once per window. If another transaction holds the budget, it warns
-- instead: nobody waits here.
create function private.warn_of_budget(p_budget public.budgets, p_spent numeric)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_from timestamptz := (private.budget_window(p_budget)).from_at;
begin
  if p_spent < 0.8 * p_budget.amount or p_budget.warned_at >= v_from then
    return;
  end if;
  update public.budgets b set warned_at = private.now()
  where b.id in (
    select x.id from public.budgets x where x.id = p_budget.id and (x.warned_at is null or x.warned_at < v_from) for update skip locked);
  if found then
    perform private.queue_notices('budget_warning', p_budget.product_id, null, true,
      format('%s of %s used', private.budget_amount_text(p_spent, p_budget.unit),
        private.budget_amount_text(p_budget.amount, p_budget.unit)),
      format('The budget of %s is nearly reached.', private.budget_name(p_budget)),
      case when p_budget.sprint_run_id is null then format('/products/%s/settings', p_budget.product_id)
        else format('/products/%s/runs/%s', p_budget.product_id, p_budget.sprint_run_id) end,
      private.budget_json(p_budget));
  end if;
end;
$$;

comment on function private.warn_of_budget is 'Notices at 80 per cent of a budget.';
