-- Why: the worker has no docker and no command sandbox any more, so nobody is sent there.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.sandbox_advice()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select 'Start a worker on Linux with bubblewrap (apt-get install bubblewrap).';
$function$;
