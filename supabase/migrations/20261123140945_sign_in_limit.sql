-- Why: a sign-in beyond its limit is 429 for each name and address, whether there is such an account or not.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.find_login_identity(p_identifier text, p_session_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
    return json_build_object('user_id', null, 'limit_key', 'name:' || v_given,
      'email', coalesce((select u.email from public.users u order by u.id limit 1), 'nobody@example.invalid'));
  end if;
  v_is_known := exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = v_user.id);
  return json_build_object('user_id', v_user.id, 'email', v_user.email,
    'limit_key', case when v_is_known then 'session:' || p_session_id else 'name:' || v_given end);
end;
$function$;
