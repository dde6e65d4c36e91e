-- Why: a sprint is made from the stories that a person has selected, in one step or not at all.
set local check_function_bodies = off;

DROP FUNCTION "operations"."create_sprint"(uuid, text, date, date);

DROP FUNCTION "operations"."move_stories"(jsonb, uuid);

CREATE OR REPLACE FUNCTION operations.create_sprint(p_product_id uuid, p_sprint_goal text DEFAULT ''::text, p_start_date date DEFAULT NULL::date, p_end_date date DEFAULT NULL::date, p_story_ids jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_story_id uuid;
begin
  perform private.require_dates_in_order(p_start_date, p_end_date);
  perform private.require_write('product', p_product_id);

  insert into public.sprints (id, product_id, sprint_goal, start_date, end_date)
  values (v_id, p_product_id, coalesce(p_sprint_goal, ''), p_start_date, p_end_date);
  for v_story_id in select i.id::uuid from jsonb_array_elements_text(p_story_ids) with ordinality i (id, place) order by i.place loop
    perform operations.add_story_to_sprint(v_id, v_story_id);
  end loop;
  return (select row_to_json(s) from private.sprint_shape s where s.id = v_id);
end;
$function$;

REVOKE ALL ON FUNCTION "operations"."create_sprint"(uuid, text, date, date, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_sprint"(uuid, text, date, date, jsonb) TO "authenticated", "postgres";
