-- Administrators set the role, the demo flag and whether a user must choose a new password. The last administrator
-- keeps the role. Making someone a demo account, or asking for a new password, ends that user's sessions and unclaimed
-- pairings. Definer: profiles cannot be written directly; refuses all but administrators.
create function operations.admin_update_user(
  p_user_id uuid, p_role text default null, p_is_demo boolean default null, p_must_reset_password boolean default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_before public.users;
  v_role public.user_role := p_role;
begin
  perform private.require_no_demo();
  perform private.require_admin();
  -- Two administrators who demote each other at the same moment must not both succeed.
  perform pg_advisory_xact_lock(hashtextextended('administrators', 0));
  select * into v_before from public.users u where u.id = p_user_id for update;
  if not found then
    perform private.refuse(404, 'No such user. Check the ID: the account may have been deleted.');
  end if;
  if v_before.role = 'ADMIN' and (v_role <> 'ADMIN' or p_is_demo)
    and not exists (select from public.users u where u.role = 'ADMIN' and not u.is_demo and u.id <> p_user_id) then
    perform private.refuse(409, 'This is the last administrator. Make someone else an administrator first.');
  end if;

  update public.users
  set role = coalesce(v_role, role),
      is_demo = coalesce(p_is_demo, is_demo),
      must_reset_password = coalesce(p_must_reset_password, must_reset_password),
      updated_at = private.now()
  where id = p_user_id;

  if (p_is_demo and not v_before.is_demo) or (p_must_reset_password and not v_before.must_reset_password) then
    perform private.end_sessions(p_user_id, null);
  end if;
  perform private.audit(p_user_id, auth.uid(), 'user.changed', jsonb_strip_nulls(jsonb_build_object(
    'role', p_role, 'is_demo', p_is_demo, 'must_reset_password', p_must_reset_password)));
  return json_build_object('id', p_user_id);
end;
$$;
grant execute on function operations.admin_update_user to authenticated;

-- Sets what registration cannot: an administrator role or the demo flag, by an admin command or on the first
-- start. Called with the secret key, right after the account was created.
create function operations.configure_account(p_user_id uuid, p_role text default null, p_is_demo boolean default null)
returns json language plpgsql volatile set search_path = '' as $$
begin
  update public.users
  set role = coalesce(p_role::public.user_role, role),
      is_demo = coalesce(p_is_demo, is_demo),
      updated_at = private.now()
  where id = p_user_id;
  if not found then
    perform private.refuse(404, 'No such user. Check the ID: the account may have been deleted.');
  end if;

  perform private.audit(p_user_id, null, 'user.configured',
    jsonb_strip_nulls(jsonb_build_object('role', p_role, 'is_demo', p_is_demo)));
  return json_build_object('id', p_user_id);
end;
$$;
grant execute on function operations.configure_account to service_role;

-- Every sign-in creates a new session id and ends the browser's previous session (no session fixation). Lifetime 30
-- days, sliding. Deletes sessions that ended more than 30 days ago. Refuses an account that ended at the identity
-- provider (end_identity) or at Supabase Auth, for every way of signing in. is_invited: the account was made with an
-- invitation, which its first sign-in uses. Supabase Auth has checked the password before.
create function operations.create_session(
  p_user_id uuid, p_user_agent text default null, p_ip text default null, p_previous_session_id uuid default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_user public.users;
  v_session public.user_sessions;
begin
  select * into v_user from public.users u where u.id = p_user_id for share;
  if not found then
    perform private.refuse(401, 'This account no longer exists. Sign in with another one.');
  end if;

  if private.is_shut_out(p_user_id) then
    perform private.refuse(403, 'This account is locked. Ask an administrator to unlock it.');
  end if;
  if exists (select from public.account_identities i where i.account = p_user_id and i.ended_at is not null)
    and not exists (select from public.account_identities i where i.account = p_user_id and i.ended_at is null) then
    perform private.refuse(403,
      'Your sign-in at the provider has ended. Sign in through the provider again, or ask an administrator to reset your password.');
  end if;

  delete from public.user_sessions s
  where s.user_id = p_user_id and least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  update public.user_sessions set revoked_at = v_now
  where id = p_previous_session_id and revoked_at is null;

  insert into public.user_sessions (user_id, user_agent, ip, expires_at, last_seen_at, created_at)
  values (p_user_id, left(p_user_agent, 255), left(p_ip, 45), v_now + interval '30 days', v_now, v_now)
  returning * into v_session;
  -- The same browser and the same person: it goes on being told.
  update public.push_subscriptions set session_id = v_session.id
  where session_id = p_previous_session_id and user_id = p_user_id;

  perform private.audit(p_user_id, p_user_id, 'session.started',
    jsonb_build_object('session_id', v_session.id, 'user_agent', v_session.user_agent), p_ip);
  return json_build_object('session_id', v_session.id, 'user_id', v_user.id, 'is_demo', v_user.is_demo,
    'must_reset_password', v_user.must_reset_password, 'theme', v_user.theme,
    'is_invited', exists (
      select from public.product_invitations i where i.reserved_for = p_user_id and i.expires_at > v_now));
end;
$$;
grant execute on function operations.create_session to service_role;

-- Supabase Auth refuses banned and softly deleted accounts at its own sign-in only; a sign-in at the identity
-- provider passes it by. Definer: this is in Auth's own table.
create function private.is_shut_out(p_account uuid)
returns boolean language sql stable security definer set search_path = '' as $$
  select exists (
    select from auth.users a where a.id = p_account and (a.banned_until > now() or a.deleted_at is not null));
$$;
grant execute on function private.is_shut_out to service_role;

-- Signing out must also invalidate copies of the cookie. It does not count as a write for demo accounts. Idempotent.
create function operations.end_session(p_session_id uuid, p_ip text default null)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_user_id uuid;
begin
  update public.user_sessions set revoked_at = private.now()
  where id = p_session_id and revoked_at is null
  returning user_id into v_user_id;

  if v_user_id is not null then
    perform private.audit(v_user_id, v_user_id, 'session.ended', jsonb_build_object('session_id', p_session_id), p_ip);
  end if;
  return json_build_object('ended', v_user_id is not null);
end;
$$;
grant execute on function operations.end_session to service_role;

-- Called with the secret key right before it sets a password at Supabase Auth: the sessions then end by
-- password_changed, which keeps one, and not by the trigger on Auth's table. For as long as that call may take.
create function operations.announce_password(p_user_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  update public.users set password_set_until = private.now() + interval '15 seconds' where id = p_user_id;
  return json_build_object('announced', found);
end;
$$;
grant execute on function operations.announce_password to service_role;

-- A new password ends every other session and every unclaimed pairing at once, and clears or sets the flag that
-- asks for another one. A reset by an administrator also disconnects the account from the identity provider. Called with
-- the secret key after Supabase Auth has stored the password: by the person (p_keep_session_id stays), by a recovery,
-- or by an administrator (p_must_reset: the next sign-in asks for another).
create function operations.password_changed(
  p_user_id uuid, p_keep_session_id uuid default null, p_must_reset boolean default false, p_actor_id uuid default null,
  p_ip text default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_ended integer;
begin
  update public.users set must_reset_password = p_must_reset, updated_at = private.now() where id = p_user_id;
  if not found then
    perform private.refuse(404, 'No such user. Check the ID: the account may have been deleted.');
  end if;

  if p_must_reset then
    delete from public.account_identities i where i.account = p_user_id;
  end if;
  v_ended := private.end_sessions(p_user_id, p_keep_session_id);
  perform private.audit(p_user_id, coalesce(p_actor_id, p_user_id),
    case when p_must_reset then 'password.reset' else 'password.changed' end,
    jsonb_build_object('sessions_ended', v_ended), p_ip);
  return json_build_object('sessions_ended', v_ended);
end;
$$;
grant execute on function operations.password_changed to service_role;

-- "sign out everywhere else". Definer: writes only the caller's, and keeps this one (specification: Authentication).
create function operations.revoke_other_sessions()
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_ended integer;
begin
  perform private.require_no_demo();
  v_ended := private.end_sessions(auth.uid(), private.current_session_id());
  perform private.audit(auth.uid(), auth.uid(), 'session.others_revoked', jsonb_build_object('count', v_ended));
  return json_build_object('ended', v_ended);
end;
$$;
grant execute on function operations.revoke_other_sessions to authenticated;

-- Signs out one device from another. Definer: writes only the caller's sessions (specification: Authentication).
create function operations.revoke_session(p_session_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_no_demo();
  if not exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = auth.uid())
    or not private.end_session_chain(p_session_id) then
    perform private.refuse(404, 'No such device is signed in to your account. Reload the list.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'session.revoked', jsonb_build_object('session_id', p_session_id));
  return json_build_object('id', p_session_id);
end;
$$;
grant execute on function operations.revoke_session to authenticated;

-- Sets the product a user works on. It needs access, no archive and no demo (specification: Authentication 8). The row
-- lock keeps it from being archived. Null clears it. Definer: writes only the caller's profile row.
create function operations.set_active_product(p_product_id uuid default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_archived_at timestamptz;
begin
  perform private.require_no_demo();
  if p_product_id is not null then
    select p.archived_at into v_archived_at
    from public.products p
    join public.product_members m on m.product_id = p.id and m.user_id = auth.uid()
    where p.id = p_product_id and private.is_open_to_token(p.id)
    for share;
    if not found then
      perform private.require_product_access(p_product_id);
    end if;
    if v_archived_at is not null then
      perform private.refuse(403, 'This product is archived. Restore it before you make it the active one.');
    end if;
  end if;

  update public.users set active_product_id = p_product_id, updated_at = private.now() where id = auth.uid();
  return json_build_object('active_product_id', p_product_id);
end;
$$;
grant execute on function operations.set_active_product to authenticated;

-- A picture of at most 1 MiB, stored with the profile (PNG, JPEG, WebP or GIF; its first bytes are checked again here).
-- Null removes it. Hex, because JSON has no bytes. Definer: writes only the caller's profile row.
create function operations.set_avatar(p_mime text default null, p_hex text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_bytes bytea;
  v_mime text;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('avatar', auth.uid()::text);
  if p_hex is not null then
    v_bytes := decode(p_hex, 'hex');
    v_mime := case
      when substring(v_bytes from 1 for 8) = '\x89504e470d0a1a0a' then 'image/png'
      when substring(v_bytes from 1 for 3) = '\xffd8ff' then 'image/jpeg'
      when substring(v_bytes from 1 for 4) = '\x52494646' and substring(v_bytes from 9 for 4) = '\x57454250' then 'image/webp'
      when substring(v_bytes from 1 for 6) in ('\x474946383761', '\x474946383961') then 'image/gif'
    end;
    if octet_length(v_bytes) > 1048576 or v_mime is null or p_mime is distinct from v_mime then
      perform private.refuse(422, 'Use a PNG, JPEG, WebP or GIF picture of at most 1 MiB.');
    end if;
  end if;
  update public.users set avatar = v_bytes, avatar_mime = v_mime, updated_at = private.now() where id = auth.uid();
  return json_build_object('has_avatar', v_bytes is not null);
end;
$$;
grant execute on function operations.set_avatar to authenticated;

-- What people set about themselves: username, worker quota threshold, theme; never role or flags. Definer: writes only
-- the caller's profile row (specification: Other records, User).
create function operations.update_profile(
  p_username text default null, p_min_quota_pct integer default null, p_theme text default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_no_demo();
  if p_min_quota_pct not between 1 and 100 then
    perform private.refuse(422, 'The worker quota threshold is a whole number from 1 to 100.',
      '{"issues":[{"path":"min_quota_pct","message":"Enter a whole number from 1 to 100"}]}');
  end if;
  if p_username !~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$' then
    perform private.refuse(422, 'This username cannot be used. Choose another one.',
      '{"issues":[{"path":"username","message":"Use 2 to 40 letters, digits, dots, underscores or hyphens"}]}');
  end if;

  update public.users
  set username = coalesce(p_username, username),
      min_quota_pct = coalesce(p_min_quota_pct, min_quota_pct),
      theme = coalesce(p_theme::public.user_theme, theme),
      updated_at = private.now()
  where id = auth.uid();
  return operations.get_profile();
exception when unique_violation then
  perform private.refuse(422, 'This username is taken. Choose another one.', '{"issues":[{"path":"username","message":"This username is taken"}]}');
end;
$$;
grant execute on function operations.update_profile to authenticated;
