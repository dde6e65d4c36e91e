-- Why: backlog pages of 0.3.0 move several stories at once until their process is replaced.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.move_stories(p_story_ids jsonb, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story_id uuid;
begin
  for v_story_id in select i.id::uuid from jsonb_array_elements_text(p_story_ids) with ordinality i (id, place) order by i.place loop
    if p_sprint_id is null then
      perform operations.remove_story_from_sprint(v_story_id);
    else
      perform operations.add_story_to_sprint(p_sprint_id, v_story_id);
    end if;
  end loop;
  return json_build_object('moved', jsonb_array_length(p_story_ids));
end;
$function$;

REVOKE ALL ON FUNCTION "operations"."move_stories"(jsonb, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."move_stories"(jsonb, uuid) TO "authenticated", "postgres";
