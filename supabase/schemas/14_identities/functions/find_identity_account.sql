-- Why: a sign-in at the provider leads to the account linked with it, or else to the one with the same address, which
-- the caller passes only if the provider has verified it. Demo accounts are left out. is_connected_otherwise: another
-- provider account opens it, so that the new holder of a reassigned address gets nothing of the old one's.
-- is_address_confirmed: the account here surely belongs to that address's owner. Service only.
create function operations.find_identity_account(p_issuer text, p_subject text, p_verified_email text default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_linked uuid;
  v_can_be_checked boolean;
  v_same_address uuid;
  v_is_connected boolean;
begin
  select i.account, i.refresh_token is not null into v_linked, v_can_be_checked from public.account_identities i where i.issuer = p_issuer and i.subject = p_subject;
  if v_linked is null then
    select u.id, exists (select from public.account_identities i where i.account = u.id and i.issuer = p_issuer)
    into v_same_address, v_is_connected
    from public.users u where lower(u.email) = lower(p_verified_email) and not u.is_demo
    order by u.created_at limit 1;
  end if;
  return json_build_object('linked', v_linked, 'can_be_checked', coalesce(v_can_be_checked, false),
    'same_address', v_same_address, 'is_connected_otherwise', coalesce(v_is_connected, false),
    'is_address_confirmed', private.is_address_confirmed(v_same_address));
end;
$$;

comment on function operations.find_identity_account is 'The account behind a sign-in at the provider, if any. Service only.';
grant execute on function operations.find_identity_account to service_role;
