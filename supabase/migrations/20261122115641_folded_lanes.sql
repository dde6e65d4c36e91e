-- Why: a saved view of a board keeps which of its lanes are folded.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.require_look(p_look jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_known text[] := '{q,status,sprint,group,as,dense,hide,fold}';
begin
  if jsonb_typeof(p_look) is distinct from 'object' or p_look - v_known <> '{}' then
    perform private.refuse(422, 'look may hold q, status, sprint, group, as, dense, hide and fold.');
  end if;
  if exists (
    select from jsonb_each(p_look) e
    where jsonb_typeof(e.value) <> 'string' or char_length(e.value #>> '{}') > case e.key when 'fold' then 1000 else 200 end
  ) then
    perform private.refuse(422, 'Each part of a look is a text of at most 200 characters, fold of 1000.');
  end if;
  return (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(p_look) e where e.value <> '""');
end;
$function$;
