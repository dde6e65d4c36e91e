-- Why: signing in at the provider as this person now signs in to this account. p_by_address: nobody was signed in, but
-- the address was the same and the provider has verified it. Whoever created the account here may not own the address
-- and would keep access. So unless it is confirmed here too, all existing access ends; the caller has already replaced
-- the password.
-- Refusals: 409 when one of the two is linked with another one, 403 for demo accounts. Service only.
create function operations.link_identity(
  p_issuer text, p_subject text, p_account uuid, p_by_address boolean default false, p_ip text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_user public.users;
  v_other uuid;
  v_is_taken_over boolean;
begin
  select * into v_user from public.users u where u.id = p_account for update;
  if v_user.id is null then
    perform private.refuse(404, 'This account no longer exists.');
  end if;
  if v_user.is_demo then
    perform private.refuse(403, 'A demo account cannot be connected. Sign in with an account of your own first.');
  end if;
  if exists (select from public.account_identities i where i.account = p_account and i.issuer = p_issuer and i.subject <> p_subject) then
    perform private.refuse(409, 'This account is connected to another account at the provider. Sign in there with that one.');
  end if;
  insert into public.account_identities (issuer, subject, account) values (p_issuer, p_subject, p_account)
  on conflict (issuer, subject) do nothing;
  select i.account into v_other from public.account_identities i where i.issuer = p_issuer and i.subject = p_subject;
  if v_other is distinct from p_account then
    perform private.refuse(409, 'This account at the provider is connected to another account here. Sign out, then sign in through the provider.');
  end if;

  v_is_taken_over := p_by_address and not private.is_address_confirmed(p_account);
  if v_is_taken_over then
    perform private.end_access(p_account);
  end if;
  perform private.audit(p_account, p_account, 'identity.linked', jsonb_build_object('issuer', p_issuer, 'by_address', p_by_address,
    'access_ended', v_is_taken_over), p_ip);
  return json_build_object('account', p_account);
end;
$$;

comment on function operations.link_identity is 'Links an account of the provider with an account here. Service only.';
grant execute on function operations.link_identity to service_role;
