-- Why: a token may be limited to some products of its user (call_as says which, for the transaction). Whatever asks what the caller
-- reaches asks this beside the membership. Sessions, and tokens without a limit, reach all that their user does.
create function private.is_open_to_token(p_product_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  v_products text := coalesce(current_setting('backloom.token_products', true), '');
begin
  return v_products = '' or p_product_id = any (v_products::uuid[]);
end;
$$;

comment on function private.is_open_to_token is
  'Whether the token of this call is open to a product of its user (docs/agents.md, Signing in over OAuth).';

grant execute on function private.is_open_to_token to authenticated, service_role;
