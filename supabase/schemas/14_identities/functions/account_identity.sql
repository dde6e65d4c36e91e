-- Why: the settings show whether the account is connected to the provider. Service only.
create function operations.account_identity(p_issuer text, p_account uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return json_build_object('connected_at', (
    select i.created_at from public.account_identities i where i.issuer = p_issuer and i.account = p_account limit 1));
end;
$$;

comment on function operations.account_identity is 'When an account was connected to the provider, if it was. Service only.';
grant execute on function operations.account_identity to service_role;
