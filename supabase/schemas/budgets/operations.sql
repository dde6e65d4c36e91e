-- Deletes a budget; runs it paused continue. A missing one is not an error. Owners and people only. Refusals: 404,
-- 403.
-- Definer: budgets are written by functions only.
create function operations.delete_budget(p_product_id uuid, p_budget_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
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
  perform private.apply_budgets(p_product_id);
  return json_build_object('id', p_budget_id, 'removed', true);
end;
$$;
grant execute on function operations.delete_budget to authenticated;

-- Creates or changes the one budget of a scope, period and unit. Owners and people only.
-- Refusals: 404, 403, 422. Definer: budgets are written by functions only.
create function operations.set_budget(
  p_product_id uuid, p_scope text, p_unit text, p_amount numeric, p_period text default null,
  p_target_id uuid default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
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
grant execute on function operations.set_budget to authenticated;

-- Changes settings for all budgets of a product; those not named stay. Owners and people only. Refusals: 404, 403,
-- 422.
-- Definer: settings are written by functions only.
create function operations.set_budget_settings(p_product_id uuid, p_changes jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_settings public.budget_settings;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_person();
  v_settings := jsonb_populate_record(private.budget_settings_of(p_product_id), p_changes - 'product_id');
  if not exists (select from pg_catalog.pg_timezone_names z where z.name = v_settings.time_zone) then
    perform private.refuse(422, 'time_zone must be a name like Europe/Paris.',
      '{"issues":[{"path":"time_zone","message":"Not a known time zone."}]}');
  end if;
  if v_settings.unreported is null or v_settings.unreported not in ('allow', 'refuse')
    or coalesce(v_settings.expected_tokens, 0) <= 0 or coalesce(v_settings.expected_cost, 0) <= 0 then
    perform private.refuse(422, 'unreported is allow or refuse; expected_tokens and expected_cost are more than 0.');
  end if;
  insert into public.budget_settings (product_id, time_zone, unreported, expected_tokens, expected_cost)
  values (p_product_id, v_settings.time_zone, v_settings.unreported, v_settings.expected_tokens, v_settings.expected_cost)
  on conflict (product_id) do update
  set time_zone = excluded.time_zone, unreported = excluded.unreported, expected_tokens = excluded.expected_tokens,
      expected_cost = excluded.expected_cost;
  perform private.apply_budgets(p_product_id);
  return to_jsonb(v_settings) - 'product_id';
end;
$$;
grant execute on function operations.set_budget_settings to authenticated;
