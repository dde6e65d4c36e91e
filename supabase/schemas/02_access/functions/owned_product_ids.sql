-- Why: only the owner changes a product's settings, archive and members. Definer: product_members is protected by RLS.
create function private.owned_product_ids()
returns setof uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return query
    select m.product_id from public.product_members m where m.user_id = auth.uid() and m.role = 'OWNER'
      and private.is_open_to_token(m.product_id);
end;
$$;

comment on function private.owned_product_ids is 'Products that the caller owns (specification: Authentication 4).';

grant execute on function private.owned_product_ids to authenticated, service_role;
