-- Why: products with work that a claim could not do under a shared lock, or with ended windows that runs wait for.
create function private.products_with_due_budgets()
returns setof uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
    select distinct b.product_id from public.budgets b
    where b.due_at is not null or (b.reached_at is not null and b.period is not null and not private.is_budget_reached(b));
end;
$$;

comment on function private.products_with_due_budgets is 'Products whose budgets private.settle_budgets has to look at.';
