-- Why: each claim looked at every job that could be claimed; it reads the first one of each product from the index again.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.now()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(nullif(current_setting('backloom.now', true), '')::timestamptz, clock_timestamp());
end;
$function$;
