-- Why: the settings show whether the account is connected to the provider. Service only.
create function operations.account_identity(p_issuer text, p_account uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('connected_at', (
    select i.created_at from public.account_identities i where i.issuer = p_issuer and i.account = p_account limit 1));
end;
$$;
grant execute on function operations.account_identity to service_role;

-- Why: a sign-in at the provider leads to the account linked with it, or else to the one with the same address, which
-- the caller passes only if the provider has verified it. Demo accounts are left out. is_connected_otherwise: another
-- provider account opens it, so that the new holder of a reassigned address gets nothing of the old one's.
-- is_address_confirmed: the account here surely belongs to that address's owner. Service only.
create function operations.find_identity_account(p_issuer text, p_subject text, p_verified_email text default null)
returns json language plpgsql stable set search_path = '' as $$
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
grant execute on function operations.find_identity_account to service_role;

-- Why: an account belongs to the owner of its address if a message confirmed the address or an administrator created
-- the account; registration alone checks nothing. Definer: the confirmation is in Supabase Auth's own table. Called by
-- find_identity_account and link_identity.
create function private.is_address_confirmed(p_account uuid)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from auth.users a where a.id = p_account and a.confirmation_sent_at is not null and a.email_confirmed_at is not null)
    or exists (select from public.audit_events e where e.user_id = p_account and e.kind = 'user.configured');
end;
$$;
grant execute on function private.is_address_confirmed to service_role;
