-- Called by the product settings: removes a product with everything in it. The caller repeats its code, to prevent
-- accidents.
create function operations.delete_product(p_product_id uuid, p_code text)
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

  if not exists (select from public.products p where p.id = p_product_id and p.code = p_code) then
    raise exception using errcode = 'PT422', message = 'Repeat the code of the product to delete it.',
      detail = '{"issues":[{"path":"code","message":"This is not the code of the product."}]}';
  end if;

  delete from public.products p where p.id = p_product_id;
  return json_build_object('id', p_product_id);
end;
$$;

comment on function operations.delete_product is
  'Deletes a product with everything in it, owner only (specification: Product).';
grant execute on function operations.delete_product to authenticated;
