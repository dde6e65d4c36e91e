-- Why: what one person alone may answer reaches nobody else: a permission on their machine, and what is asked about an idea of theirs.
set local check_function_bodies = off;

DROP POLICY "agent_questions_select" ON "public"."agent_questions";

DROP FUNCTION "private"."ask_question"(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid, boolean, uuid, integer);

DROP FUNCTION "private"."queue_notices"(text, uuid, uuid, boolean, text, text, text, jsonb);

DROP FUNCTION "public"."ask_question"(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid, boolean, uuid, integer);

ALTER TABLE "public"."agent_questions" ADD COLUMN "reader_id" uuid;

ALTER TABLE "public"."agent_questions" ADD COLUMN "reach" text;

CREATE TYPE "public"."question_kind" AS ENUM ('question', 'permission');

ALTER TABLE "public"."agent_questions" ADD COLUMN "kind" public.question_kind NOT NULL DEFAULT 'question'::public.question_kind;

CREATE OR REPLACE FUNCTION private.ask_question(p_question text, p_story_id uuid, p_idea_id uuid, p_task_id uuid, p_options jsonb, p_recommended_option integer, p_assignee_id uuid, p_expires_in_seconds integer, p_on_expiry text, p_escalate_to uuid, p_park boolean, p_job_id uuid, p_attempt integer, p_kind text, p_reach text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_target record;
  v_on_expiry text := coalesce(private.require_choice('on_expiry', p_on_expiry, array['STOP', 'RECOMMENDED', 'ESCALATE']), 'STOP');
  v_kind public.question_kind := lower(coalesce(private.require_choice('kind', p_kind, array['QUESTION', 'PERMISSION']), 'QUESTION'))::public.question_kind;
  v_reader_id uuid := case when p_idea_id is not null or v_kind = 'permission' then auth.uid() end;
  v_options jsonb;
  v_job public.agent_jobs;
  v_question public.agent_questions;
begin
  v_target := private.question_target(p_story_id, p_idea_id, p_task_id);
  perform private.lock_product(v_target.p_product);
  perform private.require_product_write(v_target.p_product);
  perform private.take_rate_limit('question', auth.uid()::text);
  v_options := private.check_question(p_question, p_options, p_recommended_option, p_expires_in_seconds, v_on_expiry,
    p_escalate_to, v_target.p_product);
  if p_assignee_id is not null and not exists (
    select from public.product_members m where m.product_id = v_target.p_product and m.user_id = p_assignee_id
  ) then
    perform private.refuse(422, 'assignee_id must be a member of the product.');
  end if;
  perform private.check_private_question(v_kind, v_reader_id, p_assignee_id, p_escalate_to, v_on_expiry, p_reach);
  if p_park and p_job_id is null then
    perform private.refuse(422, 'park needs the job_id and attempt that wait for the answer.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.product_id <> v_target.p_product then
      perform private.refuse(422, 'The job belongs to another product than the question. Ask about what its own product holds.');
    end if;
  end if;

  insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
    kind, reader_id, reach, question, options, recommended_option, expires_at, on_expiry, escalate_to, park)
  values (v_target.p_product, v_target.p_story, p_idea_id, p_task_id, p_assignee_id, v_job.id, v_job.sprint_run_id, auth.uid(),
    v_kind, v_reader_id, p_reach, p_question, v_options, p_recommended_option,
    private.now() + make_interval(secs => coalesce(p_expires_in_seconds, 604800)),
    v_on_expiry::public.question_expiry, p_escalate_to, coalesce(p_park, false))
  returning * into v_question;
  if v_question.park then
    perform private.park_job(v_job, v_question.id);
  end if;
  return private.question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION private.board_tasks(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    -- Once a story and once for all cards: for each card alone they were half of the page's time in the database.
    with story as materialized (
      select s.id, s.created_at, s.code, s.title, s.sort_order, s.assignee_id, private.proof_count(s.id) as proof
      from public.stories s where s.sprint_id = p_sprint_id
    ), waiting as materialized (
      select x.blocker_id, count(*) as frees
      from (
        select d.blocker_id, d.blocked_id
        from story s join public.tasks t on t.story_id = s.id join public.task_dependencies d on d.blocker_id = t.id
        union
        select t.id, i.id
        from story s
        join public.story_dependencies d on d.blocker_id = s.id
        join public.tasks i on i.story_id = d.blocked_id
        join public.tasks t on t.story_id = s.id
      ) x
      join public.tasks i on i.id = x.blocked_id
      where i.status <> 'DONE'
      group by x.blocker_id
    )
    select coalesce(json_agg(row_to_json(t) order by t.story_sort_order, t.story_created_at, t.story_id, t.sort_order, t.created_at, t.id), '[]')
    from (
      select t.id, t.created_at, s.created_at as story_created_at, t.code, t.title, t.story_id, t.sort_order, t.priority,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.implementation_plan is not null and t.implementation_plan <> '' as has_plan,
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id,
        j.id as job_id, lower(j.status::text) as job_status, j.phase as job_phase, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        case when j.status in ('CLAIMED', 'RUNNING') then private.doing_now(j.id, j.attempt) end as job_doing,
        a.name as worker_name,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
          and (q.reader_id is null or q.reader_id = auth.uid())
        ) as open_questions,
        (
          select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]') from private.task_blockers b
          where b.task_id = t.id and not b.resolved and t.status <> 'DONE'
        ) as waits_for,
        coalesce(w.frees, 0) as frees,
        (
          select json_build_array(c.additions, c.deletions) from public.agent_jobs c
          where c.task_id = t.id and c.kind = 'TASK_IMPLEMENTATION' and c.additions is not null
          order by c.created_at desc limit 1
        ) as changes,
        s.proof
      from story s
      join public.tasks t on t.story_id = s.id
      left join waiting w on w.blocker_id = t.id
      left join lateral (
        select j.id, j.status, j.phase, j.attempt, j.started_at, j.updated_at, j.worker_id
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers a on a.id = j.worker_id
    ) t
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.carry_out_expiry(p_question public.agent_questions)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_next_id uuid;
begin
  select j.* into v_job from public.agent_jobs j where j.parked_question_id = p_question.id and j.status = 'QUEUED';

  if p_question.on_expiry = 'ESCALATE' and p_question.escalate_to is not null and (v_job.id is not null or not p_question.park) then
    insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
      reader_id, question, options, recommended_option, expires_at, park)
    values (p_question.product_id, p_question.story_id, p_question.idea_id, p_question.task_id, p_question.escalate_to,
      p_question.job_id, p_question.sprint_run_id, p_question.asked_by, p_question.reader_id, p_question.question, p_question.options,
      p_question.recommended_option, private.now() + interval '7 days', p_question.park)
    returning id into v_next_id;
    update public.agent_jobs j set parked_question_id = v_next_id where j.id = v_job.id;
    return;
  end if;
  if v_job.id is null then
    return;
  end if;
  if p_question.on_expiry = 'RECOMMENDED' then
    perform private.unpark_job(p_question);
    return;
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status in ('QUEUED', 'RUNNING');
  if v_run.id is not null then
    perform private.pause_run(v_run, 'question_expired', null, null, v_job.id);
  elsif v_job.sprint_run_id is null then
    update public.agent_jobs j
    set status = 'FAILED', failure_class = 'agent_error', failure_reason = 'Its question was not answered in time.'
    where j.id = v_job.id;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_private_question(p_kind public.question_kind, p_reader_id uuid, p_assignee_id uuid, p_escalate_to uuid, p_on_expiry text, p_reach text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_reader_id is not null and (p_assignee_id <> p_reader_id or p_escalate_to <> p_reader_id) then
    perform private.refuse(422, 'Only you can answer this question. Leave assignee_id and escalate_to out.');
  end if;
  if p_kind = 'permission' and p_on_expiry <> 'STOP' then
    perform private.refuse(422, 'A permission is given by a person or not at all. Leave on_expiry out.');
  end if;
  if p_reach is not null and (p_kind <> 'permission' or not private.is_host(p_reach)) then
    perform private.refuse(422, 'reach belongs to a permission and names one host, such as "pypi.org:443".');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job(p_job_id);
  return (
    select private.job_json(j) || jsonb_build_object('attempts', private.attempts_json(j.id), 'questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = j.id and private.may_read_talk(j)
        and (q.reader_id is null or q.reader_id = auth.uid())))
    from public.agent_jobs j where j.id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_notifications_state()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object('questions', (
    select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now
      and q.product_id in (select private.writable_product_ids())
      and (q.reader_id is null or q.reader_id = auth.uid())));
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_question(p_question_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_question_id;
  if not found then
    perform private.refuse(404, 'No such question.');
  end if;
  perform private.require_question_reader(v_question);
  return private.question_json(v_question);
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

CREATE OR REPLACE FUNCTION private.inbox_item_json(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case p_kind
    when 'question' then (
      select jsonb_build_object('question', private.question_json(q)) from public.agent_questions q where q.id = p_id
        and (q.reader_id is null or q.reader_id = auth.uid()))
    when 'review' then (
      select jsonb_build_object('code', t.code, 'title', t.title, 'story_code', s.code, 'story_title', s.title,
        -- The job that waits for a person's verdict; without one the task was put into review by hand.
        'job_id', (
          select j.id from public.agent_jobs j
          where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review'
          limit 1))
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_id)
    when 'run' then (
      select jsonb_build_object('code', s.code, 'title', s.sprint_goal, 'sprint_id', s.id,
        'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r join public.sprints s on s.id = r.sprint_id where r.id = p_id)
    when 'job' then (
      select jsonb_build_object('code', i.code, 'title', i.title, 'reason', j.failure_reason, 'idea_id', j.idea_id)
      from public.agent_jobs j join public.ideas i on i.id = j.idea_id where j.id = p_id)
    when 'added' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'owner_name', private.username(p.owner_id))
      from public.products p where p.id = p_id)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_items()
 RETURNS TABLE(kind text, id uuid, product_id uuid, at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_since timestamptz := v_now - interval '14 days';
  v_products uuid[] := array(select private.writable_product_ids());
begin
  return query
    select 'question', q.id, q.product_id, q.created_at
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now and q.product_id = any (v_products)
      and (q.reader_id is null or q.reader_id = auth.uid())
    union all
    select 'review', w.task_id, w.product_id, w.since
    from public.tasks_in_review w
    where w.product_id = any (v_products)
    union all
    select 'run', r.id, r.product_id, r.finished_at
    from public.sprint_runs r
    where r.status = 'FAILED' and r.product_id = any (v_products) and r.finished_at > v_since
      and not exists (select from public.sprint_runs n where n.sprint_id = r.sprint_id and n.created_at > r.created_at)
    union all
    -- A job of a task is told by its run; a talk about an idea is its owner's alone.
    select 'job', j.id, j.product_id, j.finished_at
    from public.agent_jobs j
    where j.status = 'FAILED' and j.finished_at > v_since and j.product_id = any (v_products) and j.idea_id is not null
      and j.created_by = auth.uid()
      and not exists (select from public.agent_jobs n where n.idea_id = j.idea_id and n.created_at > j.created_at)
    union all
    select 'added', m.product_id, m.product_id, m.created_at
    from public.product_members m
    where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and m.product_id = any (v_products);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_host(p_text text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return char_length(p_text) <= 260
    and p_text ~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?$'
    and coalesce(substring(p_text from ':([0-9]{1,5})$')::integer, 1) between 1 and 65535;
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
  v record;
begin
  select
    json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
      'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pr_strategy', p.pr_strategy) as product,
    case when r.id is not null then json_build_object('id', r.id, 'status', lower(r.status::text), 'branch', r.branch,
      'pr_strategy', r.pr_strategy, 'previous_run_id', r.previous_run_id,
      'sprint_id', n.id, 'sprint_code', n.code, 'sprint_goal', n.sprint_goal) end as run,
    case when v_is_task then json_build_object('id', t.id, 'code', t.code,
      'title', t.title, 'description', t.description, 'status', private.task_status_word(t.status),
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes) end as task,
    case when v_is_task then json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
      'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title) end as story,
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, p.done_requires, p.dependency_release, r.sprint_id,
    not v_is_task or concat(s.acceptance_criteria, p.definition_of_done) ~ '\S' as has_criteria,
    p_job.phase <> 'verify' and (p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.agent_jobs j where j.task_id = p_job.task_id and j.id <> p_job.id)) as has_past,
    p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id) as has_blockers,
    exists (select from public.job_reviews w where w.product_id = p_job.product_id) as has_reviews,
    exists (select from public.job_conflicts c where c.job_id = p_job.id) as has_conflicts
  into v
  from public.products p
  left join public.sprint_runs r on r.id = p_job.sprint_run_id
  left join public.sprints n on n.id = r.sprint_id
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.pbis b on b.id = s.pbi_id
  where p.id = p_job.product_id;

  return json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'previous_failure', case when v.has_past then private.previous_failure(p_job) end,
    'earlier_jobs', case when v.has_past then private.earlier_jobs(p_job, v.sprint_id) else '[]' end,
    'earlier_attempts', case when v.has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v.has_past then private.findings(p_job) else '[]' end,
    'questions', case when v.has_past then private.job_questions(p_job.id) else '[]' end,
    'review', case when v.has_reviews then private.review_payload(p_job) else '[]' end,
    'conflicts', case when v.has_conflicts then private.conflict_payload(p_job) else '[]' end,
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'user_id', auth.uid(),
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', v.product,
    'repo_url', v.repo_url,
    'done_requires', v.done_requires,
    'criteria', case when v.has_criteria then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'base_refs', case when v.has_blockers then private.base_refs(p_job) else '[]' end,
    'awaited_heads', case when v.dependency_release = 'merged' then private.awaited_heads(auth.uid(), p_job.product_id) end,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', v.run,
    'task', v.task,
    'story', v.story,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then private.idea_payload(p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end
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
  return (
    select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q where q.job_id = p_job_id
      and (q.reader_id is null or q.reader_id = auth.uid()));
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_reasons jsonb := '[]';
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
  v_worker record;
  v_pbi record;
begin
  if not private.may_read_talk(p_job) then
    p_job.failure_reason := null;
  end if;
  if p_job.status in ('DONE', 'SKIPPED', 'CANCELLED', 'FAILED') then
    return jsonb_build_array(jsonb_build_object(
      'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
        then 'budget' else 'finished' end,
      'message', format('The job is %s%s', lower(p_job.status::text), coalesce(': ' || p_job.failure_reason, '.')),
      'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        to_char(p_job.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), p_job.attempt,
        case when p_job.lease_until <= v_now then '; the lease has run out and the job is taken back within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;

  if p_job.phase = 'review' then
    return jsonb_build_array(jsonb_build_object('code', 'review',
      'message', 'The work is done and waits for a person to review it.', 'task_id', p_job.task_id));
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.status = 'PAUSED' then
    v_reasons := v_reasons || jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can go on.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id);
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
  if v_question.status = 'OPEN' and not (v_question.on_expiry = 'RECOMMENDED' and v_question.expires_at <= v_now) then
    v_reasons := v_reasons || jsonb_build_object('code', 'question',
      'message', case
        when v_question.expires_at <= v_now then 'The question that it waits for was not answered in time'
        when v_question.kind = 'permission' then format('It waits for a permission that only %s can give', private.username(v_question.reader_id))
        else 'It waits for the answer to a question' end
        || case when private.may_read_talk(p_job) and (v_question.reader_id is null or v_question.reader_id = auth.uid())
          then ': ' || left(v_question.question, 300) else '.' end,
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at);
  end if;
  if p_job.not_before > v_now then
    v_reasons := v_reasons || jsonb_build_object('code', 'not_before',
      'message', format('A rate limit holds it back until %s.', to_char(p_job.not_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      'not_before', p_job.not_before);
  end if;
  if p_job.open_blockers > 0 then
    v_reasons := v_reasons || private.job_dependency_reasons(p_job);
  end if;
  v_reasons := v_reasons || private.budget_reasons(p_job);
  if not p_job.in_turn then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.position limit 1;
    v_reasons := v_reasons || jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id);
  end if;
  select b.id, b.code into v_pbi
  from public.tasks t join public.stories s on s.id = t.story_id join public.pbis b on b.id = s.pbi_id
  where t.id = p_job.task_id and b.status = 'BLOCKED';
  if found then
    v_reasons := v_reasons || jsonb_build_object('code', 'blocked', 'blocking', false,
      'message', format('PBI %s was blocked after the run began; the job is still given out.', v_pbi.code), 'pbi_id', v_pbi.id);
  end if;
  if exists (select from public.products p where p.id = p_job.product_id and p.archived_at is not null) then
    v_reasons := v_reasons || jsonb_build_object('code', 'archived', 'message', 'The product is archived.');
  end if;
  v_reasons := v_reasons || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    v_reasons := jsonb_build_array(jsonb_build_object('code', 'ready', 'message', 'Ready: the next free worker takes it.'));
  end if;
  return v_reasons;
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_questions(p_product_id uuid, p_state text, p_job_id uuid, p_limit integer, p_cursor uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state, array['OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED']);
  v_questions jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.question_json(q) order by q.created_at desc, q.id desc), '[]'), count(*),
    (array_agg(q.id order by q.created_at, q.id))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.agent_questions x
    where x.product_id in (select m.product_id from public.product_members m where m.user_id = auth.uid())
      and (x.reader_id is null or x.reader_id = auth.uid())
      and (x.status <> 'OPEN' or x.expires_at <= v_now or x.product_id in (select private.writable_product_ids()))
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_job_id is null or x.job_id = p_job_id)
      and (v_state is null or v_state = case when x.status = 'OPEN' and x.expires_at <= v_now then 'EXPIRED' else x.status::text end)
      and (p_cursor is null or (x.created_at, x.id) < (select c.created_at, c.id from public.agent_questions c where c.id = p_cursor))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) q;
  return json_build_object('questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_question(p_question_id uuid)
 RETURNS public.agent_questions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_question_id;
  if not found then
    perform private.refuse(404, 'No such question.');
  end if;
  perform private.require_question_reader(v_question);
  perform private.lock_product(v_question.product_id);
  perform private.require_product_write(v_question.product_id);
  select q.* into v_question from public.agent_questions q where q.id = p_question_id for update;
  if not found then
    perform private.refuse(404, 'No such question.');
  end if;
  return v_question;
end;
$function$;

CREATE OR REPLACE FUNCTION private.question_json(p_question public.agent_questions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_status public.agent_question_status := private.question_status(p_question);
begin
  return to_jsonb(p_question) || jsonb_build_object(
    'status', lower(v_status::text),
    'product_code', (select p.code from public.products p where p.id = p_question.product_id),
    'product_name', (select p.name from public.products p where p.id = p_question.product_id),
    'story_code', (select s.code from public.stories s where s.id = p_question.story_id),
    'story_title', (select s.title from public.stories s where s.id = p_question.story_id),
    'task_code', (select t.code from public.tasks t where t.id = p_question.task_id),
    'idea_code', (select i.code from public.ideas i where i.id = p_question.idea_id),
    'asked_by_name', private.username(p_question.asked_by),
    'assignee_name', private.username(p_question.assignee_id),
    'reader_name', private.username(p_question.reader_id),
    'answered_by_name', private.username(p_question.answered_by),
    'effective_answer', case
      when v_status = 'ANSWERED' then p_question.answer
      when v_status = 'EXPIRED' and p_question.on_expiry = 'RECOMMENDED'
        then p_question.options -> p_question.recommended_option ->> 'label'
    end,
    'taken_by_policy', v_status = 'EXPIRED' and p_question.on_expiry = 'RECOMMENDED'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.queue_notices(p_kind text, p_product_id uuid, p_only_user uuid, p_to_people boolean, p_title text, p_body text, p_path text, p_data jsonb, p_reader_id uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_payload jsonb := jsonb_build_object('event', p_kind, 'product_id', p_product_id,
    'title', left(p_title, 200), 'body', left(p_body, 500), 'path', p_path, 'data', p_data, 'occurred_at', private.now());
begin
  if p_to_people then
    insert into public.notices (kind, product_id, user_id, payload, next_attempt_at)
    select p_kind, p_product_id, m.user_id, v_payload, private.now()
    from public.product_members m
    where m.product_id = p_product_id and m.user_id = coalesce(p_reader_id, p_only_user, m.user_id)
      and exists (select from public.push_subscriptions s where s.user_id = m.user_id and s.disabled_at is null);
  end if;
  insert into public.notices (kind, product_id, webhook_id, payload, next_attempt_at)
  select p_kind, p_product_id, w.id, v_payload, private.now()
  from public.webhooks w
  where w.product_id = p_product_id and w.active and w.events ? p_kind and (p_reader_id is null or w.created_by = p_reader_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_question_reader(p_question public.agent_questions)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_question.product_id);
  if p_question.reader_id is null or p_question.reader_id = auth.uid() then
    return;
  end if;
  if p_question.idea_id is not null then
    perform private.refuse(404, 'No such question.');
  end if;
  perform private.refuse(403, format('Only %s can answer this: an agent asks what it may do on their machine.',
    coalesce(private.username(p_question.reader_id), 'the user of the worker')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_blockers(p_sprint public.sprints, p_product public.products)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return (
    with scope as materialized (select * from private.sprint_scope(p_sprint.id))
    select coalesce(jsonb_agg(jsonb_build_object('type', b.type, 'message', b.message,
      'task_id', b.task_id, 'task_code', b.task_code, 'story_id', b.story_id, 'story_code', b.story_code,
      'pbi_id', b.pbi_id, 'pbi_code', b.pbi_code, 'question_id', b.question_id, 'sprint_run_id', b.run_id)
      order by b.rank, b.place), '[]')
    from (
      select 1 as rank, 0 as place, 'sprint_not_active' as type,
        format('Sprint %s is %s. Start the sprint first.', p_sprint.code, lower(p_sprint.status::text)) as message,
        null::uuid as task_id, null as task_code, null::uuid as story_id, null as story_code,
        null::uuid as pbi_id, null as pbi_code, null::uuid as question_id, null::uuid as run_id
      where p_sprint.status <> 'ACTIVE'
      union all
      select 2, 0, 'no_tasks', format('Sprint %s has no task that is not done.', p_sprint.code),
        null, null, null, null, null, null, null, null
      where not exists (select from scope)
      union all
      select 3, 0, 'run_unfinished',
        format('A run of sprint %s is %s. Wait for it, resume it or cancel it.', p_sprint.code, lower(r.status::text)),
        null, null, null, null, null, null, null, r.id
      from public.sprint_runs r
      where r.sprint_id = p_sprint.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      union all
      select 4, sc.place, 'task_no_plan', format('Task %s has no implementation plan.', sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      -- Each by its key: how long the list is cannot be foreseen, and a plan for many would read all tasks of all products.
      cross join lateral (select k.implementation_plan from public.tasks k where k.id = sc.task_id offset 0) t
      where coalesce(t.implementation_plan, '') !~ '\S'
      union all
      select 5, row_number() over (order by q.created_at, q.id)::integer, 'open_question',
        case when q.reader_id is null or q.reader_id = auth.uid() then format('Story %s has an open question: %s', s.code, left(q.question, 200))
          else format('Story %s waits for a permission that only %s can give.', s.code, private.username(q.reader_id)) end,
        q.task_id, t.code, s.id, s.code, s.pbi_id, null, q.id, null
      from public.stories s
      join public.agent_questions q on q.story_id = s.id
      left join public.tasks t on t.id = q.task_id
      where s.sprint_id = p_sprint.id and s.status <> 'DONE' and q.status = 'OPEN' and q.expires_at > v_now
      union all
      select distinct on (b.id) case b.status when 'BLOCKED' then 6 else 7 end, 0,
        case b.status when 'BLOCKED' then 'pbi_blocked' else 'pbi_failed' end,
        format('PBI %s is %s.', b.code, lower(b.status::text)),
        null::uuid, null, s.id, s.code, b.id, b.code, null::uuid, null::uuid
      from public.stories s
      cross join lateral (select k.id, k.code, k.status from public.pbis k where k.id = s.pbi_id offset 0) b
      where s.sprint_id = p_sprint.id and s.status <> 'DONE' and b.status in ('BLOCKED', 'FAILED')
      union all
      select 8, sc.place, 'task_cross_repo',
        format('Task %s belongs to %s, and a batch run works in the product''s repository only.', sc.task_code, t.repo_url),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.repo_url from public.tasks k where k.id = sc.task_id offset 0) t
      where p_product.pr_strategy = 'SPRINT_BATCH'
        and btrim(coalesce(t.repo_url, '')) not in ('', btrim(p_product.repo_url))
    ) b
  ) || private.dependency_blockers(p_sprint.id) || private.deadlock_blockers(p_sprint.id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_json(p_run public.sprint_runs, p_with_jobs boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_totals jsonb;
  v_run jsonb;
  v_costs jsonb := private.costs_of(p_run.product_id, p_run.id);
begin
  select jsonb_build_object(
    'jobs_total', count(*),
    'counts', jsonb_build_object(
      'queued', count(*) filter (where j.status = 'QUEUED'),
      'claimed', count(*) filter (where j.status = 'CLAIMED'),
      'running', count(*) filter (where j.status = 'RUNNING'),
      'done', count(*) filter (where j.status = 'DONE'),
      'failed', count(*) filter (where j.status = 'FAILED'),
      'cancelled', count(*) filter (where j.status = 'CANCELLED'),
      'skipped', count(*) filter (where j.status = 'SKIPPED')),
    'input_tokens', sum(j.input_tokens),
    'output_tokens', sum(j.output_tokens),
    'cache_read_tokens', sum(j.cache_read_tokens),
    'cache_write_tokens', sum(j.cache_write_tokens),
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end)
  into v_totals
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id;

  v_run := to_jsonb(p_run) || v_totals || jsonb_build_object(
    'status', lower(p_run.status::text),
    'sprint_code', (select s.code from public.sprints s where s.id = p_run.sprint_id),
    'started_by_name', private.username(p_run.started_by));
  if not p_with_jobs then
    return v_run;
  end if;

  return v_run || jsonb_build_object(
    'jobs', (
      select coalesce(jsonb_agg(private.job_json(j) order by j.position, j.id), '[]')
      from public.agent_jobs j where j.sprint_run_id = p_run.id),
    'executions', (
      select coalesce(jsonb_agg(private.execution_json(e) order by e.position), '[]')
      from public.task_executions e where e.sprint_run_id = p_run.id),
    'overlaps', private.run_overlaps(p_run),
    'pause_question', (
      select private.question_json(q) from public.agent_questions q where q.id = p_run.pause_question_id
        and (q.reader_id is null or q.reader_id = auth.uid())));
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_questions__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_event jsonb := private.change_event(tg_op, 'question', to_jsonb(old), to_jsonb(new));
  v_row public.agent_questions := coalesce(new, old);
  v_status text;
begin
  if v_event is null then
    return null;
  end if;

  v_status := lower(v_row.status::text);
  if tg_op = 'DELETE' then
    if old.status <> 'OPEN' then
      return null;
    end if;
    v_status := 'cancelled';
    v_event := v_event || '{"op": "U"}';
  end if;

  v_event := v_event || jsonb_build_object(
    'story_id', v_row.story_id,
    'idea_id', v_row.idea_id,
    'task_id', v_row.task_id,
    'assignee_id', v_row.assignee_id,
    'status', v_status
  );
  if v_row.reader_id is null then
    perform private.emit_to_members(v_row.product_id, v_event);
  elsif exists (select from public.product_members m where m.product_id = v_row.product_id and m.user_id = v_row.reader_id) then
    perform private.emit('user:' || v_row.reader_id, v_event);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_questions__notices()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_subject text := coalesce((select t.code from public.tasks t where t.id = new.task_id),
    (select s.code from public.stories s where s.id = new.story_id),
    (select i.code from public.ideas i where i.id = new.idea_id));
begin
  if tg_op = 'INSERT' then
    perform private.queue_notices('question_opened', new.product_id, new.assignee_id, true,
      format(case new.kind when 'permission' then 'An agent asks your permission: %s' else 'A question about %s' end, v_subject), new.question, '/questions?question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'ANSWERED' then
    perform private.queue_notices('question_answered', new.product_id, null, false,
      format('Answered: %s', v_subject), new.answer, '/questions?question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'EXPIRED' then
    perform private.queue_notices('question_expired', new.product_id, coalesce(new.escalate_to, new.assignee_id), true,
      format('Nobody answered in time: %s', v_subject), new.question, '/questions?question=' || new.id, private.question_json(new), new.reader_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.ask_question(p_question text, p_story_id uuid DEFAULT NULL::uuid, p_idea_id uuid DEFAULT NULL::uuid, p_task_id uuid DEFAULT NULL::uuid, p_options jsonb DEFAULT NULL::jsonb, p_recommended_option integer DEFAULT NULL::integer, p_assignee_id uuid DEFAULT NULL::uuid, p_expires_in_seconds integer DEFAULT NULL::integer, p_on_expiry text DEFAULT NULL::text, p_escalate_to uuid DEFAULT NULL::uuid, p_park boolean DEFAULT false, p_job_id uuid DEFAULT NULL::uuid, p_attempt integer DEFAULT NULL::integer, p_kind text DEFAULT NULL::text, p_reach text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.ask_question(p_question, p_story_id, p_idea_id, p_task_id, p_options, p_recommended_option, p_assignee_id,
    p_expires_in_seconds, p_on_expiry, p_escalate_to, p_park, p_job_id, p_attempt, p_kind, p_reach);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_dashboard()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(
    select p.id from public.products p
    where p.archived_at is null and p.id in (select private.accessible_product_ids()));
  v_today timestamptz := date_trunc('day', private.now() at time zone 'UTC') at time zone 'UTC';
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(x) order by lower(x.name), x.id), '[]')
      from (
        select p.id, p.code, p.name, p.description, p.owner_id = auth.uid() as is_owner,
          (select count(*) from public.stories s where s.product_id = p.id and s.status = 'OPEN') as open_stories,
          (
            select row_to_json(a)
            from (
              select s.id, s.code, s.sprint_goal, s.end_date,
                (
                  select coalesce(json_agg(t.status order by st.sort_order, st.created_at, st.id, t.sort_order, t.created_at, t.id), '[]')
                  from public.tasks t join public.stories st on st.id = t.story_id
                  where st.sprint_id = s.id) as task_statuses
              from public.sprints s where s.product_id = p.id and s.status = 'ACTIVE'
            ) a
          ) as active_sprint,
          (
            select row_to_json(r)
            from (
              select r.id, lower(r.status::text) as status, r.started_at, r.created_at,
                (
                  select coalesce(json_agg(j.status order by j.position, j.id), '[]')
                  from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
              from public.sprint_runs r
              where r.product_id = p.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
              order by r.created_at desc
              limit 1
            ) r
          ) as run
        from public.products p
        where p.id = any (v_products)
      ) x),
    'added_to', (
      select coalesce(json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name,
        'owner_username', private.username(p.owner_id)) order by m.created_at, p.id), '[]')
      from public.product_members m
      join public.products p on p.id = m.product_id
      where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and p.id = any (v_products)),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at), '[]')
      from (
        select q.* from public.agent_questions q
        where q.status = 'OPEN' and q.expires_at > private.now() and q.product_id = any (v_products)
          and (q.reader_id is null or q.reader_id = auth.uid())
        order by q.created_at
        limit 5
      ) q),
    'reviews', (
      select coalesce(json_agg(row_to_json(t) order by t.changed_at desc), '[]')
      from (
        select t.id, t.code, t.title, p.name as product_name, t.updated_at as changed_at
        from public.tasks_in_review w
        join public.tasks t on t.id = w.task_id
        join public.products p on p.id = w.product_id
        where w.product_id = any (v_products)
        order by t.updated_at desc
        limit 5
      ) t),
    'costs_today', (
      select coalesce(json_agg(json_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
      from (
        select e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = any (v_products) and e.created_at >= v_today and e.cost is not null
        group by e.currency
      ) s),
    'done_today', (
      select count(distinct c.task_id) from public.task_status_changes c
      where c.product_id = any (v_products) and c.changed_at >= v_today and c.to_status = 'DONE'
        -- Null is what an import brought as done already.
        and c.from_status <> 'DONE'),
    'workers_online', private.workers_online(v_products)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_solo_board(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_sprint uuid;
begin
  perform private.require_product_access(p_product_id);
  select s.id into v_sprint from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE';

  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = v_sprint),
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
        from public.stories s
        where s.sprint_id = v_sprint and (s.assignee_id is null or s.assignee_id = auth.uid())
      ) x),
    'tasks', private.board_tasks(v_sprint),
    'workers_online', private.workers_online(array[p_product_id])
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_sprint_board(p_sprint_id uuid)
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
    v_preflight := private.preflight_sprint_run(p_sprint_id);
    if (v_preflight ->> 'ready')::boolean then
      v_forecast := private.get_forecast(v_product, p_sprint_id);
    end if;
  end if;
  return json_build_object(
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
          r.failure,
          (
            select coalesce(json_agg(j.status order by j.position, j.id), '[]')
            from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
        from public.sprint_runs r
        where r.sprint_id = p_sprint_id
        order by r.created_at desc
        limit 1
      ) r),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product),
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
    'budgets', public.get_budgets(v_product, null, p_sprint_id),
    'preflight', v_preflight,
    'forecast', v_forecast,
    'burndown', private.get_sprint_burndown(p_sprint_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_story_page(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  perform private.require_access('story', p_story_id);
  select s.* into v_story from public.stories s where s.id = p_story_id;

  return json_build_object(
    'story', (select row_to_json(s) from private.story_shape s where s.id = p_story_id),
    'assignee_name', private.username(v_story.assignee_id),
    'dependencies', public.list_dependencies('story', p_story_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_story.product_id),
    'pbi', (
      select json_build_object('id', b.id, 'code', b.code, 'title', b.title)
      from public.pbis b where b.id = v_story.pbi_id),
    'sprint', (
      select json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
      from public.sprints s where s.id = v_story.sprint_id),
    'sprints', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
        order by s.created_at desc), '[]')
      from public.sprints s where s.product_id = v_story.product_id and s.status in ('PLANNED', 'ACTIVE')),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order), '[]')
      from public.pbis b where b.product_id = v_story.product_id),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_story.product_id),
    'tasks', (
      select coalesce(json_agg(row_to_json(t) order by t.sort_order, t.created_at, t.id), '[]')
      from (
        select x.*, (
          select json_build_object('job_id', j.id, 'additions', j.additions, 'deletions', j.deletions)
          from public.agent_jobs j
          where j.task_id = x.id and j.kind = 'TASK_IMPLEMENTATION' and j.additions is not null
          order by j.created_at desc limit 1
        ) as changes
        from private.task_shape x where x.story_id = p_story_id
      ) t),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.story_id = p_story_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'logs', (
      select coalesce(json_agg(row_to_json(l) order by l.created_at desc, l.id), '[]')
      from (
        select * from private.story_log_shape l
        where l.story_id = p_story_id
        order by l.created_at desc
        limit 100
      ) l)
  );
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
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
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
    'waits_for', (
      select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = p_task_id and not b.resolved),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.task_id = p_task_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'history', (
      select coalesce(json_agg(row_to_json(c) order by c.changed_at desc, c.id desc), '[]')
      from (
        select c.id, lower(c.to_status::text) as to_status, c.changed_at
        from public.task_status_changes c
        where c.task_id = p_task_id and c.from_status is distinct from c.to_status
        order by c.changed_at desc, c.id desc
        limit 20
      ) c)
  );
end;
$function$;

ALTER TABLE "public"."agent_questions" ADD CONSTRAINT "agent_questions_reach_length" CHECK ((char_length(reach) <= 260));

ALTER TABLE "public"."agent_questions" ADD CONSTRAINT "agent_questions_reach" CHECK (((reach IS NULL) OR (kind = 'permission'::public.question_kind)));

ALTER TABLE "public"."agent_questions" ADD CONSTRAINT "agent_questions_reader_id_fkey" FOREIGN KEY (reader_id) REFERENCES public.users(id) ON DELETE CASCADE;

-- Nothing that waits has changed: nobody is told.
alter table public.agent_questions disable trigger user;
update public.agent_questions q set reader_id = i.user_id from public.ideas i where i.id = q.idea_id;
-- Copies that are on their way to other devices and systems stay here.
delete from public.notices n
using public.agent_questions q
where q.reader_id is not null and n.payload -> 'data' ->> 'id' = q.id::text and n.kind in ('question_opened', 'question_answered', 'question_expired')
  and n.user_id is distinct from q.reader_id;
alter table public.agent_questions enable trigger user;

ALTER TABLE "public"."agent_questions" ADD CONSTRAINT "agent_questions_reader" CHECK (((reader_id IS NOT NULL) OR ((kind = 'question'::public.question_kind) AND (idea_id IS NULL))));

CREATE INDEX agent_questions_reader_id_idx ON public.agent_questions USING btree (reader_id) WHERE (reader_id IS NOT NULL);

CREATE POLICY "agent_questions_select" ON "public"."agent_questions" FOR SELECT TO "authenticated" USING (((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)) AND ((reader_id IS NULL) OR (reader_id = ( SELECT auth.uid() AS uid)))));

COMMENT ON COLUMN "public"."agent_questions"."reach" IS 'The host, with its port, that a permission asks for.';

COMMENT ON COLUMN "public"."agent_questions"."reader_id" IS 'The only person who may read and answer it; null: every member of the product.';

COMMENT ON FUNCTION "private"."check_private_question"(public.question_kind, uuid, uuid, uuid, text, text) IS 'Refuses what a question for one person cannot be (specification: Agent question).';

COMMENT ON FUNCTION "private"."is_host"(text) IS 'Whether a text names a host, or a host and a port (specification: Product).';

COMMENT ON FUNCTION "private"."queue_notices"(text, uuid, uuid, boolean, text, text, text, jsonb, uuid) IS 'Puts notices of a change into the outbox.';

COMMENT ON FUNCTION "private"."require_question_reader"(public.agent_questions) IS 'PT404 and PT403 for a question that is not for the caller (specification: Agent question).';

COMMENT ON FUNCTION "private"."tg_agent_questions__emit"() IS 'Announces agent questions on user:<id> of everybody who may read them (specification: Notifications stream).';

COMMENT ON FUNCTION "public"."ask_question"(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid, boolean, uuid, integer, text, text) IS '(none) to open: an agent asks a user (specification: Agent question).';

COMMENT ON TYPE "public"."question_kind" IS 'What is asked for: knowledge, or that an agent may do something on somebody''s machine.';

REVOKE ALL ON FUNCTION "private"."ask_question"(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid, boolean, uuid, integer, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ask_question"(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid, boolean, uuid, integer, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."check_private_question"(public.question_kind, uuid, uuid, uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."check_private_question"(public.question_kind, uuid, uuid, uuid, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_host"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_host"(text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."queue_notices"(text, uuid, uuid, boolean, text, text, text, jsonb, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."queue_notices"(text, uuid, uuid, boolean, text, text, text, jsonb, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_question_reader"(public.agent_questions) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_question_reader"(public.agent_questions) TO "postgres";

REVOKE ALL ON FUNCTION "public"."ask_question"(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid, boolean, uuid, integer, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."ask_question"(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid, boolean, uuid, integer, text, text) TO "authenticated", "postgres";

GRANT USAGE ON TYPE "public"."question_kind" TO "postgres";
