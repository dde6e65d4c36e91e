-- Why: the owner decides whether agents always or never write missing plans; else the caller of the start decides.
create function private.plans_first(p_product public.products, p_plan_first boolean)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case p_product.plan_first
    when 'never' then false
    when 'auto' then coalesce(p_plan_first, true)
    else coalesce(p_plan_first, false) end;
end;
$$;

comment on function private.plans_first is 'Whether agents of a run write the plans that are missing.';
