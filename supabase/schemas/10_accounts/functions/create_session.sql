-- Why: every sign-in creates a new session id and ends the browser's previous session (no session fixation). Lifetime
-- 30 days, sliding. Deletes sessions that ended more than 30 days ago.
-- Refuses an account that ended at the sign-in provider (end_identity), whatever the way of signing in.
-- Called by the login and the registration with the secret key, after Supabase Auth has checked the password.
create function operations.create_session(
  p_user_id uuid, p_user_agent text default null, p_ip text default null, p_previous_session_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_user public.users;
  v_session public.user_sessions;
begin
  select * into v_user from public.users u where u.id = p_user_id for share;
  if not found then
    raise exception using errcode = 'PT401', message = 'This account no longer exists. Sign in with another one.';
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
    'must_reset_password', v_user.must_reset_password, 'theme', v_user.theme);
end;
$$;

comment on function operations.create_session is
  'A new session of a user whose password was right (specification: Authentication 2). Service only.';
grant execute on function operations.create_session to service_role;
