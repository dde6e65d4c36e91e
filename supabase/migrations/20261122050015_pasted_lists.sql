-- A pasted list becomes stories and tasks, all of them or none.
set local check_function_bodies = off;

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
      ('member_lookup', 10, 3600),
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
      ('inbox', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_from_list(p_items jsonb, p_pbi_id uuid DEFAULT NULL::uuid, p_story_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write(case when p_pbi_id is null then 'story' else 'pbi' end, coalesce(p_pbi_id, p_story_id));
  v_item jsonb;
  v_task jsonb;
  v_story jsonb;
  v_stories jsonb := '[]';
  v_tasks jsonb := '[]';
begin
  if num_nonnulls(p_pbi_id, p_story_id) <> 1 then
    perform private.refuse(422, 'A list goes into a PBI or into a story: name one of them.');
  end if;
  if jsonb_typeof(p_items) is distinct from 'array' or jsonb_array_length(p_items) not between 1 and 100 then
    perform private.refuse(422, 'A list has 1 to 100 lines.');
  end if;
  perform private.lock_product(v_product_id);
  for v_item in select i.value from jsonb_array_elements(p_items) with ordinality i (value, place) order by i.place loop
    if p_story_id is not null then
      v_tasks := v_tasks || jsonb_build_array(
        public.create_task(p_story_id, v_item ->> 'title', coalesce(v_item ->> 'description', ''))::jsonb -> 'code');
      continue;
    end if;
    v_story := public.create_story(p_pbi_id, v_item ->> 'title', coalesce(v_item ->> 'description', ''));
    v_stories := v_stories || jsonb_build_array(v_story -> 'code');
    for v_task in
      select t.value from jsonb_array_elements(coalesce(v_item -> 'tasks', '[]')) with ordinality t (value, place) order by t.place
    loop
      v_tasks := v_tasks || jsonb_build_array(
        public.create_task((v_story ->> 'id')::uuid, v_task ->> 'title', coalesce(v_task ->> 'description', ''))::jsonb -> 'code');
    end loop;
  end loop;
  if jsonb_array_length(v_stories) + jsonb_array_length(v_tasks) > 150 then
    perform private.refuse(422, 'At most 150 stories and tasks at once. Paste the list in two parts.');
  end if;
  return json_build_object('stories', v_stories, 'tasks', v_tasks);
end;
$function$;

COMMENT ON FUNCTION "public"."create_from_list"(jsonb, uuid, uuid) IS 'Makes the stories and tasks of a pasted list, all or none (specification: Story, Task).';

REVOKE ALL ON FUNCTION "public"."create_from_list"(jsonb, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_from_list"(jsonb, uuid, uuid) TO "authenticated", "postgres";
