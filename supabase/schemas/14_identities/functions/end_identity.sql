-- Why: the provider refused to renew the sign-in: the account there is gone, locked, or was signed out. p_tried is the
-- refused token; after a sign-in in between, nothing ends. create_session refuses the account until it signs in at the
-- provider again, or an administrator resets its password. Service only.
create function operations.end_identity(p_issuer text, p_subject text, p_tried text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_account uuid;
  v_ended jsonb;
begin
  -- The user first, as everywhere: a sign-in that is under way waits, and finds the identity ended.
  perform from public.users u
  where u.id = (select i.account from public.account_identities i where i.issuer = p_issuer and i.subject = p_subject) for update;
  update public.account_identities i set ended_at = private.now(), refresh_token = null, asked_until = null
  where i.issuer = p_issuer and i.subject = p_subject and i.refresh_token = p_tried and i.ended_at is null
  returning i.account into v_account;
  if v_account is not null then
    v_ended := private.end_access(v_account);
    perform private.audit(v_account, null, 'identity.ended', v_ended || jsonb_build_object('issuer', p_issuer));
  end if;
  return json_build_object('ended', v_account is not null);
end;
$$;

comment on function operations.end_identity is 'Ends all access of an account that ended at the provider. Service only.';
grant execute on function operations.end_identity to service_role;
