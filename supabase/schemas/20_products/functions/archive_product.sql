-- Called by the product settings. Archived products are read-only, and nobody keeps one as active product.
create function operations.archive_product(p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p set archived_at = private.now() where p.id = p_product_id and p.archived_at is null;
  return operations.get_product(p_product_id);
end;
$$;

comment on function operations.archive_product is 'Archives a product, owner only (specification: GET /api/products).';
grant execute on function operations.archive_product to authenticated;
