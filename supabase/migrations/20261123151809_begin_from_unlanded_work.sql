-- Why: say here what this brings, and to whom.
set local check_function_bodies = off;

DROP FUNCTION "private"."update_task_execution"(uuid, integer, uuid, text, text, text);

DROP FUNCTION "public"."update_task_execution"(uuid, integer, uuid, text, text, text);

CREATE TABLE "public"."fresh_starts" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "story_id" uuid NOT NULL, "left_branches" jsonb NOT NULL, "user_id" uuid, "started_by" text NOT NULL, CONSTRAINT "fresh_starts_left_branches_list" CHECK ((jsonb_typeof(left_branches) = 'array'::text)), CONSTRAINT "fresh_starts_pkey" PRIMARY KEY (id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."fresh_starts" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."task_executions" ADD COLUMN "head_sha" text;

CREATE OR REPLACE FUNCTION private.beginnings(p_story_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('story_id', h.story_id, 'story_code', h.story_code, 'branch', h.branch,
      'head_sha', h.head_sha, 'job_id', h.job_id, 'task_code', h.task_code, 'commits', h.commits,
      'message', format('%s continues %s, %s', h.story_code, h.branch, case
        when h.commits is null then 'not on main'
        when h.commits = 1 then '1 commit not on main'
        else h.commits || ' commits not on main' end))
      order by h.story_code, h.finished_at), '[]')
    from (
      select distinct on (w.story_id, w.branch) w.*
      from private.unlanded_work(p_story_ids) w
      order by w.story_id, w.branch, w.finished_at desc
    ) h);
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
    else array(select s.id from public.stories s where s.sprint_id = v_run.sprint_id) end;
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
  if v_rival.id is null then
    select j.* into v_rival
    from public.agent_jobs j
    where j.product_id = p_job.product_id and j.branch = p_branch and j.sprint_run_id <> p_job.sprint_run_id and j.finished_at is not null
    order by (j.head_sha is not distinct from p_theirs_sha) desc, j.finished_at desc, j.id
    limit 1;
  end if;
  return v_rival;
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_run(p_sprint public.sprints, p_product public.products, p_previous public.sprint_runs)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_run public.sprint_runs;
begin
  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, started_by)
  values (p_sprint.id, p_product.id, p_product.pr_strategy,
    case when private.was_started_over(p_sprint.id, p_previous.created_at) then private.run_branch(p_sprint, p_product)
      else coalesce(p_previous.branch, private.run_branch(p_sprint, p_product)) end, p_previous.id, auth.uid())
  returning * into v_run;

  if v_run.pr_strategy = 'SPRINT_BATCH' then
    insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
    select v_run.id, sc.task_id, sc.place, t.implementation_plan, t.verify_required
    from private.run_scope(p_sprint.id) sc
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
    case v_run.pr_strategy
      when 'STORY' then left(v_run.branch || '--' || private.branch_part(sc.story_code, sc.story_id), 200)
      else v_run.branch end,
    auth.uid(), v_now
  from private.run_scope(p_sprint.id) sc
  order by sc.place;
  return v_run;
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
    if p_rival.finished_at is null and p_rival.phase = 'implement' and (p_rival.status = 'QUEUED' or p_rival.verify_result is null) then
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
      order by created_at desc limit 3) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.fresh_starts_of(p_story_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'started_by', f.started_by, 'created_at', f.created_at,
      'left', f.left_branches) order by f.created_at desc), '[]')
    from public.fresh_starts f where f.story_id = p_story_id);
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
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, p.may_reach, p.done_requires, p.dependency_release, r.sprint_id,
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

CREATE OR REPLACE FUNCTION private.preflight_sprint_run(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_tasks bigint := (select count(*) from private.sprint_scope(p_sprint_id));
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_sprint.product_id;
  v_blockers := private.run_blockers(v_sprint, v_product);
  return json_build_object(
    'sprint_id', p_sprint_id,
    'sprint_code', v_sprint.code,
    'pr_strategy', v_product.pr_strategy,
    'ready', v_blockers = '[]',
    'tasks_total', v_tasks,
    'jobs_total', case when v_product.pr_strategy = 'SPRINT_BATCH' then least(1, v_tasks) else v_tasks end,
    'blockers', v_blockers,
    'begins_from', private.run_begins_from(p_sprint_id, v_product.pr_strategy),
    'warnings', private.budget_warnings(v_sprint));
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_begins_from(p_sprint_id uuid, p_strategy public.pr_strategy)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[] := array(
    select s.id from public.stories s
    where s.sprint_id = p_sprint_id
      and (p_strategy <> 'STORY' or exists (select from public.tasks t where t.story_id = s.id and t.status <> 'DONE')));
begin
  return private.beginnings(v_story_ids);
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
    select n.code
    from public.sprints n
    join public.sprint_runs r on r.sprint_id = n.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
    where n.id in (select s.sprint_id from public.stories s where s.id = any (p_story_ids))
      and exists (
        select from public.agent_jobs j
        where j.sprint_run_id = r.id
          and (r.pr_strategy <> 'STORY' or j.task_id in (select t.id from public.tasks t where t.story_id = any (p_story_ids)))
          and (j.status in ('CLAIMED', 'RUNNING') or j.pushed_at is not null
            or exists (select from public.task_executions e where e.sprint_run_id = r.id and e.status = 'DONE')))
    order by n.code
    limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_over(p_kind text, p_id uuid)
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
    perform private.refuse(403, 'Only a person throws work away: sign in to start over from main.');
  end if;
  v_story_ids := case v_kind when 'story' then array[p_id]
    else array(select s.id from public.stories s where s.sprint_id = p_id) end;
  v_left := private.beginnings(v_story_ids);
  if v_left = '[]' then
    perform private.refuse(409, 'There is nothing to leave: the next run begins from main already.');
  end if;
  v_busy := private.run_with_work(v_story_ids);
  if v_busy is not null then
    perform private.refuse(409, format('The run of sprint %s has work of its own on this branch. Cancel it first, then start over.', v_busy));
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

CREATE OR REPLACE FUNCTION private.unlanded_work(p_story_ids uuid[], p_except_run_id uuid DEFAULT NULL::uuid)
 RETURNS TABLE(story_id uuid, story_code text, task_id uuid, task_code text, job_id uuid, judged boolean, branch text, base_sha text, head_sha text, commits integer, repo_url text, finished_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    with work as materialized (
      select s.id as story_id, s.code as story_code, t.id as task_id, t.code as task_code, w.*, coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url,
        w.merged_at is not null or coalesce(b.pr_merged_at >= w.finished_at, false) as landed
      from unnest(p_story_ids) k (id)
      join public.stories s on s.id = k.id
      join public.products p on p.id = s.product_id
      join public.pbis b on b.id = s.pbi_id
      cross join lateral (select x.id, x.code, x.repo_url from public.tasks x where x.story_id = s.id offset 0) t
      cross join lateral (
        select a.id as job_id, a.status = 'DONE' as judged, a.branch, a.base_sha, a.head_sha, a.evidence, a.merged_at,
          coalesce(a.pushed_at, a.finished_at) as pushed_at, a.finished_at
        from public.agent_jobs a
        where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.sprint_run_id is distinct from p_except_run_id
          and a.finished_at is not null and a.head_sha is distinct from a.base_sha and (a.status = 'DONE' or a.pushed_at is not null)
        union all
        select a.id, true, a.branch, null, case a.status when 'DONE' then a.head_sha else e.head_sha end, a.evidence, a.merged_at,
          e.finished_at, a.finished_at
        from public.task_executions e
        join public.agent_jobs a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION'
        where e.task_id = t.id and e.status = 'DONE' and e.sprint_run_id is distinct from p_except_run_id and a.finished_at is not null
      ) w
      where w.head_sha is not null and w.branch is not null
    ), standing as (
      select w.*
      from work w
      where not w.landed
        and not exists (select from work l where l.landed and l.story_id = w.story_id and l.repo_url = w.repo_url and l.finished_at >= w.finished_at)
        and not exists (select from public.fresh_starts f where f.story_id = w.story_id and f.created_at >= w.finished_at)
    ), heads as (
      (select distinct on (h.story_id, h.repo_url, h.branch) h.* from standing h
        order by h.story_id, h.repo_url, h.branch, h.pushed_at desc, h.finished_at desc, h.task_code desc)
      union
      (select distinct on (h.story_id, h.repo_url, h.branch) h.* from standing h
        order by h.story_id, h.repo_url, h.branch, h.finished_at desc, h.pushed_at desc, h.task_code desc)
    )
    select h.story_id, h.story_code, h.task_id, h.task_code, h.job_id, h.judged, h.branch, h.base_sha, h.head_sha,
      case when h.evidence ->> 'commits' ~ '^\d{1,6}$' then (h.evidence ->> 'commits')::integer end, h.repo_url, h.finished_at
    from heads h;
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_task_execution(p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text, p_failure_reason text, p_head_sha text)
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
    perform private.refuse(409, format('This task of the batch is already %s. The job is still yours: go on with the next task.', lower(v_execution.status::text)));
  end if;
  if v_status = 'SKIPPED' and v_result is distinct from 'EMPTY' then
    perform private.refuse(422, 'A task is skipped only when the verification found that the work is already present (verify_result empty).');
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

CREATE OR REPLACE FUNCTION private.was_started_over(p_sprint_id uuid, p_since timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.stories s join public.fresh_starts f on f.story_id = s.id
    where s.sprint_id = p_sprint_id and f.created_at >= p_since);
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
    'begins_from', private.beginnings(array[p_story_id]),
    'fresh_starts', private.fresh_starts_of(p_story_id),
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

CREATE OR REPLACE FUNCTION public.start_over(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.start_over(p_kind, p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.update_task_execution(p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text DEFAULT NULL::text, p_failure_reason text DEFAULT NULL::text, p_head_sha text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.update_task_execution(p_job_id, p_attempt, p_task_id, p_status, p_verify_result, p_failure_reason, p_head_sha);
end;
$function$;

ALTER TABLE "public"."fresh_starts" ADD CONSTRAINT "fresh_starts_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."fresh_starts" ADD CONSTRAINT "fresh_starts_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."fresh_starts" ADD CONSTRAINT "fresh_starts_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."task_executions" ADD CONSTRAINT "task_executions_head_sha_length" CHECK ((char_length(head_sha) <= 64));

CREATE INDEX fresh_starts_product_id_idx ON public.fresh_starts USING btree (product_id);

CREATE INDEX fresh_starts_user_id_idx ON public.fresh_starts USING btree (user_id);

CREATE POLICY "fresh_starts_select" ON "public"."fresh_starts" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON COLUMN "public"."fresh_starts"."left_branches" IS 'One object a branch: branch and head_sha, as they stood.';

COMMENT ON FUNCTION "private"."beginnings"(uuid[]) IS 'Work of stories that is not on the main branch, in words (docs/worker.md).';

COMMENT ON FUNCTION "private"."begins_from"(public.agent_jobs) IS 'What the branch of a job begins from (specification: Agent job; docs/worker.md).';

COMMENT ON FUNCTION "private"."fresh_starts_of"(uuid) IS 'When a story was started over from the main branch, the newest first.';

COMMENT ON FUNCTION "private"."run_begins_from"(uuid, public.pr_strategy) IS 'From what a run of a sprint would begin (specification: Starting a sprint run).';

COMMENT ON FUNCTION "private"."run_with_work"(uuid[]) IS 'The sprint whose unfinished run has work of these stories on its branch, or null.';

COMMENT ON FUNCTION "private"."unlanded_work"(uuid[], uuid) IS 'Heads of what was done for stories and is not on the main branch (docs/worker.md).';

COMMENT ON FUNCTION "private"."was_started_over"(uuid, timestamp with time zone) IS 'Whether a story of a sprint was started over since a moment.';

COMMENT ON FUNCTION "public"."start_over"(text, uuid) IS 'The next run of a story or sprint begins from the main branch (docs/worker.md).';

COMMENT ON FUNCTION "public"."update_task_execution"(uuid, integer, uuid, text, text, text, text) IS 'PENDING, RUNNING to RUNNING, DONE, FAILED, SKIPPED for a task of a batch run (specification: Sprint run).';

COMMENT ON TABLE "public"."fresh_starts" IS 'Stories that a person let start over from main, and the work that is left out since (docs/worker.md).';

REVOKE ALL ON FUNCTION "private"."beginnings"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."beginnings"(uuid[]) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."begins_from"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begins_from"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."fresh_starts_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fresh_starts_of"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."run_begins_from"(uuid, public.pr_strategy) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_begins_from"(uuid, public.pr_strategy) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_with_work"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_with_work"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_over"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_over"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."unlanded_work"(uuid[], uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unlanded_work"(uuid[], uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."update_task_execution"(uuid, integer, uuid, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."update_task_execution"(uuid, integer, uuid, text, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."was_started_over"(uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."was_started_over"(uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "public"."start_over"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_over"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."update_task_execution"(uuid, integer, uuid, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."update_task_execution"(uuid, integer, uuid, text, text, text, text) TO "authenticated", "postgres";

GRANT SELECT ON TABLE "public"."fresh_starts" TO "authenticated";

GRANT ALL ON TABLE "public"."fresh_starts" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."fresh_starts" TO "service_role";

CREATE INDEX fresh_starts_story_id_idx ON public.fresh_starts USING btree (story_id, created_at);
