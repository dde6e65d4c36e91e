-- Why: a token may be limited to some of its user's products; call_as sets which, for the transaction. Every check of
-- membership also checks this. Sessions and unlimited tokens reach all products of their user.
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
