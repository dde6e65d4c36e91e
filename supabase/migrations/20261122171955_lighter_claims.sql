-- A claim and the end of a task ask only what there is to be asked: most work has no past, no criteria, no reviews and no conflicts.
set local check_function_bodies = off;

DROP TRIGGER "_500_derive_story_update" ON "public"."tasks";

DROP FUNCTION "private"."proof_payload"(public.agent_jobs);

CREATE OR REPLACE FUNCTION private.bring_next_in_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next record;
begin
  for v_look in 1 .. 2 loop
    select n.id, n.in_turn, n.open_blockers, n.attempt > 0 as comes_back, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0 as waits into v_next
    from public.agent_jobs n
    where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id and n.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and not (n.status = 'QUEUED' and n.phase = 'review')
    order by n.in_turn desc, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0, n.position
    limit 1;
    exit when v_next.id is null or v_next.in_turn or not v_next.waits;
    perform private.lock_part('run', p_sprint_run_id);
  end loop;
  if v_next.id is null then
    return exists (
      select from public.agent_jobs w
      where w.sprint_run_id = p_sprint_run_id and w.lane_id = p_lane_id and w.status in ('QUEUED', 'CLAIMED', 'RUNNING'));
  end if;
  if not v_next.in_turn and not (v_next.comes_back and private.is_lane_held(p_sprint_run_id, p_lane_id)) then
    update public.agent_jobs j set in_turn = true where j.id = v_next.id;
    if v_next.open_blockers > 0 then
      perform private.pass_turn(p_sprint_run_id, p_lane_id);
    end if;
  end if;
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.conflict_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not exists (select from public.job_conflicts c where c.job_id = p_job.id) then
    return '[]';
  end if;
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

CREATE OR REPLACE FUNCTION private.criteria_payload(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'story_id', c.story_id, 'kind', c.kind, 'text', c.text, 'state', c.state,
      'grade', c.grade, 'command', case when p_job.phase = 'implement' then (
        select e.command from public.evidence e
        where e.story_id = c.story_id and e.criterion = c.id and e.command is not null and e.verdict = 'pass'
        order by e.seq desc limit 1) end) order by s.sort_order, s.created_at, c.place), '[]')
    from public.stories s
    cross join lateral private.story_proof(s.id) c
    where s.id in (
      select t.story_id from public.tasks t where t.id = p_job.task_id
      union all
      select t.story_id from public.task_executions e join public.tasks t on t.id = e.task_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
        and (p_job.phase <> 'verify' or t.status = 'REVIEW')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.earlier_jobs(p_job public.agent_jobs, p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(x.id order by x.created_at desc), '[]') from (
      select j.id, j.created_at from public.agent_jobs j
      where j.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION' and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED')
      union all
      select j.id, j.created_at from public.agent_jobs j
      join public.sprint_runs r on r.id = j.sprint_run_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and r.sprint_id = p_sprint_id and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED')
      order by created_at desc limit 3) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_past(p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
    or exists (select from public.agent_jobs j where j.task_id = p_job.task_id and j.id <> p_job.id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.idea_payload(p_idea_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description,
      'status', lower(i.status::text))
    from public.ideas i where i.id = p_idea_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_json(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_story public.stories;
  v_product_code text;
  v_worker_name text;
  v_idea_code text;
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.* into v_task from public.tasks t where t.id = p_job.task_id;
  select s.* into v_story from public.stories s where s.id = v_task.story_id;
  select p.code into v_product_code from public.products p where p.id = p_job.product_id;
  select w.name into v_worker_name from public.agent_workers w where w.id = p_job.worker_id;

  if not private.may_read_talk(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
  elsif p_job.idea_id is not null then
    select i.code into v_idea_code from public.ideas i where i.id = p_job.idea_id;
  end if;
  return to_jsonb(p_job) - '{lane_id,claim_rank}'::text[] || jsonb_build_object(
    'status', lower(p_job.status::text),
    'task_code', v_task.code,
    'task_title', v_task.title,
    'task_status', case v_task.status when 'TO_DO' then 'todo' else lower(v_task.status::text) end,
    'story_id', v_task.story_id,
    'story_code', v_story.code,
    'story_title', v_story.title,
    'idea_code', v_idea_code,
    'product_code', v_product_code,
    'worker_name', v_worker_name,
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_is_task boolean := p_job.kind = 'TASK_IMPLEMENTATION';
  v_is_verified boolean := p_job.phase = 'verify';
  v_has_past boolean := not v_is_verified and private.has_past(p_job);
  v_product public.products;
  v_run public.sprint_runs;
  v_sprint public.sprints;
  v_task public.tasks;
  v_story public.stories;
  v_pbi public.pbis;
begin
  select p.* into v_product from public.products p where p.id = p_job.product_id;
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  select s.* into v_sprint from public.sprints s where s.id = v_run.sprint_id;
  select t.* into v_task from public.tasks t where t.id = p_job.task_id;
  if v_is_task then
    select s.* into v_story from public.stories s where s.id = v_task.story_id;
    select b.* into v_pbi from public.pbis b where b.id = v_story.pbi_id;
  end if;

  return json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'previous_failure', case when v_has_past then private.previous_failure(p_job) end,
    'earlier_jobs', case when v_has_past then private.earlier_jobs(p_job, v_run.sprint_id) else '[]' end,
    'earlier_attempts', case when v_has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v_has_past then private.findings(p_job) else '[]' end,
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
    'done_requires', v_product.done_requires,
    'criteria', case when not v_is_task or concat(v_story.acceptance_criteria, v_product.definition_of_done) ~ '\S'
      then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'base_refs', private.base_refs(p_job),
    'awaited_heads', case when v_product.dependency_release = 'merged' then private.awaited_heads(auth.uid(), v_product.id) end,
    'conflicts', private.conflict_payload(p_job),
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', case when v_run.id is not null then json_build_object('id', v_run.id, 'status', lower(v_run.status::text),
      'branch', v_run.branch, 'pr_strategy', v_run.pr_strategy, 'previous_run_id', v_run.previous_run_id,
      'sprint_id', v_sprint.id, 'sprint_code', v_sprint.code, 'sprint_goal', v_sprint.sprint_goal) end,
    'task', case when v_is_task then json_build_object('id', v_task.id, 'code', v_task.code,
      'title', v_task.title, 'description', v_task.description, 'status', private.task_status_word(v_task.status),
      'verify_only', v_task.verify_only, 'verify_required', v_task.verify_required,
      'requires_opus', v_task.requires_opus, 'estimated_minutes', v_task.estimated_minutes) end,
    'story', case when v_is_task then json_build_object('id', v_story.id, 'code', v_story.code, 'title', v_story.title,
      'description', v_story.description, 'acceptance_criteria', v_story.acceptance_criteria,
      'pbi_id', v_pbi.id, 'pbi_code', v_pbi.code, 'pbi_title', v_pbi.title) end,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then private.idea_payload(p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end,
    'questions', case when v_is_verified then '[]' else private.job_questions(p_job.id) end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_questions(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not exists (select from public.agent_questions q where q.job_id = p_job_id) then
    return '[]';
  end if;
  return (
    select json_agg(private.question_json(q) order by q.created_at, q.id)
    from public.agent_questions q where q.job_id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_job(p_job_id uuid, p_share boolean DEFAULT false)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  perform private.require_product_access(v_job.product_id);
  if p_share and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.share_product(v_job.product_id);
    -- Read under the lock: a task may have moved to another story until then.
    perform private.lock_part('story', (select t.story_id from public.tasks t where t.id = v_job.task_id));
  else
    perform private.lock_product(v_job.product_id);
  end if;
  perform private.require_product_write(v_job.product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id for update;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.previous_failure(p_job public.agent_jobs)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(p_job.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id and j.status = 'FAILED' and j.id <> p_job.id
    order by j.finished_at desc limit 1));
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_report private.job_report := jsonb_populate_record(null::private.job_report, p_report);
  v_status text := private.require_choice('status', v_report.status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED'));
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
  v_phase public.job_phase;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  perform private.require_link('pr_url', v_report.pr_url);
  v_class := lower(private.require_choice('failure_class', v_report.failure_class,
    array['AGENT_ERROR', 'VERIFICATION_FAILED', 'RATE_LIMITED', 'INFRASTRUCTURE', 'CANCELLED']));
  v_result := coalesce(private.require_choice('verify_result', v_report.verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_job.verify_result);

  if v_state <> 'held' then
    if private.repeats_report(v_job, v_state, v_status, v_class, v_result) then
      -- The end of a task may have ended its batch before: what this report knows besides is not lost.
      if v_state = 'finished' then
        update public.agent_jobs j set failure_class = v_class
        where j.id = p_job_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status = 'FAILED' and v_class is not null;
        select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
        v_job := private.record_usage(v_job, p_attempt, v_report);
        perform private.note_attempt(v_job, v_report);
      end if;
      return private.job_json(v_job);
    end if;
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;

  -- Whoever only looks at the work of another moves nothing, and does not fail it by failing to look.
  if v_job.phase = 'verify' then
    v_report := private.verifiers_report(v_report);
  end if;
  perform private.record_evidence(v_job, v_report.evidence);
  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'FAILED' then case when v_class = 'rate_limited' or (v_job.phase = 'verify' and v_job.retry_count < 3)
      then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, v_report.summary);
  end if;
  perform private.record_usage(v_job, p_attempt, v_report);
  perform private.note_attempt(v_job, v_report);
  if v_report.head_sha is not null and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.note_head((select t.story_id from public.tasks t where t.id = v_job.task_id), v_job, v_report.head_sha);
  end if;
  v_phase := case when v_next = 'DONE' then private.phase_after(v_job) end;
  if v_phase is not null then
    v_next := 'QUEUED';
  end if;

  update public.agent_jobs j
  set status = v_next,
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      phase = coalesce(v_phase, j.phase),
      claim_rank = case when v_phase is null then j.claim_rank else 0 end,
      author_worker_id = case when v_phase = 'verify' then j.worker_id else j.author_worker_id end,
      retry_count = j.retry_count + case when v_status = 'FAILED' and v_next = 'QUEUED' and v_class is distinct from 'rate_limited' then 1 else 0 end,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(v_report.summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then coalesce(v_class, 'agent_error') end,
      failure_reason = case when v_status = 'FAILED'
        then left(coalesce(v_report.failure_reason, v_report.summary, 'The worker gave no reason.'), 4000) end,
      not_before = case when v_next = 'QUEUED' and v_status = 'FAILED' then greatest(coalesce(v_report.resets_at, v_now + interval '5 minutes'), v_now) end,
      base_sha = coalesce(j.base_sha, left(v_report.base_sha, 64)),
      head_sha = coalesce(left(v_report.head_sha, 64), j.head_sha),
      branch = coalesce(j.branch, left(v_report.branch, 200)),
      pushed_at = coalesce(v_report.pushed_at, j.pushed_at),
      pr_url = coalesce(v_report.pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  if v_phase is not null then
    perform private.enter_phase(v_job);
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  end if;
  return private.job_json(v_job) || private.released();
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
  if not exists (select from public.job_reviews r where r.product_id = p_job.product_id) then
    return '[]';
  end if;
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

CREATE OR REPLACE FUNCTION private.tg_tasks__derive_story()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.story_id) into v_story_ids from new_tasks n;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.story_id) into v_story_ids from old_tasks o;
  else
    v_story_ids := array[new.story_id, old.story_id];
  end if;

  -- Most changes leave the story as it is: then no write is tried, and no trigger of stories fires.
  if v_story_ids is not null then
    select array_agg(s.id)
    into v_story_ids
    from public.stories s
    where s.id = any (v_story_ids) and s.status <> private.derived_story_status(s.id, s.sprint_id);
  end if;

  if v_story_ids is not null then
    update public.stories s
    set status = private.derived_story_status(s.id, s.sprint_id)
    where s.id = any (v_story_ids);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__end_waiting_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select from public.agent_jobs o where o.task_id = new.id and o.status = 'QUEUED' and o.phase <> 'implement')
    and not exists (select from public.task_executions e where e.task_id = new.id) then
    return null;
  end if;
  update public.agent_jobs j
  set status = 'DONE'
  where j.id in (
      select o.id from public.agent_jobs o where o.task_id = new.id
      union all
      select b.id from public.task_executions e
      join public.agent_jobs b on b.sprint_run_id = e.sprint_run_id where e.task_id = new.id)
    and j.status = 'QUEUED' and j.phase <> 'implement'
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or not exists (select from private.held_tasks(j.sprint_run_id)));
  return null;
end;
$function$;

CREATE TRIGGER _990_derive_story_update AFTER UPDATE ON public.tasks FOR EACH ROW WHEN (((new.story_id <> old.story_id) OR ((new.status <> old.status) AND ((new.status = ANY (ARRAY['DONE'::public.task_status, 'FAILED'::public.task_status])) OR (old.status = ANY (ARRAY['DONE'::public.task_status, 'FAILED'::public.task_status])))))) EXECUTE FUNCTION private.tg_tasks__derive_story();

COMMENT ON FUNCTION "private"."criteria_payload"(public.agent_jobs) IS 'What a claim says of criteria (docs/proof.md).';

COMMENT ON FUNCTION "private"."earlier_jobs"(public.agent_jobs, uuid) IS 'The three newest jobs of the same work that came to nothing (specification: Agent job).';

COMMENT ON FUNCTION "private"."has_past"(public.agent_jobs) IS 'Whether somebody may have worked on the same before (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."idea_payload"(uuid) IS 'The idea of a talk for its worker (specification: Agent job).';

COMMENT ON FUNCTION "private"."job_questions"(uuid) IS 'The questions of a job with their answers (specification: Agent question).';

COMMENT ON FUNCTION "private"."previous_failure"(public.agent_jobs) IS 'Why the work failed the last time (specification: Agent job).';

REVOKE ALL ON FUNCTION "private"."criteria_payload"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."criteria_payload"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."earlier_jobs"(public.agent_jobs, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."earlier_jobs"(public.agent_jobs, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_past"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."has_past"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."idea_payload"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."idea_payload"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_questions"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_questions"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."previous_failure"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."previous_failure"(public.agent_jobs) TO "postgres";
