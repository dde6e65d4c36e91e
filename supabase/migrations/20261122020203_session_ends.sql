-- Why: what a paired session made ends with it, and a browser is told things only while it is signed in. What was made before keeps no session.
set local check_function_bodies = off;

ALTER TABLE "public"."api_tokens" ADD COLUMN "session_id" uuid;

ALTER TABLE "public"."login_pairings" ADD COLUMN "approved_in" uuid;

ALTER TABLE "public"."push_subscriptions" ADD COLUMN "session_id" uuid;

CREATE OR REPLACE FUNCTION private.approve_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
  v_now timestamptz;
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
    raise exception using errcode = 'PT410',
      message = 'This code has expired or was already answered. Show a new code on the other device.';
  end if;

  update public.login_pairings
  set status = 'APPROVED', user_id = auth.uid(), approved_in = private.own_session_id(), approved_at = v_now, expires_at = v_now + interval '5 minutes'
  where id = p_pairing_id;
  perform private.audit(auth.uid(), auth.uid(), 'pairing.approved', jsonb_build_object(
    'pairing_id', p_pairing_id, 'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip));
  return json_build_object('pairing_id', p_pairing_id, 'status', 'approved', 'expires_at', v_now + interval '5 minutes');
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_api_token(p_label text, p_prefix text, p_token_hash text, p_expires_days integer)
 RETURNS public.api_tokens
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_token public.api_tokens;
begin
  insert into public.api_tokens (user_id, session_id, label, prefix, token_hash, expires_at, created_at)
  values (auth.uid(), private.own_session_id(), p_label, p_prefix, decode(p_token_hash, 'hex'),
    private.now() + make_interval(days => p_expires_days), private.now())
  returning * into v_token;
  return v_token;
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_session_chain(p_session_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_paired uuid[];
  v_ended boolean;
begin
  update public.user_sessions s set revoked_at = v_now where s.id = p_session_id and s.revoked_at is null;
  v_ended := found;

  with recursive chain (id) as (
    select s.id from public.user_sessions s where s.id = p_session_id and s.paired
    union
    select p.session_id from public.login_pairings p join chain c on p.approved_in = c.id where p.session_id is not null
  )
  select coalesce(array_agg(c.id), '{}') into v_paired from chain c;

  update public.login_pairings p set status = 'CANCELLED' where p.approved_in = any (v_paired) and p.status = 'APPROVED';
  update public.user_sessions s set revoked_at = v_now where s.id = any (v_paired) and s.revoked_at is null;
  update public.api_tokens t set revoked_at = v_now where t.session_id = any (v_paired) and t.revoked_at is null;
  return v_ended;
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_push_subscriptions()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return json_build_object('subscriptions', (
    select coalesce(json_agg(json_build_object('id', s.id, 'user_agent', s.user_agent, 'host', substring(s.endpoint from '^https?://([^/]+)'),
      'endpoint', s.endpoint, 'last_error', s.last_error, 'disabled_at', s.disabled_at, 'created_at', s.created_at)
      order by s.created_at), '[]')
    from public.push_subscriptions s
    left join public.user_sessions u on u.id = s.session_id
    where s.user_id = auth.uid()
      and (s.session_id is null or (u.revoked_at is null and u.expires_at > private.now()))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_session_id()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select s.id from public.user_sessions s
    where s.id = private.current_session_id() and s.user_id = auth.uid());
end;
$function$;

CREATE OR REPLACE FUNCTION private.revoke_pairing(p_pairing_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p
  where p.id = p_pairing_id and p.user_id = auth.uid() for update;
  if not found then
    return false;
  end if;

  if v_pairing.status = 'APPROVED' then
    update public.login_pairings set status = 'CANCELLED' where id = p_pairing_id;
  end if;
  perform private.end_session_chain(v_pairing.session_id);
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.revoke_session(p_session_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = auth.uid()) then
    return false;
  end if;
  return private.end_session_chain(p_session_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.subscribe_push(p_endpoint text, p_p256dh text, p_auth text, p_user_agent text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_id uuid;
begin
  perform private.take_rate_limit('push_subscription', v_user_id::text);
  if coalesce(p_endpoint, '') !~ '^https?://' or char_length(p_endpoint) > 2000
    or coalesce(char_length(p_p256dh), 0) not between 1 and 200 or coalesce(char_length(p_auth), 0) not between 1 and 100 then
    perform private.refuse(422, 'endpoint must be an https address, p256dh and auth the keys of the subscription.');
  end if;
  insert into public.push_subscriptions as s (user_id, session_id, endpoint, p256dh, auth, user_agent)
  values (v_user_id, private.own_session_id(), p_endpoint, p_p256dh, p_auth, left(p_user_agent, 255))
  on conflict (endpoint) do update
  set user_id = v_user_id, session_id = excluded.session_id, p256dh = excluded.p256dh, auth = excluded.auth, user_agent = excluded.user_agent,
      disabled_at = null, last_error = null
  returning s.id into v_id;
  return json_build_object('id', v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_due_notices(p_limit integer, p_lease_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_notices json;
begin
  update public.notices n
  set status = 'FAILED', last_error = coalesce(n.last_error, 'Given up: ten attempts ended without a word from the sender.')
  where n.id in (
    select d.id from public.notices d
    where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts >= 10
    order by d.next_attempt_at, d.id
    limit 500
    for update skip locked
  );

    with taken as (
      update public.notices n
      set attempts = n.attempts + 1, next_attempt_at = v_now + make_interval(secs => greatest(coalesce(p_lease_seconds, 60), 5))
      where n.id in (
        select d.id from public.notices d
        where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts < 10
        order by d.next_attempt_at, d.id
        limit least(greatest(coalesce(p_limit, 50), 1), 500)
        for update skip locked
      )
      returning n.*
    )
    select json_build_object('notices', coalesce(json_agg(json_build_object(
      'id', t.id, 'kind', t.kind, 'attempts', t.attempts, 'payload', t.payload, 'created_at', t.created_at,
      'webhook', (select json_build_object('id', w.id, 'url', w.url, 'secret', w.secret, 'active', w.active)
        from public.webhooks w where w.id = t.webhook_id),
      'user_id', t.user_id,
      'subscriptions', (select coalesce(json_agg(json_build_object('id', s.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh,
          'auth', s.auth) order by s.created_at), '[]')
        from public.push_subscriptions s
        left join public.user_sessions u on u.id = s.session_id
        where s.user_id = t.user_id and s.disabled_at is null
          and (s.session_id is null or (u.revoked_at is null and u.expires_at > v_now)))
    ) order by t.created_at, t.id), '[]'))
    into v_notices
    from taken t;
  return v_notices;
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_session(p_user_id uuid, p_user_agent text DEFAULT NULL::text, p_ip text DEFAULT NULL::text, p_previous_session_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_user public.users;
  v_session public.user_sessions;
begin
  select * into v_user from public.users u where u.id = p_user_id for share;
  if not found then
    raise exception using errcode = 'PT401', message = 'This account no longer exists.';
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
$function$;

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_session_id_fkey" FOREIGN KEY (session_id) REFERENCES public.user_sessions(id) ON DELETE SET NULL;

ALTER TABLE "public"."login_pairings" ADD CONSTRAINT "login_pairings_approved_in_fkey" FOREIGN KEY (approved_in) REFERENCES public.user_sessions(id) ON DELETE SET NULL;

ALTER TABLE "public"."push_subscriptions" ADD CONSTRAINT "push_subscriptions_session_id_fkey" FOREIGN KEY (session_id) REFERENCES public.user_sessions(id) ON DELETE CASCADE;

CREATE INDEX api_tokens_session_id_idx ON public.api_tokens USING btree (session_id);

CREATE INDEX login_pairings_approved_in_idx ON public.login_pairings USING btree (approved_in);

CREATE INDEX push_subscriptions_session_id_idx ON public.push_subscriptions USING btree (session_id);

COMMENT ON FUNCTION "private"."end_session_chain"(uuid) IS 'Ends a session, and what a paired one made (specification: Login pairing).';

COMMENT ON FUNCTION "private"."own_session_id"() IS 'The session of this request, where there is one (specification: Authentication).';

REVOKE ALL ON FUNCTION "private"."end_session_chain"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_session_chain"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_session_id"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_session_id"() TO "authenticated", "postgres";
