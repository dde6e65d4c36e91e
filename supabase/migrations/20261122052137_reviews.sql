-- People review the work of an attempt: remarks on lines, sent in one round with a verdict, and carried to the next attempt.
set local check_function_bodies = off;

CREATE TABLE "public"."job_comments" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "job_id" uuid NOT NULL, "product_id" uuid NOT NULL, "review_id" uuid, "attempt" integer NOT NULL, "path" text NOT NULL, "line" integer NOT NULL, "side" text NOT NULL, "line_text" text NOT NULL, "body" text NOT NULL, "author_id" uuid, "author" text NOT NULL, CONSTRAINT "job_comments_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "job_comments_body_length" CHECK (((char_length(body) >= 1) AND (char_length(body) <= 10000))), CONSTRAINT "job_comments_line_positive" CHECK ((line >= 1)), CONSTRAINT "job_comments_line_text_length" CHECK ((char_length(line_text) <= 2000)), CONSTRAINT "job_comments_path_length" CHECK (((char_length(path) >= 1) AND (char_length(path) <= 4096))), CONSTRAINT "job_comments_pkey" PRIMARY KEY (id), CONSTRAINT "job_comments_side_known" CHECK ((side = ANY (ARRAY['old'::text, 'new'::text]))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."job_comments" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."job_reviews" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "job_id" uuid NOT NULL, "product_id" uuid NOT NULL, "attempt" integer NOT NULL, "verdict" text NOT NULL, "summary" text NOT NULL, "author_id" uuid, "author" text NOT NULL, CONSTRAINT "job_reviews_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "job_reviews_pkey" PRIMARY KEY (id), CONSTRAINT "job_reviews_summary_length" CHECK ((char_length(summary) <= 10000)), CONSTRAINT "job_reviews_verdict_known" CHECK ((verdict = ANY (ARRAY['approve'::text, 'request_changes'::text]))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."job_reviews" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.add_job_comment(p_job_id uuid, p_attempt integer, p_path text, p_line integer, p_side text, p_line_text text, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_comment public.job_comments;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_comment', auth.uid()::text);
  if not exists (select from public.job_diffs d where d.job_id = p_job_id and d.attempt = p_attempt) then
    perform private.refuse(409, 'These changes are gone. Load the page again.');
  end if;
  if (select count(*) from public.job_comments c
      where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null) >= 300 then
    perform private.refuse(422, 'Send these 300 remarks first.');
  end if;
  insert into public.job_comments
    (job_id, product_id, attempt, path, line, side, line_text, body, author_id, author)
  values (p_job_id, v_job.product_id, p_attempt, p_path, p_line, p_side, left(p_line_text, 2000), p_body, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'))
  returning * into v_comment;
  return private.comment_json(v_comment);
end;
$function$;

CREATE OR REPLACE FUNCTION private.comment_json(p_comment public.job_comments)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', p_comment.id, 'job_id', p_comment.job_id, 'review_id', p_comment.review_id,
    'attempt', p_comment.attempt, 'path', p_comment.path, 'line', p_comment.line, 'side', p_comment.side,
    'line_text', p_comment.line_text, 'body', p_comment.body, 'author_id', p_comment.author_id,
    'author', p_comment.author, 'draft', p_comment.review_id is null, 'created_at', p_comment.created_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.delete_job_comment(p_job_id uuid, p_comment_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_comment public.job_comments;
begin
  perform private.lock_job(p_job_id, true);
  select c.* into v_comment from public.job_comments c
  where c.id = p_comment_id and c.job_id = p_job_id and (c.review_id is not null or c.author_id = auth.uid());
  if not found then
    perform private.refuse(404, 'No such remark.');
  end if;
  if v_comment.review_id is not null then
    perform private.refuse(409, 'This remark was sent already. It stays with its review.');
  end if;
  delete from public.job_comments c where c.id = p_comment_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
  v_run public.sprint_runs;
  v_task public.tasks;
begin
  select p.* into v_product from public.products p where p.id = p_job.product_id;
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  select t.* into v_task from public.tasks t where t.id = p_job.task_id;

  return (json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'previous_failure', coalesce(p_job.failure_reason, (
      select j.failure_reason from public.agent_jobs j
      where p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id and j.status = 'FAILED' and j.id <> p_job.id
      order by j.finished_at desc limit 1)),
    'earlier_jobs', (
      select coalesce(json_agg(x.id order by x.created_at desc), '[]') from (
        select j.id, j.created_at from public.agent_jobs j
        where j.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION' and j.kind = p_job.kind
          and j.status in ('FAILED', 'CANCELLED')
        union all
        select j.id, j.created_at from public.agent_jobs j
        join public.sprint_runs r on r.id = j.sprint_run_id
        where p_job.kind = 'SPRINT_IMPLEMENTATION' and r.sprint_id = v_run.sprint_id and j.kind = p_job.kind
          and j.status in ('FAILED', 'CANCELLED')
        order by created_at desc limit 3) x),
    'earlier_attempts', private.earlier_attempts(p_job),
    'review', private.review_payload(p_job),
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', json_build_object('id', v_product.id, 'code', v_product.code, 'name', v_product.name,
      'description', v_product.description, 'repo_url', v_product.repo_url,
      'definition_of_done', v_product.definition_of_done, 'auto_pr', v_product.auto_pr, 'pr_strategy', v_product.pr_strategy),
    'repo_url', coalesce(nullif(v_task.repo_url, ''), v_product.repo_url),
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', case when v_run.id is not null then (
      select json_build_object('id', v_run.id, 'status', lower(v_run.status::text), 'branch', v_run.branch,
        'pr_strategy', v_run.pr_strategy, 'previous_run_id', v_run.previous_run_id,
        'sprint_id', s.id, 'sprint_code', s.code, 'sprint_goal', s.sprint_goal)
      from public.sprints s where s.id = v_run.sprint_id) end,
    'task', case when p_job.kind = 'TASK_IMPLEMENTATION' then json_build_object('id', v_task.id, 'code', v_task.code,
      'title', v_task.title, 'description', v_task.description, 'status', private.task_status_word(v_task.status),
      'verify_only', v_task.verify_only, 'verify_required', v_task.verify_required,
      'requires_opus', v_task.requires_opus, 'estimated_minutes', v_task.estimated_minutes) end,
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
        'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title)
      from public.stories s join public.pbis b on b.id = s.pbi_id
      where s.id = v_task.story_id and p_job.kind = 'TASK_IMPLEMENTATION'),
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then (
      select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description,
        'status', lower(i.status::text))
      from public.ideas i where i.id = p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end,
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = p_job.id)
  )::jsonb || private.proof_payload(p_job))::json;
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_job_comments(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job_reader(p_job_id);
  return json_build_object(
    'comments', (
      select coalesce(jsonb_agg(private.comment_json(c) order by c.created_at, c.id), '[]')
      from public.job_comments c
      where c.job_id = p_job_id and (c.review_id is not null or c.author_id = auth.uid())),
    'reviews', (
      select coalesce(jsonb_agg(private.review_json(r) order by r.created_at, r.id), '[]')
      from public.job_reviews r where r.job_id = p_job_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.reopen_job(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_is_held boolean := private.is_lane_held(p_job.sprint_run_id, p_job.lane_id);
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(409, 'This batch is over. Make a task of what should change.');
  end if;
  if p_job.status not in ('DONE', 'SKIPPED') then
    return;
  end if;
  if not exists (
    select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))
  then
    update public.tasks t set status = 'TO_DO' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.id <> p_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  update public.agent_jobs j
  set status = 'QUEUED', phase = 'implement', claim_rank = 0, in_turn = not v_is_held, verify_result = null,
      retry_count = 0, failure_class = null, failure_reason = null, parked_question_id = null, not_before = null
  where j.id = p_job.id;
  update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_reviewable(p_job public.agent_jobs, p_verdict text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_earlier public.job_reviews;
begin
  select r.* into v_earlier from public.job_reviews r
  where r.job_id = p_job.id and r.attempt = p_job.attempt
  order by r.created_at desc, r.id limit 1;
  if v_earlier.id is not null and not (v_earlier.verdict = 'approve' and p_verdict = 'approve') then
    perform private.refuse(409, format(case v_earlier.verdict
        when 'approve' then '%s has approved attempt %s already. What should change now is a task of its own.'
        else '%s has requested changes of attempt %s already. Look again when they have come.' end,
      v_earlier.author, v_earlier.attempt), jsonb_build_object('verdict', v_earlier.verdict));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    perform private.refuse(409, 'A worker is at it. Review the job when its attempt has ended.');
  end if;
  if p_job.attempt = 0 or (p_job.status = 'QUEUED' and p_job.phase <> 'review') then
    perform private.refuse(409, 'This job waits to be worked on. Review it when an attempt has ended.');
  end if;
  if p_verdict = 'approve' and p_job.status in ('FAILED', 'CANCELLED') then
    perform private.refuse(409, format('This job is %s: there is nothing to approve.', lower(p_job.status::text)));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_reviewer(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A talk about an idea has no changes to review.');
  end if;
  if private.is_token() and exists (
    select from public.job_attempts a join public.agent_workers w on w.id = a.worker_id
    where a.job_id = p_job.id and w.user_id = auth.uid())
  then
    perform private.refuse(403, 'A worker does not review its own work. Sign in and review it on its page.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_job(p_job_id uuid, p_verdict text, p_summary text)
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
    perform private.refuse(422, 'Say what should change: remark on a line, or write it into the summary.');
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'))
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null;

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

CREATE OR REPLACE FUNCTION private.review_json(p_review public.job_reviews)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', p_review.id, 'job_id', p_review.job_id, 'attempt', p_review.attempt,
    'verdict', p_review.verdict, 'summary', p_review.summary, 'author_id', p_review.author_id, 'author', p_review.author,
    'created_at', p_review.created_at);
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
  select r.* into v_review
  from public.agent_jobs j join public.job_reviews r on r.job_id = j.id
  where p_job.kind <> 'PLAN_CHAT' and j.kind = p_job.kind
    and (j.id = p_job.id or (p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id))
  order by r.created_at desc, r.id limit 1;
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

CREATE OR REPLACE FUNCTION public.add_job_comment(p_job_id uuid, p_attempt integer, p_path text, p_line integer, p_side text, p_line_text text, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.add_job_comment(p_job_id, p_attempt, p_path, p_line, p_side, p_line_text, p_body);
end;
$function$;

CREATE OR REPLACE FUNCTION public.delete_job_comment(p_job_id uuid, p_comment_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.delete_job_comment(p_job_id, p_comment_id);
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_job_comments(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_job_comments(p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.review_job(p_job_id uuid, p_verdict text, p_summary text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.review_job(p_job_id, p_verdict, p_summary);
end;
$function$;

ALTER TABLE "public"."job_comments" ADD CONSTRAINT "job_comments_author_id_fkey" FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_comments" ADD CONSTRAINT "job_comments_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_comments" ADD CONSTRAINT "job_comments_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_author_id_fkey" FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_comments" ADD CONSTRAINT "job_comments_review_id_fkey" FOREIGN KEY (review_id) REFERENCES public.job_reviews(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE INDEX job_comments_author_id_idx ON public.job_comments USING btree (author_id);

CREATE INDEX job_comments_product_id_idx ON public.job_comments USING btree (product_id);

CREATE INDEX job_comments_review_id_idx ON public.job_comments USING btree (review_id);

CREATE INDEX job_reviews_author_id_idx ON public.job_reviews USING btree (author_id);

CREATE INDEX job_reviews_product_id_idx ON public.job_reviews USING btree (product_id);

CREATE POLICY "job_comments_service" ON "public"."job_comments" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_reviews_service" ON "public"."job_reviews" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON FUNCTION "private"."comment_json"(public.job_comments) IS 'A remark on a line (docs/review.md).';

COMMENT ON FUNCTION "private"."reopen_job"(public.agent_jobs) IS 'Ended work is opened again by a review (docs/review.md).';

COMMENT ON FUNCTION "private"."require_reviewable"(public.agent_jobs, text) IS 'PT409 for a job that has nothing to judge, or is judged already (docs/review.md).';

COMMENT ON FUNCTION "private"."require_reviewer"(public.agent_jobs) IS 'PT403 for the tokens of whoever did the work (docs/review.md).';

COMMENT ON FUNCTION "private"."review_json"(public.job_reviews) IS 'A review (docs/review.md).';

COMMENT ON FUNCTION "private"."review_payload"(public.agent_jobs) IS 'What the newest review of a task asks for (docs/review.md).';

COMMENT ON FUNCTION "public"."add_job_comment"(uuid, integer, text, integer, text, text, text) IS 'Collects a remark on a line (docs/review.md).';

COMMENT ON FUNCTION "public"."delete_job_comment"(uuid, uuid) IS 'Takes a draft of a remark back (docs/review.md).';

COMMENT ON FUNCTION "public"."list_job_comments"(uuid) IS 'Reviews and remarks of a job (docs/review.md).';

COMMENT ON FUNCTION "public"."review_job"(uuid, text, text) IS 'Approves the work of a job, or requests changes (docs/review.md).';

COMMENT ON TABLE "public"."job_comments" IS 'Remarks on lines of diffs; drafts until they are sent with a review (docs/review.md).';

COMMENT ON TABLE "public"."job_reviews" IS 'Reviews of the work of agent jobs (docs/review.md).';

REVOKE ALL ON FUNCTION "private"."add_job_comment"(uuid, integer, text, integer, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_job_comment"(uuid, integer, text, integer, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."comment_json"(public.job_comments) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."comment_json"(public.job_comments) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_job_comment"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."delete_job_comment"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."list_job_comments"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_job_comments"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."reopen_job"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reopen_job"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_reviewable"(public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_reviewable"(public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_reviewer"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_reviewer"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_job"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_job"(uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."review_json"(public.job_reviews) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_json"(public.job_reviews) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_payload"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_payload"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "public"."add_job_comment"(uuid, integer, text, integer, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."add_job_comment"(uuid, integer, text, integer, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."delete_job_comment"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."delete_job_comment"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_job_comments"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_job_comments"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."review_job"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."review_job"(uuid, text, text) TO "authenticated", "postgres";

GRANT ALL ON TABLE "public"."job_comments" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_comments" TO "service_role";

GRANT ALL ON TABLE "public"."job_reviews" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_reviews" TO "service_role";

CREATE INDEX job_comments_job_id_idx ON public.job_comments USING btree (job_id, created_at);

CREATE INDEX job_reviews_job_id_idx ON public.job_reviews USING btree (job_id, created_at);
