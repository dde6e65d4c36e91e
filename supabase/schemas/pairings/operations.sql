-- For the phone that signs a desktop in (specification: Login pairing).
create function operations.approve_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_no_demo();
  return private.answer_pairing(p_pairing_id, p_mobile_secret_hash, 'APPROVED');
end;
$$;
grant execute on function operations.approve_pairing to authenticated;

-- For the phone that declines a desktop (specification: Login pairing).
create function operations.cancel_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_no_demo();
  return private.answer_pairing(p_pairing_id, p_mobile_secret_hash, 'CANCELLED');
end;
$$;
grant execute on function operations.cancel_pairing to authenticated;

-- The desktop turns its approved pairing into a session (specification: POST /api/auth/pair/claim). Service only:
-- the cookie's hash is the credential. The row lock serializes concurrent claims, so exactly one succeeds. The user is
-- read again: a user who was removed, made a demo account or changed the password since the approval gets nothing.
-- 401 unknown or mismatch, 410 consumed, cancelled or expired, 409 still pending.
create function operations.claim_pairing(
  p_pairing_id uuid, p_desktop_token_hash text, p_user_agent text default null, p_ip text default null,
  p_previous_session_id uuid default null
) returns json language plpgsql volatile set search_path = '' as $$
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
    perform private.refuse(401, 'This pairing was started by another browser. Show a new code.');
  end if;
  if v_pairing.status in ('CONSUMED', 'CANCELLED') or v_pairing.expires_at <= v_now then
    perform private.refuse(410, 'This code was already used, declined or has expired. Show a new code.');
  end if;
  if v_pairing.status = 'PENDING' or v_user.id is distinct from v_pairing.user_id then
    perform private.refuse(409, 'The phone has not approved this yet. Keep waiting.');
  end if;

  if v_user.is_demo then
    perform private.refuse(410, 'The account that approved this can no longer sign in here. Show a new code.');
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
grant execute on function operations.claim_pairing to service_role;

-- The phone shows which device is asking before approval (get-pairing-for-approval). Needs the secret, as approval
-- does. Service only, because it counts wrong secrets and demo users may still read it; the app has resolved the user.
create function operations.get_pairing_for_approval(p_user_id uuid, p_pairing_id uuid, p_mobile_secret_hash text)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id;
  perform private.require_pairing_guesses_left(v_pairing, p_user_id);
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, p_user_id);
  end if;
  if v_pairing.status = 'PENDING' and v_pairing.expires_at <= private.now() then
    perform private.refuse(410, 'This code has expired. Show a new code on the other device.');
  end if;
  return json_build_object('pairing_id', v_pairing.id, 'status', lower(v_pairing.status::text),
    'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip, 'check_code', v_pairing.check_code,
    'expires_at', v_pairing.expires_at, 'username', private.username(p_user_id));
end;
$$;
grant execute on function operations.get_pairing_for_approval to service_role;

-- After too many wrong guesses even a right one is refused, so this check comes before the comparison. PT429 with
-- the seconds until the user's hour is over, or until this pairing expires (specification: Login pairing).
create function private.require_pairing_guesses_left(p_pairing public.login_pairings, p_user_id uuid)
returns void language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_until timestamptz;
begin
  select c.window_start + make_interval(secs => l.p_seconds) into v_until
  from private.rate_limit('pair_secret') l
  join public.rate_limit_counters c on c.action = 'pair_secret' and c.key = p_user_id::text and c.count >= l.p_max
  where c.window_start > v_now - make_interval(secs => l.p_seconds);

  if v_until is null and p_pairing.failed_attempts >= 5 then
    v_until := p_pairing.expires_at;
  end if;
  if v_until is null then
    return;
  end if;

  perform private.refuse(429, 'Too many wrong codes. Wait a while, then show a new code on the other device.',
    jsonb_build_object('retry_after', greatest(1, ceil(extract(epoch from v_until - v_now))::integer)));
end;
$$;
grant execute on function private.require_pairing_guesses_left to service_role;

-- Wrong guesses at a pairing secret must count, so the caller returns the refusal instead of raising it, which would
-- roll the count back. 5 wrong secrets end a pairing, 20 an hour block the user. Definer: users can write neither
-- counters nor pairings. The result is the same for an unknown pairing (specification: Login pairing).
create function private.note_wrong_pairing_secret(p_pairing_id uuid, p_user_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.login_pairings set failed_attempts = failed_attempts + 1 where id = p_pairing_id;
  perform private.take_rate_limit('pair_secret', p_user_id::text);
  return json_build_object('refused', json_build_object('code', 404,
    'error', 'This code is unknown. Show a new code on the other device and scan it again.'));
end;
$$;
grant execute on function private.note_wrong_pairing_secret to service_role;

-- The pairing stream reads it on opening and again once its subscription is active. Read with a lock: a change is
-- announced a moment before others see it, so a plain read right after subscribing could miss it. The snapshot says
-- which changes it knows. Service only; authenticated by the hash of the desktop cookie: unknown PT404, mismatch PT401,
-- expired PT410 (specification: GET /api/auth/pair/stream/:pairingId).
create function operations.get_pairing_state(p_pairing_id uuid, p_desktop_token_hash text)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for share;
  if not found then
    perform private.refuse(404, 'No such pairing. Show a new code.');
  end if;
  if v_pairing.desktop_token_hash <> decode(p_desktop_token_hash, 'hex') then
    perform private.refuse(401, 'This pairing was started by another browser. Show a new code.');
  end if;
  if v_pairing.expires_at <= private.now() then
    perform private.refuse(410, 'This code has expired. Show a new code.');
  end if;
  return json_build_object('pairing_id', v_pairing.id, 'status', lower(v_pairing.status::text),
    'expires_at', v_pairing.expires_at, 'snapshot', pg_current_snapshot()::text);
end;
$$;
grant execute on function operations.get_pairing_state to service_role;

-- The person who approved a pairing can revoke it at once: an unclaimed one is cancelled, a claimed one loses its
-- session. Definer: writes only what the caller approved (specification: Login pairing).
create function operations.revoke_pairing(p_pairing_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_pairing public.login_pairings;
begin
  perform private.require_no_demo();
  select * into v_pairing from public.login_pairings p
  where p.id = p_pairing_id and p.user_id = auth.uid() for update;
  if not found then
    perform private.refuse(404, 'You have not approved such a device.');
  end if;

  if v_pairing.status = 'APPROVED' then
    update public.login_pairings set status = 'CANCELLED' where id = p_pairing_id;
  end if;
  perform private.end_session_chain(v_pairing.session_id);
  perform private.audit(auth.uid(), auth.uid(), 'pairing.revoked', jsonb_build_object('pairing_id', p_pairing_id));
  return json_build_object('pairing_id', p_pairing_id);
end;
$$;
grant execute on function operations.revoke_pairing to authenticated;

-- A signed-out desktop asks to be signed in (specification: POST /api/auth/pair/start). Service only: there is no
-- user yet. The app generates both secrets and sends their SHA-256. First the limit per address, then a cap on all
-- waiting pairings. Rows older than a day are deleted here, so strangers cannot make the table grow.
create function operations.start_pairing(
  p_mobile_secret_hash text, p_desktop_token_hash text, p_address_key text, p_user_agent text default null,
  p_ip text default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_id uuid := gen_random_uuid();
begin
  perform private.take_rate_limit('pair_start', p_address_key);

  delete from public.login_pairings where id in (
    select p.id from public.login_pairings p
    where p.created_at < v_now - interval '1 day' order by p.created_at limit 100 for update skip locked);

  if (select count(*) from (
    select from public.login_pairings p where p.status = 'PENDING' and p.expires_at > v_now limit 10000) waiting) >= 10000 then
    perform private.refuse(429, 'Too many devices are waiting to sign in. Try again in a minute.', '{"retry_after":60}');
  end if;

  insert into public.login_pairings (
    id, mobile_secret_hash, desktop_token_hash, desktop_ua, desktop_ip, check_code, expires_at, created_at)
  values (
    v_id, decode(p_mobile_secret_hash, 'hex'), decode(p_desktop_token_hash, 'hex'),
    left(p_user_agent, 255), left(p_ip, 45), private.pairing_check_code(v_id), v_now + interval '5 minutes', v_now);
  return json_build_object('pairing_id', v_id, 'expires_at', v_now + interval '5 minutes');
end;
$$;
grant execute on function operations.start_pairing to service_role;

-- Both screens show the same six digits, so that a person sees which desktop the phone is asking about. They
-- derive from the id, which is not secret, so no response needs to carry them (app/nouns/pairings/pairing-code.ts computes the same).
create function private.pairing_check_code(p_pairing_id uuid)
returns text language plpgsql immutable set search_path = '' as $$
begin
  return regexp_replace(
    lpad((('x' || left(replace(p_pairing_id::text, '-', ''), 8))::bit(32)::bigint % 1000000)::text, 6, '0'),
    '^(...)', '\1 ');
end;
$$;
grant execute on function private.pairing_check_code to service_role;

-- A signed-in phone approves or declines a desktop. Both need the secret, so that knowing the id is not enough.
-- Approve, cancel, expiry and a second answer race for one pending row: the row lock orders them and the clock is read
-- after it, so that exactly one wins and no stale time approves. A wrong secret and an unknown pairing get the same
-- answer, returned instead of raised, so that it counts. Definer: acts for the caller only.
create function private.answer_pairing(p_pairing_id uuid, p_mobile_secret_hash text, p_status public.pairing_status)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_pairing public.login_pairings;
  v_now timestamptz;
  v_expires_at timestamptz;
begin
  -- User, then pairing: the order in which a password change locks them, which cancels what was approved before it.
  perform from public.users u where u.id = auth.uid() for share;
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  perform private.require_pairing_guesses_left(v_pairing, auth.uid());
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, auth.uid());
  end if;

  if v_pairing.status <> 'PENDING' or v_pairing.expires_at <= v_now then
    perform private.refuse(410, 'This code has expired or was already answered. Show a new code on the other device.');
  end if;

  if p_status = 'APPROVED' then
    v_expires_at := v_now + interval '5 minutes';
    update public.login_pairings
    set status = p_status, user_id = auth.uid(), approved_in = private.own_session_id(), approved_at = v_now, expires_at = v_expires_at
    where id = p_pairing_id;
  else
    update public.login_pairings set status = p_status where id = p_pairing_id;
  end if;
  perform private.audit(auth.uid(), auth.uid(), case when p_status = 'APPROVED' then 'pairing.approved' else 'pairing.declined' end,
    jsonb_build_object('pairing_id', p_pairing_id, 'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip));
  return json_strip_nulls(json_build_object('pairing_id', p_pairing_id, 'status', lower(p_status::text), 'expires_at', v_expires_at));
end;
$$;
grant execute on function private.answer_pairing to authenticated;
