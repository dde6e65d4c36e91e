-- Why: people mark files of changes as viewed, and a new attempt shows only what changed since they looked.
set local check_function_bodies = off;

CREATE TABLE "public"."viewed_files" ("user_id" uuid NOT NULL, "job_id" uuid NOT NULL, "path_digest" bytea NOT NULL, "content_digest" bytea NOT NULL, "attempt" integer NOT NULL, CONSTRAINT "viewed_files_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "viewed_files_pkey" PRIMARY KEY (user_id, job_id, path_digest), "viewed_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."viewed_files" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION operations.get_job_guide(p_job_id uuid, p_attempt integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  return (
    select json_build_object('attempt', d.attempt, 'head_sha', d.head_sha, 'files', d.files, 'chapters', g.chapters,
      'tests', (
        select coalesce(json_agg(f ->> 'path'), '[]') from jsonb_array_elements(d.files) f where private.is_test_path(f ->> 'path')),
      'proof', (
      select left(string_agg(concat_ws(' ', e.command, e.excerpt), ' ' order by e.seq), 100000) from public.evidence e where e.job_id = v_job.id))
    from public.job_diffs d
    left join public.job_guides g on g.job_id = d.job_id and g.attempt = d.attempt and g.head_sha = d.head_sha
    where d.job_id = p_job_id and (p_attempt is null or d.attempt = p_attempt)
    order by d.attempt desc limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_viewed(p_job_id uuid, p_attempt integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job_reader(p_job_id);
  return json_build_object(
    'paths', (
      select coalesce(json_agg(f ->> 'path' order by f ->> 'path'), '[]')
      from public.job_diffs d
      cross join lateral jsonb_array_elements(d.files) f
      join public.viewed_files v on v.user_id = auth.uid() and v.job_id = d.job_id
        and v.path_digest = private.path_digest(f ->> 'path') and v.content_digest = private.content_digest(f, d.head_sha)
      where d.job_id = p_job_id and d.attempt = p_attempt),
    'before', (
      select max(v.attempt) from public.viewed_files v
      where v.user_id = auth.uid() and v.job_id = p_job_id and v.attempt < p_attempt));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.mark_viewed(p_job_id uuid, p_attempt integer, p_path text, p_viewed boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
  v_content bytea;
begin
  perform private.require_product_write(v_job.product_id);
  if private.is_token() then
    perform private.refuse(403, 'Only a person looks at a change: sign in, and mark it on its page.');
  end if;
  perform private.take_rate_limit('viewed', auth.uid()::text);
  select private.content_digest(f, d.head_sha) into v_content
  from public.job_diffs d cross join lateral jsonb_array_elements(d.files) f
  where d.job_id = p_job_id and d.attempt = p_attempt and f ->> 'path' = p_path
  limit 1;
  if v_content is null then
    perform private.refuse(422, format('The changes of attempt %s have no such file. Reload the page.', p_attempt));
  end if;
  if not p_viewed then
    delete from public.viewed_files v
    where v.user_id = auth.uid() and v.job_id = p_job_id and v.path_digest = private.path_digest(p_path);
    return 'null'::json;
  end if;
  insert into public.viewed_files as v (user_id, job_id, path_digest, content_digest, attempt)
  values (auth.uid(), p_job_id, private.path_digest(p_path), v_content, p_attempt)
  on conflict (user_id, job_id, path_digest) do update
  set content_digest = excluded.content_digest, attempt = excluded.attempt, viewed_at = excluded.viewed_at;
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.save_job_diff(p_job_id uuid, p_attempt integer, p_diff jsonb)
 RETURNS json
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
    perform private.refuse(422, 'A conversation about an idea changes no files. Report it without a diff.');
  end if;
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_diff', p_job_id::text);
  select coalesce(sum((f ->> 'additions')::bigint), 0), coalesce(sum((f ->> 'deletions')::bigint), 0)
  into v_additions, v_deletions
  from jsonb_array_elements(v_files) f;
  if v_additions > 2147483647 or v_deletions > 2147483647 then
    perform private.refuse(422, 'This is too many lines to review. Send the changes without their patches.');
  end if;

  insert into public.job_diffs as d
    (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes, marks, created_at)
  values (p_job_id, p_attempt, v_job.product_id, p_diff ->> 'base_sha', p_diff ->> 'head_sha', v_additions, v_deletions,
    v_files, octet_length(v_files::text), private.review_marks(v_job, p_attempt, v_files), private.now())
  on conflict (job_id, attempt) do update
  set base_sha = excluded.base_sha, head_sha = excluded.head_sha, additions = excluded.additions,
      deletions = excluded.deletions, files = excluded.files, bytes = excluded.bytes, marks = excluded.marks, created_at = excluded.created_at;
  insert into public.touched_paths (product_id, path, job_id, attempt)
  select distinct v_job.product_id, f ->> 'path', p_job_id, p_attempt from jsonb_array_elements(v_files) f
  -- Enough for any repository, and an end for whoever sends other paths each time; an index holds no longer ones.
  where octet_length(f ->> 'path') <= 2000
    and (select count(*) from (select from public.touched_paths x where x.product_id = v_job.product_id limit 200000) x) < 200000
  on conflict do nothing;
  perform private.make_room_for_diffs(v_job.product_id);

  update public.agent_jobs j
  set additions = v_additions, deletions = v_deletions,
      lease_until = case when v_state = 'held' then private.now() + private.lease() else j.lease_until end
  where j.id = p_job_id;
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION private.content_digest(p_file jsonb, p_head_sha text)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return sha256(convert_to(jsonb_build_array(p_file -> 'path', p_file -> 'old_path', p_file -> 'status', p_file -> 'patch',
    case when p_file -> 'patch' is null or (p_file ->> 'truncated')::boolean then p_head_sha end)::text, 'UTF8'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.path_digest(p_path text)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return sha256(convert_to(p_path, 'UTF8'));
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
      ('provider_sign_in', 60, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      ('oauth_register', 20, 600),
      ('oauth_token', 120, 60),
      ('hook_address', 3000, 60),
      ('open_door', 600, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('join', 20, 60),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('dependency', 120, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('oauth_consent', 100, 600),
      ('client_document', 60, 60),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('saved_view', 60, 60),
      ('label', 60, 60),
      ('comment', 60, 60),
      ('file', 60, 60),
      ('file_read', 600, 60),
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      ('viewed', 600, 60),
      ('worker_word', 600, 3600),
      ('pulls_observed', 120, 60),
      ('issues_observed', 120, 60),
      ('issue_notes', 120, 60),
      ('landings', 300, 60),
      ('idempotency_key', 600, 60),
      -- per hook address: what is sent, and what is new
      ('hook', 3000, 60),
      ('hook_item', 300, 3600),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60),
      ('job_merged', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

ALTER TABLE "public"."viewed_files" ADD CONSTRAINT "viewed_files_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."viewed_files" ADD CONSTRAINT "viewed_files_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

CREATE INDEX viewed_files_job_id_idx ON public.viewed_files USING btree (job_id);

CREATE POLICY "viewed_files_service" ON "public"."viewed_files" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON TABLE "public"."viewed_files" IS 'What people have looked at of changes: theirs alone (docs/review.md).';

REVOKE ALL ON FUNCTION "operations"."list_viewed"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_viewed"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."mark_viewed"(uuid, integer, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."mark_viewed"(uuid, integer, text, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."content_digest"(jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."content_digest"(jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."path_digest"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."path_digest"(text) TO "postgres";

GRANT ALL ON TABLE "public"."viewed_files" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."viewed_files" TO "service_role";
