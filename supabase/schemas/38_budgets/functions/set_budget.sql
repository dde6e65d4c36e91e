-- Why: makes or changes the one budget of a scope, period and unit. Owners only, and people only.
-- Refusals: 404, 403, 422. Definer: budgets are written by functions only.
create function private.set_budget(
  p_product_id uuid, p_scope text, p_period text, p_target_id uuid, p_unit text, p_amount numeric)
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

grant execute on function private.set_budget to authenticated;

create function public.set_budget(
  p_product_id uuid, p_scope text, p_unit text, p_amount numeric, p_period text default null, p_target_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.set_budget(p_product_id, p_scope, p_period, p_target_id, p_unit, p_amount);
end;
$$;

comment on function public.set_budget is 'Makes or changes a budget; the owner of the product, in a session.';

grant execute on function public.set_budget to authenticated;
