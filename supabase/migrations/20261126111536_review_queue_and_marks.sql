-- Why: reviews of a thousand changes and of 5,000 files: the queue counts what it needs at once, and pages read the files that they show. Paths to mark can come from the main branch, which only adds some.
set local check_function_bodies = off;

DROP FUNCTION "operations"."get_job_diff"(uuid, integer);

DROP FUNCTION "operations"."get_story_changes"(uuid);

DROP FUNCTION "private"."fits_pattern"(text, text);

DROP FUNCTION "private"."review_marks"(public.agent_jobs, integer, jsonb);

DROP FUNCTION "private"."touches"(jsonb, jsonb, text);

CREATE OR REPLACE FUNCTION operations.get_job_diff(p_job_id uuid, p_attempt integer DEFAULT NULL::integer, p_index integer DEFAULT NULL::integer)
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
      'files', case when p_index is null then d.files else jsonb_path_query_array(d.files, '$[$n]', jsonb_build_object('n', p_index)) end)
    from public.job_diffs d
    where d.job_id = p_job_id and (p_attempt is null or d.attempt = p_attempt)
    order by d.attempt desc
    limit 1);
end;
$function$;

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
    select json_build_object('attempt', d.attempt, 'head_sha', d.head_sha, 'chapters', g.chapters,
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

CREATE OR REPLACE FUNCTION operations.get_story_changes(p_story_id uuid, p_with_files boolean DEFAULT true)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('story', p_story_id);
  return json_build_object(
    -- Tasks that are neither done nor wait for a verdict: without any, approving the rest finishes the story.
    'open_tasks', (
      select count(*) from public.tasks t
      where t.story_id = p_story_id and t.status <> 'DONE' and not exists (
        select from public.agent_jobs j where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review')),
    'attempts', (
    select coalesce(json_agg(json_build_object('task', json_build_object('id', t.id, 'code', t.code, 'title', t.title),
      'waits', j.status = 'QUEUED', 'job_id', j.id, 'attempt', d.attempt, 'base_sha', d.base_sha, 'head_sha', d.head_sha,
      'files', case when p_with_files then d.files else '[]' end,
      'verdict', (
        select r.verdict from public.job_reviews r
        -- Without an author it is CI or the landing queue, which return work and never approve it.
        where r.job_id = j.id and r.attempt = d.attempt and (r.author_id is not null or r.verdict = 'approve')
        order by r.created_at desc, r.id limit 1)
    ) order by d.created_at, j.position, j.id), '[]')
    from public.tasks t
    join public.agent_jobs j on j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION'
      and (j.status = 'DONE' or (j.status = 'QUEUED' and j.phase = 'review'))
    join public.job_diffs d on d.job_id = j.id and d.attempt = j.attempt
    where t.story_id = p_story_id));
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
    v_files, octet_length(v_files::text), private.review_marks(v_job, p_attempt, v_files, p_diff -> 'review_marks'), private.now())
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

CREATE OR REPLACE FUNCTION private.patterns_regex(p_patterns jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if p_patterns is null then
    return null;
  end if;
  return (
    select '^(' || coalesce(string_agg(replace(replace(replace(replace(replace(
      regexp_replace(g, '([.+?^${}()|\[\]\\])', '\\\1', 'g'), '**/', chr(1)), '**', chr(2)), '*', '[^/]*'), chr(1), '(.*/)?'), chr(2), '.*'), '|'), '') || ')$'
    from jsonb_array_elements_text(p_patterns) g);
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_marks(p_job public.agent_jobs, p_attempt integer, p_files jsonb, p_more jsonb)
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
    (2, 'migration', private.touches(p_files, v_own, p_more, 'migration')),
    (3, 'dependencies', private.touches(p_files, v_own, p_more, 'dependencies')),
    (4, 'ci', private.touches(p_files, v_own, p_more, 'ci')),
    (5, 'secrets_or_auth', private.touches(p_files, v_own, p_more, 'secrets_or_auth') or private.adds_secret(p_files)),
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

CREATE OR REPLACE FUNCTION private.touches(p_files jsonb, p_own jsonb, p_more jsonb, p_mark text)
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
  v_own text := private.patterns_regex(p_own -> p_mark);
  v_more text := private.patterns_regex(p_more -> p_mark);
begin
  return exists (
    select from jsonb_array_elements(p_files) f
    where case when v_own is null then f ->> 'path' ~* v_default else f ->> 'path' ~ v_own end or f ->> 'path' ~ v_more);
end;
$function$;

CREATE OR REPLACE FUNCTION private.waiting_reviews(p_products uuid[])
 RETURNS TABLE(job_id uuid, waiting_since timestamp with time zone, hours integer, lines integer, frees_tasks integer, frees_jobs integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return query
    with w as materialized (
      select j.id, j.task_id, t.story_id, coalesce(i.since, j.updated_at) as since, coalesce(j.additions + j.deletions, 0) as lines
      from public.agent_jobs j
      join public.products p on p.id = j.product_id and p.done_requires <> 'ci'
      join public.tasks t on t.id = j.task_id
      left join public.tasks_in_review i on i.task_id = j.task_id
      where j.product_id = any (p_products) and j.status = 'QUEUED' and j.phase = 'review'
    ), before_stories as materialized (
      select w.id, w.task_id, w.story_id, d.blocked_id from w join public.story_dependencies d on d.blocker_id = w.story_id
    ), behind as (
      select w.id, w.task_id as blocker_id, w.story_id, d.blocked_id as task_id
      from w join public.task_dependencies d on d.blocker_id = w.task_id
      union
      select s.id, s.task_id, s.story_id, t.id
      from before_stories s join public.tasks t on t.story_id = s.blocked_id
      where private.finishes_story(s.task_id)
    ), freed as (
      select b.id, count(*)::integer as tasks, count(q.id)::integer as jobs
      from behind b
      join public.tasks t on t.id = b.task_id and t.status in ('TO_DO', 'FAILED')
      left join public.agent_jobs q on q.task_id = b.task_id and q.status = 'QUEUED'
      where not exists (
        select from private.task_blockers o
        where o.task_id = b.task_id and not o.resolved and o.blocker_id not in (b.blocker_id, b.story_id))
      group by b.id
    )
    select w.id, w.since, floor(extract(epoch from v_now - w.since) / 3600)::integer, w.lines,
      coalesce(f.tasks, 0), coalesce(f.jobs, 0)
    from w left join freed f on f.id = w.id;
end;
$function$;

REVOKE ALL ON FUNCTION "operations"."get_job_diff"(uuid, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_job_diff"(uuid, integer, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."get_story_changes"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_story_changes"(uuid, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."patterns_regex"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."patterns_regex"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_marks"(public.agent_jobs, integer, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_marks"(public.agent_jobs, integer, jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."touches"(jsonb, jsonb, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."touches"(jsonb, jsonb, jsonb, text) TO "postgres";
