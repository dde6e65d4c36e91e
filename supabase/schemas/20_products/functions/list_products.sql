-- Called by GET /api/products and the MCP tool list_products: the caller's products without archived ones.
create function operations.list_products()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(row_to_json(p) order by k.created_at, k.id), '[]')
    from private.product_shape p
    join public.products k on k.id = p.id
    where k.archived_at is null and k.id in (select private.accessible_product_ids())
  );
end;
$$;

comment on function operations.list_products is 'Active products of the caller (specification: GET /api/products).';
grant execute on function operations.list_products to authenticated;
