-- Why: changes settings for all budgets of a product; those not named stay. Owners and people only. Refusals: 404, 403,
-- 422.
-- Definer: settings are written by functions only.
create function operations.set_budget_settings(p_product_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
  perform private.settle_budgets(p_product_id);
  return to_jsonb(v_settings) - 'product_id';
end;
$$;

comment on function operations.set_budget_settings is 'Time zone, agents without usage, expectations; the owner of the product, in a session.';
grant execute on function operations.set_budget_settings to authenticated;
