-- What an attempt of an agent job has changed is kept and shown: the table of diffs, and their sums on the job.
set local check_function_bodies = off;

CREATE TABLE "public"."job_diffs" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "base_sha" text NOT NULL, "head_sha" text NOT NULL, "additions" integer NOT NULL, "deletions" integer NOT NULL, "files" jsonb NOT NULL, "bytes" integer NOT NULL, CONSTRAINT "job_diffs_additions_positive" CHECK ((additions >= 0)), CONSTRAINT "job_diffs_base_sha_length" CHECK ((char_length(base_sha) <= 64)), CONSTRAINT "job_diffs_bytes_positive" CHECK ((bytes >= 0)), CONSTRAINT "job_diffs_deletions_positive" CHECK ((deletions >= 0)), CONSTRAINT "job_diffs_files_list" CHECK ((jsonb_typeof(files) = 'array'::text)), CONSTRAINT "job_diffs_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "job_diffs_pkey" PRIMARY KEY (job_id, attempt), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."job_diffs" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "additions" integer;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "deletions" integer;

CREATE OR REPLACE FUNCTION private.board_tasks(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(row_to_json(t) order by t.story_sort_order, t.story_created_at, t.story_id, t.sort_order, t.created_at, t.id), '[]')
    from (
      select t.id, t.created_at, s.created_at as story_created_at, t.code, t.title, t.story_id, t.sort_order, t.priority,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.implementation_plan is not null and t.implementation_plan <> '' as has_plan,
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id,
        j.id as job_id, lower(j.status::text) as job_status, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        w.name as worker_name,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
        ) as open_questions,
        (
          select json_build_array(c.additions, c.deletions) from public.agent_jobs c
          where c.task_id = t.id and c.kind = 'TASK_IMPLEMENTATION' and c.additions is not null
          order by c.created_at desc limit 1
        ) as changes
      from public.stories s
      join public.tasks t on t.story_id = s.id
      left join lateral (
        select j.id, j.status, j.started_at, j.updated_at, j.worker_id
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers w on w.id = j.worker_id
      where s.sprint_id = p_sprint_id
    ) t
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_job_diff(p_job_id uuid, p_attempt integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job_reader(p_job_id);
  return (
    select json_build_object('job_id', d.job_id, 'attempt', d.attempt, 'base_sha', d.base_sha, 'head_sha', d.head_sha,
      'additions', d.additions, 'deletions', d.deletions, 'created_at', d.created_at,
      'attempts', (select json_agg(x.attempt order by x.attempt) from public.job_diffs x where x.job_id = p_job_id),
      'files', d.files)
    from public.job_diffs d
    where d.job_id = p_job_id and (p_attempt is null or d.attempt = p_attempt)
    order by d.attempt desc
    limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.make_room_for_diffs(p_product_id uuid, p_limit bigint DEFAULT 268435456)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_over bigint;
begin
  select sum(d.bytes) - p_limit into v_over from public.job_diffs d where d.product_id = p_product_id;
  if v_over is null or v_over <= 0 then
    return;
  end if;

  with followed as (
    select d.job_id, d.attempt, d.bytes, sum(d.bytes) over (order by d.created_at, d.job_id, d.attempt) - d.bytes as before
    from public.job_diffs d
    where d.product_id = p_product_id
      and exists (select from public.job_diffs n where n.job_id = d.job_id and n.attempt > d.attempt)
  ),
  gone as (
    delete from public.job_diffs d using followed f
    where d.job_id = f.job_id and d.attempt = f.attempt and f.before < v_over
    returning d.bytes
  )
  select v_over - coalesce(sum(g.bytes), 0) into v_over from gone g;
  if v_over <= 0 then
    return;
  end if;

  with oldest as (
    select d.job_id, d.attempt, sum(d.bytes) over (order by d.created_at, d.job_id, d.attempt) - d.bytes as before
    from public.job_diffs d
    where d.product_id = p_product_id and d.bytes > 0
  )
  update public.job_diffs d
  set bytes = 0,
      files = (
        select coalesce(jsonb_agg(f.file - 'patch' || '{"truncated": true}' order by f.position), '[]')
        from jsonb_array_elements(d.files) with ordinality f (file, position))
  from oldest o
  where d.job_id = o.job_id and d.attempt = o.attempt and o.before < v_over;
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
  v_diffs integer;
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
  delete from public.job_diffs d
  where d.created_at < v_now - interval '14 days'
    and exists (select from public.job_diffs n where n.job_id = d.job_id and n.attempt > d.attempt);
  get diagnostics v_diffs = row_count;
  delete from public.agent_workers w
  where w.last_seen_at < v_now - interval '30 days'
    and not exists (select from public.agent_jobs j where j.worker_id = w.id)
    and not exists (select from public.job_attempts a where a.worker_id = w.id);
  get diagnostics v_workers = row_count;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'job_diffs', v_diffs, 'agent_workers', v_workers);
end;
$function$;

CREATE OR REPLACE FUNCTION private.save_job_diff(p_job_id uuid, p_attempt integer, p_diff jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_files jsonb := p_diff -> 'files';
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_additions bigint;
  v_deletions bigint;
begin
  if v_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A talk about an idea changes no files.');
  end if;
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_diff', p_job_id::text);
  select coalesce(sum((f ->> 'additions')::bigint), 0), coalesce(sum((f ->> 'deletions')::bigint), 0)
  into v_additions, v_deletions
  from jsonb_array_elements(v_files) f;
  if v_additions > 2147483647 or v_deletions > 2147483647 then
    perform private.refuse(422, 'Nobody can look at so many lines. Send the changes without their patches.');
  end if;

  insert into public.job_diffs as d
    (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes, created_at)
  values (p_job_id, p_attempt, v_job.product_id, p_diff ->> 'base_sha', p_diff ->> 'head_sha', v_additions, v_deletions,
    v_files, octet_length(v_files::text), private.now())
  on conflict (job_id, attempt) do update
  set base_sha = excluded.base_sha, head_sha = excluded.head_sha, additions = excluded.additions,
      deletions = excluded.deletions, files = excluded.files, bytes = excluded.bytes, created_at = excluded.created_at;
  perform private.make_room_for_diffs(v_job.product_id);

  update public.agent_jobs j
  set additions = v_additions, deletions = v_deletions,
      lease_until = case when v_state = 'held' then private.now() + private.lease() else j.lease_until end
  where j.id = p_job_id;
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_job_diff(p_job_id uuid, p_attempt integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_job_diff(p_job_id, p_attempt);
end;
$function$;

CREATE OR REPLACE FUNCTION public.save_job_diff(p_job_id uuid, p_attempt integer, p_diff jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.save_job_diff(p_job_id, p_attempt, p_diff);
  return 'null'::json;
end;
$function$;

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_additions_positive" CHECK ((additions >= 0));

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_deletions_positive" CHECK ((deletions >= 0));

ALTER TABLE "public"."job_diffs" ADD CONSTRAINT "job_diffs_attempt_fkey" FOREIGN KEY (job_id, attempt) REFERENCES public.job_attempts(job_id, attempt) ON DELETE CASCADE;

ALTER TABLE "public"."job_diffs" ADD CONSTRAINT "job_diffs_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE POLICY "job_diffs_service" ON "public"."job_diffs" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON COLUMN "public"."agent_jobs"."additions" IS 'Lines that the newest diff of the job adds, for chips; null until there is one.';

COMMENT ON COLUMN "public"."job_diffs"."files" IS 'One object a file: path, old_path, status, additions, deletions, binary, folded, truncated, and patch as git writes it.';

COMMENT ON FUNCTION "private"."make_room_for_diffs"(uuid, bigint) IS 'Bounds what the diffs of a product take (docs/review.md).';

COMMENT ON FUNCTION "public"."get_job_diff"(uuid, integer) IS 'What an attempt of a job has changed (docs/review.md).';

COMMENT ON FUNCTION "public"."save_job_diff"(uuid, integer, jsonb) IS 'Keeps what an attempt has changed (docs/review.md).';

COMMENT ON TABLE "public"."job_diffs" IS 'What the attempts of agent jobs have changed (docs/review.md).';

REVOKE ALL ON FUNCTION "private"."get_job_diff"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_job_diff"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."make_room_for_diffs"(uuid, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."make_room_for_diffs"(uuid, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."save_job_diff"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."save_job_diff"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_job_diff"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_job_diff"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."save_job_diff"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."save_job_diff"(uuid, integer, jsonb) TO "authenticated", "postgres";

GRANT ALL ON TABLE "public"."job_diffs" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_diffs" TO "service_role";

CREATE INDEX job_diffs_product_id_idx ON public.job_diffs USING btree (product_id, created_at);
