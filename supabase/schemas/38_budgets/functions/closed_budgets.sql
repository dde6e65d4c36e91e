-- Why: where nobody may begin under any budget, there is nothing to add up.
create function private.closed_budgets(p_product_id uuid)
returns private.budget_room[]
language plpgsql
stable
set search_path = ''
as $$
begin
  return array(
    select row (b.id, b.unit, null, null, true)::private.budget_room from public.budgets b where b.product_id = p_product_id);
end;
$$;

comment on function private.closed_budgets is 'All budgets of a product as full.';
