-- Definer: addresses and flags are not readable; refuses all but administrators. By name, 100 per page after p_after.
create function operations.admin_list_users(p_after text default null)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_admin();
  return (
    select coalesce(json_agg(json_build_object(
      'id', u.id, 'username', u.username, 'email', u.email, 'role', u.role, 'is_demo', u.is_demo,
      'must_reset_password', u.must_reset_password, 'created_at', u.created_at,
      'last_seen_at', (select max(s.last_seen_at) from public.user_sessions s where s.user_id = u.id)
    ) order by lower(u.username)), '[]')
    from (
      select * from public.users x
      where p_after is null or lower(x.username) > lower(p_after)
      order by lower(x.username)
      limit 100
    ) u
  );
end;
$$;
grant execute on function operations.admin_list_users to authenticated;

-- People sign in with username or email address, but Supabase Auth knows only the address. For an unknown name it
-- returns someone else's address and no user id, so that the caller does the same work with a password that cannot be
-- right: neither answer nor time reveals whether the account exists. limit_key is where a failed try counts and is
-- refused: by the name or address as given, so that a refusal does not reveal which of them belong together.
-- account_key counts over all names of the account; beyond its limit the password is not checked, which the caller
-- does not learn. A browser with an earlier session of the account (live or not yet deleted) has its own limit_key
-- and no account_key, so that strangers cannot lock the user out.
create function operations.find_login_identity(p_identifier text, p_session_id uuid default null)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_given text := lower(p_identifier);
  v_user public.users;
  v_is_known boolean;
begin
  if position('@' in p_identifier) > 0 then
    select * into v_user from public.users u where lower(u.email) = v_given limit 1;
  else
    select * into v_user from public.users u where lower(u.username) = v_given;
  end if;

  if v_user.id is null then
    return json_build_object('user_id', null, 'limit_key', 'name:' || v_given, 'account_key', 'account:' || v_given,
      'email', coalesce((select u.email from public.users u order by u.id limit 1), 'nobody@example.invalid'));
  end if;
  v_is_known := exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = v_user.id);
  return json_build_object('user_id', v_user.id, 'email', v_user.email,
    'limit_key', case when v_is_known then 'session:' || p_session_id else 'name:' || v_given end,
    'account_key', case when not v_is_known then 'account:' || v_user.id end);
end;
$$;
grant execute on function operations.find_login_identity to service_role;

-- A registration that no one confirmed must keep no address, name or invitation from the next one, which removes it
-- first. Accounts that an operator made, invited or added somewhere stay. Service only.
create function operations.find_unconfirmed_accounts(p_email text, p_code_hash text default null)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(u.id), '[]') from public.users u
    where (lower(u.email) = lower(p_email) or u.id = (
        select i.reserved_for from public.product_invitations i where i.code_hash = decode(p_code_hash, 'hex')))
      and private.is_unconfirmed(u.id)
      and not exists (select from public.audit_events e where e.user_id = u.id and e.kind in ('user.configured', 'session.started'))
      and not exists (select from public.product_members m where m.user_id = u.id));
end;
$$;
grant execute on function operations.find_unconfirmed_accounts to service_role;

-- Definer: the confirmation is in Supabase Auth's own table.
create function private.is_unconfirmed(p_account uuid)
returns boolean language sql stable security definer set search_path = '' as $$
  select exists (
    select from auth.users a where a.id = p_account and a.email_confirmed_at is null and a.invited_at is null);
$$;
grant execute on function private.is_unconfirmed to service_role;

-- The caller's picture and those of people they work with. Definer: avatars are not readable by users in general;
-- it serves the caller, people who share a product with the caller, and administrators.
create function operations.get_avatar(p_user_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_avatar json;
begin
  select json_build_object('mime', u.avatar_mime, 'hex', encode(u.avatar, 'hex'), 'updated_at', u.updated_at)
  into v_avatar
  from public.users u
  where u.id = p_user_id
    and u.avatar is not null
    and (u.id = auth.uid() or private.is_admin() or exists (
      select from public.product_members mine
      join public.product_members theirs on theirs.product_id = mine.product_id
      where mine.user_id = auth.uid() and theirs.user_id = u.id));
  if not found then
    perform private.refuse(404, 'No such picture. The user may have removed it.');
  end if;
  return v_avatar;
end;
$$;
grant execute on function operations.get_avatar to authenticated;

-- Administrators see and change users. Read from the database on each request, never from a token or cookie.
-- Definer, because users may not read the flags of profiles (specification: Other records, User).
create function private.is_admin() returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.users u where u.id = auth.uid() and u.role = 'ADMIN');
end;
$$;
grant execute on function private.is_admin to authenticated, service_role;

-- The profile page. Definer: reads email and flags of the caller's row only (specification: Other records, User).
create function operations.get_profile()
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select json_build_object('id', u.id, 'username', u.username, 'email', u.email, 'role', u.role,
      'is_demo', u.is_demo, 'must_reset_password', u.must_reset_password, 'min_quota_pct', u.min_quota_pct,
      'active_product_id', u.active_product_id, 'theme', u.theme, 'has_avatar', u.avatar is not null,
      'created_at', u.created_at)
    from public.users u where u.id = auth.uid()
  );
end;
$$;
grant execute on function operations.get_profile to authenticated;

-- An embedded installation without any account is on its first start. Service only.
create function operations.has_accounts() returns json language plpgsql stable set search_path = '' as $$
begin
  return to_json(exists (select from public.users));
end;
$$;
grant execute on function operations.has_accounts to service_role;

-- One's own events, or all for administrators (by RLS). 50 per page; p_before is the created_at of the last row.
create function operations.list_audit_events(p_all boolean default false, p_before timestamptz default null)
returns json language plpgsql stable set search_path = '' as $$
begin
  if p_all then
    perform private.require_admin();
  end if;

  return (
    select coalesce(json_agg(json_build_object(
      'id', e.id, 'kind', e.kind, 'user_id', e.user_id, 'username', private.username(e.user_id),
      'actor_id', e.actor_id, 'actor_name', private.username(e.actor_id),
      'detail', e.detail, 'ip', e.ip, 'created_at', e.created_at) order by e.created_at desc, e.id), '[]')
    from (
      select * from public.audit_events a
      where (p_all or a.user_id = auth.uid()) and (p_before is null or a.created_at < p_before)
      order by a.created_at desc, a.id
      limit 50
    ) e
  );
end;
$$;
grant execute on function operations.list_audit_events to authenticated;

-- Definer: users may not read others' profiles. Called only for people who share a product with the caller.
create function private.username(p_user_id uuid)
returns text language plpgsql stable security definer set search_path = '' as $$
begin
  return (select u.username from public.users u where u.id = p_user_id);
end;
$$;
grant execute on function private.username to authenticated, service_role;

-- Device, place, time, whether paired, whether current. The caller's, by RLS (specification: Authentication).
create function operations.list_sessions() returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', s.id, 'user_agent', s.user_agent, 'ip', s.ip, 'paired', s.paired,
      'paired_expires_at', s.paired_expires_at, 'expires_at', s.expires_at, 'last_seen_at', s.last_seen_at,
      'created_at', s.created_at, 'is_current', s.id is not distinct from private.current_session_id()
    ) order by s.last_seen_at desc, s.id), '[]')
    from public.user_sessions s
    where s.user_id = auth.uid()
      and s.revoked_at is null
      and s.expires_at > private.now()
      and (s.paired_expires_at is null or s.paired_expires_at > private.now())
  );
end;
$$;
grant execute on function operations.list_sessions to authenticated;

-- The devices page marks the current session, and "all others" keeps it.
create function private.current_session_id() returns uuid language plpgsql stable set search_path = '' as $$
begin
  return (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
end;
$$;
grant execute on function private.current_session_id to authenticated;

-- An account by username or email address, as admin commands name it. Service only: it resolves any account.
create function operations.resolve_account(p_identifier text)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_account json;
begin
  select json_build_object('id', u.id, 'username', u.username, 'email', u.email)
  into v_account
  from public.users u
  where lower(u.username) = lower(p_identifier) or lower(u.email) = lower(p_identifier) or u.id::text = p_identifier;

  if v_account is null then
    perform private.refuse(404, format('There is no user %s. Give the username or the email address of an account.', private.one_line(p_identifier)));
  end if;
  return v_account;
end;
$$;
grant execute on function operations.resolve_account to service_role;

-- The session that creates a row; null for tokens, and JWTs of Auth, which have no row (specification: Authentication).
create function private.own_session_id() returns uuid language plpgsql stable set search_path = '' as $$
begin
  return (
    select s.id from public.user_sessions s
    where s.id = private.current_session_id() and s.user_id = auth.uid());
end;
$$;

-- One wording for every operation that only administrators may call.
create function private.require_admin() returns void language plpgsql stable set search_path = '' as $$
begin
  if not private.is_admin() then
    perform private.refuse(403, 'Only administrators can do this. Ask one of them.');
  end if;
end;
$$;
grant execute on function private.require_admin to authenticated;
