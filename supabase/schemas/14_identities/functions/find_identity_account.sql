-- Why: a sign-in at the provider leads to the account that is linked with it, or else to the one that has the same address, which the
-- caller passes only where the provider has verified it. Service only.
create function operations.find_identity_account(p_issuer text, p_subject text, p_verified_email text default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_linked uuid;
  v_can_be_checked boolean;
begin
  select i.account, i.refresh_token is not null into v_linked, v_can_be_checked from public.account_identities i where i.issuer = p_issuer and i.subject = p_subject;
  return json_build_object('linked', v_linked, 'can_be_checked', coalesce(v_can_be_checked, false), 'same_address', (
    select u.id from public.users u where v_linked is null and lower(u.email) = lower(p_verified_email) order by u.created_at limit 1));
end;
$$;

comment on function operations.find_identity_account is 'The account behind a sign-in at the provider, if any. Service only.';
grant execute on function operations.find_identity_account to service_role;
