-- Why: a direct write to a table locks its rows before any row trigger runs, while operations take the product lock
-- first. To keep one order, such a statement first locks every product its user may write, sorted by id. Operations
-- already hold their lock (`backloom.locked_product`) and skip this. Definer: membership is protected by RLS.
create function private.tg_any__lock_products()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_product_id uuid;
begin
  if coalesce(current_setting('backloom.locked_product', true), '') <> '' or auth.uid() is null then
    return null;
  end if;

  for v_product_id in select w.id from private.writable_product_ids() as w (id) order by w.id loop
    perform private.lock_product(v_product_id);
  end loop;
  return null;
end;
$$;

comment on function private.tg_any__lock_products is
  'Before direct writes: the locks of the user''s products, in one order (specification: States and transitions).';
