-- Why: creates or changes the one budget of a scope, period and unit. Owners and people only.
-- Refusals: 404, 403, 422. Definer: budgets are written by functions only.
create function operations.set_budget(
  p_product_id uuid, p_scope text, p_unit text, p_amount numeric, p_period text default null, p_target_id uuid default null)
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
  v_budget := private.put_budget(p_product_id, p_scope, p_period, p_target_id, p_unit, p_amount);
  return private.budget_json(v_budget);
end;
$$;

comment on function operations.set_budget is 'Makes or changes a budget; the owner of the product, in a session.';
grant execute on function operations.set_budget to authenticated;
