-- Why: new idempotency keys are counted from their index, not from all rows of a user.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.require_keys_left(p_user_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_max integer;
  v_seconds integer;
  v_since timestamptz;
begin
  select l.p_max, l.p_seconds into v_max, v_seconds from private.rate_limit('idempotency_key') l;
  v_since := private.now() - make_interval(secs => v_seconds);
  if (select count(*) from (
    select from public.idempotency_keys k
    where k.user_id = p_user_id and k.created_at > v_since
    limit v_max + 1) k) <= v_max then
    return;
  end if;
  raise exception using errcode = 'PT429',
    message = format('Too many idempotency keys (%s in %s seconds). Try again in a minute.', v_max, v_seconds),
    detail = json_build_object('retry_after', v_seconds)::text;
end;
$function$;
