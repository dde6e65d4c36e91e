-- Why: reviews and remarks on lines are in the export file and come back with it; whoever looks at a story sees at once that a
-- criterion of it was waived; the review of a sprint names the stories that left it untouched.
set local check_function_bodies = off;

CREATE TABLE "public"."sprint_leftovers" ("sprint_id" uuid NOT NULL, "story_id" uuid NOT NULL, CONSTRAINT "sprint_leftovers_pkey" PRIMARY KEY (sprint_id, story_id));

ALTER TABLE "public"."sprint_leftovers" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."job_reviews" ADD COLUMN "task_id" uuid;

ALTER TABLE "public"."job_comments" ALTER COLUMN "job_id" DROP NOT NULL;

ALTER TABLE "public"."job_reviews" ALTER COLUMN "job_id" DROP NOT NULL;

CREATE OR REPLACE FUNCTION private.change_sprint_status(p_sprint_id uuid, p_from public.sprint_status, p_to public.sprint_status)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status <> p_from then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s; only a sprint that is %s can become %s.', v_sprint.code,
        lower(v_sprint.status::text), lower(p_from::text), lower(p_to::text));
  end if;

  if p_to = 'ACTIVE' and exists (
    select from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE'
  ) then
    raise exception using errcode = 'PT409', message = 'Another sprint of this product is active. Complete it first.';
  end if;

  if p_to = 'COMPLETED' and exists (
    select from public.sprint_runs r where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
  ) then
    raise exception using errcode = 'PT409', message = 'A run of this sprint is not finished. Let it finish, or cancel it first.';
  end if;

  update public.sprints s
  set status = p_to,
      started_at = case when p_to = 'ACTIVE' then private.now() else s.started_at end,
      completed_at = case when p_to = 'COMPLETED' then private.now() else s.completed_at end
  where s.id = p_sprint_id;

  if p_to in ('COMPLETED', 'CANCELLED') then
    insert into public.sprint_leftovers (sprint_id, story_id)
    select p_sprint_id, s.id from public.stories s where s.sprint_id = p_sprint_id and s.status <> 'DONE'
    on conflict do nothing;
    update public.stories s set sprint_id = null where s.sprint_id = p_sprint_id and s.status <> 'DONE';
  end if;
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

CREATE OR REPLACE FUNCTION private.export_tasks(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', t.code, 'title', t.title, 'description', t.description, 'implementation_plan', t.implementation_plan,
      'priority', t.priority, 'status', t.status, 'repo_url', t.repo_url,
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes,
      'blocked_by', private.export_blocked_by('task', t.id),
      'created_at', private.export_time(t.created_at),
      'reviews', private.export_reviews(t.id)
    ) order by t.sort_order, t.created_at, t.code), '[]')
    from public.tasks t
    where t.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_sprint_review(p_sprint_id uuid)
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
        select c.story_id from public.task_status_changes c where c.sprint_id = p_sprint_id
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

  insert into public.job_reviews (id, product_id, task_id, attempt, verdict, summary, author, created_at)
  select (r ->> 'id')::uuid, p_product_id, (r ->> 'task_id')::uuid, (r ->> 'attempt')::integer, r ->> 'verdict', r ->> 'summary',
    r ->> 'author', coalesce((r ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_reviews) r;

  insert into public.job_comments
    (product_id, review_id, attempt, path, line, side, line_text, body, author, created_at)
  select p_product_id, (r ->> 'id')::uuid, (c ->> 'attempt')::integer, c ->> 'path', (c ->> 'line')::integer, c ->> 'side',
    c ->> 'line_text', c ->> 'body', c ->> 'author', coalesce((c ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_reviews) r
  cross join lateral jsonb_array_elements(r -> 'comments') c;
end;
$function$;

CREATE OR REPLACE FUNCTION private.imported_reviews(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('task', p_task_id);
  return (
    select coalesce(json_agg(json_build_object('id', r.id, 'attempt', r.attempt, 'verdict', r.verdict, 'summary', r.summary,
      'author', r.author, 'created_at', r.created_at,
      'comments', (
        select coalesce(json_agg(json_build_object('id', c.id, 'path', c.path, 'line', c.line, 'line_text', c.line_text,
          'body', c.body, 'author', c.author, 'created_at', c.created_at) order by c.created_at, c.id), '[]')
        from public.job_comments c where c.review_id = r.id)
    ) order by r.created_at, r.id), '[]')
    from public.job_reviews r where r.task_id = p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_review public.job_reviews;
begin
  select x.* into v_review
  from (
    select r.*
    from public.agent_jobs j join public.job_reviews r on r.job_id = j.id
    where p_job.kind <> 'PLAN_CHAT' and j.kind = p_job.kind
      and (j.id = p_job.id or (p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id))
    union all
    select r.* from public.job_reviews r
    where p_job.kind = 'TASK_IMPLEMENTATION' and r.task_id = p_job.task_id
  ) x
  order by x.created_at desc, x.id limit 1;
  if v_review.id is null or v_review.verdict <> 'request_changes' then
    return '[]';
  end if;
  return (
    select coalesce(json_agg(json_build_object('path', x.path, 'line', x.line, 'side', x.side, 'line_text', x.line_text,
      'body', x.body, 'author', x.author) order by x.created_at, x.id), '[]')
    from (
      select null as path, null::integer as line, null as side, null as line_text, v_review.summary as body,
        v_review.author, '-infinity'::timestamptz as created_at, v_review.id
      where v_review.summary <> ''
      union all
      select c.path, c.line, c.side, c.line_text, c.body, c.author, c.created_at, c.id
      from public.job_comments c where c.review_id = v_review.id
    ) x);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_waivers__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit('product:' || n.product_id, jsonb_build_object('op', 'I', 'entity', 'waiver', 'id', n.id,
    'product_id', n.product_id, 'story_id', n.story_id))
  from (select distinct on (w.story_id) w.* from new_waivers w) n;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_task_page(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
begin
  perform private.require_access('task', p_task_id);
  select t.* into v_task from public.tasks t where t.id = p_task_id;

  return json_build_object(
    'task', (select row_to_json(t) from private.task_detail_shape t where t.id = p_task_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null)
      from public.products p where p.id = v_task.product_id),
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'sprint_id', s.sprint_id)
      from public.stories s where s.id = v_task.story_id),
    'stories', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title) order by s.sort_order, s.created_at, s.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at
        from public.stories s
        where s.product_id = v_task.product_id and (s.status in ('OPEN', 'IN_SPRINT') or s.id = v_task.story_id)
        order by s.sort_order, s.created_at, s.id
        limit 300
      ) s),
    'jobs', (
      select coalesce(json_agg(private.job_json(j) order by j.created_at desc), '[]')
      from public.agent_jobs j where j.task_id = p_task_id),
    'imported_reviews', private.imported_reviews(p_task_id),
    'dependencies', public.list_dependencies('task', p_task_id),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.task_id = p_task_id),
    'history', (
      select coalesce(json_agg(row_to_json(c) order by c.changed_at desc, c.id desc), '[]')
      from (
        select c.id, lower(c.to_status::text) as to_status, c.changed_at
        from public.task_status_changes c
        where c.task_id = p_task_id
        order by c.changed_at desc, c.id desc
        limit 20
      ) c)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.import_stories(p_product_id uuid, p_owner_id uuid, p_stories jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_stories jsonb;
  v_tasks jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.story || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_stories
  from jsonb_array_elements(p_stories) with ordinality e (story, place);

  insert into public.stories
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id, e.story ->> 'code', e.story ->> 'title',
    e.story ->> 'description', e.story ->> 'acceptance_criteria', (e.story ->> 'priority')::integer, s.id, m.user_id,
    coalesce((e.story ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
  left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
  left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
  left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id
  order by e.place;

  select jsonb_agg(
    t.task || jsonb_build_object('id', gen_random_uuid(), 'story_id', e.story -> 'id') order by e.place, t.place)
  into v_tasks
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'tasks') with ordinality t (task, place);

  insert into public.tasks
    (id, product_id, story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only,
     verify_required, requires_opus, estimated_minutes, created_at)
  select (e.task ->> 'id')::uuid, p_product_id, (e.task ->> 'story_id')::uuid, e.task ->> 'code', e.task ->> 'title',
    e.task ->> 'description', e.task ->> 'implementation_plan', (e.task ->> 'priority')::integer,
    (e.task ->> 'status')::public.task_status, e.task ->> 'repo_url', (e.task ->> 'verify_only')::boolean,
    (e.task ->> 'verify_required')::public.verify_required, (e.task ->> 'requires_opus')::boolean,
    (e.task ->> 'estimated_minutes')::integer, coalesce((e.task ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_tasks) with ordinality e (task, place)
  order by e.place;

  insert into public.story_logs
    (story_id, product_id, type, content, status, commit_hash, commit_message, metadata, user_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, (l ->> 'type')::public.story_log_type, l ->> 'content',
    (l ->> 'status')::public.story_log_status, l ->> 'commit_hash', l ->> 'commit_message',
    nullif(l -> 'metadata', 'null'), coalesce(u.id, p_owner_id),
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements(e.story -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  perform private.import_proof(p_product_id, v_stories);
  perform private.import_reviews(p_product_id, v_tasks);

  return json_build_object(
    'story_codes', (
      select coalesce(json_agg(s.code order by e.place), '[]')
      from jsonb_array_elements(v_stories) with ordinality e (story, place)
      join public.stories s on s.id = (e.story ->> 'id')::uuid),
    'task_codes', (
      select coalesce(json_agg(t.code order by e.place), '[]')
      from jsonb_array_elements(v_tasks) with ordinality e (task, place)
      join public.tasks t on t.id = (e.task ->> 'id')::uuid));
end;
$function$;

ALTER TABLE "public"."job_comments" ADD CONSTRAINT "job_comments_has_place" CHECK (((job_id IS NOT NULL) OR (review_id IS NOT NULL)));

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_one_place" CHECK ((num_nonnulls(job_id, task_id) = 1));

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE "public"."sprint_leftovers" ADD CONSTRAINT "sprint_leftovers_sprint_id_fkey" FOREIGN KEY (sprint_id) REFERENCES public.sprints(id) ON DELETE CASCADE;

ALTER TABLE "public"."sprint_leftovers" ADD CONSTRAINT "sprint_leftovers_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

CREATE INDEX job_reviews_task_id_idx ON public.job_reviews USING btree (task_id) WHERE (task_id IS NOT NULL);

CREATE INDEX sprint_leftovers_story_id_idx ON public.sprint_leftovers USING btree (story_id);

CREATE TRIGGER _900_emit AFTER INSERT ON public.waivers REFERENCING NEW TABLE AS new_waivers FOR EACH STATEMENT EXECUTE FUNCTION private.tg_waivers__emit();

CREATE POLICY "sprint_leftovers_service" ON "public"."sprint_leftovers" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON FUNCTION "private"."export_reviews"(uuid) IS 'Reviews of a task for the export file. Used by export_tasks only.';

COMMENT ON FUNCTION "private"."import_reviews"(uuid, jsonb) IS 'Reviews of an import (docs/export-format.md).';

COMMENT ON FUNCTION "private"."imported_reviews"(uuid) IS 'Reviews of a task that came with an import. Used by get_task_page only.';

COMMENT ON FUNCTION "private"."tg_waivers__emit"() IS 'Announces new waivers on product:<id> (docs/proof.md).';

COMMENT ON TABLE "public"."sprint_leftovers" IS 'Stories that were not done when their sprint was over (docs/users.md).';

REVOKE ALL ON FUNCTION "private"."export_reviews"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."export_reviews"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."import_reviews"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."import_reviews"(uuid, jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."imported_reviews"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."imported_reviews"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."tg_waivers__emit"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_waivers__emit"() TO "postgres";

GRANT ALL ON TABLE "public"."sprint_leftovers" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."sprint_leftovers" TO "service_role";
