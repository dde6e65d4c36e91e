-- Why: without a refresh token the provider cannot be asked whether an account still exists. Such an account must sign
-- in there again: after half of the time its sessions end, so that active users sign in again in time; after all of it
-- everything else ends too.
-- Called by claim_identity_checks.
create function private.end_unconfirmed(p_issuer text, p_within interval)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_identity public.account_identities;
begin
  -- The user first, as everywhere: one whose sign-in is under way is looked at next time.
  for v_identity in
    select i.* from public.users u
    join public.account_identities i on i.account = u.id
    where i.issuer = p_issuer and i.ended_at is null and i.refresh_token is null and i.checked_at <= private.now() - p_within / 2
    order by u.id
    for update of u skip locked
  loop
    if v_identity.checked_at > private.now() - p_within then
      perform private.end_sessions(v_identity.account)
      where exists (select from public.user_sessions s where s.user_id = v_identity.account and s.revoked_at is null
        and s.created_at <= v_identity.checked_at + p_within / 2);
      continue;
    end if;
    update public.account_identities i set ended_at = private.now()
    where i.issuer = v_identity.issuer and i.subject = v_identity.subject and i.checked_at = v_identity.checked_at;
    if found then
      perform private.audit(v_identity.account, null, 'identity.ended',
        private.end_access(v_identity.account) || jsonb_build_object('issuer', p_issuer, 'not_confirmed', true));
    end if;
  end loop;
end;
$$;

comment on function private.end_unconfirmed is 'Ends what accounts have that did not sign in again at a provider that cannot be asked.';
grant execute on function private.end_unconfirmed to service_role;
