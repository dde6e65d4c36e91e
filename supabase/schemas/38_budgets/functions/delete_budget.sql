-- Why: deletes a budget; runs it paused continue. A missing one is no error. Owners and people only. Refusals: 404,
-- 403.
-- Definer: budgets are written by functions only.
create function operations.delete_budget(p_product_id uuid, p_budget_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_budget public.budgets;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_person();
  select b.* into v_budget from public.budgets b where b.id = p_budget_id and b.product_id = p_product_id;
  if not found then
    return json_build_object('id', p_budget_id, 'removed', false);
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'budget.removed', jsonb_build_object('product_id', p_product_id,
    'budget', private.budget_name(v_budget), 'unit', v_budget.unit, 'amount', v_budget.amount));
  delete from public.budgets b where b.id = p_budget_id;
  perform private.settle_budgets(p_product_id);
  return json_build_object('id', p_budget_id, 'removed', true);
end;
$$;

comment on function operations.delete_budget is 'Takes a budget away; the owner of the product, in a session.';
grant execute on function operations.delete_budget to authenticated;
