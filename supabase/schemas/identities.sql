-- A user's identity at the identity provider (OpenID Connect). Issuer and subject are permanent; an address may pass to
-- another person. The refresh token, sealed with SESSION_SECRET, checks whether the account still exists.
create table public.account_identities (
  issuer text not null constraint account_identities_issuer_length check (char_length(issuer) between 1 and 2000),
  subject text not null constraint account_identities_subject_length check (char_length(subject) between 1 and 255),
  account uuid not null references public.users (id) on delete cascade,
  refresh_token text constraint account_identities_refresh_token_length check (char_length(refresh_token) <= 20000),
  -- When the provider last said that the account exists, and until when one process asks it.
  checked_at timestamptz not null default private.now(),
  asked_until timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null default private.now(),
  primary key (issuer, subject)
);

comment on table public.account_identities is 'Accounts at the identity provider, and the accounts here that they sign in to. Service only.';
comment on column public.account_identities.ended_at is 'When the provider refused to renew the sign-in. The account is closed until its user signs in there again.';
create index account_identities_account_idx on public.account_identities (account);
create index account_identities_checked_at_idx on public.account_identities (checked_at) where ended_at is null;

alter table public.account_identities enable row level security;

-- No one reads identities directly.

-- Only one process asks the provider about an account, so that a refresh token is used once. A claim without a result
-- is free again after four minutes. Also ends access received at the very moment of an end. Service only.
create function operations.claim_identity_checks(
  p_issuer text, p_limit integer default 20, p_recheck_hours integer default 168
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_claimed json;
begin
  perform private.end_access(e.account) from (
    select distinct i.account from public.account_identities i
    where i.issuer = p_issuer and i.ended_at > private.now() - interval '1 day'
      and not exists (select from public.account_identities o where o.account = i.account and o.ended_at is null)
      and (exists (select from public.api_tokens t where t.user_id = i.account and t.revoked_at is null)
        or exists (select from public.user_sessions s where s.user_id = i.account and s.revoked_at is null))) e;

  perform private.end_unconfirmed(p_issuer, make_interval(hours => p_recheck_hours));

  with due as (
    select i.issuer, i.subject from public.account_identities i
    where i.issuer = p_issuer and i.ended_at is null and i.refresh_token is not null
      and i.checked_at <= private.now() - interval '20 minutes' and coalesce(i.asked_until, '-infinity') <= private.now()
    order by i.checked_at limit p_limit for update skip locked
  ), claimed as (
    update public.account_identities i set asked_until = private.now() + interval '4 minutes'
    from due where i.issuer = due.issuer and i.subject = due.subject
    returning i.issuer, i.subject, i.refresh_token
  )
  select coalesce(json_agg(claimed), '[]') into v_claimed from claimed;
  return v_claimed;
end;
$$;
grant execute on function operations.claim_identity_checks to service_role;

-- Without a refresh token the provider cannot be asked whether an account still exists. Such an account must sign in
-- there again: after half of the time its sessions end, so that active users do; after all of it the rest.
create function private.end_unconfirmed(p_issuer text, p_within interval)
returns void language plpgsql volatile set search_path = '' as $$
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
    where i.issuer = v_identity.issuer and i.subject = v_identity.subject and i.checked_at = v_identity.checked_at and i.ended_at is null;
    if found then
      perform private.audit(v_identity.account, null, 'identity.ended',
        private.end_access(v_identity.account) || jsonb_build_object('issuer', p_issuer, 'not_confirmed', true));
    end if;
  end loop;
end;
$$;
grant execute on function private.end_unconfirmed to service_role;

-- The provider refused to renew the sign-in: the account there is gone, locked, or was signed out. p_tried is the
-- refused token; after a sign-in in between, nothing ends. create_session refuses the account until it signs in at the
-- provider again, or an administrator resets its password. Service only.
create function operations.end_identity(p_issuer text, p_subject text, p_tried text)
returns json language plpgsql volatile set search_path = '' as $$
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
grant execute on function operations.end_identity to service_role;

-- The provider has just confirmed that the account exists, by a sign-in or a renewal. p_tried is the renewed
-- token; after a sign-in in between, that newer token stays. An empty token deletes the stored one. Without p_is_admin
-- the role stays; the last administrator always keeps it. Service only.
create function operations.keep_identity(
  p_issuer text, p_subject text, p_refresh_token text default null, p_tried text default null,
  p_is_admin boolean default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_account uuid;
begin
  update public.account_identities i
  set refresh_token = nullif(coalesce(p_refresh_token, i.refresh_token), ''), checked_at = private.now(), asked_until = null,
    ended_at = case when p_tried is null then null else i.ended_at end
  where i.issuer = p_issuer and i.subject = p_subject and (p_tried is null or i.refresh_token = p_tried)
  returning i.account into v_account;
  if v_account is not null and p_is_admin is not null then
    perform private.set_role_by_claim(v_account, p_is_admin);
  end if;
  return json_build_object('kept', v_account is not null);
end;
$$;
grant execute on function operations.keep_identity to service_role;

-- Gives or takes the role ADMIN as the provider says.
create function private.set_role_by_claim(p_account uuid, p_is_admin boolean)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_role public.user_role := case when p_is_admin then 'ADMIN' else 'DEVELOPER' end;
begin
  -- Two administrators who lose the role at the same moment must not both lose it.
  perform pg_advisory_xact_lock(hashtextextended('administrators', 0));
  update public.users u set role = v_role, updated_at = private.now()
  where u.id = p_account and u.role <> v_role and not u.is_demo
    and (p_is_admin or exists (select from public.users o where o.role = 'ADMIN' and not o.is_demo and o.id <> p_account));
  if found then
    perform private.audit(p_account, null, 'user.changed', jsonb_build_object('role', v_role, 'by', 'OIDC_ADMIN_CLAIM'));
  end if;
end;
$$;
grant execute on function private.set_role_by_claim to service_role;

-- Signing in at the provider as this person now signs in to this account. p_by_address: no one was signed in, but
-- the address was the same and the provider has verified it. The person who chose the password may not own the address,
-- even if a message confirmed it since, and would keep access. So all existing access ends; the caller has already
-- replaced the password.
-- Refusals: 409 when one of the two is linked with another one, 403 for demo accounts. Service only.
create function operations.link_identity(
  p_issuer text, p_subject text, p_account uuid, p_by_address boolean default false, p_ip text default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_user public.users;
  v_other uuid;
begin
  select * into v_user from public.users u where u.id = p_account for update;
  if v_user.id is null then
    perform private.refuse(404, 'This account no longer exists. Sign in with another one.');
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

  if p_by_address then
    perform private.end_access(p_account);
  end if;
  perform private.audit(p_account, p_account, 'identity.linked',
    jsonb_build_object('issuer', p_issuer, 'by_address', p_by_address, 'access_ended', p_by_address), p_ip);
  return json_build_object('account', p_account);
end;
$$;
grant execute on function operations.link_identity to service_role;

-- Ends all access to an account at once: sessions, waiting pairings, tokens and grants, and with the tokens its
-- workers. The triggers of both tables end open streams. Returns how many of each.
create function private.end_access(p_account uuid) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_sessions integer := private.end_sessions(p_account);
  v_tokens integer;
begin
  update public.api_tokens t set revoked_at = private.now() where t.user_id = p_account and t.revoked_at is null;
  get diagnostics v_tokens = row_count;
  delete from public.push_subscriptions s where s.user_id = p_account;
  return jsonb_build_object('sessions_ended', v_sessions, 'tokens_ended', v_tokens);
end;
$$;
grant execute on function private.end_access to service_role;

-- The settings show whether the account is connected to the provider. Service only.
create function operations.account_identity(p_issuer text, p_account uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('connected_at', (
    select i.created_at from public.account_identities i where i.issuer = p_issuer and i.account = p_account limit 1));
end;
$$;
grant execute on function operations.account_identity to service_role;

-- A sign-in at the provider leads to the account linked with it, or else to the one with the same address, which
-- the caller passes only if the provider has verified it. Demo accounts are left out. is_connected_otherwise: another
-- provider account opens it, so that the new holder of a reassigned address gets nothing of the old one's. Service only.
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
    'same_address', v_same_address, 'is_connected_otherwise', coalesce(v_is_connected, false));
end;
$$;
grant execute on function operations.find_identity_account to service_role;
