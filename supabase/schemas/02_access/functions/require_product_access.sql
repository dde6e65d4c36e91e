-- Why: refuses in the contract's order: 404 for an unknown product, 403 for one the caller may not use. Definer,
-- because RLS hides the difference between the two.
create function private.require_product_access(p_product_id uuid)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_member boolean;
begin
  select exists (select from public.product_members m where m.product_id = p.id and m.user_id = auth.uid())
  into v_member
  from public.products p
  where p.id = p_product_id;

  if v_member is null then
    raise exception using errcode = 'PT404', message = 'No such product.';
  end if;

  if not v_member then
    raise exception using errcode = 'PT403',
      message = 'You have no access to this product. Ask its owner to add you as a member.';
  end if;

  if not private.is_open_to_token(p_product_id) then
    raise exception using errcode = 'PT403',
      message = 'This token is limited to other products. Use a token that includes this product.';
  end if;
end;
$$;

comment on function private.require_product_access is
  'PT404 for an unknown product, PT403 for one that the caller may not use (specification: Authentication 4).';

grant execute on function private.require_product_access to authenticated;
