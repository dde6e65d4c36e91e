-- Why: new projects open nothing to the API roles by default. Where the older rights were in force the service role could also call
-- what was made since: these rights are as in a new project everywhere. The service calls all of it as the user.
-- And what was sent is found by the index that Realtime keeps.
set local check_function_bodies = off;

REVOKE ALL ON FUNCTION "public"."allow_my_workers"(uuid, boolean) FROM "service_role";

REVOKE ALL ON FUNCTION "public"."append_job_output"(uuid, integer, jsonb) FROM "service_role";

REVOKE ALL ON FUNCTION "public"."get_job_output"(uuid, integer, bigint, integer) FROM "service_role";

REVOKE ALL ON FUNCTION "public"."list_open_user_questions"(uuid, integer, uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "public"."move_stories"(jsonb, uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "public"."read_job_stream"(uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "public"."report_agent_job"(uuid, integer, jsonb) FROM "service_role";

REVOKE ALL ON FUNCTION "public"."report_job_usage"(uuid, integer, jsonb) FROM "service_role";

REVOKE ALL ON FUNCTION "public"."restart_worker"(text, boolean) FROM "service_role";

CREATE OR REPLACE FUNCTION public.list_sent_messages(p_topics jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_array(s.topic, s.event -> 'seq', s.event -> 'xid')), '[]')
    from (
      select m.topic, m.payload -> 'events' -> 0 as event
      from realtime.messages as m
      where m.inserted_at > localtimestamp - interval '1 minute'
        and m.topic = any (array(select jsonb_array_elements_text(p_topics)))
        and m.extension = 'broadcast'
        and m.private is true
        and m.event = 'change'
      order by m.inserted_at desc
      limit 5000
    ) as s
    where s.event ? 'seq'
  );
end;
$function$;

REVOKE ALL ON TABLE "public"."job_attempts" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_attempts" TO "service_role";

REVOKE ALL ON TABLE "public"."job_outputs" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_outputs" TO "service_role";

REVOKE ALL ON TABLE "public"."usage_events" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."usage_events" TO "service_role";
