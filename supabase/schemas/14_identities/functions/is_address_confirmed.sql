-- Why: an account belongs to the owner of its address if a message confirmed the address or an administrator created
-- the account; registration alone checks nothing. Definer: the confirmation is in Supabase Auth's own table. Called by
-- find_identity_account and link_identity.
create function private.is_address_confirmed(p_account uuid)
returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return exists (select from auth.users a where a.id = p_account and a.confirmation_sent_at is not null and a.email_confirmed_at is not null)
    or exists (select from public.audit_events e where e.user_id = p_account and e.kind = 'user.configured');
end;
$$;

comment on function private.is_address_confirmed is 'Whether the address of an account is surely that of its person.';
grant execute on function private.is_address_confirmed to service_role;
