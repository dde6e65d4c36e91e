-- Why: a token limited to some products could not reach a product it creates, and nobody has agreed to a new one.
create function private.require_unlimited_token()
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if coalesce(current_setting('backloom.token_products', true), '') <> '' then
    raise exception using errcode = 'PT403',
      message = 'This token is limited to some products and cannot create another. Create the product in the browser, then use a token that includes it.';
  end if;
end;
$$;

comment on function private.require_unlimited_token is 'PT403 for tokens that are limited to some products.';

grant execute on function private.require_unlimited_token to authenticated;
