-- Why: an account that the operator bans in Supabase Auth loses sessions and tokens here at once, not only the next sign-in.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.tg_auth_users__end_access()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.end_access(new.id);
  return new;
end;
$function$;

CREATE TRIGGER _120_end_access AFTER UPDATE OF banned_until ON auth.users FOR EACH ROW WHEN (((new.banned_until > now()) AND (old.banned_until IS DISTINCT FROM new.banned_until))) EXECUTE FUNCTION private.tg_auth_users__end_access();

REVOKE ALL ON FUNCTION "private"."tg_auth_users__end_access"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_auth_users__end_access"() TO "postgres";
