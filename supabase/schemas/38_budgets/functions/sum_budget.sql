-- Why: stores the sum of a budget up to the last line of its product. Called under the exclusive product lock. Under a
-- shared one it stores nothing, because it would permanently miss a line that somebody else is writing.
create function private.sum_budget(p_budget public.budgets)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if current_setting('backloom.shared_product', true) = p_budget.product_id::text then
    return;
  end if;
  insert into private.budget_sums as s (budget_id, from_at, last_id, amount)
  select p_budget.id, a.from_at, private.last_line(p_budget.product_id), a.in_ledger
  from private.add_up_budget(p_budget) a
  on conflict (budget_id) do update
  set from_at = excluded.from_at, last_id = excluded.last_id, amount = excluded.amount;
end;
$$;

comment on function private.sum_budget is 'Keeps what the ledger has for a budget.';
