-- Called by the members page and the admin command. The identifier is a user name or an e-mail address; owner only.
create function public.add_product_member(p_product_id uuid, p_identifier text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.add_product_member(p_product_id, p_identifier);
end;
$$;

comment on function public.add_product_member(uuid, text) is
  'Adds a member to a product, owner only (specification: Authentication 4).';

revoke execute on function public.add_product_member(uuid, text) from public, anon;
grant execute on function public.add_product_member(uuid, text) to authenticated;
