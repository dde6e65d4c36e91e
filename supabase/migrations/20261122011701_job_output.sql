-- Why: people watch what an agent says and does while it works, and read it later, attempt by attempt.
set local check_function_bodies = off;

CREATE TABLE "public"."job_attempts" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "worker_id" uuid, "worker_name" text NOT NULL, "started_at" timestamp with time zone NOT NULL, "ended_at" timestamp with time zone, "outcome" text, "head_sha" text, "session_id" text, "kept_ref" text, "last_seq" bigint NOT NULL DEFAULT 0, "output_bytes" bigint NOT NULL DEFAULT 0, "dropped_from" bigint, "dropped_to" bigint, "told_at" timestamp with time zone, CONSTRAINT "job_attempts_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "job_attempts_ended" CHECK (((ended_at IS NULL) = (outcome IS NULL))), CONSTRAINT "job_attempts_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "job_attempts_kept_ref_length" CHECK ((char_length(kept_ref) <= 300)), CONSTRAINT "job_attempts_outcome_known" CHECK ((outcome = ANY (ARRAY['done'::text, 'skipped'::text, 'failed'::text, 'cancelled'::text, 'rate_limited'::text, 'question'::text, 'lost'::text, 'returned'::text]))), CONSTRAINT "job_attempts_pkey" PRIMARY KEY (job_id, attempt), CONSTRAINT "job_attempts_session_id_length" CHECK ((char_length(session_id) <= 300)));

ALTER TABLE "public"."job_attempts" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."job_outputs" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "seq" bigint NOT NULL, "at" timestamp with time zone NOT NULL, "kind" text NOT NULL, "text" text NOT NULL, "title" text, "path" text, "status" text, CONSTRAINT "job_outputs_kind_known" CHECK ((kind = ANY (ARRAY['text'::text, 'thought'::text, 'plan'::text, 'command'::text, 'tool'::text, 'edit'::text, 'test'::text, 'note'::text, 'error'::text]))), CONSTRAINT "job_outputs_path_length" CHECK ((char_length(path) <= 2000)), CONSTRAINT "job_outputs_pkey" PRIMARY KEY (job_id, attempt, seq), CONSTRAINT "job_outputs_seq_positive" CHECK ((seq >= 1)), CONSTRAINT "job_outputs_status_length" CHECK ((char_length(status) <= 100)), CONSTRAINT "job_outputs_title_length" CHECK ((char_length(title) <= 1000)), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."job_outputs" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_product_id uuid := private.require_job(p_job_id);
  v_job public.agent_jobs;
  v_attempt public.job_attempts;
  v_bytes bigint;
  v_state text;
begin
  perform private.require_writer();
  perform private.require_product_write(v_product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  v_state := private.attempt_state(v_job, p_attempt);
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_output', p_job_id::text);
  if octet_length(p_entries::text) > 262144 then
    perform private.refuse(422, 'A batch holds at most 64 KiB of text. Send it in parts.');
  end if;

  insert into public.job_attempts as a (job_id, attempt, product_id, worker_id, worker_name, started_at)
  values (p_job_id, p_attempt, v_product_id, v_job.worker_id,
    (select w.name from public.agent_workers w where w.id = v_job.worker_id), coalesce(v_job.claimed_at, v_now))
  on conflict (job_id, attempt) do nothing;
  select a.* into v_attempt from public.job_attempts a where a.job_id = p_job_id and a.attempt = p_attempt for update;

  with added as (
    insert into public.job_outputs (job_id, attempt, seq, at, kind, text, title, path, status)
    select p_job_id, p_attempt, e.seq, e.at, e.kind, e.text, e.title, e.path, e.status
    from jsonb_to_recordset(p_entries)
      as e (seq bigint, at timestamptz, kind text, text text, title text, path text, status text)
    on conflict (job_id, attempt, seq) do nothing
    returning octet_length(job_outputs.text) as bytes, job_outputs.seq
  )
  select coalesce(sum(d.bytes), 0), greatest(max(d.seq), v_attempt.last_seq) into v_bytes, v_attempt.last_seq from added d;

  update public.job_attempts a
  set last_seq = v_attempt.last_seq,
      output_bytes = a.output_bytes + v_bytes,
      told_at = case when private.is_output_news(v_attempt.told_at, v_now) then v_now else a.told_at end
  where a.job_id = p_job_id and a.attempt = p_attempt
  returning a.* into v_attempt;

  if v_attempt.output_bytes > 5242880 then
    perform private.drop_output_middle(v_attempt);
  end if;
  if v_attempt.told_at = v_now then
    perform private.emit_job_output(v_job, v_attempt);
  end if;
  return json_build_object('last_seq', v_attempt.last_seq);
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempts_json(p_job_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'worker_id', a.worker_id, 'worker_name', a.worker_name,
      'started_at', a.started_at, 'ended_at', a.ended_at, 'outcome', a.outcome, 'head_sha', a.head_sha,
      'session_id', a.session_id, 'kept_ref', a.kept_ref, 'last_seq', a.last_seq, 'output_bytes', a.output_bytes)
      order by a.attempt), '[]')
    from public.job_attempts a
    where a.job_id = p_job_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.drop_output_middle(p_attempt public.job_attempts)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_first bigint;
  v_last bigint;
  v_freed bigint;
begin
  with sized as (
    select o.seq, octet_length(o.text) as bytes, sum(octet_length(o.text)) over (order by o.seq) as so_far
    from public.job_outputs o
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt
  ),
  gone as (
    delete from public.job_outputs o
    using sized s
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt and o.seq = s.seq
      and s.so_far > 1048576 and s.so_far <= 1048576 + 1310720 + (p_attempt.output_bytes - 5242880)
    returning o.seq, s.bytes
  )
  select min(g.seq), max(g.seq), sum(g.bytes) into v_first, v_last, v_freed from gone g;

  update public.job_attempts a
  set output_bytes = a.output_bytes - coalesce(v_freed, 0),
      dropped_from = least(a.dropped_from, v_first),
      dropped_to = greatest(a.dropped_to, v_last)
  where a.job_id = p_attempt.job_id and a.attempt = p_attempt.attempt;
end;
$function$;

CREATE OR REPLACE FUNCTION private.emit_job_output(p_job public.agent_jobs, p_attempt public.job_attempts)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.emit(
    case when p_job.kind = 'PLAN_CHAT' then 'user:' || p_job.created_by else 'product:' || p_job.product_id end,
    jsonb_build_object('op', 'U', 'entity', 'job_output', 'id', p_job.id, 'product_id', p_job.product_id,
      'job_id', p_job.id, 'attempt', p_attempt.attempt, 'last_seq', p_attempt.last_seq));
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job(p_job_id);
  return (
    select private.job_json(j) || jsonb_build_object('attempts', private.attempts_json(j.id), 'questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = j.id))
    from public.agent_jobs j where j.id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_job_output(p_job_id uuid, p_attempt integer, p_after bigint, p_limit integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
  v_attempt public.job_attempts;
begin
  select a.* into v_attempt
  from public.job_attempts a
  where a.job_id = p_job_id and (p_attempt is null or a.attempt = p_attempt)
  order by a.attempt desc
  limit 1;
  if p_attempt is not null and v_attempt.job_id is null then
    perform private.refuse(404, format('This job has no attempt %s.', p_attempt));
  end if;
  return json_build_object(
    'job_id', p_job_id,
    'attempt', v_attempt.attempt,
    'last_seq', coalesce(v_attempt.last_seq, 0),
    'complete', v_attempt.ended_at is not null
      or v_job.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED'),
    'dropped', case when v_attempt.dropped_from is not null then
      json_build_object('from', v_attempt.dropped_from, 'to', v_attempt.dropped_to) end,
    'entries', (
      select coalesce(json_agg(json_build_object('seq', o.seq, 'at', o.at, 'kind', o.kind, 'text', o.text,
        'title', o.title, 'path', o.path, 'status', o.status) order by o.seq), '[]')
      from (
        select x.* from public.job_outputs x
        where x.job_id = p_job_id and x.attempt = v_attempt.attempt and x.seq > coalesce(p_after, 0)
        order by x.seq
        limit least(coalesce(p_limit, 500), 5000)
      ) o));
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_output_news(p_told_at timestamp with time zone, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_told_at is null or p_now >= p_told_at + interval '1 second';
end;
$function$;

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
      -- per client address (login also per account)
      ('login', 10, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
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
      -- per job
      ('job_output', 240, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.read_job_stream(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  perform private.require_stream_product(v_job.product_id);
  return json_build_object('viewer', private.stream_viewer(),
    'job', private.job_json(v_job) || jsonb_build_object('attempts', private.attempts_json(p_job_id)));
end;
$function$;

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
  v_messages integer := 0;
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
  begin
    execute 'delete from realtime.messages m where m.ctid = any (array(
      select x.ctid from realtime.messages x where x.inserted_at < $1 order by x.inserted_at limit 20000))'
    using (v_now at time zone 'UTC') - interval '1 hour';
    get diagnostics v_messages = row_count;
  exception
    when insufficient_privilege or undefined_table then
      null;
  end;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'realtime_messages', v_messages);
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_job_reader(p_job_id uuid)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  perform private.require_job(p_job_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  if v_job.kind = 'PLAN_CHAT' and v_job.created_by is distinct from auth.uid() then
    perform private.refuse(403, 'What is said about an idea belongs to whoever asked.');
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__note_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.attempt <> old.attempt then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at)
    values (new.id, new.attempt, new.product_id, new.worker_id,
      coalesce((select w.name from public.agent_workers w where w.id = new.worker_id), ''), coalesce(new.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    return null;
  end if;

  update public.job_attempts a
  set ended_at = private.now(),
      head_sha = new.head_sha,
      outcome = case
        when new.status <> 'QUEUED' then lower(new.status::text)
        when new.failure_class = 'rate_limited' then 'rate_limited'
        when new.failure_class is not null then 'lost'
        when new.parked_question_id is not null then 'question'
        else 'returned'
      end
  where a.job_id = new.id and a.attempt = new.attempt and a.ended_at is null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.append_job_output(p_job_id, p_attempt, p_entries);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_job_output(p_job_id uuid, p_attempt integer DEFAULT NULL::integer, p_after bigint DEFAULT NULL::bigint, p_limit integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_job_output(p_job_id, p_attempt, p_after, p_limit);
end;
$function$;

CREATE OR REPLACE FUNCTION public.read_job_stream(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.read_job_stream(p_job_id);
end;
$function$;

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_worker_id_fkey" FOREIGN KEY (worker_id) REFERENCES public.agent_workers(id) ON DELETE SET NULL;

ALTER TABLE "public"."job_outputs" ADD CONSTRAINT "job_outputs_attempt_fkey" FOREIGN KEY (job_id, attempt) REFERENCES public.job_attempts(job_id, attempt) ON DELETE CASCADE;

CREATE INDEX job_attempts_product_id_idx ON public.job_attempts USING btree (product_id);

CREATE INDEX job_attempts_worker_id_idx ON public.job_attempts USING btree (worker_id);

CREATE TRIGGER _520_note_attempt AFTER UPDATE OF status, attempt ON public.agent_jobs FOR EACH ROW WHEN (((new.attempt <> old.attempt) OR ((old.status = ANY (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status])) AND (new.status <> ALL (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status]))))) EXECUTE FUNCTION private.tg_agent_jobs__note_attempt();

CREATE POLICY "job_attempts_select" ON "public"."job_attempts" FOR SELECT TO "authenticated" USING (((job_id IN ( SELECT j.id
   FROM public.agent_jobs j
  WHERE ((j.kind <> 'PLAN_CHAT'::public.agent_job_kind) OR (j.created_by = ( SELECT auth.uid() AS uid))))) AND (product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids))));

CREATE POLICY "job_outputs_service" ON "public"."job_outputs" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON COLUMN "public"."job_attempts"."dropped_from" IS 'First and last seq of the middle of a long output that was let go; null while everything is there.';

COMMENT ON COLUMN "public"."job_attempts"."told_at" IS 'When viewers were last told that there is more to read: at most once a second.';

COMMENT ON FUNCTION "private"."attempts_json"(uuid) IS 'The attempts of a job, oldest first (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."drop_output_middle"(public.job_attempts) IS 'Lets the middle of a long output go and notes which entries those were.';

COMMENT ON FUNCTION "private"."emit_job_output"(public.agent_jobs, public.job_attempts) IS 'Says how far the output of a job goes (docs/agents.md, live output).';

COMMENT ON FUNCTION "private"."is_output_news"(timestamp with time zone, timestamp with time zone) IS 'Whether a second has passed since viewers were told of an output.';

COMMENT ON FUNCTION "private"."require_job_reader"(uuid) IS 'A job whose output and changes the caller may read (specification: Errors; Idea).';

COMMENT ON FUNCTION "private"."tg_agent_jobs__note_attempt"() IS 'Begins and ends the rows of job_attempts (specification: Agent job; attempts).';

COMMENT ON FUNCTION "public"."append_job_output"(uuid, integer, jsonb) IS 'Adds entries to the output of an attempt (docs/agents.md).';

COMMENT ON FUNCTION "public"."get_job_output"(uuid, integer, bigint, integer) IS 'Entries of the output of an attempt (docs/agents.md).';

COMMENT ON FUNCTION "public"."read_job_stream"(uuid) IS 'First state of the stream of a job (docs/agents.md).';

COMMENT ON TABLE "public"."job_attempts" IS 'Attempts of agent jobs: one a claim, with its worker, its end, and how far its output goes (specification: Agent job).';

COMMENT ON TABLE "public"."job_outputs" IS 'What an agent says and does in an attempt, entry by entry (docs/agents.md).';

REVOKE ALL ON FUNCTION "private"."append_job_output"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."append_job_output"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."attempts_json"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."attempts_json"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."drop_output_middle"(public.job_attempts) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."drop_output_middle"(public.job_attempts) TO "postgres";

REVOKE ALL ON FUNCTION "private"."emit_job_output"(public.agent_jobs, public.job_attempts) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."emit_job_output"(public.agent_jobs, public.job_attempts) TO "postgres";

REVOKE ALL ON FUNCTION "private"."get_job_output"(uuid, integer, bigint, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_job_output"(uuid, integer, bigint, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."is_output_news"(timestamp with time zone, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_output_news"(timestamp with time zone, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."read_job_stream"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."read_job_stream"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_job_reader"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_job_reader"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__note_attempt"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__note_attempt"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."append_job_output"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."append_job_output"(uuid, integer, jsonb) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."get_job_output"(uuid, integer, bigint, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_job_output"(uuid, integer, bigint, integer) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."read_job_stream"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_job_stream"(uuid) TO "authenticated", "postgres", "service_role";

GRANT SELECT ON TABLE "public"."job_attempts" TO "authenticated";

GRANT ALL ON TABLE "public"."job_attempts" TO "postgres", "service_role";

GRANT ALL ON TABLE "public"."job_outputs" TO "postgres", "service_role";

CREATE INDEX job_outputs_created_at_idx ON public.job_outputs USING btree (created_at);

-- Jobs that were claimed before: their newest attempt as far as the job itself knows it.
insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at, ended_at, outcome, head_sha)
select j.id, j.attempt, j.product_id, j.worker_id, coalesce(w.name, ''), coalesce(j.claimed_at, j.created_at),
  case when j.status not in ('CLAIMED', 'RUNNING') then coalesce(j.finished_at, j.updated_at) end,
  case
    when j.status in ('CLAIMED', 'RUNNING') then null
    when j.status <> 'QUEUED' then lower(j.status::text)
    when j.failure_class = 'rate_limited' then 'rate_limited'
    when j.failure_class is not null then 'lost'
    when j.parked_question_id is not null then 'question'
    else 'returned'
  end,
  j.head_sha
from public.agent_jobs j
left join public.agent_workers w on w.id = j.worker_id
where j.attempt > 0
on conflict (job_id, attempt) do nothing;
