-- Why: what waits for a verdict has one order with its reasons, a change its marks, and a job the times of its first look and verdict.
set local check_function_bodies = off;

DROP VIEW "private"."product_detail_shape";

CREATE TABLE "public"."touched_paths" ("product_id" uuid NOT NULL, "path" text NOT NULL, "job_id" uuid NOT NULL, "attempt" integer NOT NULL, CONSTRAINT "touched_paths_path_length" CHECK ((char_length(path) <= 4096)), CONSTRAINT "touched_paths_pkey" PRIMARY KEY (product_id, path));

ALTER TABLE "public"."touched_paths" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "first_seen_at" timestamp with time zone;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "judged_at" timestamp with time zone;

ALTER TABLE "public"."job_diffs" ADD COLUMN "marks" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "public"."products" ADD COLUMN "review_marks" jsonb NOT NULL DEFAULT '{}'::jsonb;

CREATE OR REPLACE FUNCTION operations.list_reviews(p_product_id uuid DEFAULT NULL::uuid, p_cursor text DEFAULT NULL::text, p_limit integer DEFAULT 50)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_after integer := case when p_cursor ~ '^[0-9]{1,9}$' then p_cursor::integer else 0 end;
  v_products uuid[];
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_products := array(
    select w.id from private.writable_product_ids() w (id) where p_product_id is null or w.id = p_product_id);
  return (
    with waiting as materialized (
      select r.*, row_number() over (order by r.frees_tasks desc, r.hours desc, r.lines, r.waiting_since, r.job_id) as place
      from private.waiting_reviews(v_products) r
    )
    select json_build_object(
      'reviews', coalesce(json_agg(private.waiting_review_json(w.job_id, w.waiting_since, w.frees_tasks, w.frees_jobs) order by w.place), '[]'),
      'next_cursor', case when max(w.place) < (select max(a.place) from waiting a) then max(w.place)::text end)
    from waiting w where w.place > v_after and w.place <= v_after + v_limit);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.note_first_look(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  perform private.require_no_demo();
  perform private.require_product_write(v_job.product_id);
  if v_job.first_seen_at is null and not private.is_token() and (v_job.status = 'DONE' or v_job.phase = 'review') then
    perform private.lock_job(p_job_id, true);
    update public.agent_jobs j set first_seen_at = private.now() where j.id = p_job_id and j.first_seen_at is null;
  end if;
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.review_job(p_job_id uuid, p_verdict text, p_summary text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := coalesce(btrim(p_summary), '');
  v_review public.job_reviews;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_review', auth.uid()::text);
  perform private.require_reviewable(v_job, v_verdict);
  if v_verdict = 'request_changes' and v_summary = '' and not exists (
    select from public.job_comments c where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null)
  then
    perform private.refuse(422, 'Say what should change: comment on a line, or write it in the summary.');
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author, head_sha)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'), v_job.head_sha)
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null;

  update public.agent_jobs j set judged_at = private.now() where j.id = p_job_id and j.judged_at is null;
  if v_verdict = 'request_changes' then
    perform private.void_proof(v_job);
  end if;
  if v_job.status = 'QUEUED' and v_verdict = 'approve' then
    perform private.pass_review(p_job_id, v_summary);
  elsif v_job.status = 'QUEUED' then
    perform private.reject_review(p_job_id);
  elsif v_verdict = 'request_changes' then
    perform private.reopen_job(v_job);
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  perform private.emit('product:' || v_job.product_id, jsonb_build_object('op', 'U', 'entity', 'job', 'id', p_job_id,
    'product_id', v_job.product_id, 'changed_fields', jsonb_build_array('review'), 'task_id', v_job.task_id, 'idea_id', null,
    'kind', v_job.kind, 'status', v_job.status, 'sprint_run_id', v_job.sprint_run_id));
  return private.review_json(v_review) || jsonb_build_object('job', private.job_json(v_job));
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
  on conflict do nothing;
  perform private.make_room_for_diffs(v_job.product_id);

  update public.agent_jobs j
  set additions = v_additions, deletions = v_deletions,
      lease_until = case when v_state = 'held' then private.now() + private.lease() else j.lease_until end
  where j.id = p_job_id;
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION private.adds_secret(p_files jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from jsonb_array_elements(p_files) f
    where f ->> 'patch' ~ '\n\+[^\n]*(AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20}|glpat-[A-Za-z0-9_-]{20}|sk-[A-Za-z0-9_-]{20}|xox[abprs]-[A-Za-z0-9-]{10}|-----BEGIN [A-Z ]*PRIVATE KEY)');
end;
$function$;

CREATE OR REPLACE FUNCTION private.deletes_tests(p_files jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from jsonb_array_elements(p_files) f
    where private.is_test_path(coalesce(f ->> 'old_path', f ->> 'path')) and (f ->> 'status' = 'deleted'
      or regexp_count(f ->> 'patch', '^-\s*(it|test|describe|def test|func Test|#\[test\]|@Test)\M', 1, 'n')
        > regexp_count(f ->> 'patch', '^\+\s*(it|test|describe|def test|func Test|#\[test\]|@Test)\M', 1, 'n')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.fits_pattern(p_path text, p_pattern text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_path ~ ('^' || replace(replace(replace(
    regexp_replace(p_pattern, '([.+?^${}()|\[\]\\])', '\\\1', 'g'), '**/', '(.*/)?'), '**', '.*'), '*', '[^/]*') || '$');
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_test_path(p_path text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_path ~* '(^|/)(tests?|__tests__|specs?)/|(^|/)[^/]*[._-](test|spec)\.[a-z]+$|(^|/)test_[^/]*\.py$';
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_marks(p_job public.agent_jobs, p_attempt integer, p_files jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_own jsonb := (select p.review_marks from public.products p where p.id = p_job.product_id);
  v_plan text := coalesce(p_job.plan_snapshot, '');
  v_lines bigint;
  v_tests boolean;
  v_code boolean;
  v_marks text[];
begin
  select coalesce(sum((f ->> 'additions')::bigint + (f ->> 'deletions')::bigint), 0),
    coalesce(bool_or(private.is_test_path(f ->> 'path') and f ->> 'status' <> 'deleted'), false),
    coalesce(bool_or(not private.is_test_path(f ->> 'path') and f ->> 'path' !~* '\.(md|mdx|txt|rst|adoc)$'), false)
  into v_lines, v_tests, v_code
  from jsonb_array_elements(p_files) f;

  select array_agg(x.mark order by x.place) into v_marks
  from (values
    (1, 'no_test_changed', v_code and not v_tests),
    (2, 'migration', private.touches(p_files, v_own, 'migration')),
    (3, 'dependencies', private.touches(p_files, v_own, 'dependencies')),
    (4, 'ci', private.touches(p_files, v_own, 'ci')),
    (5, 'secrets_or_auth', private.touches(p_files, v_own, 'secrets_or_auth') or private.adds_secret(p_files)),
    (6, 'deleted_tests', private.deletes_tests(p_files)),
    (7, 'large', v_lines > 400),
    (8, 'outside_plan', v_plan ~ '[[:alnum:]_-]+\.[a-z]{1,5}\M' and exists (
      select from jsonb_array_elements(p_files) f
      where strpos(v_plan, regexp_replace(f ->> 'path', '^.*/', '')) = 0)),
    (9, 'first_time', exists (
      select from jsonb_array_elements(p_files) f
      where not exists (
        select from public.touched_paths x
        where x.product_id = p_job.product_id and x.path = f ->> 'path' and (x.job_id, x.attempt) <> (p_job.id, p_attempt))))
  ) x (place, mark, holds)
  where x.holds;
  return coalesce(v_marks, '{}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.touches(p_files jsonb, p_own jsonb, p_mark text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_default text := case p_mark
    when 'migration' then '(^|/)(migrations?|migrate)/|\.sql$'
    when 'dependencies' then '(^|/)(package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|requirements[^/]*\.txt|pyproject\.toml|poetry\.lock|uv\.lock|pipfile(\.lock)?|go\.(mod|sum)|cargo\.(toml|lock)|gemfile(\.lock)?|composer\.(json|lock)|pom\.xml|[^/]*\.gradle(\.kts)?|[^/]*\.csproj)$'
    when 'ci' then '^(\.github/(workflows|actions)|\.forgejo|\.gitea|\.circleci|\.buildkite|\.ci)/|^(\.gitlab-ci\.yml|jenkinsfile|\.travis\.yml|azure-pipelines\.yml)$'
    else '(^|/)\.env|auth|login|passw|secret|credential|permission|session|token|crypt|security|oauth|\.(pem|key|p12)$'
  end;
begin
  return exists (
    select from jsonb_array_elements(p_files) f
    where case when p_own ? p_mark then exists (
        select from jsonb_array_elements_text(p_own -> p_mark) g where private.fits_pattern(f ->> 'path', g))
      else f ->> 'path' ~* v_default end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.waiting_review_json(p_job_id uuid, p_since timestamp with time zone, p_tasks integer, p_jobs integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('job_id', j.id, 'attempt', j.attempt, 'head_sha', j.head_sha,
      'product', jsonb_build_object('id', p.id, 'code', p.code, 'name', p.name),
      'story', jsonb_build_object('id', s.id, 'code', s.code, 'title', s.title),
      'task', jsonb_build_object('id', t.id, 'code', t.code, 'title', t.title),
      'waiting_since', p_since, 'frees', jsonb_build_object('tasks', p_tasks, 'jobs', p_jobs),
      'size', jsonb_build_object('files', coalesce(jsonb_array_length(d.files), 0),
        'additions', coalesce(d.additions, 0), 'deletions', coalesce(d.deletions, 0)),
      'criteria', (
        select jsonb_build_object('proven', count(*) filter (where c.state in ('proven', 'waived')), 'total', count(*))
        from private.story_proof(s.id) c),
      'marks', to_jsonb(coalesce(d.marks, '{}')))
    from public.agent_jobs j
    join public.products p on p.id = j.product_id
    join public.tasks t on t.id = j.task_id
    join public.stories s on s.id = t.story_id
    left join public.job_diffs d on d.job_id = j.id and d.attempt = j.attempt
    where j.id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.waiting_reviews(p_products uuid[])
 RETURNS TABLE(job_id uuid, waiting_since timestamp with time zone, hours integer, lines integer, frees_tasks integer, frees_jobs integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    with w as materialized (
      select j.id, j.task_id, t.story_id, coalesce(i.since, j.updated_at) as since, coalesce(j.additions + j.deletions, 0) as lines
      from public.agent_jobs j
      join public.products p on p.id = j.product_id and p.done_requires <> 'ci'
      join public.tasks t on t.id = j.task_id
      left join public.tasks_in_review i on i.task_id = j.task_id
      where j.product_id = any (p_products) and j.status = 'QUEUED' and j.phase = 'review'
    ), behind as (
      select w.id, d.blocked_id as task_id from w join public.task_dependencies d on d.blocker_id = w.task_id
      union
      select w.id, t.id
      from w join public.story_dependencies d on d.blocker_id = w.story_id and private.finishes_story(w.task_id)
      join public.tasks t on t.story_id = d.blocked_id
    ), freed as (
      select b.id, count(*)::integer as tasks, count(q.id)::integer as jobs
      from behind b
      join w on w.id = b.id
      join public.tasks t on t.id = b.task_id and t.status in ('TO_DO', 'FAILED')
      left join public.agent_jobs q on q.task_id = b.task_id and q.status = 'QUEUED'
      where not exists (
        select from private.task_blockers o
        where o.task_id = b.task_id and not o.resolved and o.blocker_id not in (w.task_id, w.story_id))
      group by b.id
    )
    select w.id, w.since, floor(extract(epoch from private.now() - w.since) / 3600)::integer, w.lines,
      coalesce(f.tasks, 0), coalesce(f.jobs, 0)
    from w left join freed f on f.id = w.id;
end;
$function$;

ALTER TABLE "public"."products" ADD CONSTRAINT "products_review_marks_form" CHECK (((jsonb_typeof(review_marks) = 'object'::text) AND (octet_length((review_marks)::text) <= 20000)));

ALTER TABLE "public"."touched_paths" ADD CONSTRAINT "touched_paths_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE VIEW "private"."product_detail_shape" WITH (security_invoker=true) AS  SELECT id,
    code,
    name,
    description,
    repo_url,
    definition_of_done,
    auto_pr,
    pr_strategy,
    done_requires,
    dependency_release,
    owner_id,
    to_char((archived_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS archived_at,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at,
    requires_sandbox,
    may_reach,
    plan_first,
    pull_requests,
    landing,
    agent_items,
    version,
    forge_issue_label,
    branch_prefix,
    review_marks
   FROM public.products p;

CREATE INDEX agent_jobs_review_idx ON public.agent_jobs USING btree (product_id) WHERE ((status = 'QUEUED'::public.agent_job_status) AND (phase = 'review'::public.job_phase));

CREATE POLICY "touched_paths_service" ON "public"."touched_paths" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON COLUMN "public"."agent_jobs"."first_seen_at" IS 'When a person first opened its changes.';

COMMENT ON COLUMN "public"."agent_jobs"."judged_at" IS 'When the first verdict came.';

COMMENT ON COLUMN "public"."job_diffs"."marks" IS 'Facts that ask for a careful look, by private.review_marks.';

COMMENT ON COLUMN "public"."products"."review_marks" IS 'Of marks of a review: patterns of paths that replace the default ones.';

COMMENT ON TABLE "public"."touched_paths" IS 'Paths that attempts of the product have touched (docs/review.md).';

REVOKE ALL ON FUNCTION "operations"."list_reviews"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_reviews"(uuid, text, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."note_first_look"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."note_first_look"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."adds_secret"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."adds_secret"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."deletes_tests"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deletes_tests"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."fits_pattern"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fits_pattern"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_test_path"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_test_path"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_marks"(public.agent_jobs, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_marks"(public.agent_jobs, integer, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."touches"(jsonb, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."touches"(jsonb, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."waiting_review_json"(uuid, timestamp with time zone, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waiting_review_json"(uuid, timestamp with time zone, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."waiting_reviews"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waiting_reviews"(uuid[]) TO "postgres";

REVOKE ALL ("review_marks") ON TABLE "public"."products" FROM "authenticated";

GRANT UPDATE ("review_marks") ON TABLE "public"."products" TO "authenticated";

GRANT ALL ON TABLE "public"."touched_paths" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."touched_paths" TO "service_role";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";
