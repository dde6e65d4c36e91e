-- Why: a list goes on where its last page ended although that row is gone; reviews name the files of marks and other work on them.
set local check_function_bodies = off;

DROP FUNCTION "operations"."get_sprint_context"(uuid, integer, uuid);

DROP FUNCTION "operations"."list_agent_jobs"(uuid, uuid, text, integer, uuid);

DROP FUNCTION "operations"."list_comments"(text, uuid, integer, uuid);

DROP FUNCTION "operations"."list_files"(uuid, integer, uuid);

DROP FUNCTION "operations"."list_ideas"(uuid, boolean, integer, uuid);

DROP FUNCTION "operations"."list_open_user_questions"(uuid, integer, uuid);

DROP FUNCTION "operations"."list_questions"(uuid, text, uuid, integer, uuid);

DROP FUNCTION "operations"."list_sprint_runs"(uuid, uuid, integer, uuid);

DROP FUNCTION "operations"."list_story_logs"(uuid, integer, uuid);

DROP FUNCTION "operations"."list_webhook_deliveries"(uuid, integer, uuid);

DROP FUNCTION "private"."adds_secret"(jsonb);

DROP FUNCTION "private"."review_marks"(public.agent_jobs, integer, jsonb, jsonb);

DROP FUNCTION "private"."touches"(jsonb, jsonb, jsonb, text);

ALTER TABLE "public"."job_diffs" ADD COLUMN "mark_paths" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."touched_paths" ADD COLUMN "folder" text GENERATED ALWAYS AS (regexp_replace(path, '[^/]*$'::text, ''::text)) STORED NOT NULL;

CREATE OR REPLACE FUNCTION operations.get_sprint_context(p_sprint_id uuid, p_limit integer DEFAULT 10, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_access('sprint', p_sprint_id);
  v_limit integer := least(greatest(coalesce(p_limit, 10), 1), 50);
  v_after record := private.read_cursor(p_cursor, 2);
  v_stories json;
  v_count integer;
  v_last uuid;
begin
  select coalesce(json_agg(row_to_json(x)), '[]'), count(*), (array_agg(x.id))[count(*)]
  into v_stories, v_count, v_last
  from (
    select
      s.id, s.code, s.title, s.description, s.acceptance_criteria, s.priority, s.sort_order,
      lower(s.status::text) as status, s.assignee_id, private.agent_tasks(s.id) as tasks
    from public.stories s
    where s.sprint_id = p_sprint_id and s.product_id = v_product_id
      and (p_cursor is null or (s.sort_order, s.created_at, s.id) > (v_after.place[1], private.time_at(v_after.place[2]), v_after.id))
    order by s.sort_order, s.created_at, s.id
    limit v_limit
  ) x;

  return json_build_object(
    'product', (select row_to_json(p) from private.product_shape p where p.id = v_product_id),
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'stories', v_stories,
    'next_cursor', case when v_count = v_limit then (
      select private.cursor_of(s.id, s.sort_order, private.microseconds(s.created_at)) from public.stories s where s.id = v_last) end
  );
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
      'files', case when p_with_files then d.files else '[]' end, 'marks', d.marks, 'mark_paths', d.mark_paths,
      'chapters', (
        select g.chapters from public.job_guides g
        where p_with_files and g.job_id = j.id and g.attempt = d.attempt and g.head_sha = d.head_sha),
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

CREATE OR REPLACE FUNCTION operations.list_agent_jobs(p_product_id uuid DEFAULT NULL::uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_state text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_after record := private.read_cursor(p_cursor, 2);
  v_at timestamptz := private.time_at(v_after.place[1]);
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state,
    array['QUEUED', 'CLAIMED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED', 'UNFINISHED']);
  v_jobs jsonb;
  v_count integer;
  v_last text;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.job_json(j) order by j.created_at desc, j.position, j.id), '[]'), count(*),
    (array_agg(private.cursor_of(j.id, private.microseconds(j.created_at), j.position) order by j.created_at, j.position desc, j.id desc))[1]
  into v_jobs, v_count, v_last
  from (
    select x.*
    from public.agent_jobs x
    where x.product_id in (select private.accessible_product_ids())
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_sprint_run_id is null or x.sprint_run_id = p_sprint_run_id)
      and (v_state is null or x.status::text = v_state
        or (v_state = 'UNFINISHED' and x.status in ('QUEUED', 'CLAIMED', 'RUNNING')))
      and (p_cursor is null or x.created_at < v_at
        or (x.created_at = v_at and (x.position, x.id) > (v_after.place[2], v_after.id)))
    order by x.created_at desc, x.position, x.id
    limit v_limit
  ) j;
  return json_build_object('jobs', v_jobs, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_comments(p_kind text, p_id uuid, p_limit integer DEFAULT 100, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.require_comment_place(p_kind);
  v_limit integer := least(greatest(coalesce(p_limit, 100), 1), 200);
  v_found public.comments[];
  v_after record := private.read_cursor(p_cursor, 1);
begin
  perform private.require_access(v_kind, p_id);
  v_found := array(
    select c
    from public.comments c
    where (c.pbi_id = p_id or c.story_id = p_id or c.task_id = p_id)
      and (p_cursor is null or (c.created_at, c.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by c.created_at desc, c.id desc
    limit v_limit + 1);
  return json_build_object(
    'comments', (
      select coalesce(json_agg(private.item_comment_json(c) order by c.created_at, c.id), '[]')
      from unnest(v_found[1:v_limit]) c),
    'next_cursor', case when cardinality(v_found) > v_limit then
      private.cursor_of((v_found[v_limit]).id, private.microseconds((v_found[v_limit]).created_at)) end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_files(p_product_id uuid, p_limit integer DEFAULT 100, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 100), 1), 200);
  v_found public.files[];
  v_after record := private.read_cursor(p_cursor, 1);
begin
  perform private.require_product_access(p_product_id);
  v_found := array(
    select f
    from public.files f
    where f.product_id = p_product_id and (p_cursor is null or (f.created_at, f.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by f.created_at desc, f.id desc
    limit v_limit + 1);
  return json_build_object(
    'files', (
      select coalesce(json_agg(private.listed_file_json(f) order by f.created_at desc, f.id desc), '[]')
      from unnest(v_found[1:v_limit]) f),
    'used', (select coalesce(sum(f.size), 0) from public.files f where f.product_id = p_product_id),
    'next_cursor', case when cardinality(v_found) > v_limit then
      private.cursor_of((v_found[v_limit]).id, private.microseconds((v_found[v_limit]).created_at)) end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_ideas(p_product_id uuid DEFAULT NULL::uuid, p_archived boolean DEFAULT false, p_limit integer DEFAULT 100, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_limit integer := least(greatest(coalesce(p_limit, 100), 1), 200);
  v_items json;
  v_count integer;
  v_last text;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  select coalesce(json_agg(row_to_json(i) order by x.created_at, x.id), '[]'), count(*),
    (array_agg(private.cursor_of(x.id, private.microseconds(x.created_at)) order by x.created_at desc, x.id desc))[1]
  into v_items, v_count, v_last
  from (
    select k.id, k.created_at
    from public.ideas k
    where k.user_id = (select auth.uid()) and (k.archived_at is not null) = p_archived
      and (
        p_product_id is null or k.product_id = p_product_id
        or exists (select from public.idea_products l where l.idea_id = k.id and l.product_id = p_product_id)
      )
      and (p_cursor is null or (k.created_at, k.id) > (private.time_at(v_after.place[1]), v_after.id))
    order by k.created_at, k.id
    limit v_limit
  ) x
  join private.idea_shape i on i.id = x.id;

  return json_build_object('items', v_items, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_open_user_questions(p_product_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT 50, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_questions jsonb;
  v_count integer;
  v_last text;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.user_question_json(u) order by u.created_at, u.id), '[]'), count(*),
    (array_agg(private.cursor_of(u.id, private.microseconds(u.created_at)) order by u.created_at desc, u.id desc))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.user_questions x
    join public.ideas i on i.id = x.idea_id
    where x.user_id = auth.uid() and x.status = 'PENDING' and x.job_id is not null
      and private.is_open_to_token(i.product_id)
      and (p_product_id is null or i.product_id = p_product_id)
      and (p_cursor is null or (x.created_at, x.id) > (private.time_at(v_after.place[1]), v_after.id))
    order by x.created_at, x.id
    limit v_limit
  ) u;
  return json_build_object('user_questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_questions(p_product_id uuid DEFAULT NULL::uuid, p_state text DEFAULT NULL::text, p_job_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT 50, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_now timestamptz := private.now();
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state, array['OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED']);
  v_questions jsonb;
  v_count integer;
  v_last text;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.question_json(q) order by q.created_at desc, q.id desc), '[]'), count(*),
    (array_agg(private.cursor_of(q.id, private.microseconds(q.created_at)) order by q.created_at, q.id))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.agent_questions x
    where x.product_id in (select private.accessible_product_ids())
      and (x.reader_id is null or x.reader_id = auth.uid() or private.is_left_to_owner(x))
      and (x.status <> 'OPEN' or x.expires_at <= v_now or x.product_id in (select private.open_product_ids()))
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_job_id is null or x.job_id = p_job_id)
      and (v_state is null or v_state = case when x.status = 'OPEN' and x.expires_at <= v_now then 'EXPIRED' else x.status::text end)
      and (p_cursor is null or (x.created_at, x.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) q;
  return json_build_object('questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_reviews(p_product_id uuid DEFAULT NULL::uuid, p_cursor text DEFAULT NULL::text, p_limit integer DEFAULT 50)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_after record := private.read_cursor(p_cursor, 5);
  v_asked bigint := coalesce(v_after.place[1], private.microseconds(private.now()));
  v_products uuid[];
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_products := array(
    select w.id from private.writable_product_ids() w (id) where p_product_id is null or w.id = p_product_id);
  return (
    with page as (
      select r.*, -r.frees_tasks as frees, -r.hours as ago, private.microseconds(r.waiting_since) as since
      from private.waiting_reviews(v_products, private.time_at(v_asked)) r
      where p_cursor is null or (-r.frees_tasks, -r.hours, r.lines, private.microseconds(r.waiting_since), r.job_id)
        > (v_after.place[2], v_after.place[3], v_after.place[4], v_after.place[5], v_after.id)
      order by frees, ago, r.lines, since, r.job_id limit v_limit + 1
    ), placed as (
      select p.*, row_number() over (order by p.frees, p.ago, p.lines, p.since, p.job_id) as place from page p
    )
    select json_build_object(
      'reviews', coalesce(json_agg(private.waiting_review_json(p.job_id, p.waiting_since, p.frees_tasks, p.frees_jobs) order by p.place)
        filter (where p.place <= v_limit), '[]'),
      'next_cursor', case when count(*) > v_limit then
        max(private.cursor_of(p.job_id, v_asked, p.frees, p.ago, p.lines, p.since)) filter (where p.place = v_limit) end)
    from placed p);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_same_files(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  return (
    with mine as materialized (
      select distinct f ->> 'path' as path
      from public.job_diffs d cross join lateral jsonb_array_elements(d.files) f
      where d.job_id = p_job_id and d.attempt = v_job.attempt
    ), waiting as (
      select j.id, j.attempt, t.code from public.agent_jobs j
      join public.tasks t on t.id = j.task_id
      where j.product_id = v_job.product_id and j.status = 'QUEUED' and j.phase = 'review'
        and t.story_id <> (select own.story_id from public.tasks own where own.id = v_job.task_id)
      order by j.updated_at desc, j.id limit 50
    )
    select coalesce(json_agg(json_build_object('job_id', w.id, 'code', w.code, 'paths', x.paths) order by w.code), '[]')
    from waiting w
    cross join lateral (
      select (array_agg(m.path order by m.path))[1:4] as paths
      from public.job_diffs d cross join lateral jsonb_array_elements(d.files) f
      join mine m on m.path = f ->> 'path'
      where d.job_id = w.id and d.attempt = w.attempt
    ) x
    where x.paths is not null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_sprint_runs(p_product_id uuid, p_sprint_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_limit integer := least(greatest(coalesce(p_limit, 20), 1), 100);
  v_runs jsonb;
  v_last text;
  v_count integer;
begin
  perform private.require_product_access(p_product_id);
  select coalesce(jsonb_agg(private.run_json(r, false) order by r.created_at desc, r.id desc), '[]'),
    count(*), (array_agg(private.cursor_of(r.id, private.microseconds(r.created_at)) order by r.created_at, r.id))[1]
  into v_runs, v_count, v_last
  from (
    select x.* from public.sprint_runs x
    where x.product_id = p_product_id
      and (p_sprint_id is null or x.sprint_id = p_sprint_id)
      and (p_cursor is null or (x.created_at, x.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) r;
  return json_build_object('runs', v_runs, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_story_logs(p_story_id uuid, p_limit integer DEFAULT 50, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_items json;
  v_count integer;
  v_last text;
begin
  perform private.require_access('story', p_story_id);

  select coalesce(json_agg(row_to_json(l) order by x.created_at desc, x.id desc), '[]'), count(*),
    (array_agg(private.cursor_of(x.id, private.microseconds(x.created_at)) order by x.created_at, x.id))[1]
  into v_items, v_count, v_last
  from (
    select k.id, k.created_at
    from public.story_logs k
    where k.story_id = p_story_id and (p_cursor is null or (k.created_at, k.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by k.created_at desc, k.id desc
    limit v_limit
  ) x
  join private.story_log_shape l on l.id = x.id;

  return json_build_object('items', v_items, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_webhook_deliveries(p_webhook_id uuid, p_limit integer DEFAULT 50, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_deliveries jsonb;
  v_count integer;
  v_last text;
begin
  perform private.require_webhook(p_webhook_id);
  select coalesce(jsonb_agg(to_jsonb(n) - 'user_id' || jsonb_build_object('status', lower(n.status::text)) order by n.created_at desc, n.id desc), '[]'),
    count(*), (array_agg(private.cursor_of(n.id, private.microseconds(n.created_at)) order by n.created_at, n.id))[1]
  into v_deliveries, v_count, v_last
  from (
    select x.* from public.notices x
    where x.webhook_id = p_webhook_id
      and (p_cursor is null or (x.created_at, x.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) n;
  return json_build_object('deliveries', v_deliveries, 'next_cursor', case when v_count = v_limit then v_last end);
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
  v_marks text[];
  v_mark_paths jsonb;
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

  select coalesce(array_agg(m.mark order by m.place), '{}'),
    coalesce(jsonb_object_agg(m.mark, m.paths) filter (where cardinality(m.paths) > 0), '{}')
  into v_marks, v_mark_paths
  from private.review_marks(v_job, v_files, p_diff -> 'review_marks') m;
  insert into public.job_diffs as d
    (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes, marks, mark_paths, created_at)
  values (p_job_id, p_attempt, v_job.product_id, p_diff ->> 'base_sha', p_diff ->> 'head_sha', v_additions, v_deletions,
    v_files, octet_length(v_files::text), v_marks, v_mark_paths, private.now())
  on conflict (job_id, attempt) do update
  set base_sha = excluded.base_sha, head_sha = excluded.head_sha, additions = excluded.additions,
      deletions = excluded.deletions, files = excluded.files, bytes = excluded.bytes, marks = excluded.marks,
      mark_paths = excluded.mark_paths, created_at = excluded.created_at;
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

CREATE OR REPLACE FUNCTION private.adding_keys(p_files jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select array_agg(f ->> 'path') from jsonb_array_elements(p_files) f
    where exists (
      select from string_to_table(f ->> 'patch', E'\n') l
      where l like '+%' and (
        l ~ '•••|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20}|glpat-[A-Za-z0-9_-]{20}|sk-[A-Za-z0-9_-]{20}|xox[abprs]-[A-Za-z0-9-]{10}|-----BEGIN [A-Z ]*PRIVATE KEY'
        or (l ~* 'key|secret|token|passw|credential' and private.gives_key(left(l, 2000))))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.cursor_of(p_id uuid, VARIADIC p_place bigint[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select array_to_string(p_place, '_') || '_' || p_id;
$function$;

CREATE OR REPLACE FUNCTION private.first_time(p_job public.agent_jobs, p_files jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select array_agg(f ->> 'path') from jsonb_array_elements(p_files) f
    where f ->> 'status' <> 'added'
      and not exists (
        select from public.touched_paths x
        where x.product_id = p_job.product_id and x.job_id <> p_job.id and x.folder = regexp_replace(f ->> 'path', '[^/]*$', ''))
      and 10 = (
        select count(*)
        from (
          select from private.works w
          where w.product_id = p_job.product_id and w.was_handed_in and w.id <> p_job.id limit 10) w));
end;
$function$;

CREATE OR REPLACE FUNCTION private.gives_key(p_line text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from regexp_matches(p_line,
      '(?:^|[^a-z0-9_-])([a-z0-9_-]*(?:(?:api|access|secret|private|auth|signing|encryption)[_-]?key|secret|token|passw(?:or)?d|credentials?)|key)["'']?\s*(?::=|=>|[:=])\s*(?:["''`]([a-z0-9_+/=.-]{16,200})["''`]|([a-z0-9_+/=-]{20,200})$)',
      'gi') m
    cross join lateral (select coalesce(m[2], m[3]) as value) v
    where v.value ~* '[a-z]' and length(regexp_replace(v.value, '[^0-9]', '', 'g')) >= 3
      and v.value !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      and (m[1] !~* '^key$' or v.value ~* '^[0-9a-f]{32,}$' or v.value ~ '^(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9+/=_-]{24,}$'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_json(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v record;
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.code as task_code, t.title as task_title, t.status as task_status, t.story_id, s.code as story_code, s.title as story_title,
    p.code as product_code, w.name as worker_name, i.code as idea_code
  into v
  from (select) as job
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.products p on p.id = p_job.product_id
  left join public.agent_workers w on w.id = p_job.worker_id
  left join public.ideas i on i.id = p_job.idea_id;

  if not private.can_read_conversation(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
    v.idea_code := null;
  end if;
  return to_jsonb(p_job) - '{lane_id,claim_rank,taken_by,taken_until,take_at_once}'::text[] || jsonb_build_object(
    'holder', case when private.is_in_hand(p_job) then 'person' end,
    'holder_name', case when private.is_in_hand(p_job) then private.username(p_job.taken_by) end,
    'status', lower(p_job.status::text),
    'task_code', v.task_code,
    'task_title', v.task_title,
    'task_status', case v.task_status when 'TO_DO' then 'todo' else lower(v.task_status::text) end,
    'story_id', v.story_id,
    'story_code', v.story_code,
    'story_title', v.story_title,
    'idea_code', v.idea_code,
    'product_code', v.product_code,
    'worker_name', v.worker_name,
    'attempt_ended_at', (select a.ended_at from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_job.attempt),
    'pull', (
      select private.pull_json(p) from public.pulls p
      where p.product_id = p_job.product_id and p.branch = p_job.branch
      order by p.number desc limit 1),
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.microseconds(p_time timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select (extract(epoch from p_time) * 1000000)::bigint;
$function$;

CREATE OR REPLACE FUNCTION private.outside_plan(p_plan text, p_files jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select array_agg(f ->> 'path') from jsonb_array_elements(p_files) f
    where p_plan ~ '[[:alnum:]_-]+\.[a-z]{1,5}\M' and strpos(p_plan, regexp_replace(f ->> 'path', '^.*/', '')) = 0
      and not private.is_test_path(f ->> 'path') and not coalesce((f ->> 'folded')::boolean, false));
end;
$function$;

CREATE OR REPLACE FUNCTION private.read_cursor(p_cursor text, p_numbers integer, OUT place bigint[], OUT id uuid)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_parts text[] := string_to_array(p_cursor, '_');
begin
  if p_cursor !~ '^(-?[0-9]{1,16}_)+[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' or cardinality(v_parts) <> p_numbers + 1 then
    perform private.refuse(422, 'This cursor is not one of this list. Send the next_cursor of the previous page, or none.',
      '{"issues": [{"path": "cursor", "message": "Send the next_cursor of the previous page."}]}');
  end if;
  place := v_parts[1:p_numbers];
  id := v_parts[p_numbers + 1];
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_marks(p_job public.agent_jobs, p_files jsonb, p_more jsonb)
 RETURNS TABLE(place integer, mark text, paths text[])
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
begin
  select coalesce(sum((f ->> 'additions')::bigint + (f ->> 'deletions')::bigint), 0),
    coalesce(bool_or(private.is_test_path(f ->> 'path') and f ->> 'status' <> 'deleted'), false),
    coalesce(bool_or(not private.is_test_path(f ->> 'path') and f ->> 'path' !~* '\.(md|mdx|txt|rst|adoc)$'), false)
  into v_lines, v_tests, v_code
  from jsonb_array_elements(p_files) f;

  return query
    select x.place, x.mark, x.paths[1:4]
    from (values
      (1, 'no_test_changed', case when v_code and not v_tests then array[]::text[] end),
      (2, 'migration', private.touching(p_files, v_own, p_more, 'migration')),
      (3, 'dependencies', private.touching(p_files, v_own, p_more, 'dependencies')),
      (4, 'ci', private.touching(p_files, v_own, p_more, 'ci')),
      (5, 'secrets_or_auth', private.adding_keys(p_files) || private.touching(p_files, v_own, p_more, 'secrets_or_auth')),
      (6, 'deleted_tests', case when private.deletes_tests(p_files) then array[]::text[] end),
      (7, 'large', case when v_lines > 400 then array[]::text[] end),
      (8, 'outside_plan', private.outside_plan(v_plan, p_files)),
      (9, 'first_time', private.first_time(p_job, p_files))
    ) x (place, mark, paths)
    where x.paths is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.time_at(p_microseconds bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select 'epoch'::timestamptz + p_microseconds * interval '1 microsecond';
$function$;

CREATE OR REPLACE FUNCTION private.touching(p_files jsonb, p_own jsonb, p_more jsonb, p_mark text)
 RETURNS text[]
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
  return (
    select array_agg(f ->> 'path') from jsonb_array_elements(p_files) f
    where case when v_own is null then f ->> 'path' ~* v_default else f ->> 'path' ~ v_own end or f ->> 'path' ~ v_more);
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
      'marks', to_jsonb(coalesce(d.marks, '{}')), 'mark_paths', coalesce(d.mark_paths, '{}'))
    from public.agent_jobs j
    join public.products p on p.id = j.product_id
    join public.tasks t on t.id = j.task_id
    join public.stories s on s.id = t.story_id
    left join public.job_diffs d on d.job_id = j.id and d.attempt = j.attempt
    where j.id = p_job_id);
end;
$function$;

ALTER TABLE "public"."job_diffs" ADD CONSTRAINT "job_diffs_mark_paths_form" CHECK ((jsonb_typeof(mark_paths) = 'object'::text));

CREATE INDEX touched_paths_folder_idx ON public.touched_paths USING btree (product_id, folder);

COMMENT ON COLUMN "public"."job_diffs"."mark_paths" IS 'The first paths that a mark is about, where it is about some.';

REVOKE ALL ON FUNCTION "operations"."get_sprint_context"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_sprint_context"(uuid, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_agent_jobs"(uuid, uuid, text, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_agent_jobs"(uuid, uuid, text, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_comments"(text, uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_comments"(text, uuid, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_files"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_files"(uuid, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_ideas"(uuid, boolean, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_ideas"(uuid, boolean, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_open_user_questions"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_open_user_questions"(uuid, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_questions"(uuid, text, uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_questions"(uuid, text, uuid, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_same_files"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_same_files"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_sprint_runs"(uuid, uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_sprint_runs"(uuid, uuid, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_story_logs"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_story_logs"(uuid, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_webhook_deliveries"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_webhook_deliveries"(uuid, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."adding_keys"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."adding_keys"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."cursor_of"(uuid, bigint[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."cursor_of"(uuid, bigint[]) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."first_time"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."first_time"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."gives_key"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."gives_key"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."microseconds"(timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."microseconds"(timestamp with time zone) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."outside_plan"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."outside_plan"(text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."read_cursor"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."read_cursor"(text, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."review_marks"(public.agent_jobs, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_marks"(public.agent_jobs, jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."time_at"(bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."time_at"(bigint) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."touching"(jsonb, jsonb, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."touching"(jsonb, jsonb, jsonb, text) TO "postgres";
