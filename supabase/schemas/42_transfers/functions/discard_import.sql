-- Why: a failed import deletes what its earlier steps have written. Service only.
create function operations.discard_import(p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  delete from public.products p where p.id = p_product_id;
  delete from public.code_counters c where c.scope_id = p_product_id;
  return json_build_object('id', p_product_id);
end;
$$;

comment on function operations.discard_import is 'Removes a product whose import failed on the way. Service only.';
grant execute on function operations.discard_import to service_role;
