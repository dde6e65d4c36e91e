-- Why: the sweep deleted rows of realtime.messages by their place, which repeats in every partition of a hosted project, and with
-- them what other apps sent: messages are Realtime's to drop. And a process can now ask what was sent, to find what never came.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.remove_stale_rows()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_counters integer;
  v_sessions integer;
  v_pairings integer;
  v_notices integer;
  v_outputs integer;
  v_workers integer;
begin
  delete from public.rate_limit_counters c where c.window_start < v_now - interval '2 hours';
  get diagnostics v_counters = row_count;
  delete from public.user_sessions s where least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  get diagnostics v_sessions = row_count;
  delete from public.login_pairings l where l.created_at < v_now - interval '1 day';
  get diagnostics v_pairings = row_count;
  delete from public.notices n where n.status <> 'PENDING' and n.created_at < v_now - interval '30 days';
  get diagnostics v_notices = row_count;
  delete from public.job_outputs o
  where (o.job_id, o.attempt, o.seq) in (
    select x.job_id, x.attempt, x.seq from public.job_outputs x
    where x.created_at < v_now - interval '14 days' order by x.created_at limit 20000);
  get diagnostics v_outputs = row_count;
  delete from public.agent_workers w
  where w.last_seen_at < v_now - interval '30 days'
    and not exists (select from public.agent_jobs j where j.worker_id = w.id)
    and not exists (select from public.job_attempts a where a.worker_id = w.id);
  get diagnostics v_workers = row_count;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'agent_workers', v_workers);
end;
$function$;

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
        and m.private
        and m.event = 'change'
      order by m.inserted_at desc
      limit 5000
    ) as s
    where s.event ? 'seq'
  );
end;
$function$;

COMMENT ON FUNCTION "public"."list_sent_messages"(jsonb) IS 'Topic, first event number and transaction of what was sent within a minute (specification: Events). Service only.';

REVOKE ALL ON FUNCTION "public"."list_sent_messages"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_sent_messages"(jsonb) TO "postgres", "service_role";
