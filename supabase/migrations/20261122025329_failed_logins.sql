-- Why: only failed sign-ins count for an account, a browser that was signed in to it has tries of its own, and name and address share a count: strangers lock nobody out.
set local check_function_bodies = off;

DROP FUNCTION "public"."find_login_identity"(text);

CREATE OR REPLACE FUNCTION private.rate_limit(p_action text, OUT p_max integer, OUT p_seconds integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also the failed tries of an account, or of a browser it was signed in on)
      ('login', 10, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('api_token', 10, 3600),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      -- per job
      ('job_output', 240, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION public.find_login_identity(p_identifier text, p_session_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_user public.users;
  v_is_known boolean;
begin
  if position('@' in p_identifier) > 0 then
    select * into v_user from public.users u where lower(u.email) = lower(p_identifier) limit 1;
  else
    select * into v_user from public.users u where lower(u.username) = lower(p_identifier);
  end if;

  if v_user.id is null then
    return json_build_object('user_id', null, 'is_known_browser', false, 'limit_key', 'account:' || lower(p_identifier),
      'email', coalesce((select u.email from public.users u order by u.id limit 1), 'nobody@example.invalid'));
  end if;
  v_is_known := exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = v_user.id);
  return json_build_object('user_id', v_user.id, 'email', v_user.email, 'is_known_browser', v_is_known,
    'limit_key', case when v_is_known then 'session:' || p_session_id else 'account:' || v_user.id end);
end;
$function$;

CREATE OR REPLACE FUNCTION public.give_back_limit(p_action text, p_key text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.rate_limit_counters c set count = greatest(c.count - 1, 0)
  where c.action = p_action and c.key = p_key;
  return json_build_object('ok', true);
end;
$function$;

COMMENT ON FUNCTION "public"."find_login_identity"(text, uuid) IS 'User id, e-mail address and limit key behind a user name or address, with a decoy for unknown ones. Service only.';

COMMENT ON FUNCTION "public"."give_back_limit"(text, text) IS 'Takes one count back that take_limit made (specification: Limits). Service only.';

COMMENT ON FUNCTION "public"."take_limit"(text, text) IS 'Counts one try of login, registration, recovery, pair/start or a password change, or PT429 (specification: Limits). Service only.';

REVOKE ALL ON FUNCTION "public"."find_login_identity"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."find_login_identity"(text, uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."give_back_limit"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."give_back_limit"(text, text) TO "postgres", "service_role";
