-- Why: a product without settings has the defaults.
create function private.budget_settings_of(p_product_id uuid)
returns public.budget_settings
language plpgsql
stable
set search_path = ''
as $$
declare
  v_settings public.budget_settings;
begin
  select s.* into v_settings from public.budget_settings s where s.product_id = p_product_id;
  if not found then
    v_settings := (p_product_id, 'UTC', 'allow', 200000, 1);
  end if;
  return v_settings;
end;
$$;

comment on function private.budget_settings_of is 'The settings of a product for its budgets.';
