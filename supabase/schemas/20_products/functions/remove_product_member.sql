-- Called by the members page; owner only. The removed member loses access, assignments and the active product at once.
create function operations.remove_product_member(p_product_id uuid, p_user_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);

  if p_user_id = auth.uid() then
    raise exception using errcode = 'PT409', message = 'The owner stays in the product. Archive or delete it instead.';
  end if;

  delete from public.product_members m where m.product_id = p_product_id and m.user_id = p_user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such member.';
  end if;
  return json_build_object('product_id', p_product_id, 'user_id', p_user_id);
end;
$$;

comment on function operations.remove_product_member is
  'Removes a member, owner only (specification: Authentication 4; Other records).';
grant execute on function operations.remove_product_member to authenticated;
