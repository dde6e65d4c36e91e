-- Why: work that does not merge goes back to the task that can mend it, with both versions; only after two tries in vain is a run paused.
set local check_function_bodies = off;

ALTER TABLE "public"."job_attempts" DROP CONSTRAINT "job_attempts_outcome_known";

DROP FUNCTION "private"."pause_run"(public.sprint_runs, text, text, jsonb, uuid);

CREATE TABLE "public"."job_conflicts" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "job_id" uuid NOT NULL, "attempt" integer NOT NULL, "kind" text NOT NULL, "other_job_id" uuid, "branch" text NOT NULL, "ours_sha" text NOT NULL, "theirs_sha" text NOT NULL, "files" jsonb NOT NULL, "decision" text NOT NULL, CONSTRAINT "job_conflicts_attempt_positive" CHECK ((attempt >= 0)), CONSTRAINT "job_conflicts_branch_length" CHECK ((char_length(branch) <= 200)), CONSTRAINT "job_conflicts_decision_known" CHECK ((decision = ANY (ARRAY['home'::text, 'paused'::text, 'noted'::text]))), CONSTRAINT "job_conflicts_files_list" CHECK ((jsonb_typeof(files) = 'array'::text)), CONSTRAINT "job_conflicts_kind_known" CHECK ((kind = ANY (ARRAY['branch'::text, 'base'::text, 'sibling'::text]))), CONSTRAINT "job_conflicts_ours_sha_length" CHECK ((char_length(ours_sha) <= 64)), CONSTRAINT "job_conflicts_pkey" PRIMARY KEY (id), CONSTRAINT "job_conflicts_theirs_sha_length" CHECK ((char_length(theirs_sha) <= 64)), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."job_conflicts" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.conflict_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('kind', c.kind, 'branch', c.branch, 'task_id', t.id, 'task_code', t.code,
      'ours_sha', c.ours_sha, 'theirs_sha', c.theirs_sha, 'files', c.files) order by c.created_at desc), '[]')
    from (
      select distinct on (x.kind, x.branch) x.*
      from public.job_conflicts x
      where x.job_id = p_job.id
      order by x.kind, x.branch, x.created_at desc
    ) c
    left join public.agent_jobs o on o.id = c.other_job_id
    left join public.tasks t on t.id = o.task_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.conflict_rival(p_job public.agent_jobs, p_branch text, p_theirs_sha text)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_rival public.agent_jobs;
begin
  select j.* into v_rival
  from public.agent_jobs j
  where j.sprint_run_id = p_job.sprint_run_id and j.branch = p_branch and j.id <> p_job.id and j.attempt > 0
    and j.status in ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE')
  order by (j.status = 'DONE' and j.head_sha is not distinct from p_theirs_sha) desc, (j.status <> 'DONE') desc, j.finished_at desc, j.id
  limit 1;
  return v_rival;
end;
$function$;

CREATE OR REPLACE FUNCTION private.decide_conflict(p_job public.agent_jobs, p_kind text, p_branch text, p_rival public.agent_jobs, p_in_vain boolean)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_tries bigint;
begin
  if p_kind = 'sibling' and not p_in_vain then
    if p_rival.id is null then
      return 'go_on';
    end if;
    if p_rival.status <> 'DONE' and p_rival.phase = 'implement' and (p_rival.status = 'QUEUED' or p_rival.verify_result is null) then
      return 'noted';
    end if;
  end if;

  select count(*) into v_tries
  from public.job_conflicts c
  where c.job_id = p_job.id and c.kind = p_kind and c.branch = p_branch and c.decision = 'home'
    and not exists (
      select from public.job_conflicts l where l.job_id = c.job_id and l.decision = 'paused' and l.created_at >= c.created_at);
  return case when v_tries < 2 then 'home' else 'paused' end;
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
    'base_refs', private.base_refs(p_job),
    'conflicts', private.conflict_payload(p_job),
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

CREATE OR REPLACE FUNCTION private.note_conflict(p_job public.agent_jobs, p_other public.agent_jobs, p_conflict jsonb, p_decision text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.job_conflicts
    (product_id, job_id, attempt, kind, other_job_id, branch, ours_sha, theirs_sha, files, decision, created_at)
  values (p_job.product_id, p_job.id, p_job.attempt, lower(p_conflict ->> 'kind'), p_other.id,
    coalesce(p_conflict ->> 'branch', ''), p_conflict ->> 'ours_sha', p_conflict ->> 'theirs_sha', p_conflict -> 'files', p_decision,
    -- Of two in one transaction none is older; the clock of the database tells them apart.
    greatest(private.now(), (select max(c.created_at) + interval '1 microsecond' from public.job_conflicts c where c.job_id = p_job.id)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.pause_run(p_run public.sprint_runs, p_reason text, p_pr_url text, p_conflict_files jsonb, p_job_id uuid, p_task_codes text[] DEFAULT '{}'::text[])
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_files jsonb := coalesce(p_conflict_files, '[]');
  v_text text;
  v_run public.sprint_runs;
begin
  if jsonb_typeof(v_files) <> 'array' or jsonb_array_length(v_files) > 500 or length(v_files::text) > 65536
    or exists (select from jsonb_array_elements(v_files) f where jsonb_typeof(f) <> 'string') then
    perform private.refuse(422, 'conflict_files must be a list of at most 500 paths.');
  end if;

  v_text := left(format('The run of sprint %s is paused (%s).%s%s%s Resume the run when it can go on, or cancel it.',
    (select s.code from public.sprints s where s.id = p_run.sprint_id), replace(p_reason, '_', ' '),
    case when p_task_codes <> '{}' then format(' %s does not merge%s, also after two tries.', p_task_codes[1], ' with ' || p_task_codes[2]) else '' end,
    case when jsonb_array_length(v_files) > 0
      then ' In conflict: ' || left((select string_agg(f, ', ') from jsonb_array_elements_text(v_files) f), 1500) || '.' else '' end,
    case when p_pr_url is not null then ' Pull request: ' || p_pr_url || '.' else '' end), 4000);

  update public.sprint_runs r
  set status = 'PAUSED',
      pause_context = jsonb_build_object('reason', p_reason, 'pr_url', p_pr_url, 'conflict_files', v_files)
        || case when p_task_codes <> '{}' then jsonb_build_object('tasks', p_task_codes) else '{}' end,
      pause_question_id = private.open_pause_question(p_run, p_job_id, v_text)
  where r.id = p_run.id
  returning * into v_run;
  return v_run;
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
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_job_conflict(p_job_id uuid, p_attempt integer, p_conflict jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.hold_job(p_job_id, p_attempt);
  v_kind text := lower(private.require_choice('kind', p_conflict ->> 'kind', array['BRANCH', 'BASE', 'SIBLING']));
  v_branch text := coalesce(p_conflict ->> 'branch', '');
  v_rival public.agent_jobs;
  v_decision text;
begin
  if v_job.kind = 'PLAN_CHAT' or v_job.sprint_run_id is null then
    perform private.refuse(422, 'Only work of a run can be in conflict.');
  end if;
  perform private.take_rate_limit('job_conflict', p_job_id::text);
  perform private.require_link('pr_url', p_conflict ->> 'pr_url');
  if v_kind = 'sibling' then
    v_rival := private.conflict_rival(v_job, v_branch, p_conflict ->> 'theirs_sha');
  end if;
  v_decision := private.decide_conflict(v_job, v_kind, v_branch, v_rival,
    coalesce((p_conflict ->> 'in_vain')::boolean, false));

  if v_decision = 'noted' then
    perform private.note_conflict(v_rival, v_job, p_conflict || jsonb_build_object('branch', v_job.branch,
      'ours_sha', p_conflict -> 'theirs_sha', 'theirs_sha', p_conflict -> 'ours_sha',
      'files', (select jsonb_agg(f || jsonb_build_object('ours', f -> 'theirs', 'theirs', f -> 'ours'))
        from jsonb_array_elements(p_conflict -> 'files') f)), 'noted');
  elsif v_decision <> 'go_on' then
    perform private.note_conflict(v_job, v_rival, p_conflict, v_decision);
    perform private.note_attempt(v_job, jsonb_populate_record(null::private.job_report, p_conflict));
    perform private.send_conflict_home(v_job, v_rival, p_conflict, v_decision = 'paused');
  end if;
  return json_build_object('decision', case v_decision when 'noted' then 'go_on' else v_decision end,
    'task_id', v_rival.task_id, 'task_code', (select t.code from public.tasks t where t.id = v_rival.task_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.send_conflict_home(p_job public.agent_jobs, p_rival public.agent_jobs, p_conflict jsonb, p_pause boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id for update;
  if p_pause and v_run.status in ('QUEUED', 'RUNNING') then
    perform private.pause_run(v_run, 'merge_conflict', coalesce(p_conflict ->> 'pr_url', p_job.pr_url),
      (select jsonb_agg(f -> 'path') from jsonb_array_elements(p_conflict -> 'files') f), p_job.id,
      array(select t.code from public.tasks t where t.id in (p_job.task_id, p_rival.task_id) order by (t.id = p_job.task_id) desc));
  end if;
  update public.agent_jobs j
  set status = 'QUEUED', claim_rank = 0, failure_class = null, failure_reason = null, parked_question_id = null, lease_until = null
  where j.id = p_job.id;
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
        when new.phase <> old.phase then 'done'
        when new.failure_class = 'rate_limited' then 'rate_limited'
        when new.failure_class is not null then 'lost'
        when new.stopped_by_budget_id is not null then 'budget'
        when new.parked_question_id is not null then 'question'
        when exists (select from public.job_conflicts c where c.job_id = new.id and c.attempt = new.attempt and c.decision <> 'noted') then 'conflict'
        else 'returned'
      end
  where a.job_id = new.id and a.attempt = new.attempt and a.ended_at is null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_job_conflict(p_job_id uuid, p_attempt integer, p_conflict jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.report_job_conflict(p_job_id, p_attempt, p_conflict);
end;
$function$;

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_outcome_known" CHECK ((outcome = ANY (ARRAY['done'::text, 'skipped'::text, 'failed'::text, 'cancelled'::text, 'rate_limited'::text, 'question'::text, 'lost'::text, 'returned'::text, 'budget'::text, 'conflict'::text])));

ALTER TABLE "public"."job_conflicts" ADD CONSTRAINT "job_conflicts_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_conflicts" ADD CONSTRAINT "job_conflicts_other_job_id_fkey" FOREIGN KEY (other_job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."job_conflicts" ADD CONSTRAINT "job_conflicts_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE INDEX job_conflicts_other_job_id_idx ON public.job_conflicts USING btree (other_job_id) WHERE (other_job_id IS NOT NULL);

CREATE INDEX job_conflicts_product_id_idx ON public.job_conflicts USING btree (product_id);

CREATE POLICY "job_conflicts_service" ON "public"."job_conflicts" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON COLUMN "public"."job_conflicts"."decision" IS 'home: the job went back to work; paused: it was tried twice in vain; noted: the job waited and hears of it with its next claim.';

COMMENT ON COLUMN "public"."job_conflicts"."files" IS 'One object a file: path, and what stands on either side (ours, theirs), both cut.';

COMMENT ON COLUMN "public"."job_conflicts"."job_id" IS 'The job that mends it; attempt is the one that had ended, or was at work, when it was met.';

COMMENT ON COLUMN "public"."job_conflicts"."kind" IS 'What the work does not go together with: its own branch that has moved on, the main branch, or another branch of the run.';

COMMENT ON FUNCTION "private"."conflict_payload"(public.agent_jobs) IS 'What the work of a job did not merge with (specification: Agent job).';

COMMENT ON FUNCTION "private"."conflict_rival"(public.agent_jobs, text, text) IS 'The job of a run whose work lies on a branch, or null.';

COMMENT ON FUNCTION "private"."decide_conflict"(public.agent_jobs, text, text, public.agent_jobs, boolean) IS 'home, paused, noted (the other one mends) or go_on (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."note_conflict"(public.agent_jobs, public.agent_jobs, jsonb, text) IS 'Keeps that work of a job does not merge, and what was decided.';

COMMENT ON FUNCTION "private"."pause_run"(public.sprint_runs, text, text, jsonb, uuid, text[]) IS 'Run to PAUSED with context and question (specification: Sprint run, pause).';

COMMENT ON FUNCTION "private"."send_conflict_home"(public.agent_jobs, public.agent_jobs, jsonb, boolean) IS 'A held job back to the queue because its work does not merge (specification: Agent job; Sprint run, pause).';

COMMENT ON FUNCTION "public"."report_job_conflict"(uuid, integer, jsonb) IS 'Work that does not merge goes back to whoever can mend it (docs/dependencies.md).';

COMMENT ON TABLE "public"."job_conflicts" IS 'Work that does not merge, and the job that mends it (docs/dependencies.md).';

REVOKE ALL ON FUNCTION "private"."conflict_payload"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."conflict_payload"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."conflict_rival"(public.agent_jobs, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."conflict_rival"(public.agent_jobs, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."decide_conflict"(public.agent_jobs, text, text, public.agent_jobs, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."decide_conflict"(public.agent_jobs, text, text, public.agent_jobs, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_conflict"(public.agent_jobs, public.agent_jobs, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_conflict"(public.agent_jobs, public.agent_jobs, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pause_run"(public.sprint_runs, text, text, jsonb, uuid, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pause_run"(public.sprint_runs, text, text, jsonb, uuid, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."report_job_conflict"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_job_conflict"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."send_conflict_home"(public.agent_jobs, public.agent_jobs, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."send_conflict_home"(public.agent_jobs, public.agent_jobs, jsonb, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "public"."report_job_conflict"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."report_job_conflict"(uuid, integer, jsonb) TO "authenticated", "postgres";

GRANT ALL ON TABLE "public"."job_conflicts" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_conflicts" TO "service_role";

CREATE INDEX job_conflicts_job_id_idx ON public.job_conflicts USING btree (job_id, created_at);
