-- Why: the desktop turns its approved pairing into a session (specification: POST /api/auth/pair/claim). Service only:
-- the cookie's hash is the credential. The row lock serializes concurrent claims, so exactly one succeeds. The user is
-- read again: a user who was removed, made a demo account or changed the password since the approval gets nothing.
-- 401 unknown or mismatch, 410 consumed, cancelled or expired, 409 still pending.
create function operations.claim_pairing(
  p_pairing_id uuid, p_desktop_token_hash text, p_user_agent text default null, p_ip text default null,
  p_previous_session_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz;
  v_pairing public.login_pairings;
  v_user public.users;
  v_session_id uuid := gen_random_uuid();
begin
  -- User, pairing, session: the order in which a password change locks them too.
  select u.* into v_user
  from public.login_pairings p
  join public.users u on u.id = p.user_id
  where p.id = p_pairing_id
  for share of u;
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  if v_pairing.desktop_token_hash is distinct from decode(p_desktop_token_hash, 'hex') then
    raise exception using errcode = 'PT401', message = 'This pairing was started by another browser. Show a new code.';
  end if;
  if v_pairing.status in ('CONSUMED', 'CANCELLED') or v_pairing.expires_at <= v_now then
    raise exception using errcode = 'PT410', message = 'This code was already used, declined or has expired. Show a new code.';
  end if;
  if v_pairing.status = 'PENDING' or v_user.id is distinct from v_pairing.user_id then
    raise exception using errcode = 'PT409', message = 'The phone has not approved this yet. Keep waiting.';
  end if;

  if v_user.is_demo then
    raise exception using errcode = 'PT410', message = 'The account that approved this can no longer sign in here. Show a new code.';
  end if;

  update public.user_sessions set revoked_at = v_now where id = p_previous_session_id and revoked_at is null;
  insert into public.user_sessions (
    id, user_id, user_agent, ip, paired, paired_expires_at, expires_at, last_seen_at, created_at)
  values (v_session_id, v_user.id, left(p_user_agent, 255), left(p_ip, 45), true,
    v_now + interval '8 hours', v_now + interval '8 hours', v_now, v_now);
  update public.login_pairings set status = 'CONSUMED', consumed_at = v_now, session_id = v_session_id
  where id = p_pairing_id;

  perform private.audit(v_user.id, v_user.id, 'pairing.claimed', jsonb_build_object(
    'pairing_id', p_pairing_id, 'session_id', v_session_id, 'user_agent', left(p_user_agent, 255)), p_ip);
  return json_build_object('session_id', v_session_id, 'user_id', v_user.id, 'is_demo', v_user.is_demo,
    'paired_expires_at', v_now + interval '8 hours');
end;
$$;

comment on function operations.claim_pairing is
  'Turns an approved pairing into a session of 8 hours, once (specification: Login pairing). Service only.';
grant execute on function operations.claim_pairing to service_role;
