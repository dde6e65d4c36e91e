-- Why: people see how long finished work waits for them: reviews keep when their work was handed in and first seen.
set local check_function_bodies = off;

ALTER TABLE "public"."job_reviews" ADD COLUMN "handed_in_at" timestamp with time zone;

ALTER TABLE "public"."job_reviews" ADD COLUMN "first_seen_at" timestamp with time zone;

CREATE OR REPLACE FUNCTION operations.get_insights(p_product_id uuid, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  perform private.require_product_access(p_product_id);
  select s.* into v_sprint from public.sprints s
  where s.product_id = p_product_id and (p_sprint_id is null or s.id = p_sprint_id)
  order by (s.status = 'ACTIVE') desc, s.started_at desc nulls last, s.created_at desc
  limit 1;
  if p_sprint_id is not null and v_sprint.id is null then
    perform private.refuse(404, 'No such sprint.');
  end if;
  return jsonb_build_object(
    'product_id', p_product_id,
    'sprint', case when v_sprint.id is not null then jsonb_build_object('id', v_sprint.id, 'code', v_sprint.code,
      'sprint_goal', v_sprint.sprint_goal, 'status', lower(v_sprint.status::text), 'start_date', v_sprint.start_date,
      'end_date', v_sprint.end_date, 'started_at', v_sprint.started_at, 'completed_at', v_sprint.completed_at) end,
    'burndown', case when v_sprint.id is not null then private.burndown(v_sprint) else '[]' end)
    || private.usage_by(p_product_id, p_sprint_id) || private.cost_insights(p_product_id)
    || jsonb_build_object('landing', private.landing_insights(p_product_id), 'review_times', private.review_times(p_product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_sprint_board(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_preflight json;
  v_forecast json;
begin
  if exists (select from public.sprints s where s.id = p_sprint_id and s.status = 'ACTIVE')
    and not exists (
      select from public.sprint_runs r where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))
  then
    v_preflight := operations.preflight_sprint_run(p_sprint_id);
    if (v_preflight ->> 'ready')::boolean then
      v_forecast := operations.get_forecast(v_product, p_sprint_id);
    end if;
  end if;
  return json_build_object(
    'labels', private.labels_of(v_product),
    'views', private.saved_views_of(v_product, 'board'),
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'pr_strategy', (select p.pr_strategy from public.products p where p.id = v_product),
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
            and (q.reader_id is null or q.reader_id = auth.uid())
          ) as open_questions
        from public.stories s where s.sprint_id = p_sprint_id
      ) x),
    'tasks', private.board_tasks(p_sprint_id),
    'run', (
      select row_to_json(r)
      from (
        select r.id, lower(r.status::text) as status, r.started_at, r.created_at, r.finished_at, r.pause_context,
          r.failure, private.run_waits(r) as waits_for, private.job_states(r.id) as job_statuses
        from public.sprint_runs r
        where r.sprint_id = p_sprint_id
        order by r.created_at desc
        limit 1
      ) r),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product and m.role <> 'VIEWER'),
    'candidates', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at,
          (select count(*) from public.tasks t where t.story_id = s.id) as task_count
        from public.stories s
        where s.product_id = v_product and s.sprint_id is null
          -- As text: as a status it would allow the index of all stories that are not done, which is then read from end to
          -- end instead of the one product's part of the index by sprint.
          and s.status::text in ('OPEN', 'FAILED')
        order by s.sort_order, s.created_at, s.id
        limit 200
      ) x),
    'preflight', v_preflight,
    'forecast', v_forecast,
    'burndown', private.get_sprint_burndown(p_sprint_id),
    'review_times', private.sprint_review_times(p_sprint_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_sprint_review(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_runs uuid[] := array(
    select r.id from public.sprint_runs r where r.sprint_id = p_sprint_id order by r.created_at desc limit 50);
  v_stories uuid[] := array(
    select s.id from public.stories s
    where s.sprint_id = p_sprint_id
      or (s.product_id = v_product and s.id in (
        select l.story_id from public.sprint_leftovers l where l.sprint_id = p_sprint_id
        union all
        select c.story_id from public.task_status_changes c
        where c.sprint_id = p_sprint_id and c.from_status is distinct from c.to_status
        union all
        select t.story_id from public.agent_jobs j join public.tasks t on t.id = j.task_id where j.sprint_run_id = any(v_runs)))
    order by s.sprint_id is distinct from p_sprint_id, s.sort_order, s.created_at, s.id
    limit 200);
begin
  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'product', (
      select json_build_object('name', p.name, 'done_requires', p.done_requires) from public.products p where p.id = v_product),
    'burndown', private.get_sprint_burndown(p_sprint_id),
    'review_times', private.sprint_review_times(p_sprint_id),
    'stories', (
      select coalesce(json_agg(private.reviewed_story(s, p_sprint_id, v_runs) order by x.place), '[]')
      from unnest(v_stories) with ordinality as x (id, place)
      join public.stories s on s.id = x.id),
    'costs', private.review_costs(v_runs, null),
    'whole_sprint', (
      select coalesce(json_agg(private.reviewed_job(j) order by j.created_at), '[]')
      from public.agent_jobs j where j.sprint_run_id = any(v_runs) and j.kind = 'SPRINT_IMPLEMENTATION'),
    'runs', (
      select coalesce(json_agg(json_build_object('id', r.id, 'status', lower(r.status::text), 'created_at', r.created_at)
        order by r.created_at), '[]')
      from public.sprint_runs r where r.id = any(v_runs)),
    'questions', (
      select coalesce(json_agg(json_build_object('id', q.id, 'question', q.question, 'story_id', q.story_id,
        'story_code', q.story_code) order by q.created_at), '[]')
      from (
        select q.id, left(q.question, 400) as question, q.story_id, s.code as story_code, q.created_at
        from public.agent_questions q
        join public.stories s on s.id = q.story_id
        where q.story_id = any(v_stories) and q.status = 'OPEN' and q.expires_at > private.now()
          and (q.reader_id is null or q.reader_id = auth.uid())
        order by q.created_at limit 50
      ) q),
    'failed_jobs', (
      select coalesce(json_agg(json_build_object('id', f.id, 'task_code', f.code, 'task_title', f.title, 'reason', f.reason)
        order by f.finished_at), '[]')
      from (
        select distinct on (t.id) j.id, t.code, t.title, left(j.failure_reason, 400) as reason, j.finished_at
        from public.agent_jobs j
        join public.tasks t on t.id = j.task_id
        where j.sprint_run_id = any(v_runs) and j.status = 'FAILED' and t.status <> 'DONE'
        order by t.id, j.finished_at desc limit 50
      ) f),
    'waivers', (
      select coalesce(json_agg(json_build_object('story_id', w.story_id, 'story_code', w.code, 'criterion', w.criterion,
        'text', w.text, 'reason', w.reason, 'waived_by', w.waived_by, 'created_at', w.created_at) order by w.created_at), '[]')
      from (
        select w.story_id, s.code, w.criterion, left(w.criterion_text, 400) as text, w.reason, w.waived_by, w.created_at
        from public.waivers w
        join public.stories s on s.id = w.story_id
        where w.story_id = any(v_stories)
        order by w.created_at limit 100
      ) w));
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
    if found then
      return json_build_object('waited_seconds', private.waited_seconds(p_job_id, private.now()));
    end if;
  end if;
  return json_build_object('waited_seconds', null);
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
  v_waited double precision;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_review', auth.uid()::text);
  perform private.require_reviewable(v_job, v_verdict);
  if v_verdict = 'request_changes' and v_summary = '' and not exists (
    select from public.job_comments c where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null)
  then
    perform private.refuse(422, 'Say what should change: comment on a line, or write it in the summary.');
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author, head_sha, handed_in_at, first_seen_at)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'), v_job.head_sha, private.handed_in_at(p_job_id, private.now()), v_job.first_seen_at)
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null;

  if v_job.judged_at is null then
    v_waited := extract(epoch from private.now() - v_review.handed_in_at);
    update public.agent_jobs j set judged_at = private.now() where j.id = p_job_id;
  end if;
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
  return private.review_json(v_review) || jsonb_build_object('job', private.job_json(v_job), 'waited_seconds', v_waited);
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_reviews(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'attempt', r.attempt, 'verdict', r.verdict, 'summary', r.summary, 'author', r.author,
      'handed_in_at', private.export_time(r.handed_in_at), 'first_seen_at', private.export_time(r.first_seen_at),
      'created_at', private.export_time(r.created_at),
      'comments', (
        select coalesce(json_agg(json_build_object(
          'attempt', c.attempt, 'path', c.path, 'line', c.line, 'side', c.side, 'line_text', c.line_text, 'body', c.body,
          'author', c.author, 'created_at', private.export_time(c.created_at)
        ) order by c.created_at, c.path, c.line, c.side, c.body), '[]')
        from public.job_comments c where c.review_id = r.id)
    ) order by r.created_at, r.attempt, r.author, r.summary), '[]')
    from (
      select i.* from public.job_reviews i where i.task_id = p_task_id
      union all
      select i.* from public.agent_jobs j join public.job_reviews i on i.job_id = j.id
      where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION'
      union all
      select i.*
      from public.task_executions e
      join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
      join public.job_reviews i on i.job_id = j.id
      where e.task_id = p_task_id and not exists (
        select from public.task_executions f
        where f.sprint_run_id = e.sprint_run_id and (f.position, f.id) < (e.position, e.id))
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.handed_in_at(p_job_id uuid, p_before timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select max(a.ended_at) from public.job_attempts a
    where a.job_id = p_job_id and a.outcome = 'done' and a.ended_at <= p_before);
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_reviews(p_product_id uuid, p_tasks jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reviews jsonb;
begin
  select jsonb_agg(r.review || jsonb_build_object('id', gen_random_uuid(), 'task_id', t -> 'id'))
  into v_reviews
  from jsonb_array_elements(p_tasks) t
  cross join lateral jsonb_array_elements(t -> 'reviews') r (review);

  insert into public.job_reviews (id, product_id, task_id, attempt, verdict, summary, author, handed_in_at, first_seen_at, created_at)
  select (r ->> 'id')::uuid, p_product_id, (r ->> 'task_id')::uuid, (r ->> 'attempt')::integer, r ->> 'verdict', r ->> 'summary',
    r ->> 'author', (r ->> 'handed_in_at')::timestamptz, (r ->> 'first_seen_at')::timestamptz,
    coalesce((r ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_reviews) r;

  insert into public.job_comments
    (product_id, review_id, attempt, path, line, side, line_text, body, author, created_at)
  select p_product_id, (r ->> 'id')::uuid, (c ->> 'attempt')::integer, c ->> 'path', (c ->> 'line')::integer, c ->> 'side',
    c ->> 'line_text', c ->> 'body', c ->> 'author', coalesce((c ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_reviews) r
  cross join lateral jsonb_array_elements(r -> 'comments') c;
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_times(p_product_id uuid, p_runs uuid[] DEFAULT NULL::uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_since timestamptz := case when p_runs is null then private.now() - interval '90 days' else '-infinity' end;
begin
  return (
    with looked as materialized (
      select j.id, j.first_seen_at, j.judged_at from public.agent_jobs j
      where j.product_id = p_product_id and (p_runs is null or j.sprint_run_id = any (p_runs))
        and greatest(j.first_seen_at, j.judged_at) >= v_since
    ), waits as (
      select 'first_look' as kind, private.waited_seconds(l.id, l.first_seen_at) as seconds from looked l
      union all
      select 'verdict', private.waited_seconds(l.id, l.judged_at) from looked l
    )
    select jsonb_object_agg(k.kind, k.told)
    from (
      select w.kind, jsonb_build_object('jobs', count(x.seconds),
        'median_seconds', round(percentile_cont(0.5) within group (order by x.seconds)),
        'p90_seconds', round(percentile_cont(0.9) within group (order by x.seconds))) as told
      from (values ('first_look'), ('verdict')) w (kind) left join waits x on x.kind = w.kind
      group by w.kind
    ) k);
end;
$function$;

CREATE OR REPLACE FUNCTION private.sprint_review_times(p_sprint_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.review_times(private.require_access('sprint', p_sprint_id),
    array(select r.id from public.sprint_runs r where r.sprint_id = p_sprint_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.waited_seconds(p_job_id uuid, p_until timestamp with time zone)
 RETURNS double precision
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return extract(epoch from p_until - private.handed_in_at(p_job_id, p_until));
end;
$function$;

COMMENT ON COLUMN "public"."job_reviews"."first_seen_at" IS 'When a person first opened the changes of its job, where it is known.';

COMMENT ON COLUMN "public"."job_reviews"."handed_in_at" IS 'When the attempt ended that was judged, where it is known.';

REVOKE ALL ON FUNCTION "private"."handed_in_at"(uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."handed_in_at"(uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_times"(uuid, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_times"(uuid, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sprint_review_times"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sprint_review_times"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."waited_seconds"(uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waited_seconds"(uuid, timestamp with time zone) TO "postgres";
