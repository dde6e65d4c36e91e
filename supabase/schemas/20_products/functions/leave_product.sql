-- Called by the members page: a member or viewer gives up access to a product, even an archived one.
create function operations.leave_product(p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);

  delete from public.product_members m
  where m.product_id = p_product_id and m.user_id = auth.uid() and m.role <> 'OWNER';
  if not found then
    raise exception using errcode = 'PT409', message = 'The owner stays in the product. Archive or delete it instead.';
  end if;
  return json_build_object('product_id', p_product_id);
end;
$$;

comment on function operations.leave_product is 'The caller leaves a product (specification: Other records).';
grant execute on function operations.leave_product to authenticated;
