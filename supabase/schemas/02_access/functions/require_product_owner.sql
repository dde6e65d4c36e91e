-- Why: only the owner changes a product's settings, members and archive. Definer: membership is protected by RLS.
create function private.require_product_owner(p_product_id uuid)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);

  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER'
  ) then
    raise exception using errcode = 'PT403', message = 'Only the owner of the product can do this. Ask them.';
  end if;
end;
$$;

comment on function private.require_product_owner is
  'PT404, PT403 without access, PT403 for members who do not own the product (specification: Authentication 4).';

grant execute on function private.require_product_owner to authenticated;
