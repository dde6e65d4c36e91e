-- Called by the product settings: an archived product can be changed again.
create function operations.restore_product(p_product_id uuid)
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

  update public.products p set archived_at = null where p.id = p_product_id and p.archived_at is not null;
  return operations.get_product(p_product_id);
end;
$$;

comment on function operations.restore_product is
  'Restores an archived product, owner only (specification: GET /api/products).';
grant execute on function operations.restore_product to authenticated;
