-- Why: say here what this brings, and to whom.
set local check_function_bodies = off;

DROP VIEW "private"."product_detail_shape";

DROP FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb);

DROP FUNCTION "operations"."start_sprint_run"(uuid, jsonb);

DROP FUNCTION "operations"."update_task_execution"(uuid, integer, uuid, text, text, text, text);

DROP FUNCTION "private"."create_run"(public.sprints, public.products, public.sprint_runs);

DROP FUNCTION "private"."deadlock_blockers"(uuid);

DROP FUNCTION "private"."dependency_blockers"(uuid);

DROP FUNCTION "private"."run_blockers"(public.sprints, public.products);

DROP FUNCTION "private"."run_scope"(uuid);

DROP FUNCTION "private"."sprint_scope"(uuid);

ALTER TABLE "public"."sprint_runs" ADD COLUMN "plan_first" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."sprint_runs" ALTER COLUMN "sprint_id" DROP NOT NULL;

CREATE TYPE "public"."plan_first" AS ENUM ('ask', 'auto', 'never');

ALTER TABLE "public"."products" ADD COLUMN "plan_first" public.plan_first NOT NULL DEFAULT 'ask'::public.plan_first;

ALTER TYPE "private"."job_report" ADD ATTRIBUTE "implementation_plan" text CASCADE;

CREATE OR REPLACE FUNCTION operations.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb, p_plan_first text DEFAULT 'ask'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach, plan_first)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first);
  return operations.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.export_product(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'format', 'backloom-export', 'version', 1, 'exported_at', private.export_time(private.now()),
      'product', json_build_object(
        'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
        'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pr_strategy', p.pr_strategy,
        'done_requires', p.done_requires, 'dependency_release', p.dependency_release, 'plan_first', p.plan_first,
        'requires_sandbox', p.requires_sandbox, 'may_reach', p.may_reach,
        'archived_at', private.export_time(p.archived_at), 'created_at', private.export_time(p.created_at)),
      'members', (
        select coalesce(json_agg(json_build_object('username', u.username, 'role', m.role) order by u.username), '[]')
        from public.product_members m
        join public.users u on u.id = m.user_id
        where m.product_id = p.id),
      'sprints', (
        select coalesce(json_agg(json_build_object(
          'code', s.code, 'sprint_goal', s.sprint_goal, 'status', s.status,
          'start_date', s.start_date, 'end_date', s.end_date,
          'started_at', private.export_time(s.started_at), 'completed_at', private.export_time(s.completed_at),
          'created_at', private.export_time(s.created_at)
        ) order by private.sort_order_from_code(s.code)), '[]')
        from public.sprints s
        where s.product_id = p.id),
      'pbis', (
        select coalesce(json_agg(json_build_object(
          'code', b.code, 'title', b.title, 'description', b.description, 'priority', b.priority,
          'sort_order', b.sort_order, 'status', b.status, 'pr_url', b.pr_url,
          'pr_merged_at', private.export_time(b.pr_merged_at), 'created_at', private.export_time(b.created_at),
          'stories', private.export_stories(b.id)
        ) order by b.priority, b.sort_order, b.created_at, b.code), '[]')
        from public.pbis b
        where b.product_id = p.id),
      'labels', (
        select coalesce(json_agg(json_build_object('name', l.name, 'color', l.color) order by lower(l.name)), '[]')
        from public.labels l
        where l.product_id = p.id),
      'ideas', private.export_ideas(p.id),
      'views', (
        select coalesce(json_agg(json_build_object('page', v.page, 'name', v.name, 'look', v.look) order by v.page, lower(v.name)), '[]')
        from public.saved_views v
        where v.product_id = p.id and v.user_id is null),
      'counters', (
        select coalesce(json_object_agg(c.kind, c.last_number order by c.kind), '{}')
        from public.code_counters c
        where c.scope_id = p.id)
    )
    from public.products p
    where p.id = p_product_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_forecast(p_product_id uuid, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_tasks integer := 1;
  v_seconds numeric[];
  v_tokens numeric[];
  v_costs jsonb;
begin
  perform private.require_product_access(p_product_id);
  if p_sprint_id is not null then
    if not exists (select from public.sprints s where s.id = p_sprint_id and s.product_id = p_product_id) then
      perform private.refuse(404, 'No such sprint.');
    end if;
    v_tasks := cardinality(private.sprint_task_ids(p_sprint_id));
  end if;
  select array_agg(f.seconds), array_agg(f.tokens) filter (where f.tokens > 0) into v_seconds, v_tokens
  from private.finished_tasks(p_product_id) f;
  select coalesce(jsonb_agg(private.spread_of(x.used, v_tasks) || jsonb_build_object('currency', x.currency) order by x.currency)
    filter (where cardinality(x.used) >= 5 and v_tasks > 0), '[]')
  into v_costs
  from (
    select c.currency, array_agg(c.used) as used
    from (
      select k.currency, f.job_id, sum(k.cost) as used
      from private.finished_tasks(p_product_id) f
      join private.known_usage k on k.job_id = f.job_id and k.cost is not null
      group by k.currency, f.job_id
    ) c
    group by c.currency
  ) x;
  return json_build_object('product_id', p_product_id, 'sprint_id', p_sprint_id, 'tasks', v_tasks,
    'finished', coalesce(cardinality(v_seconds), 0), 'too_few', coalesce(cardinality(v_seconds), 0) < 5,
    'seconds', private.spread_of(v_seconds, v_tasks), 'tokens', private.spread_of(v_tokens, v_tasks), 'costs', v_costs)::jsonb
    || private.estimates_of(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_product(p_owner_id uuid, p_document jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_product jsonb := p_document -> 'product';
  v_product_id uuid;
  v_pbis jsonb;
begin
  insert into public.products
    (owner_id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires, dependency_release, plan_first,
      requires_sandbox, may_reach, created_at)
  values (
    p_owner_id, v_product ->> 'code', v_product ->> 'name', v_product ->> 'description', v_product ->> 'repo_url',
    v_product ->> 'definition_of_done', (v_product ->> 'auto_pr')::boolean,
    (v_product ->> 'pr_strategy')::public.pr_strategy, (v_product ->> 'done_requires')::public.done_requires,
    coalesce(v_product ->> 'dependency_release', 'done')::public.dependency_release,
    coalesce(v_product ->> 'plan_first', 'ask')::public.plan_first,
    coalesce((v_product ->> 'requires_sandbox')::boolean, false), coalesce(v_product -> 'may_reach', '[]'),
    coalesce((v_product ->> 'created_at')::timestamptz, private.now()))
  returning id into v_product_id;

  perform private.lock_product(v_product_id);

  insert into public.product_members (product_id, user_id)
  select distinct v_product_id, u.id
  from jsonb_array_elements(p_document -> 'members') m
  join public.users u on lower(u.username) = lower(m ->> 'username')
  where u.id <> p_owner_id;

  insert into public.code_counters (scope_id, kind, last_number)
  select v_product_id, c.key, c.value::bigint
  from jsonb_each_text(p_document -> 'counters') c
  where c.key in ('pbi', 'story', 'task', 'sprint');

  insert into public.labels (product_id, name, color)
  select v_product_id, l ->> 'name', lower(l ->> 'color')
  from jsonb_array_elements(p_document -> 'labels') l
  on conflict do nothing;

  insert into public.saved_views (product_id, created_by, page, name, look)
  select v_product_id, p_owner_id, v ->> 'page', v ->> 'name', v -> 'look'
  from jsonb_array_elements(p_document -> 'views') v
  on conflict do nothing;

  insert into public.sprints
    (product_id, code, sprint_goal, status, start_date, end_date, started_at, completed_at, created_at)
  select v_product_id, s ->> 'code', s ->> 'sprint_goal', (s ->> 'status')::public.sprint_status,
    (s ->> 'start_date')::date, (s ->> 'end_date')::date, (s ->> 'started_at')::timestamptz,
    (s ->> 'completed_at')::timestamptz, coalesce((s ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_document -> 'sprints') s;

  select jsonb_agg(e.pbi || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_pbis
  from jsonb_array_elements(p_document -> 'pbis') with ordinality e (pbi, place);

  insert into public.pbis
    (id, product_id, code, title, description, priority, sort_order, status, pr_url, pr_merged_at, created_at)
  select (e.pbi ->> 'id')::uuid, v_product_id, e.pbi ->> 'code', e.pbi ->> 'title', e.pbi ->> 'description',
    (e.pbi ->> 'priority')::integer, (e.pbi ->> 'sort_order')::double precision,
    (e.pbi ->> 'status')::public.pbi_status, e.pbi ->> 'pr_url', (e.pbi ->> 'pr_merged_at')::timestamptz,
    coalesce((e.pbi ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_pbis) with ordinality e (pbi, place)
  order by e.place;

  return json_build_object(
    'id', v_product_id,
    'code', v_product ->> 'code',
    'pbi_codes', (
      select coalesce(json_agg(b.code order by e.place), '[]')
      from jsonb_array_elements(v_pbis) with ordinality e (pbi, place)
      join public.pbis b on b.id = (e.pbi ->> 'id')::uuid),
    'unknown_users', (
      select coalesce(json_agg(distinct m ->> 'username'), '[]')
      from jsonb_array_elements(p_document -> 'members') m
      where not exists (select from public.users u where lower(u.username) = lower(m ->> 'username'))));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.preflight_sprint_run(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_task_ids uuid[] := private.sprint_task_ids(p_sprint_id);
  v_tasks integer := cardinality(v_task_ids);
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_sprint.product_id;
  v_blockers := private.run_blockers(v_sprint, v_product, v_task_ids,
    array(select s.id from public.stories s where s.sprint_id = p_sprint_id), private.plans_first(v_product, null), false);
  return json_build_object(
    'sprint_id', p_sprint_id,
    'sprint_code', v_sprint.code,
    'pr_strategy', v_product.pr_strategy,
    'plan_first', v_product.plan_first,
    'ready', v_blockers = '[]',
    'tasks_total', v_tasks,
    'jobs_total', case when v_product.pr_strategy = 'SPRINT_BATCH' then least(1, v_tasks) else v_tasks end,
    'blockers', v_blockers,
    'begins_from', private.run_begins_from(p_sprint_id, v_product.pr_strategy),
    'warnings', private.budget_warnings(v_sprint));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
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
  v_status text := private.require_choice('status', v_report.status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED', 'QUEUED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED') and v_report.implementation_plan is null);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
  v_phase public.job_phase;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped, queued.');
  end if;
  if v_status = 'QUEUED' and v_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'Only a batch with blocked tasks can be given back. Report done, failed or skipped.');
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
  if v_report.implementation_plan is not null then
    perform private.keep_plan(v_job, v_job.task_id, v_report.implementation_plan);
  end if;
  if v_report.evidence is not null then
    perform private.record_evidence(v_job, v_report.evidence);
  end if;
  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'QUEUED' then 'QUEUED'
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

CREATE OR REPLACE FUNCTION operations.resume_sprint(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_previous public.sprint_runs;
  v_other text;
  v_task_ids uuid[];
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product can have only one active sprint.', v_other));
  end if;

  -- Stories and PBIs follow their tasks out of failed. Taken back alone, that would fail the run that starts here.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;
  perform set_config('backloom.undoing', '', true);

  v_task_ids := private.sprint_task_ids(p_sprint_id);
  if v_task_ids = '{}' then
    return null;
  end if;

  select p.* into v_product from public.products p where p.id = v_product_id;
  select * into v_scope from private.settle_scope(v_sprint, v_product, v_task_ids, null, false, false);

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous, v_scope.task_ids, v_scope.plan_first);
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.start_over(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := lower(private.require_choice('kind', p_kind, array['STORY', 'SPRINT']));
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_story_ids uuid[];
  v_left jsonb;
  v_busy text;
begin
  if private.is_token() then
    perform private.refuse(403, 'Only a person can discard work: sign in to start over from main.');
  end if;
  v_story_ids := case v_kind when 'story' then array[p_id]
    else array(select s.id from public.stories s where s.sprint_id = p_id) end;
  v_left := private.beginnings(v_story_ids);
  if v_left = '[]' then
    perform private.refuse(409, 'There is nothing to discard: the next run already begins from main.');
  end if;
  v_busy := private.run_with_work(v_story_ids);
  if v_busy is not null then
    perform private.refuse(409, format('The run of %s has work of its own on this branch. Cancel it first, then start over.', v_busy));
  end if;

  insert into public.fresh_starts (product_id, story_id, left_branches, user_id, started_by)
  select v_product_id, (l ->> 'story_id')::uuid, jsonb_agg(jsonb_build_object('branch', l -> 'branch', 'head_sha', l -> 'head_sha')),
    auth.uid(), coalesce(private.username(auth.uid()), 'somebody')
  from jsonb_array_elements(v_left) l
  group by 2;
  perform private.audit(auth.uid(), auth.uid(), 'story.started_over', jsonb_build_object('product_id', v_product_id,
    'stories', (select jsonb_agg(distinct l ->> 'story_code') from jsonb_array_elements(v_left) l), 'left', v_left));
  perform private.emit('product:' || s.product_id, jsonb_build_object('op', 'U', 'entity', 'story', 'id', s.id, 'product_id', s.product_id,
    'changed_fields', jsonb_build_array('begins_from'), 'pbi_id', s.pbi_id, 'sprint_id', s.sprint_id, 'assignee_id', s.assignee_id,
    'story_status', s.status, 'story_title', s.title, 'story_code', s.code, 'story_sort_order', s.sort_order))
  from public.stories s where s.id in (select (l ->> 'story_id')::uuid from jsonb_array_elements(v_left) l);
  return json_build_object('left', v_left);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.start_run(p_task_ids jsonb DEFAULT NULL::jsonb, p_story_id uuid DEFAULT NULL::uuid, p_strategy text DEFAULT NULL::text, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false, p_stop_at jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
  v_product_id uuid;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  if p_story_id is not null then
    v_product_id := private.require_write('story', p_story_id);
  end if;
  if (p_story_id is null) = (p_task_ids is null) then
    perform private.refuse(422, 'Name task_ids or story_id, one of them.');
  end if;
  if p_story_id is null then
    v_task_ids := private.task_ids_of(p_task_ids);
    v_product_id := private.require_write('task', v_task_ids[1]);
    perform private.require_one_product(v_task_ids, v_product_id);
  else
    v_task_ids := array(select t.id from public.tasks t where t.story_id = p_story_id and t.status not in ('DONE', 'REVIEW'));
  end if;
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.pr_strategy := coalesce(private.require_choice('strategy', p_strategy, array['SPRINT', 'STORY', 'SPRINT_BATCH']), 'STORY');

  -- Stories and PBIs follow their tasks out of failed; what is refused below takes this back. Taken back alone, it would fail the run.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  where t.id = any (v_task_ids) and t.status = 'FAILED'
    and t.id not in (select h.task_id from private.held_by_runs(v_product_id, false) h);
  perform set_config('backloom.undoing', '', true);

  select * into v_scope from private.settle_scope(null, v_product, v_task_ids, p_plan_first, p_use_description, p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(null, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  return json_build_object('run', private.run_json(v_run, false), 'left_out', v_scope.left_out);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.start_sprint_run(p_sprint_id uuid, p_stop_at jsonb DEFAULT NULL::jsonb, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_product_id;

  select * into v_scope from private.settle_scope(v_sprint, v_product, private.sprint_task_ids(p_sprint_id), p_plan_first, p_use_description,
    p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  return private.run_json(v_run, false) || case when p_leave_out then jsonb_build_object('left_out', v_scope.left_out) else '{}' end;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_product(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p
  set code = coalesce(p_changes ->> 'code', p.code),
      name = coalesce(p_changes ->> 'name', p.name),
      description = coalesce(p_changes ->> 'description', p.description),
      repo_url = coalesce(p_changes ->> 'repo_url', p.repo_url),
      definition_of_done = coalesce(p_changes ->> 'definition_of_done', p.definition_of_done),
      auto_pr = coalesce((p_changes ->> 'auto_pr')::boolean, p.auto_pr),
      pr_strategy = coalesce((p_changes ->> 'pr_strategy')::public.pr_strategy, p.pr_strategy),
      done_requires = coalesce((p_changes ->> 'done_requires')::public.done_requires, p.done_requires),
      plan_first = coalesce((p_changes ->> 'plan_first')::public.plan_first, p.plan_first),
      requires_sandbox = coalesce((p_changes ->> 'requires_sandbox')::boolean, p.requires_sandbox),
      may_reach = coalesce(p_changes -> 'may_reach', p.may_reach)
  where p.id = p_product_id;
  perform private.set_dependency_release(p_product_id, (p_changes ->> 'dependency_release')::public.dependency_release);
  return operations.get_product(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_task_execution(p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text DEFAULT NULL::text, p_failure_reason text DEFAULT NULL::text, p_head_sha text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status text := private.require_choice('status', p_status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_execution public.task_executions := private.hold_execution(v_job, p_task_id);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next text := v_status;
  v_missing jsonb;
begin
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_execution.verify_result);
  if v_state = 'held' and p_implementation_plan is not null then
    perform private.keep_plan(v_job, p_task_id, p_implementation_plan);
    select e.* into v_execution from public.task_executions e where e.id = v_execution.id;
  end if;
  if v_state in ('held', 'finished') and (v_execution.status::text = v_status
    or (v_execution.status = 'SKIPPED' and v_status = 'DONE' and v_result = 'EMPTY')) then
    return private.execution_json(v_execution);
  end if;
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  if v_execution.status not in ('PENDING', 'RUNNING') then
    perform private.refuse(409, format('This task of the batch is already %s. You still hold the job: continue with the next task.', lower(v_execution.status::text)));
  end if;
  if v_status = 'SKIPPED' and v_result is distinct from 'EMPTY' then
    perform private.refuse(422, 'A task can only be skipped when the verification found that the work is already present (verify_result empty).');
  end if;
  if v_status = 'RUNNING' then
    perform private.refuse_waiting(p_task_id, v_job.sprint_run_id);
  end if;
  if v_status = 'DONE' then
    v_next := private.gate(v_execution.verify_required, v_result, (select t.verify_only from public.tasks t where t.id = p_task_id));
    if v_next is null then
      perform private.refuse_gate(v_execution.verify_required, v_result);
    end if;
    v_missing := case when v_next = 'DONE' then private.proof_gap(p_task_id) end;
    if v_missing is not null then
      perform private.refuse_unproven(v_missing);
    end if;
  end if;

  update public.agent_jobs j
  set lease_until = private.now() + private.lease(), status = 'RUNNING', started_at = coalesce(j.started_at, private.now()),
      failure_reason = case when v_next = 'FAILED' then left(coalesce(p_failure_reason, 'A task of the batch failed.'), 4000) end
  where j.id = p_job_id;
  update public.task_executions e
  set status = v_next::public.task_execution_status,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      head_sha = coalesce(left(p_head_sha, 64), e.head_sha),
      failure_reason = case when v_next = 'FAILED' then left(p_failure_reason, 4000) end
  where e.id = v_execution.id
  returning e.* into v_execution;
  return private.execution_json(v_execution) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.begins_from(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_story_ids uuid[];
  v_repo_url text;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.id is null or p_job.phase = 'verify' or p_job.kind = 'PLAN_CHAT' or not exists (
    select from public.sprint_runs r where r.product_id = v_run.product_id and r.id <> v_run.id)
  then
    return '[]';
  end if;
  v_repo_url := (select coalesce(nullif(t.repo_url, ''), p.repo_url)
    from public.tasks t join public.products p on p.id = t.product_id where t.id = p_job.task_id);
  if exists (
    select from public.agent_jobs j
    join public.tasks t on t.id = j.task_id
    join public.products p on p.id = t.product_id
    where j.sprint_run_id = v_run.id and j.lane_id = p_job.lane_id and j.status = 'DONE' and j.pushed_at is not null
      and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url)
  then
    return '[]';
  end if;
  v_story_ids := case v_run.pr_strategy
    when 'STORY' then array(select t.story_id from public.tasks t where t.id = p_job.task_id)
    else array(
      select s.id from public.stories s where s.sprint_id = v_run.sprint_id
      union
      select t.story_id from private.run_tasks(v_run.id) x join public.tasks t on t.id = x.task_id where v_run.sprint_id is null) end;
  return (
    select coalesce(json_agg(json_build_object('story_id', h.story_id, 'story_code', h.story_code, 'task_id', h.task_id,
      'task_code', h.task_code, 'job_id', h.job_id, 'judged', h.judged, 'branch', h.branch, 'base_sha', h.base_sha, 'head_sha', h.head_sha)
      order by h.finished_at, h.story_code, h.task_code), '[]')
    from (
      select distinct on (w.head_sha) w.*
      from private.unlanded_work(v_story_ids, v_run.id) w
      where w.repo_url = v_repo_url
      order by w.head_sha, w.task_id = p_job.task_id desc, w.judged desc, w.finished_at
    ) h);
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_name(p_budget public.budgets)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case p_budget.scope
    when 'run' then format('this run of %s', (
      select private.run_subject(r) from public.sprint_runs r where r.id = p_budget.sprint_run_id))
    when 'sprint' then format('sprint %s', (select s.code from public.sprints s where s.id = p_budget.sprint_id))
    when 'task' then format('task %s', (select t.code from public.tasks t where t.id = p_budget.task_id))
    else format('product %s for this %s', (select p.code from public.products p where p.id = p_budget.product_id), p_budget.period)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_run(p_sprint public.sprints, p_product public.products, p_previous public.sprint_runs, p_task_ids uuid[], p_plan_first boolean)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_run public.sprint_runs;
begin
  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, started_by)
  values (p_sprint.id, p_product.id, p_product.pr_strategy, case
      when p_sprint.id is null then private.own_run_branch(p_product, p_task_ids)
      when private.was_started_over(p_sprint.id, p_previous.created_at) then private.run_branch(p_sprint, p_product)
      else coalesce(p_previous.branch, private.run_branch(p_sprint, p_product)) end,
    p_previous.id, p_plan_first, auth.uid())
  returning * into v_run;

  if v_run.pr_strategy = 'SPRINT_BATCH' then
    insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
    select v_run.id, sc.task_id, sc.place, t.implementation_plan, t.verify_required
    from private.run_scope(p_task_ids) sc
    join public.tasks t on t.id = sc.task_id;
    perform private.create_batch_job(v_run);
    return v_run;
  end if;

  insert into public.agent_jobs
    (product_id, task_id, kind, sprint_run_id, lane_id, position, in_turn, branch, created_by, created_at)
  select p_product.id, sc.task_id, 'TASK_IMPLEMENTATION', v_run.id,
    case v_run.pr_strategy when 'STORY' then sc.story_id else v_run.id end,
    sc.place,
    case v_run.pr_strategy when 'STORY' then sc.place = min(sc.place) over (partition by sc.story_id) else sc.place = 1 end,
    coalesce(s.branch, v_run.branch),
    auth.uid(), v_now
  from private.run_scope(p_task_ids) sc
  left join (
    select k.story_id, case when p_sprint.id is null then private.story_branch(k.story_id)
      else left(v_run.branch || '--' || private.branch_part(k.story_code, k.story_id), 200) end as branch
    from (select distinct x.story_id, x.story_code from private.run_scope(p_task_ids) x where v_run.pr_strategy = 'STORY') k
  ) s on s.story_id = sc.story_id
  order by sc.place;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deadlock_blockers(p_product public.products, p_task_ids uuid[], p_story_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_product.dependency_release <> 'merged' or p_product.pr_strategy <> 'STORY' then
    return '[]';
  end if;
  return (
    with recursive edges as materialized (
      select k.kind, k.blocker_id, k.code as blocker_code, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        s.sort_order, bs.id as blocker_story_id, bs.code as blocker_story_code
      from unnest(p_task_ids) i (id)
      cross join lateral (select x.* from public.tasks x where x.id = i.id offset 0) t
      join public.stories s on s.id = t.story_id
      join private.task_blockers k on k.task_id = t.id and not k.resolved
      left join public.tasks b on b.id = k.blocker_id
      join public.stories bs on bs.id = coalesce(b.story_id, k.blocker_id) and bs.id = any (p_story_ids) and bs.id <> s.id
    ), reach (from_id, to_id) as (
      select e.story_id, e.blocker_story_id from edges e
      union
      select r.from_id, e.blocker_story_id from reach r join edges e on e.story_id = r.to_id
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', 'dependency_deadlock',
      'message', format('%s needs the code of %s, but the branches of %s and %s depend on each other: neither can be merged first.',
        c.code, c.blocker_code, c.story_code, c.blocker_story_code),
      'task_id', c.task_id, 'task_code', c.task_code, 'story_id', c.story_id, 'story_code', c.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', c.kind, 'id', c.id, 'code', c.code, 'blocker_id', c.blocker_id, 'blocker_code', c.blocker_code,
        'joining_story_id', null, 'joining_story_code', null)
    ) order by c.sort_order, c.code, c.blocker_code), '[]')
    from (
      select distinct e.kind, case e.kind when 'task' then e.task_id else e.story_id end as id,
        case e.kind when 'task' then e.task_code else e.story_code end as code, e.blocker_id, e.blocker_code,
        case e.kind when 'task' then e.task_id end as task_id, case e.kind when 'task' then e.task_code end as task_code,
        e.story_id, e.story_code, e.sort_order, e.blocker_story_code
      from edges e
      where exists (select from reach r where r.from_id = e.blocker_story_id and r.to_id = e.story_id)
    ) c
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.dependency_blockers(p_sprint_id uuid, p_task_ids uuid[], p_story_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', case when e.failed then 'dependency_failed' else 'dependency_outside' end,
      'message', format('%s is blocked by %s, which %s.', e.code, e.blocker_code,
        case when e.failed then 'failed' when e.is_empty then 'has no task'
          when e.is_of_sprint or p_sprint_id is null then 'is neither done nor in this run' else 'is neither done nor in this sprint' end),
      'task_id', e.task_id, 'task_code', e.task_code, 'story_id', e.story_id, 'story_code', e.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', e.kind, 'id', e.id, 'code', e.code, 'blocker_id', e.blocker_id, 'blocker_code', e.blocker_code,
        'joining_story_id', case when e.may_join then e.joining_story_id end, 'joining_story_code', case when e.may_join then e.joining_story_code end)
    ) order by e.sort_order, e.code, e.blocker_code), '[]')
    from (
      select 'task' as kind, t.id, t.code, t.sort_order, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        b.id as blocker_id, b.code as blocker_code, b.status = 'FAILED' as failed, false as is_empty, bs.sprint_id = p_sprint_id as is_of_sprint,
        bs.id as joining_story_id, bs.code as joining_story_code,
        p_sprint_id is not null and bs.sprint_id is null and b.status <> 'FAILED' as may_join
      from unnest(p_task_ids) i (id)
      cross join lateral (select k.* from public.tasks k where k.id = i.id offset 0) t
      join public.stories s on s.id = t.story_id
      join public.task_dependencies d on d.blocked_id = t.id
      join public.tasks b on b.id = d.blocker_id and b.status <> 'DONE' and b.id <> all (p_task_ids)
      join public.stories bs on bs.id = b.story_id
      union all
      select 'story', s.id, s.code, s.sort_order, null, null, s.id, s.code, b.id, b.code,
        b.status = 'FAILED', b.id = any (p_story_ids) and v.tasks = 0, b.sprint_id = p_sprint_id,
        b.id, b.code, p_sprint_id is not null and b.sprint_id is null and b.status <> 'FAILED' and v.tasks > 0
      from public.stories s
      join public.story_dependencies d on d.blocked_id = s.id
      join public.stories b on b.id = d.blocker_id and b.status <> 'DONE'
      cross join lateral (
        select count(*) as tasks, count(*) filter (where i.status <> 'DONE' and i.id <> all (p_task_ids)) as left_out
        from public.tasks i where i.story_id = b.id) v
      where s.id = any (p_story_ids) and s.status <> 'DONE'
        and (b.id <> all (p_story_ids) or v.tasks = 0 or v.left_out > 0)
        and exists (select from public.tasks t where t.story_id = s.id and t.id = any (p_task_ids))
    ) e
  );
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
        and j.status in ('FAILED', 'CANCELLED') and not exists (
          select from public.tasks t join public.fresh_starts f on f.story_id = t.story_id
          where t.id = j.task_id and f.created_at >= j.finished_at)
      union all
      select j.id, j.created_at from public.agent_jobs j
      join public.sprint_runs r on r.id = j.sprint_run_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and r.sprint_id = p_sprint_id and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED') and not exists (
          select from public.stories s join public.fresh_starts f on f.story_id = s.id
          where s.sprint_id = p_sprint_id and f.created_at >= j.finished_at)
      union all
      select j.id, j.created_at from public.agent_jobs j
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and p_sprint_id is null and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED')
        and j.sprint_run_id in (
          select o.sprint_run_id from public.task_executions e join public.task_executions o on o.task_id = e.task_id
          where e.sprint_run_id = p_job.sprint_run_id)
        and not exists (
          select from public.task_executions e
          join public.tasks t on t.id = e.task_id
          join public.fresh_starts f on f.story_id = t.story_id
          where e.sprint_run_id = p_job.sprint_run_id and f.created_at >= j.finished_at)
      order by created_at desc limit 3) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.held_by_runs(p_product_id uuid, p_own_only boolean)
 RETURNS TABLE(task_id uuid, run_id uuid, subject text, status text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select x.task_id, r.id, private.run_subject(r), lower(r.status::text)
    from public.sprint_runs r
    cross join lateral private.run_tasks(r.id) x
    where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED') and (not p_own_only or r.sprint_id is null);
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
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q)))
    when 'review' then (
      select jsonb_build_object('code', t.code, 'title', t.title, 'story_code', s.code, 'story_title', s.title,
        -- The job that waits for a person's verdict; without one the task was put into review by hand.
        'job_id', (
          select j.id from public.agent_jobs j
          where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review'
          limit 1))
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_id)
    when 'run' then (
      select jsonb_build_object('code', coalesce(s.code, private.run_subject(r)), 'title', coalesce(s.sprint_goal, ''), 'sprint_id', s.id,
        'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r left join public.sprints s on s.id = r.sprint_id where r.id = p_id)
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
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))
    union all
    select 'review', w.task_id, w.product_id, w.since
    from public.tasks_in_review w
    where w.product_id = any (v_products)
    union all
    select 'run', r.id, r.product_id, r.finished_at
    from public.sprint_runs r
    where r.status = 'FAILED' and r.product_id = any (v_products) and r.finished_at > v_since
      and not exists (select from public.sprint_runs n where n.sprint_id = r.sprint_id and n.created_at > r.created_at)
      -- A run of its own is tried again by whatever run takes up the task that failed.
      and not (r.sprint_id is null and exists (
        select from public.sprint_runs n
        where n.id in (
            select j.sprint_run_id from public.agent_jobs j where j.task_id = (r.failure ->> 'task_id')::uuid
            union all
            select e.sprint_run_id from public.task_executions e where e.task_id = (r.failure ->> 'task_id')::uuid)
          and n.created_at > r.created_at))
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
      'pr_strategy', r.pr_strategy, 'previous_run_id', r.previous_run_id, 'subject', private.run_subject(r),
      'sprint_id', n.id, 'sprint_code', n.code, 'sprint_goal', n.sprint_goal) end as run,
    case when v_is_task then json_build_object('id', t.id, 'code', t.code,
      'title', t.title, 'description', t.description, 'status', private.task_status_word(t.status),
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes) end as task,
    case when v_is_task then json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
      'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title) end as story,
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, p.may_reach, p.done_requires, p.dependency_release, r.sprint_id,
    coalesce(r.plan_first, false) as plans_first,
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
    'plan_first', v.plans_first and p_job.phase = 'implement' and (
      v_is_task and coalesce(p_job.plan_snapshot, '') !~ '\S'
      or p_job.kind = 'SPRINT_IMPLEMENTATION' and exists (
        select from public.task_executions e
        where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and coalesce(e.plan_snapshot, '') !~ '\S')),
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
    'may_reach', v.may_reach,
    'done_requires', v.done_requires,
    'criteria', case when v.has_criteria then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'base_refs', case when v.has_blockers then private.base_refs(p_job) else '[]' end,
    'begins_from', private.begins_from(p_job),
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

CREATE OR REPLACE FUNCTION private.keep_plan(p_job public.agent_jobs, p_task_id uuid, p_plan text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_plan text;
begin
  if p_plan !~ '\S' or char_length(p_plan) > 100000 then
    perform private.refuse(422, 'implementation_plan takes 1 to 100000 characters.');
  end if;
  if p_job.phase <> 'implement' or p_task_id is null then
    perform private.refuse(422, 'Only who implements a task plans it.');
  end if;
  update public.tasks t set implementation_plan = p_plan
  where t.id = p_task_id and coalesce(t.implementation_plan, '') !~ '\S';
  select t.implementation_plan into v_plan from public.tasks t where t.id = p_task_id;
  update public.agent_jobs j set plan_snapshot = v_plan
  where j.id = p_job.id and j.task_id = p_task_id and coalesce(j.plan_snapshot, '') !~ '\S';
  update public.task_executions e set plan_snapshot = v_plan
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id and coalesce(e.plan_snapshot, '') !~ '\S';
end;
$function$;

CREATE OR REPLACE FUNCTION private.kept_back(p_blockers jsonb, p_task_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('task_id', k.task_id, 'task_code', k.task_code, 'type', k.type, 'reason', k.message)
      order by k.place), '[]')
    from (
      select distinct on (sc.place) sc.place, sc.task_id, sc.task_code, b.value ->> 'type' as type, b.value ->> 'message' as message
      from jsonb_array_elements(p_blockers) with ordinality b
      join private.tasks_in_order(p_task_ids) sc on case
        when (b.value ->> 'task_id')::uuid = any (p_task_ids) then sc.task_id = (b.value ->> 'task_id')::uuid
        when b.value ->> 'pbi_code' is not null then sc.pbi_id = (b.value ->> 'pbi_id')::uuid
        else sc.story_id = (b.value ->> 'story_id')::uuid end
      order by sc.place, b.ordinality
    ) k
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_run_branch(p_product public.products, p_task_ids uuid[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[] := private.stories_of_tasks(p_task_ids);
begin
  if cardinality(v_story_ids) = 1 then
    return private.story_branch(v_story_ids[1]);
  end if;
  return format('backloom/%s/run-%s', private.branch_part(p_product.code, p_product.id),
    (select count(*) + 1 from public.sprint_runs r where r.product_id = p_product.id and r.sprint_id is null));
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

  v_text := left(format('The run of %s is paused (%s).%s%s%s Resume the run when it can continue, or cancel it.',
    private.run_subject(p_run), replace(p_reason, '_', ' '),
    case when p_task_codes <> '{}' then format(' %s does not merge%s, even after two tries.', p_task_codes[1], ' with ' || p_task_codes[2]) else '' end,
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

CREATE OR REPLACE FUNCTION private.plans_first(p_product public.products, p_plan_first boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case p_product.plan_first
    when 'never' then false
    when 'auto' then coalesce(p_plan_first, true)
    else coalesce(p_plan_first, false) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_one_product(p_task_ids uuid[], p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task_id uuid;
begin
  foreach v_task_id in array p_task_ids loop
    if private.product_of('task', v_task_id) <> p_product_id then
      perform private.require_access('task', v_task_id);
      perform private.refuse(422, 'The tasks of a run are of one product.',
        '{"issues":[{"path":"task_ids","message":"Choose tasks of one product."}]}');
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resume_batch_run(p_run public.sprint_runs)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  perform private.end_run(p_run, 'CANCELLED', 'The run was resumed as a new one.', null);

  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, started_by)
  values (p_run.sprint_id, p_run.product_id, p_run.pr_strategy, p_run.branch, p_run.id, p_run.plan_first, auth.uid())
  returning * into v_run;

  insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
  select v_run.id, e.task_id, e.position,
    case when t.implementation_plan ~ '\S' then t.implementation_plan else e.plan_snapshot end, t.verify_required
  from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED');
  -- What was at work keeps its place in the old run; here it is to do again, and comes after what it waits for by now.
  perform private.order_runs(v_run.product_id);
  perform private.create_batch_job(v_run);
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_blockers(p_sprint public.sprints, p_product public.products, p_task_ids uuid[], p_story_ids uuid[], p_plan_first boolean, p_use_description boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return (
    with scope as materialized (select * from private.tasks_in_order(p_task_ids))
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
      select 2, 0, 'no_tasks',
        case when p_sprint.id is null then 'There are no unfinished tasks.'
          else format('Sprint %s has no unfinished tasks.', p_sprint.code) end,
        null, null, null, null, null, null, null, null
      where not exists (select from scope)
      union all
      select 3, 0, 'run_unfinished',
        format('A run of sprint %s is %s. Wait for it, resume it or cancel it.', p_sprint.code, lower(r.status::text)),
        null, null, null, null, null, null, null, r.id
      from public.sprint_runs r
      where r.sprint_id = p_sprint.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      union all
      select 3, sc.place, case when p_sprint.id is null then 'run_unfinished' else 'task_in_run' end,
        format('Task %s is in a run of %s that is %s. Wait for that run, resume it or cancel it.', sc.task_code, h.subject, h.status),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, h.run_id
      from private.held_by_runs(p_product.id, p_sprint.id is not null) h
      join scope sc on sc.task_id = h.task_id
      union all
      select 3, sc.place, 'task_done', format('Task %s is done. Open it again, or leave it out.', sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.status from public.tasks k where k.id = sc.task_id offset 0) t
      where p_sprint.id is null and t.status = 'DONE'
      union all
      select 4, sc.place, 'task_no_plan', format('Task %s has no implementation plan.', sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      -- Each by its key: how long the list is cannot be foreseen, and a plan for many would read all tasks of all products.
      cross join lateral (
        select k.implementation_plan, k.description, k.status from public.tasks k where k.id = sc.task_id offset 0) t
      where not p_plan_first and coalesce(t.implementation_plan, '') !~ '\S' and t.status <> 'DONE'
        and not (p_use_description and t.description ~ '\S')
      union all
      select 5, row_number() over (order by q.created_at, q.id)::integer, 'open_question',
        case when q.reader_id is null or q.reader_id = auth.uid() then format('Story %s has an open question: %s', s.code, left(q.question, 200))
          else format('Story %s waits for a permission that only %s can give.', s.code, private.username(q.reader_id)) end,
        q.task_id, t.code, s.id, s.code, s.pbi_id, null, q.id, null
      from public.stories s
      join public.agent_questions q on q.story_id = s.id
      left join public.tasks t on t.id = q.task_id
      where s.id = any (p_story_ids) and s.status <> 'DONE' and q.status = 'OPEN' and q.expires_at > v_now
        -- What is asked about a task that a run of its own leaves alone says nothing about the others.
        and (p_sprint.id is not null or q.task_id is null or q.task_id = any (p_task_ids))
      union all
      select distinct on (b.id) case b.status when 'BLOCKED' then 6 else 7 end, 0,
        case b.status when 'BLOCKED' then 'pbi_blocked' else 'pbi_failed' end,
        format('PBI %s is %s.', b.code, lower(b.status::text)),
        null::uuid, null, s.id, s.code, b.id, b.code, null::uuid, null::uuid
      from public.stories s
      cross join lateral (select k.id, k.code, k.status from public.pbis k where k.id = s.pbi_id offset 0) b
      where s.id = any (p_story_ids) and s.status <> 'DONE' and b.status in ('BLOCKED', 'FAILED')
      union all
      select 8, sc.place, 'task_cross_repo',
        format('Task %s belongs to %s, and a batch run only works in the product''s repository.', sc.task_code, t.repo_url),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.repo_url from public.tasks k where k.id = sc.task_id offset 0) t
      where p_product.pr_strategy = 'SPRINT_BATCH'
        and btrim(coalesce(t.repo_url, '')) not in ('', btrim(p_product.repo_url))
    ) b
  ) || private.dependency_blockers(p_sprint.id, p_task_ids, p_story_ids)
    || private.deadlock_blockers(p_product, p_task_ids, p_story_ids);
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
    'subject', private.run_subject(p_run),
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

CREATE OR REPLACE FUNCTION private.run_scope(p_task_ids uuid[])
 RETURNS TABLE(task_id uuid, story_id uuid, story_code text, place integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_ordered uuid[] := private.order_by_dependencies(
    (select coalesce(array_agg(s.task_id order by s.place), '{}') from private.tasks_in_order(p_task_ids) s));
begin
  return query
    select x.id, s.id, s.code, x.place::integer
    from unnest(v_ordered) with ordinality x (id, place)
    join public.tasks t on t.id = x.id
    join public.stories s on s.id = t.story_id
    order by x.place;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_subject(p_run public.sprint_runs)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_run.sprint_id is not null then
    return 'sprint ' || (select s.code from public.sprints s where s.id = p_run.sprint_id);
  end if;
  return (
    select case
        when count(*) = 0 then 'no task'
        when count(*) = 1 then min(t.code)
        when count(distinct t.story_id) = 1 then min(s.code)
        else format('%s and %s more', (array_agg(t.code order by x.position))[1], count(*) - 1) end
    from private.run_tasks(p_run.id) x
    join public.tasks t on t.id = x.task_id
    join public.stories s on s.id = t.story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_tasks(p_sprint_run_id uuid)
 RETURNS TABLE(task_id uuid, "position" integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.task_id, j.position from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.kind = 'TASK_IMPLEMENTATION'
    union all
    select e.task_id, e.position from public.task_executions e where e.sprint_run_id = p_sprint_run_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_with_work(p_story_ids uuid[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select private.run_subject(r)
    from public.sprint_runs r
    where r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      and r.product_id in (select s.product_id from public.stories s where s.id = any (p_story_ids))
      and case when r.sprint_id is null
        then exists (select from private.run_tasks(r.id) x join public.tasks t on t.id = x.task_id where t.story_id = any (p_story_ids))
        else r.sprint_id in (select s.sprint_id from public.stories s where s.id = any (p_story_ids)) end
      and exists (
        select from public.agent_jobs j
        where j.sprint_run_id = r.id
          and (r.pr_strategy <> 'STORY' or j.task_id in (select t.id from public.tasks t where t.story_id = any (p_story_ids)))
          and (j.status in ('CLAIMED', 'RUNNING') or j.pushed_at is not null
            or exists (select from public.task_executions e where e.sprint_run_id = r.id and e.status = 'DONE')))
    order by 1
    limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_scope(p_sprint public.sprints, p_product public.products, INOUT task_ids uuid[], p_plan_first boolean, p_use_description boolean, p_leave_out boolean, OUT plan_first boolean, OUT left_out jsonb)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[] := task_ids;
  v_story_ids uuid[] := case when p_sprint.id is null then private.stories_of_tasks(task_ids)
    else array(select s.id from public.stories s where s.sprint_id = p_sprint.id) end;
  v_plan_first boolean := private.plans_first(p_product, p_plan_first);
  v_all jsonb;
  v_blockers jsonb;
  v_next jsonb;
  v_left_out jsonb := '[]';
begin
  loop
    v_blockers := private.run_blockers(p_sprint, p_product, v_task_ids, v_story_ids, v_plan_first, coalesce(p_use_description, false));
    exit when v_blockers = '[]';
    v_all := coalesce(v_all, v_blockers);
    v_next := case when p_leave_out then private.kept_back(v_blockers, v_task_ids) else '[]' end;
    if v_next = '[]' then
      perform private.refuse(409, private.blockers_sentence(v_blockers), jsonb_build_object('blockers', v_blockers));
    end if;
    v_left_out := v_left_out || v_next;
    v_task_ids := array(
      select i from unnest(v_task_ids) i
      where i not in (select (x ->> 'task_id')::uuid from jsonb_array_elements(v_next) x));
    if v_task_ids = '{}' then
      perform private.refuse(409, private.blockers_sentence(v_all), jsonb_build_object('blockers', v_all));
    end if;
    v_story_ids := private.stories_of_tasks(v_task_ids);
  end loop;

  if p_use_description then
    update public.tasks t
    set implementation_plan = t.description
    where t.id = any (v_task_ids) and coalesce(t.implementation_plan, '') !~ '\S' and t.description ~ '\S';
  end if;
  task_ids := v_task_ids;
  plan_first := v_plan_first;
  left_out := v_left_out;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sprint_task_ids(p_sprint_id uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select t.id
    from public.stories s
    -- Story by story: a plan for many stories would read all tasks of all products.
    cross join lateral (select k.id from public.tasks k where k.story_id = s.id and k.status <> 'DONE' offset 0) t
    where s.sprint_id = p_sprint_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_run_at(p_run public.sprint_runs, p_stop_at jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_stop_at is null then
    return;
  end if;
  perform private.require_person();
  perform private.put_budget(p_run.product_id, 'run', null, p_run.id, p_stop_at ->> 'unit', (p_stop_at ->> 'amount')::numeric);
end;
$function$;

CREATE OR REPLACE FUNCTION private.stories_of_tasks(p_task_ids uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select distinct t.story_id
    from unnest(p_task_ids) i (id)
    cross join lateral (select k.story_id from public.tasks k where k.id = i.id offset 0) t);
end;
$function$;

CREATE OR REPLACE FUNCTION private.story_branch(p_story_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
  v_part text;
  v_base text;
  v_newest record;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  v_part := private.branch_part(v_story.code, v_story.id);
  if lower(v_part) = 'kept'
    or exists (select from public.products p where lower(private.branch_part(p.code, p.id)) = lower(v_part))
    or exists (
      select from public.products p
      join public.products o on o.owner_id = p.owner_id and o.repo_url = p.repo_url and o.repo_url <> '' and o.id <> p.id
      join public.stories s on s.product_id = o.id and s.code = v_story.code
      join public.tasks t on t.story_id = s.id
      cross join lateral (
        select j.sprint_run_id from public.agent_jobs j where j.task_id = t.id
        union all
        select e.sprint_run_id from public.task_executions e where e.task_id = t.id) x
      join public.sprint_runs r on r.id = x.sprint_run_id and r.sprint_id is null
      where p.id = v_story.product_id)
  then
    v_part := v_part || '-' || left(v_story.id::text, 8);
  end if;
  v_base := 'backloom/' || v_part;

  select u.branch, u.at_work, u.has_work, coalesce(nullif(substring(u.branch from length(v_base) + 2), '')::integer, 1) as number into v_newest
  from (
    select x.branch, bool_or(x.at_work) as at_work, bool_or(x.has_work) as has_work
    from public.tasks t
    cross join lateral (
      select a.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED') as at_work, a.pushed_at is not null or a.status = 'DONE' as has_work
      from public.agent_jobs a join public.sprint_runs r on r.id = a.sprint_run_id
      where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and r.sprint_id is null
      union all
      select r.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED'), e.status = 'DONE'
      from public.task_executions e join public.sprint_runs r on r.id = e.sprint_run_id
      where e.task_id = t.id and r.sprint_id is null
    ) x
    where t.story_id = p_story_id and x.branch ~ ('^' || v_base || '(-[1-9][0-9]{0,5})?$')
    group by x.branch
  ) u
  order by number desc
  limit 1;
  if v_newest.branch is null then
    return v_base;
  end if;
  if not v_newest.at_work and (not v_newest.has_work
    or exists (select from private.unlanded_work(array[p_story_id]) w where w.branch = v_newest.branch))
  then
    return v_newest.branch;
  end if;
  return v_base || '-' || v_newest.number + 1;
end;
$function$;

CREATE OR REPLACE FUNCTION private.task_ids_of(p_task_ids jsonb)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_ids uuid[];
begin
  if jsonb_typeof(p_task_ids) <> 'array' or jsonb_array_length(p_task_ids) not between 1 and 500 then
    perform private.refuse(422, 'task_ids takes 1 to 500 tasks.');
  end if;
  v_ids := array(select distinct x::uuid from jsonb_array_elements_text(p_task_ids) x);
  return v_ids;
end;
$function$;

CREATE OR REPLACE FUNCTION private.task_reasons(p_task_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_run public.sprint_runs := private.active_run_of_task(p_task_id);
  v_job public.agent_jobs;
  v_sprint record;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  if v_task.status = 'DONE' then
    return jsonb_build_array(jsonb_build_object('code', 'finished', 'message', 'The task is done.'));
  end if;
  if v_task.status = 'REVIEW' then
    return jsonb_build_array(jsonb_build_object('code', 'review', 'message', 'The task is waiting for a person to review it.'));
  end if;
  if v_run.id is not null then
    select j.* into v_job from public.agent_jobs j
    where j.sprint_run_id = v_run.id and (j.task_id = p_task_id or j.kind = 'SPRINT_IMPLEMENTATION')
    order by (j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) desc, j.created_at desc
    limit 1;
    return private.job_reasons(v_job);
  end if;

  select j.* into v_job from public.agent_jobs j where j.task_id = p_task_id order by j.created_at desc, j.id limit 1;
  select s.id, s.code, s.status into v_sprint
  from public.stories st join public.sprints s on s.id = st.sprint_id where st.id = v_task.story_id;
  if v_task.status = 'FAILED' then
    return jsonb_build_array(jsonb_build_object('code', 'failed',
      'message', format('The task failed%s %s to try it again.', coalesce(': ' || v_job.failure_reason, '.'),
        case v_sprint.status when 'FAILED' then 'Resume the sprint' else 'Run it' end), 'job_id', v_job.id));
  end if;
  if v_sprint.id is null then
    return jsonb_build_array(jsonb_build_object('code', 'no_sprint', 'message', 'The story of this task is not in a sprint. Run the task by itself, or put its story into a sprint.'))
      || private.dependency_reasons(array[p_task_id]);
  end if;
  return jsonb_build_array(jsonb_build_object('code', 'no_run', 'sprint_id', v_sprint.id,
    'message', format('Sprint %s (%s) has no run in progress. Start one, or run this task by itself.', v_sprint.code, lower(v_sprint.status::text))))
    || private.dependency_reasons(array[p_task_id]);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tasks_in_order(p_task_ids uuid[])
 RETURNS TABLE(task_id uuid, task_code text, story_id uuid, story_code text, pbi_id uuid, place integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select t.id, t.code, s.id, s.code, b.id,
      row_number() over (order by b.priority, b.sort_order, b.created_at, b.id,
        s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id)::integer
    from unnest(p_task_ids) i (id)
    -- Task by task: a plan for many tasks would read all tasks, stories and PBIs of all products.
    cross join lateral (
      select k.id, k.code, k.story_id, k.sort_order, k.created_at from public.tasks k where k.id = i.id offset 0) t
    cross join lateral (
      select k.id, k.code, k.pbi_id, k.sort_order, k.created_at from public.stories k where k.id = t.story_id offset 0) s
    cross join lateral (
      select k.id, k.priority, k.sort_order, k.created_at from public.pbis k where k.id = s.pbi_id offset 0) b;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_sprint_runs__notices()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.queue_notices('run_' || lower(new.status::text), new.product_id, null, new.status <> 'PAUSED',
    format('The run of %s is %s', private.run_subject(new), lower(new.status::text)),
    coalesce(new.failure ->> 'reason', new.pause_context ->> 'reason', ''),
    format('/products/%s/runs/%s', new.product_id, new.id), private.run_json(new, false));
  return null;
end;
$function$;

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
    plan_first
   FROM public.products p;

CREATE INDEX sprint_runs_unfinished_idx ON public.sprint_runs USING btree (product_id) WHERE (status = ANY (ARRAY['QUEUED'::public.sprint_run_status, 'RUNNING'::public.sprint_run_status, 'PAUSED'::public.sprint_run_status]));

COMMENT ON COLUMN "public"."sprint_runs"."plan_first" IS 'Whether its agents write the plans that are missing, before they begin.';

COMMENT ON COLUMN "public"."sprint_runs"."sprint_id" IS 'Null for a run of its own: tasks that somebody chose.';

COMMENT ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text) IS 'Creates a product of the caller (specification: Product). 5 per minute.';

COMMENT ON FUNCTION "operations"."start_run"(jsonb, uuid, text, boolean, boolean, boolean, jsonb) IS 'Starts a run of its own over chosen tasks, or PT409 with all blockers (docs/users.md).';

COMMENT ON FUNCTION "operations"."start_sprint_run"(uuid, jsonb, boolean, boolean, boolean) IS 'Starts a run of an active sprint, or PT409 with all blockers (specification: Starting a sprint run).';

COMMENT ON FUNCTION "operations"."update_task_execution"(uuid, integer, uuid, text, text, text, text, text) IS 'PENDING, RUNNING to RUNNING, DONE, FAILED, SKIPPED for a task of a batch run (specification: Sprint run).';

COMMENT ON FUNCTION "private"."create_run"(public.sprints, public.products, public.sprint_runs, uuid[], boolean) IS 'A run with its jobs or executions (specification: Starting a sprint run 2).';

COMMENT ON FUNCTION "private"."deadlock_blockers"(public.products, uuid[], uuid[]) IS 'dependency_deadlock before a start (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."dependency_blockers"(uuid, uuid[], uuid[]) IS 'dependency_outside and dependency_failed before a start (specification: Starting a sprint run 1).';

COMMENT ON FUNCTION "private"."held_by_runs"(uuid, boolean) IS 'Tasks of unfinished runs, with their run.';

COMMENT ON FUNCTION "private"."keep_plan"(public.agent_jobs, uuid, text) IS 'The plan that an agent wrote for a task that had none (docs/agents.md).';

COMMENT ON FUNCTION "private"."kept_back"(jsonb, uuid[]) IS 'The tasks that blockers keep back, each with a reason.';

COMMENT ON FUNCTION "private"."own_run_branch"(public.products, uuid[]) IS 'The work branch of a run of its own (specification: Sprint run, branch).';

COMMENT ON FUNCTION "private"."plans_first"(public.products, boolean) IS 'Whether agents of a run write the plans that are missing.';

COMMENT ON FUNCTION "private"."require_one_product"(uuid[], uuid) IS 'PT422 for tasks of several products, PT404 and PT403 before that.';

COMMENT ON FUNCTION "private"."run_blockers"(public.sprints, public.products, uuid[], uuid[], boolean, boolean) IS 'All blockers of a start with ids, codes and words (specification: Starting a sprint run 1).';

COMMENT ON FUNCTION "private"."run_scope"(uuid[]) IS 'Tasks in the order of a run (specification: Starting a sprint run 2).';

COMMENT ON FUNCTION "private"."run_subject"(public.sprint_runs) IS 'What a run works on, in a few words.';

COMMENT ON FUNCTION "private"."run_tasks"(uuid) IS 'The tasks of a run with their places (specification: Sprint run).';

COMMENT ON FUNCTION "private"."run_with_work"(uuid[]) IS 'What the unfinished run works on that has work of these stories on its branch, or null.';

COMMENT ON FUNCTION "private"."settle_scope"(public.sprints, public.products, uuid[], boolean, boolean, boolean) IS 'What a run works on once its blockers are cured or left out (specification: Starting a sprint run 1).';

COMMENT ON FUNCTION "private"."sprint_task_ids"(uuid) IS 'Unfinished tasks of a sprint (specification: Starting a sprint run 2).';

COMMENT ON FUNCTION "private"."stop_run_at"(public.sprint_runs, jsonb) IS 'The budget that a run begins with (docs/users.md).';

COMMENT ON FUNCTION "private"."stories_of_tasks"(uuid[]) IS 'The stories of tasks.';

COMMENT ON FUNCTION "private"."story_branch"(uuid) IS 'The branch on which a run of its own works on a story (specification: Sprint run, branch).';

COMMENT ON FUNCTION "private"."task_ids_of"(jsonb) IS 'The tasks of a list, each once.';

COMMENT ON FUNCTION "private"."tasks_in_order"(uuid[]) IS 'Tasks in PBI, story, task order (specification: Starting a sprint run 2).';

COMMENT ON TABLE "public"."sprint_runs" IS 'Sprint runs (specification: Sprint run): one start of a sprint, or of chosen tasks, its branch, its pause and its end.';

COMMENT ON TYPE "public"."plan_first" IS 'Whether a run whose tasks have no plan begins with a planning turn of its agents (docs/agents.md).';

COMMENT ON VIEW "private"."product_detail_shape" IS 'A product with all fields (specification: Product).';

REVOKE ALL ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."start_run"(jsonb, uuid, text, boolean, boolean, boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."start_run"(jsonb, uuid, text, boolean, boolean, boolean, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."start_sprint_run"(uuid, jsonb, boolean, boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."start_sprint_run"(uuid, jsonb, boolean, boolean, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."update_task_execution"(uuid, integer, uuid, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."update_task_execution"(uuid, integer, uuid, text, text, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."create_run"(public.sprints, public.products, public.sprint_runs, uuid[], boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_run"(public.sprints, public.products, public.sprint_runs, uuid[], boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."deadlock_blockers"(public.products, uuid[], uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deadlock_blockers"(public.products, uuid[], uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."dependency_blockers"(uuid, uuid[], uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."dependency_blockers"(uuid, uuid[], uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."held_by_runs"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."held_by_runs"(uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_plan"(public.agent_jobs, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_plan"(public.agent_jobs, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."kept_back"(jsonb, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."kept_back"(jsonb, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_run_branch"(public.products, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_run_branch"(public.products, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."plans_first"(public.products, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plans_first"(public.products, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_one_product"(uuid[], uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_one_product"(uuid[], uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_blockers"(public.sprints, public.products, uuid[], uuid[], boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_blockers"(public.sprints, public.products, uuid[], uuid[], boolean, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_scope"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_scope"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_subject"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_subject"(public.sprint_runs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_tasks"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_tasks"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_scope"(public.sprints, public.products, uuid[], boolean, boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_scope"(public.sprints, public.products, uuid[], boolean, boolean, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sprint_task_ids"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sprint_task_ids"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."stop_run_at"(public.sprint_runs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."stop_run_at"(public.sprint_runs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."stories_of_tasks"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."stories_of_tasks"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."story_branch"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."story_branch"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."task_ids_of"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."task_ids_of"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tasks_in_order"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tasks_in_order"(uuid[]) TO "postgres";

REVOKE ALL ("plan_first") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("plan_first"), UPDATE ("plan_first") ON TABLE "public"."products" TO "authenticated";

GRANT USAGE ON TYPE "public"."plan_first" TO "postgres";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";
