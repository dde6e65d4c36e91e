-- Why: the one look-up of product access, used by every policy. Definer, because the policy of product_members uses it
-- too.
create function private.accessible_product_ids()
returns setof uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return query select m.product_id from public.product_members m where m.user_id = auth.uid() and private.is_open_to_token(m.product_id);
end;
$$;

comment on function private.accessible_product_ids is
  'Products that the caller owns or is a member of (specification: Authentication 4).';

grant execute on function private.accessible_product_ids to authenticated, service_role;
