-- Why: tasks wait for tasks and stories for stories; jobs count what they wait for, and the index of claims leaves out what waits.
set local check_function_bodies = off;

DROP INDEX "public"."agent_jobs_claim_order_idx";

DROP VIEW "private"."claimable_jobs";

DROP FUNCTION "public"."create_story"(uuid, text, text, text, text, integer, uuid, uuid);

DROP FUNCTION "public"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer);

CREATE TABLE "public"."story_dependencies" ("blocked_id" uuid NOT NULL, "blocker_id" uuid NOT NULL, "product_id" uuid NOT NULL, CONSTRAINT "story_dependencies_pkey" PRIMARY KEY (blocked_id, blocker_id), CONSTRAINT "story_dependencies_two_ends" CHECK ((blocked_id <> blocker_id)), "created_by" uuid DEFAULT auth.uid(), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."story_dependencies" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."task_dependencies" ("blocked_id" uuid NOT NULL, "blocker_id" uuid NOT NULL, "product_id" uuid NOT NULL, CONSTRAINT "task_dependencies_pkey" PRIMARY KEY (blocked_id, blocker_id), CONSTRAINT "task_dependencies_two_ends" CHECK ((blocked_id <> blocker_id)), "created_by" uuid DEFAULT auth.uid(), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."task_dependencies" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "open_blockers" integer NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION private.add_dependencies(p_kind text, p_id uuid, p_blocked_by jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid;
  v_reference text;
begin
  if coalesce(p_blocked_by, '[]') = '[]' then
    return;
  end if;
  v_product_id := private.require_write(p_kind, p_id);
  for v_reference in select r from jsonb_array_elements_text(p_blocked_by) r loop
    perform private.insert_dependency(p_kind, v_product_id, p_id, private.require_blocker(p_kind, v_product_id, v_reference));
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.add_dependency(p_kind text, p_id uuid, p_blocked_by text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_blocker_id uuid := private.require_blocker(v_kind, v_product_id, p_blocked_by);
begin
  perform private.insert_dependency(v_kind, v_product_id, p_id, v_blocker_id);
  perform private.order_runs(v_product_id);
  return private.dependencies_json(v_kind, p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.blocker_json(p_id uuid, p_code text, p_title text, p_status text)
 RETURNS json
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select json_build_object('id', p_id, 'code', p_code, 'title', p_title, 'status', p_status, 'resolved', p_status = 'done');
$function$;

CREATE OR REPLACE FUNCTION private.bring_next_in_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next record;
begin
  for v_look in 1 .. 2 loop
    select n.id, n.in_turn, n.attempt > 0 as comes_back, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0 as waits into v_next
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
  end if;
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_open_blockers(p_job public.agent_jobs)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'TASK_IMPLEMENTATION' then
    return (select count(*) from private.task_blockers b where b.task_id = p_job.task_id and not b.resolved);
  end if;
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    return 0;
  end if;
  return (
    select count(*)
    from public.task_executions e
    join private.task_blockers b on b.task_id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and not b.resolved
      and not exists (
        select from public.task_executions i
        join public.tasks t on t.id = i.task_id
        where i.sprint_run_id = e.sprint_run_id and b.blocker_id in (t.id, t.story_id)
      )
  );
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
    coalesce(p_previous.branch, private.run_branch(p_sprint, p_product)), p_previous.id, auth.uid())
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

CREATE OR REPLACE FUNCTION private.dependencies_json(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_kind = 'task' then
    return json_build_object('blocked_by', (
      select coalesce(json_agg(private.blocker_json(t.id, t.code, t.title, private.task_status_word(t.status)) order by t.sort_order, t.created_at, t.id), '[]')
      from public.task_dependencies d join public.tasks t on t.id = d.blocker_id where d.blocked_id = p_id
    ), 'blocks', (
      select coalesce(json_agg(private.blocker_json(t.id, t.code, t.title, private.task_status_word(t.status)) order by t.sort_order, t.created_at, t.id), '[]')
      from public.task_dependencies d join public.tasks t on t.id = d.blocked_id where d.blocker_id = p_id
    ));
  end if;
  return json_build_object('blocked_by', (
    select coalesce(json_agg(private.blocker_json(s.id, s.code, s.title, lower(s.status::text)) order by s.sort_order, s.created_at, s.id), '[]')
    from public.story_dependencies d join public.stories s on s.id = d.blocker_id where d.blocked_id = p_id
  ), 'blocks', (
    select coalesce(json_agg(private.blocker_json(s.id, s.code, s.title, lower(s.status::text)) order by s.sort_order, s.created_at, s.id), '[]')
    from public.story_dependencies d join public.stories s on s.id = d.blocked_id where d.blocker_id = p_id
  ));
end;
$function$;

CREATE OR REPLACE FUNCTION private.dependency_reasons(p_task_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('code', r.code, 'message', r.message, 'blocked_by', r.blocked_by) order by r.code desc), '[]')
    from (
      select case when bool_and(b.status = 'failed') then 'dependency_failed' else 'dependency' end as code,
        case when bool_and(b.status = 'failed')
          then format('It waits for %s, which failed. Try that again, finish it by hand or remove the dependency.', string_agg(b.code, ', ' order by b.sort_order, b.code))
          else format('It waits for %s.', string_agg(format('%s (%s)', b.code, case b.status when 'todo' then 'to do' else replace(b.status, '_', ' ') end), ', ' order by b.sort_order, b.code)) end as message,
        jsonb_agg(private.blocker_json(b.blocker_id, b.code, b.title, b.status)::jsonb || jsonb_build_object('kind', b.kind) order by b.sort_order, b.code) as blocked_by
      from (
        select distinct k.kind, k.blocker_id, k.code, k.title, k.status, k.sort_order
        from private.task_blockers k
        where k.task_id = any (p_task_ids) and not k.resolved and k.blocker_id <> all (p_task_ids)
        order by k.sort_order, k.code
        limit 20
      ) b
      group by b.status = 'failed'
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.emit_story_change(p_story_id uuid, p_field text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not found then
    return;
  end if;
  perform private.emit('product:' || v_story.product_id, jsonb_build_object('op', 'U', 'entity', 'story', 'id', v_story.id,
    'product_id', v_story.product_id, 'changed_fields', jsonb_build_array(p_field), 'pbi_id', v_story.pbi_id,
    'sprint_id', v_story.sprint_id, 'assignee_id', v_story.assignee_id, 'story_status', v_story.status,
    'story_title', v_story.title, 'story_code', v_story.code, 'story_sort_order', v_story.sort_order));
end;
$function$;

CREATE OR REPLACE FUNCTION private.emit_task_change(p_task_id uuid, p_field text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  if not found then
    return;
  end if;
  perform private.emit('product:' || v_task.product_id, jsonb_build_object('op', 'U', 'entity', 'task', 'id', v_task.id,
    'product_id', v_task.product_id, 'changed_fields', jsonb_build_array(p_field), 'story_id', v_task.story_id,
    'task_status', v_task.status, 'task_title', v_task.title, 'task_sort_order', v_task.sort_order)
    || private.story_place(v_task.story_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.find_blocker(p_kind text, p_product_id uuid, p_reference text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := case when p_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_reference::uuid end;
begin
  if p_kind = 'task' then
    return (select t.id from public.tasks t
      where t.product_id = p_product_id and (t.id = v_id or t.code in (p_reference, upper(p_reference)))
      order by t.id = v_id desc nulls last, t.code = p_reference desc limit 1);
  end if;
  return (select s.id from public.stories s
    where s.product_id = p_product_id and (s.id = v_id or s.code in (p_reference, upper(p_reference)))
    order by s.id = v_id desc nulls last, s.code = p_reference desc limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.find_path(p_from_kind text, p_from uuid, p_to_kind text, p_to uuid)
 RETURNS text[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reached text[];
  v_node text := p_to_kind || ':' || p_to;
  v_from text := p_from_kind || ':' || p_from;
  v_id uuid;
  v_code text;
  v_path text[] := '{}';
begin
  with recursive reach (kind, id) as (
    select n.kind, n.id from private.followers(p_from_kind, p_from) n
    union
    select n.kind, n.id from reach r cross join lateral private.followers(r.kind, r.id) n
  )
  select array_agg(r.kind || ':' || r.id) into v_reached from reach r;
  if v_node <> all (coalesce(v_reached, '{}')) then
    return null;
  end if;

  v_reached := v_reached || v_from;
  for v_step in 0 .. cardinality(v_reached) loop
    v_id := split_part(v_node, ':', 2);
    v_code := case split_part(v_node, ':', 1)
      when 'task' then (select t.code from public.tasks t where t.id = v_id)
      else (select s.code from public.stories s where s.id = v_id) end;
    if v_code is distinct from v_path[cardinality(v_path)] then
      v_path := v_path || v_code;
    end if;
    exit when v_step > 0 and v_node = v_from;
    select n.kind || ':' || n.id into v_node
    from private.leaders(split_part(v_node, ':', 1), v_id) n
    where n.kind || ':' || n.id = any (v_reached)
    order by n.kind || ':' || n.id <> v_from, n.kind
    limit 1;
  end loop;
  return v_path;
end;
$function$;

CREATE OR REPLACE FUNCTION private.find_wrong_counters()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('job_id', j.id, 'open_blockers', j.open_blockers, 'counted', private.count_open_blockers(j))
      order by j.id), '[]')
    from public.agent_jobs j
    where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.open_blockers <> private.count_open_blockers(j)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.followers(p_kind text, p_id uuid)
 RETURNS TABLE(kind text, id uuid)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select 'task', d.blocked_id from public.task_dependencies d where p_kind = 'task' and d.blocker_id = p_id
  union all
  select 'end', t.story_id from public.tasks t where p_kind = 'task' and t.id = p_id
  union all
  select 'start', d.blocked_id from public.story_dependencies d where p_kind = 'end' and d.blocker_id = p_id
  union all
  select 'task', t.id from public.tasks t where p_kind = 'start' and t.story_id = p_id
  union all
  select 'end', p_id where p_kind = 'start';
$function$;

CREATE OR REPLACE FUNCTION private.insert_dependency(p_kind text, p_product_id uuid, p_blocked_id uuid, p_blocker_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_blocked_id = p_blocker_id then
    perform private.refuse(422, format('A %s can not wait for itself.', p_kind),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'blocked_by',
        'message', format('Name another %s.', p_kind)))));
  end if;
  perform private.refuse_cycle(p_kind, p_blocked_id, p_blocker_id);

  if p_kind = 'task' then
    insert into public.task_dependencies (blocked_id, blocker_id, product_id)
    values (p_blocked_id, p_blocker_id, p_product_id) on conflict do nothing;
  else
    insert into public.story_dependencies (blocked_id, blocker_id, product_id)
    values (p_blocked_id, p_blocker_id, p_product_id) on conflict do nothing;
  end if;
  if (select count(*) from public.task_dependencies d where p_kind = 'task' and d.blocked_id = p_blocked_id)
    + (select count(*) from public.story_dependencies d where p_kind = 'story' and d.blocked_id = p_blocked_id) > 100 then
    perform private.refuse(422, format('A %s waits for at most 100 others.', p_kind));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_dependency_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'TASK_IMPLEMENTATION' then
    return private.dependency_reasons(array[p_job.task_id]);
  end if;
  return private.dependency_reasons(array(
    select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')));
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
      'message', format(case when v_question.expires_at <= v_now then 'The question that it waits for was not answered in time: %s'
        else 'It waits for the answer to a question: %s' end, case when private.may_read_talk(p_job) then left(v_question.question, 300) else 'of its own.' end),
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

CREATE OR REPLACE FUNCTION private.leaders(p_kind text, p_id uuid)
 RETURNS TABLE(kind text, id uuid)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select 'task', d.blocker_id from public.task_dependencies d where p_kind = 'task' and d.blocked_id = p_id
  union all
  select 'start', t.story_id from public.tasks t where p_kind = 'task' and t.id = p_id
  union all
  select 'end', d.blocker_id from public.story_dependencies d where p_kind = 'start' and d.blocked_id = p_id
  union all
  select 'task', t.id from public.tasks t where p_kind = 'end' and t.story_id = p_id
  union all
  select 'start', p_id where p_kind = 'end';
$function$;

CREATE OR REPLACE FUNCTION private.list_dependencies(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
begin
  perform private.require_access(v_kind, p_id);
  return private.dependencies_json(v_kind, p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_ready(p_product_id uuid, p_limit integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select t.id, t.code, t.title, private.task_status_word(t.status) as status, t.priority, s.id as story_id, s.code as story_code,
        '[]'::json as blocked_by,
        (select count(*) from public.task_dependencies d join public.tasks f on f.id = d.blocked_id
          where d.blocker_id = t.id and f.status <> 'DONE') as frees,
        p.status is not distinct from 'ACTIVE' and coalesce(t.implementation_plan, '') ~ '\S' as dispatchable
      from public.tasks t
      join public.stories s on s.id = t.story_id
      join public.pbis b on b.id = s.pbi_id
      left join public.sprints p on p.id = s.sprint_id
      where t.product_id = p_product_id and t.status = 'TO_DO' and b.status <> 'BLOCKED'
        and not exists (select from private.task_blockers k where k.task_id = t.id and not k.resolved)
      order by (p.status is not distinct from 'ACTIVE') desc, s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id
      limit least(greatest(coalesce(p_limit, 50), 1), 200)
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_released(p_task_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_codes jsonb;
begin
  select jsonb_agg(t.code order by t.sort_order, t.code) into v_codes
  from public.tasks t
  where t.id = any (p_task_ids) and t.status = 'TO_DO'
    and exists (select from private.task_blockers b where b.task_id = t.id)
    and not exists (select from private.task_blockers b where b.task_id = t.id and not b.resolved);
  if v_codes is not null then
    perform set_config('backloom.released',
      (coalesce(nullif(current_setting('backloom.released', true), '')::jsonb, '[]') || v_codes)::text, true);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_user_id uuid, p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting record;
  v_closed jsonb;
begin
  select count(*) filter (where j.status = 'QUEUED') as queued,
    count(*) filter (where j.status = 'QUEUED' and r.status = 'PAUSED') as paused,
    count(*) filter (where j.status = 'QUEUED' and q.status = 'OPEN') as asked,
    count(*) filter (where j.status = 'QUEUED' and j.not_before > private.now()) as delayed,
    count(*) filter (where j.status = 'QUEUED' and not j.in_turn) as in_order,
    count(*) filter (where j.status = 'QUEUED' and j.phase = 'review') as in_review,
    count(*) filter (where j.status = 'QUEUED' and j.phase = 'verify') as to_verify,
    count(*) filter (where j.status = 'QUEUED' and j.in_turn and j.open_blockers > 0) as blocked,
    count(*) filter (where j.status in ('CLAIMED', 'RUNNING')) as held
  into v_waiting
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    and (m.workers_allowed or p_product_id is not null)
  left join public.sprint_runs r on r.id = j.sprint_run_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('Jobs wait in %s, where your workers may not work yet. Switch on "My workers may work here" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_waiting.held > 0 then format('; %s held by workers', v_waiting.held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none claimable now: %s wait for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s; %s held by workers.',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_waiting.held));
end;
$function$;

CREATE OR REPLACE FUNCTION private.order_by_dependencies(p_task_ids uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_count integer := cardinality(p_task_ids);
  v_nodes integer;
  v_from integer[];
  v_needs integer[];
  v_next integer[];
  v_last integer[];
  v_state integer[];
  v_stack integer[] := '{}';
  v_depth integer := 0;
  v_node integer;
  v_need integer;
  v_ordered uuid[] := '{}';
  v_placed integer := 0;
begin
  if not exists (
    select from public.task_dependencies d where d.blocked_id = any (p_task_ids) and d.blocker_id = any (p_task_ids)
    union all
    select from public.story_dependencies d
    where d.blocked_id in (select t.story_id from public.tasks t where t.id = any (p_task_ids))
  ) then
    return p_task_ids;
  end if;

  -- Nodes 1 to n are the tasks, after them a start and an end for each story.
  with tasks as (
    select t.id, t.story_id, x.place::integer as node
    from unnest(p_task_ids) with ordinality x (id, place) join public.tasks t on t.id = x.id
  ), stories as (
    select s.story_id as id, v_count + 2 * row_number() over (order by s.story_id)::integer as ending
    from (select distinct t.story_id from tasks t) s
  ), needs (node, need) as (
    select b.node, a.node from public.task_dependencies d join tasks b on b.id = d.blocked_id join tasks a on a.id = d.blocker_id
    union all
    select t.node, s.ending - 1 from tasks t join stories s on s.id = t.story_id
    union all
    select b.ending - 1, a.ending from public.story_dependencies d
    join stories b on b.id = d.blocked_id join stories a on a.id = d.blocker_id
    union all
    select s.ending, t.node from tasks t join stories s on s.id = t.story_id
  )
  select v_count + 2 * (select count(*) from stories), array_agg(n.node order by n.node, n.need), array_agg(n.need order by n.node, n.need)
  into v_nodes, v_from, v_needs
  from needs n;

  v_state := array_fill(0, array[v_nodes]);
  v_next := array_fill(1, array[v_nodes]);
  v_last := array_fill(0, array[v_nodes]);
  for v_edge in 1 .. coalesce(cardinality(v_from), 0) loop
    v_node := v_from[v_edge];
    if v_last[v_node] = 0 then
      v_next[v_node] := v_edge;
    end if;
    v_last[v_node] := v_edge;
  end loop;

  for v_start in 1 .. v_count loop
    continue when v_state[v_start] > 0;
    v_state[v_start] := 1;
    v_depth := 1;
    v_stack[1] := v_start;
    while v_depth > 0 loop
      v_node := v_stack[v_depth];
      if v_next[v_node] <= v_last[v_node] then
        v_need := v_needs[v_next[v_node]];
        v_next[v_node] := v_next[v_node] + 1;
        if v_state[v_need] = 0 then
          v_state[v_need] := 1;
          v_depth := v_depth + 1;
          v_stack[v_depth] := v_need;
        end if;
        continue;
      end if;
      v_depth := v_depth - 1;
      if v_node <= v_count then
        v_placed := v_placed + 1;
        v_ordered[v_placed] := p_task_ids[v_node];
      end if;
    end loop;
  end loop;
  return v_ordered;
end;
$function$;

CREATE OR REPLACE FUNCTION private.order_runs(p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run_id uuid;
begin
  for v_run_id in
    select r.id from public.sprint_runs r where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED') order by r.id
  loop
    with waiting as (
      select array_agg(j.task_id order by j.position) as ids, array_agg(j.position order by j.position) as places
      from public.agent_jobs j
      where j.sprint_run_id = v_run_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'QUEUED' and j.attempt = 0
    ), ordered as (
      select x.id, w.places[x.place] as position
      from waiting w cross join lateral unnest(private.order_by_dependencies(w.ids)) with ordinality x (id, place)
    )
    update public.agent_jobs j
    set position = o.position
    from ordered o
    where j.sprint_run_id = v_run_id and j.task_id = o.id and j.position <> o.position;
    perform private.pass_turn(v_run_id, l.lane_id)
    from (select distinct j.lane_id from public.agent_jobs j where j.sprint_run_id = v_run_id and j.status = 'QUEUED') l;

    with waiting as (
      select array_agg(e.task_id order by e.position) as ids, array_agg(e.position order by e.position) as places
      from public.task_executions e where e.sprint_run_id = v_run_id and e.status = 'PENDING'
    ), ordered as (
      select x.id, w.places[x.place] as position
      from waiting w cross join lateral unnest(private.order_by_dependencies(w.ids)) with ordinality x (id, place)
    )
    update public.task_executions e
    set position = o.position
    from ordered o
    where e.sprint_run_id = v_run_id and e.task_id = o.id and e.position <> o.position;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pass_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next_id uuid;
begin
  select n.id into v_next_id
  from public.agent_jobs n
  where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id
    and n.status = 'QUEUED' and not n.in_turn and n.open_blockers = 0 and n.phase <> 'review'
  order by n.position
  limit 1;
  if v_next_id is null then
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_sprint_run_id and j.lane_id = p_lane_id
    and j.in_turn and j.status = 'QUEUED' and j.attempt = 0 and j.open_blockers > 0;
  if found then
    update public.agent_jobs j set in_turn = true where j.id = v_next_id;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.recount_blockers(p_task_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job_ids uuid[];
begin
  select array_agg(l.id) into v_job_ids
  from (
    select j.id
    from public.agent_jobs j
    where j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and j.id in (
        select a.id from public.agent_jobs a where a.task_id = any (p_task_ids) and a.kind = 'TASK_IMPLEMENTATION'
        union all
        select a.id from public.task_executions e
        join public.agent_jobs a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION'
        where e.task_id = any (p_task_ids)
      )
    order by j.id
    for update
  ) l;
  if v_job_ids is null then
    return;
  end if;

  update public.agent_jobs j
  set open_blockers = c.open_blockers
  from (
    select a.id, private.count_open_blockers(a) as open_blockers from public.agent_jobs a where a.id = any (v_job_ids)
  ) c
  where j.id = c.id and j.open_blockers <> c.open_blockers;
  if found then
    perform private.pass_turn(j.sprint_run_id, j.lane_id)
    from (select distinct a.sprint_run_id, a.lane_id from public.agent_jobs a where a.id = any (v_job_ids) order by 1, 2) j;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_cycle(p_kind text, p_blocked_id uuid, p_blocker_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_path text[];
begin
  if p_kind = 'task' then
    v_path := private.find_path('task', p_blocked_id, 'task', p_blocker_id);
  else
    v_path := private.find_path('start', p_blocked_id, 'end', p_blocker_id);
  end if;
  if v_path is null then
    return;
  end if;
  v_path := v_path[cardinality(v_path)] || v_path;
  perform private.refuse(409, format('That would go round in a circle: %s. Remove one of these dependencies first.',
    array_to_string(v_path, ' waits for ')), jsonb_build_object('path', v_path));
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_moved_cycle(p_task_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_path text[] := private.find_path('task', p_task_id, 'task', p_task_id);
begin
  if v_path is null then
    return;
  end if;
  perform private.refuse(409, format('In that story it would wait for itself: %s. Remove one of these dependencies first.',
    array_to_string(v_path, ' waits for ')), jsonb_build_object('path', v_path));
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_waiting(p_task_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_codes text[] := array(
    select b.code from private.task_blockers b where b.task_id = p_task_id and not b.resolved order by b.sort_order, b.code);
begin
  if v_codes <> '{}' then
    perform private.refuse(409, format('This task waits for %s. Do that first.', array_to_string(v_codes, ', ')),
      jsonb_build_object('blocked_by', v_codes));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.released()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_codes jsonb := nullif(current_setting('backloom.released', true), '')::jsonb;
begin
  if v_codes is null then
    return '{}';
  end if;
  return jsonb_build_object('released', (select jsonb_agg(distinct c) from jsonb_array_elements(v_codes) c));
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_dependency(p_kind text, p_id uuid, p_blocker text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_blocker_id uuid := private.find_blocker(v_kind, v_product_id, p_blocker);
begin
  if v_kind = 'task' then
    delete from public.task_dependencies d where d.blocked_id = p_id and d.blocker_id = v_blocker_id;
  else
    delete from public.story_dependencies d where d.blocked_id = p_id and d.blocker_id = v_blocker_id;
  end if;
  return private.dependencies_json(v_kind, p_id);
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
  perform private.note_head(t.story_id, v_job, v_report.head_sha)
  from public.tasks t where v_job.kind = 'TASK_IMPLEMENTATION' and t.id = v_job.task_id;
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

CREATE OR REPLACE FUNCTION private.require_blocker(p_kind text, p_product_id uuid, p_reference text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := private.find_blocker(p_kind, p_product_id, p_reference);
begin
  if v_id is null then
    perform private.refuse(422, format('No %s %s in this product. Name one by its id or code.', p_kind, private.one_line(p_reference)),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'blocked_by',
        'message', format('Not a %s of this product.', p_kind)))));
  end if;
  return v_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_scope(p_sprint_id uuid)
 RETURNS TABLE(task_id uuid, story_id uuid, story_code text, place integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_ordered uuid[] := private.order_by_dependencies(
    (select coalesce(array_agg(s.task_id order by s.place), '{}') from private.sprint_scope(p_sprint_id) s));
begin
  return query
    select x.id, s.id, s.code, x.place::integer
    from unnest(v_ordered) with ordinality x (id, place)
    join public.tasks t on t.id = x.id
    join public.stories s on s.id = t.story_id
    order by x.place;
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_waiting(p_task_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_task_ids is null then
    return;
  end if;
  if coalesce(current_setting('backloom.shared_product', true), '') = '' then
    perform private.recount_blockers(p_task_ids), private.note_released(p_task_ids);
    return;
  end if;
  perform set_config('backloom.waiting',
    concat_ws(',', nullif(current_setting('backloom.waiting', true), ''), array_to_string(p_task_ids, ',')), true);
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
    return jsonb_build_array(jsonb_build_object('code', 'review', 'message', 'The task waits for a person to review it.'));
  end if;
  if v_run.id is not null then
    select j.* into v_job from public.agent_jobs j
    where j.sprint_run_id = v_run.id and (j.task_id = p_task_id or j.kind = 'SPRINT_IMPLEMENTATION')
    order by (j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) desc, j.created_at desc
    limit 1;
    return private.job_reasons(v_job);
  end if;

  select j.* into v_job from public.agent_jobs j where j.task_id = p_task_id order by j.created_at desc, j.id limit 1;
  if v_task.status = 'FAILED' then
    return jsonb_build_array(jsonb_build_object('code', 'failed',
      'message', format('The task failed%s Resume the sprint to try it again.', coalesce(': ' || v_job.failure_reason, '.')), 'job_id', v_job.id));
  end if;
  select s.id, s.code, s.status into v_sprint
  from public.stories st join public.sprints s on s.id = st.sprint_id where st.id = v_task.story_id;
  if v_sprint.id is null then
    return jsonb_build_array(jsonb_build_object('code', 'no_sprint', 'message', 'The story of this task is in no sprint.'))
      || private.dependency_reasons(array[p_task_id]);
  end if;
  return jsonb_build_array(jsonb_build_object('code', 'no_run', 'sprint_id', v_sprint.id,
    'message', format('No run of sprint %s (%s) is under way. Start one.', v_sprint.code, lower(v_sprint.status::text))))
    || private.dependency_reasons(array[p_task_id]);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__count_blockers()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.open_blockers := private.count_open_blockers(new);
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_event jsonb;
  v_row public.agent_jobs := coalesce(new, old);
begin
  if tg_op = 'UPDATE' and new.in_turn <> old.in_turn and new.status = old.status then
    return null;
  end if;
  v_event := private.change_event(tg_op, 'job', to_jsonb(old), to_jsonb(new));
  if v_event is null or v_event -> 'changed_fields' = '["lease_until"]' then
    return null;
  end if;
  if v_event -> 'changed_fields' = '["open_blockers"]' and new.open_blockers > 0 then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'task_id', v_row.task_id,
    'idea_id', v_row.idea_id,
    'kind', v_row.kind,
    'status', v_row.status,
    'sprint_run_id', v_row.sprint_run_id
  );
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__settle_waiting()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_waiting uuid[] := string_to_array(nullif(current_setting('backloom.waiting', true), ''), ',');
begin
  if v_waiting is null then
    return null;
  end if;
  perform set_config('backloom.waiting', '', true), private.lock_part('run', new.sprint_run_id);
  perform private.recount_blockers(v_waiting);
  perform private.note_released(v_waiting);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__settle_waiting()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.settle_waiting((
    select array_agg(t.id) from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id
    where d.blocker_id = new.id));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_story_dependencies__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit_story_change(coalesce(new.blocked_id, old.blocked_id), 'blocked_by'),
    private.emit_story_change(coalesce(new.blocker_id, old.blocker_id), 'blocks');
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_story_dependencies__recount()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.recount_blockers(array(select t.id from public.tasks t where t.story_id = coalesce(new.blocked_id, old.blocked_id)));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_task_dependencies__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit_task_change(coalesce(new.blocked_id, old.blocked_id), 'blocked_by'),
    private.emit_task_change(coalesce(new.blocker_id, old.blocker_id), 'blocks');
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_task_dependencies__recount()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.recount_blockers(array[coalesce(new.blocked_id, old.blocked_id)]);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_task_executions__recount()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.recount_blockers(array[new.task_id]);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__settle_waiting()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[] := array(select d.blocked_id from public.task_dependencies d where d.blocker_id = new.id);
begin
  if new.story_id <> old.story_id then
    perform private.refuse_moved_cycle(new.id);
    v_task_ids := v_task_ids || new.id;
  elsif exists (select from public.task_executions e where e.task_id = new.id) then
    v_task_ids := v_task_ids || new.id;
  end if;
  perform private.settle_waiting(nullif(v_task_ids, '{}'));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_task(p_task_id uuid, p_status text, p_implementation_plan text, p_verify_only boolean, p_verify_required text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_answer jsonb;
begin
  if p_status is null and p_implementation_plan is null then
    raise exception using errcode = 'PT422', message = 'Give at least one of status and implementation_plan.',
      detail = '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}';
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, private.parse_task_status(p_status));

  update public.tasks t
  set status = coalesce(private.parse_task_status(p_status), t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      verify_only = coalesce(p_verify_only, t.verify_only),
      verify_required = coalesce(p_verify_required::public.verify_required, t.verify_required)
  where t.id = p_task_id
  returning jsonb_build_object(
    'id', t.id,
    'status', case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end,
    'implementation_plan', t.implementation_plan
  )
  into v_answer;
  return v_answer || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_task_execution(p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text, p_failure_reason text)
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
    perform private.refuse_waiting(p_task_id);
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
      failure_reason = case when v_next = 'FAILED' then left(p_failure_reason, 4000) end
  where e.id = v_execution.id
  returning e.* into v_execution;
  return private.execution_json(v_execution) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION public.add_dependency(p_kind text, p_id uuid, p_blocked_by text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.add_dependency(p_kind, p_id, p_blocked_by);
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_story(p_pbi_id uuid, p_title text, p_description text DEFAULT ''::text, p_acceptance_criteria text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_sprint_id uuid DEFAULT NULL::uuid, p_assignee_id uuid DEFAULT NULL::uuid, p_blocked_by jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
begin
  if p_sprint_id is not null then
    perform private.require_access('sprint', p_sprint_id);
  end if;
  perform private.require_assignee(v_product_id, p_assignee_id);

  insert into public.stories
    (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id)
  values
    (v_id, p_pbi_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_acceptance_criteria, ''),
      coalesce(p_priority, 3), p_sprint_id, p_assignee_id);
  perform private.add_dependencies('story', v_id, p_blocked_by);
  return (select row_to_json(s) from private.story_shape s where s.id = v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_task(p_story_id uuid, p_title text, p_description text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_repo_url text DEFAULT NULL::text, p_verify_only boolean DEFAULT false, p_verify_required text DEFAULT 'ALIGNED_OR_PARTIAL'::text, p_requires_opus boolean DEFAULT false, p_estimated_minutes integer DEFAULT NULL::integer, p_blocked_by jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_write('story', p_story_id);

  insert into public.tasks
    (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only, verify_required,
      requires_opus, estimated_minutes)
  values
    (v_id, p_story_id, p_code, p_title, coalesce(p_description, ''), p_implementation_plan, coalesce(p_priority, 3),
      p_repo_url, coalesce(p_verify_only, false),
      coalesce(p_verify_required, 'ALIGNED_OR_PARTIAL')::public.verify_required, coalesce(p_requires_opus, false),
      p_estimated_minutes);
  perform private.add_dependencies('task', v_id, p_blocked_by);
  return (select row_to_json(t) from private.task_detail_shape t where t.id = v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.edit_task(p_task_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(p_changes ->> 'status');
begin
  perform private.parse_choice('verify_required', p_changes ->> 'verify_required', '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);

  update public.tasks t
  set title = coalesce(p_changes ->> 'title', t.title),
      description = coalesce(p_changes ->> 'description', t.description),
      code = coalesce(p_changes ->> 'code', t.code),
      priority = coalesce((p_changes ->> 'priority')::integer, t.priority),
      status = coalesce(v_status, t.status),
      verify_only = coalesce((p_changes ->> 'verify_only')::boolean, t.verify_only),
      verify_required = coalesce((p_changes ->> 'verify_required')::public.verify_required, t.verify_required),
      requires_opus = coalesce((p_changes ->> 'requires_opus')::boolean, t.requires_opus),
      implementation_plan = case when p_changes ? 'implementation_plan' then p_changes ->> 'implementation_plan' else t.implementation_plan end,
      repo_url = case when p_changes ? 'repo_url' then p_changes ->> 'repo_url' else t.repo_url end,
      estimated_minutes = case when p_changes ? 'estimated_minutes' then (p_changes ->> 'estimated_minutes')::integer else t.estimated_minutes end
  where t.id = p_task_id;
  return (select to_jsonb(t) || private.released() from private.task_detail_shape t where t.id = p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.find_wrong_counters()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.find_wrong_counters();
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_dependencies(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_dependencies(p_kind, p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_ready(p_product_id uuid, p_limit integer DEFAULT 50)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_ready(p_product_id, p_limit);
end;
$function$;

CREATE OR REPLACE FUNCTION public.remove_dependency(p_kind text, p_id uuid, p_blocker text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.remove_dependency(p_kind, p_id, p_blocker);
end;
$function$;

CREATE OR REPLACE FUNCTION public.set_task_status(p_task_id uuid, p_status text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(coalesce(p_status, ''));
begin
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);
  update public.tasks t set status = v_status where t.id = p_task_id and t.status <> v_status;
  return (select to_jsonb(t) || private.released() from private.task_shape t where t.id = p_task_id);
end;
$function$;

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_open_blockers_positive" CHECK ((open_blockers >= 0));

ALTER TABLE "public"."story_dependencies" ADD CONSTRAINT "story_dependencies_blocked_fkey" FOREIGN KEY (blocked_id, product_id) REFERENCES public.stories(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."story_dependencies" ADD CONSTRAINT "story_dependencies_blocker_fkey" FOREIGN KEY (blocker_id, product_id) REFERENCES public.stories(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."story_dependencies" ADD CONSTRAINT "story_dependencies_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."task_dependencies" ADD CONSTRAINT "task_dependencies_blocked_fkey" FOREIGN KEY (blocked_id, product_id) REFERENCES public.tasks(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."task_dependencies" ADD CONSTRAINT "task_dependencies_blocker_fkey" FOREIGN KEY (blocker_id, product_id) REFERENCES public.tasks(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."task_dependencies" ADD CONSTRAINT "task_dependencies_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE VIEW "private"."claimable_jobs" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    created_by,
    claim_rank,
    created_at,
    "position",
    phase,
    author_worker_id
   FROM public.agent_jobs j
  WHERE ((status = 'QUEUED'::public.agent_job_status) AND in_turn AND (open_blockers = 0) AND (phase <> 'review'::public.job_phase) AND ((not_before IS NULL) OR (not_before <= private.now())) AND ((sprint_run_id IS NULL) OR ( SELECT (r.status = ANY (ARRAY['QUEUED'::public.sprint_run_status, 'RUNNING'::public.sprint_run_status]))
           FROM public.sprint_runs r
          WHERE (r.id = j.sprint_run_id))) AND ((parked_question_id IS NULL) OR ( SELECT ((q.status <> 'OPEN'::public.agent_question_status) OR ((q.on_expiry = 'RECOMMENDED'::public.question_expiry) AND (q.expires_at <= private.now())))
           FROM public.agent_questions q
          WHERE (q.id = j.parked_question_id))));

CREATE VIEW "private"."task_blockers" WITH (security_invoker=true) AS  SELECT d.blocked_id AS task_id,
    'task'::text AS kind,
    b.id AS blocker_id,
    b.code,
    b.title,
        CASE b.status
            WHEN 'TO_DO'::public.task_status THEN 'todo'::text
            ELSE lower((b.status)::text)
        END AS status,
    (b.status = 'DONE'::public.task_status) AS resolved,
    b.sort_order
   FROM (public.task_dependencies d
     JOIN public.tasks b ON ((b.id = d.blocker_id)))
UNION ALL
 SELECT t.id AS task_id,
    'story'::text AS kind,
    b.id AS blocker_id,
    b.code,
    b.title,
    lower((b.status)::text) AS status,
    (b.status = 'DONE'::public.story_status) AS resolved,
    b.sort_order
   FROM ((public.story_dependencies d
     JOIN public.tasks t ON ((t.story_id = d.blocked_id)))
     JOIN public.stories b ON ((b.id = d.blocker_id)));

CREATE INDEX agent_jobs_claim_order_idx ON public.agent_jobs USING btree (product_id, claim_rank, created_at, "position", id) WHERE ((status = 'QUEUED'::public.agent_job_status) AND in_turn AND (open_blockers = 0));

CREATE INDEX story_dependencies_blocked_idx ON public.story_dependencies USING btree (blocked_id, product_id);

CREATE INDEX story_dependencies_blocker_idx ON public.story_dependencies USING btree (blocker_id, product_id);

CREATE INDEX story_dependencies_product_id_idx ON public.story_dependencies USING btree (product_id);

CREATE INDEX task_dependencies_blocked_idx ON public.task_dependencies USING btree (blocked_id, product_id);

CREATE INDEX task_dependencies_blocker_idx ON public.task_dependencies USING btree (blocker_id, product_id);

CREATE INDEX task_dependencies_product_id_idx ON public.task_dependencies USING btree (product_id);

CREATE TRIGGER _150_count_blockers BEFORE INSERT ON public.agent_jobs FOR EACH ROW WHEN ((new.kind <> 'PLAN_CHAT'::public.agent_job_kind)) EXECUTE FUNCTION private.tg_agent_jobs__count_blockers();

CREATE TRIGGER _590_settle_waiting AFTER UPDATE OF status ON public.agent_jobs FOR EACH ROW WHEN (((new.status = ANY (ARRAY['DONE'::public.agent_job_status, 'SKIPPED'::public.agent_job_status])) AND (old.status = ANY (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status])))) EXECUTE FUNCTION private.tg_agent_jobs__settle_waiting();

CREATE TRIGGER _560_settle_waiting AFTER UPDATE OF status ON public.stories FOR EACH ROW WHEN (((new.status = 'DONE'::public.story_status) <> (old.status = 'DONE'::public.story_status))) EXECUTE FUNCTION private.tg_stories__settle_waiting();

CREATE TRIGGER _130_lock_product BEFORE INSERT OR DELETE OR UPDATE ON public.story_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_any__lock_product();

CREATE TRIGGER _500_recount AFTER INSERT OR DELETE ON public.story_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_story_dependencies__recount();

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE ON public.story_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_story_dependencies__emit();

CREATE TRIGGER _130_lock_product BEFORE INSERT OR DELETE OR UPDATE ON public.task_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_any__lock_product();

CREATE TRIGGER _500_recount AFTER INSERT OR DELETE ON public.task_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_task_dependencies__recount();

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE ON public.task_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_task_dependencies__emit();

CREATE TRIGGER _560_recount AFTER UPDATE OF status ON public.task_executions FOR EACH ROW WHEN (((new.status = ANY (ARRAY['PENDING'::public.task_execution_status, 'RUNNING'::public.task_execution_status])) <> (old.status = ANY (ARRAY['PENDING'::public.task_execution_status, 'RUNNING'::public.task_execution_status])))) EXECUTE FUNCTION private.tg_task_executions__recount();

CREATE TRIGGER _560_settle_waiting AFTER UPDATE OF status, story_id ON public.tasks FOR EACH ROW WHEN ((((new.status = 'DONE'::public.task_status) <> (old.status = 'DONE'::public.task_status)) OR (new.story_id <> old.story_id))) EXECUTE FUNCTION private.tg_tasks__settle_waiting();

CREATE POLICY "story_dependencies_select" ON "public"."story_dependencies" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "task_dependencies_select" ON "public"."task_dependencies" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON FUNCTION "private"."add_dependencies"(text, uuid, jsonb) IS 'The dependencies of something new, or PT422.';

COMMENT ON FUNCTION "private"."blocker_json"(uuid, text, text, text) IS 'One end of a dependency: { id, code, title, status, resolved }.';

COMMENT ON FUNCTION "private"."count_open_blockers"(public.agent_jobs) IS 'What a job waits for, counted anew (agent_jobs.open_blockers keeps it).';

COMMENT ON FUNCTION "private"."dependencies_json"(text, uuid) IS '{ blocked_by, blocks } of a task or story.';

COMMENT ON FUNCTION "private"."dependency_reasons"(uuid[]) IS 'dependency and dependency_failed (specification: Agent job).';

COMMENT ON FUNCTION "private"."emit_story_change"(uuid, text) IS 'Announces a story of which something beside its row changed (specification: Solo stream, Backlog stream).';

COMMENT ON FUNCTION "private"."emit_task_change"(uuid, text) IS 'Announces a task of which something beside its row changed (specification: Solo stream, Backlog stream).';

COMMENT ON FUNCTION "private"."find_blocker"(text, uuid, text) IS 'A task or story of a product by id or code, or null.';

COMMENT ON FUNCTION "private"."find_path"(text, uuid, text, uuid) IS 'The codes of a chain of dependencies between two nodes, or null.';

COMMENT ON FUNCTION "private"."followers"(text, uuid) IS 'What comes directly after a task, the start or the end of a story.';

COMMENT ON FUNCTION "private"."insert_dependency"(text, uuid, uuid, uuid) IS 'Writes one dependency, or refuses with 409 and the circle, or 422.';

COMMENT ON FUNCTION "private"."job_dependency_reasons"(public.agent_jobs) IS 'What a job waits for, in codes and words (specification: Agent job).';

COMMENT ON FUNCTION "private"."leaders"(text, uuid) IS 'What comes directly before a task, the start or the end of a story.';

COMMENT ON FUNCTION "private"."note_released"(uuid[]) IS 'Remembers the tasks that wait for nothing any more, for the answer.';

COMMENT ON FUNCTION "private"."order_by_dependencies"(uuid[]) IS 'Tasks in their order, each after what it waits for.';

COMMENT ON FUNCTION "private"."order_runs"(uuid) IS 'The places of what has not begun follow new dependencies (specification: Sprint run).';

COMMENT ON FUNCTION "private"."pass_turn"(uuid, uuid) IS 'Lets a lane go on with a job that waits for nothing (specification: Agent job).';

COMMENT ON FUNCTION "private"."recount_blockers"(uuid[]) IS 'Keeps agent_jobs.open_blockers of the jobs of these tasks.';

COMMENT ON FUNCTION "private"."refuse_cycle"(text, uuid, uuid) IS 'PT409 with the path when a dependency would close a circle.';

COMMENT ON FUNCTION "private"."refuse_moved_cycle"(uuid) IS 'PT409 with the path when a task waits for itself in its new story.';

COMMENT ON FUNCTION "private"."refuse_waiting"(uuid) IS 'PT409 for a task that waits for others (specification: Sprint run, executions).';

COMMENT ON FUNCTION "private"."released"() IS '{ released: [codes] } of this transaction, or an empty object.';

COMMENT ON FUNCTION "private"."require_blocker"(text, uuid, text) IS 'The id behind an id or code of the same product, or PT422.';

COMMENT ON FUNCTION "private"."run_scope"(uuid) IS 'Unfinished tasks of a sprint in the order of a run (specification: Starting a sprint run 2).';

COMMENT ON FUNCTION "private"."settle_waiting"(uuid[]) IS 'Counts anew what tasks wait for, now or at the end of the job that ended.';

COMMENT ON FUNCTION "private"."tg_agent_jobs__count_blockers"() IS 'open_blockers of a new job.';

COMMENT ON FUNCTION "private"."tg_agent_jobs__settle_waiting"() IS 'Frees what waited for the task of a job that ended (specification: Agent job).';

COMMENT ON FUNCTION "private"."tg_stories__settle_waiting"() IS 'Counters follow the status of stories.';

COMMENT ON FUNCTION "private"."tg_story_dependencies__emit"() IS 'Announces dependencies as changes of their stories (specification: Solo stream, Backlog stream).';

COMMENT ON FUNCTION "private"."tg_story_dependencies__recount"() IS 'Counters follow the dependencies of stories.';

COMMENT ON FUNCTION "private"."tg_task_dependencies__emit"() IS 'Announces dependencies as changes of their tasks (specification: Solo stream, Backlog stream).';

COMMENT ON FUNCTION "private"."tg_task_dependencies__recount"() IS 'Counters follow the dependencies of tasks.';

COMMENT ON FUNCTION "private"."tg_task_executions__recount"() IS 'The counter of a batch follows its executions.';

COMMENT ON FUNCTION "private"."tg_tasks__settle_waiting"() IS 'Counters follow the status and the story of tasks.';

COMMENT ON FUNCTION "public"."add_dependency"(text, uuid, text) IS 'Lets a task wait for a task, or a story for a story, of its product.';

COMMENT ON FUNCTION "public"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb) IS 'Creates a story (specification: Story, Entity codes). 60 per minute.';

COMMENT ON FUNCTION "public"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb) IS 'Creates a task (specification: Task, Entity codes). 100 per minute.';

COMMENT ON FUNCTION "public"."find_wrong_counters"() IS 'Unfinished jobs whose open_blockers is not what they wait for. Service only.';

COMMENT ON FUNCTION "public"."list_dependencies"(text, uuid) IS 'What a task or story waits for, and what waits for it.';

COMMENT ON FUNCTION "public"."list_ready"(uuid, integer) IS 'Tasks of a product that wait for nothing.';

COMMENT ON FUNCTION "public"."remove_dependency"(text, uuid, text) IS 'Lets a task or story wait for another no more.';

COMMENT ON TABLE "public"."story_dependencies" IS 'A story waits for a story of its product: each of its tasks waits for the whole other story; only DONE frees it.';

COMMENT ON TABLE "public"."task_dependencies" IS 'A task waits for a task of its product; only DONE frees it.';

COMMENT ON VIEW "private"."claimable_jobs" IS 'The jobs that a worker may be given now (specification: Agent job).';

COMMENT ON VIEW "private"."task_blockers" IS 'What a task waits for: tasks, and the stories that its story waits for.';

REVOKE ALL ON FUNCTION "private"."add_dependencies"(text, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_dependencies"(text, uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."add_dependency"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_dependency"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."blocker_json"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."blocker_json"(uuid, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."count_open_blockers"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."count_open_blockers"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."dependencies_json"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."dependencies_json"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."dependency_reasons"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."dependency_reasons"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."emit_story_change"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."emit_story_change"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."emit_task_change"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."emit_task_change"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_blocker"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."find_blocker"(text, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_path"(text, uuid, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."find_path"(text, uuid, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_wrong_counters"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."find_wrong_counters"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."followers"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."followers"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."insert_dependency"(text, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."insert_dependency"(text, uuid, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_dependency_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_dependency_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."leaders"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."leaders"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_dependencies"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_dependencies"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."list_ready"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_ready"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."note_released"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_released"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."order_by_dependencies"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."order_by_dependencies"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."order_runs"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."order_runs"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pass_turn"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pass_turn"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."recount_blockers"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."recount_blockers"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_cycle"(text, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_cycle"(text, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_moved_cycle"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_moved_cycle"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_waiting"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_waiting"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."released"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."released"() TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."remove_dependency"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_dependency"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_blocker"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_blocker"(text, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_scope"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_scope"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_waiting"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_waiting"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__count_blockers"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__count_blockers"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__settle_waiting"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__settle_waiting"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_stories__settle_waiting"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_stories__settle_waiting"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_story_dependencies__emit"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_story_dependencies__emit"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_story_dependencies__recount"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_story_dependencies__recount"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_task_dependencies__emit"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_task_dependencies__emit"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_task_dependencies__recount"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_task_dependencies__recount"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_task_executions__recount"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_task_executions__recount"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__settle_waiting"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__settle_waiting"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."add_dependency"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."add_dependency"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."find_wrong_counters"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."find_wrong_counters"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."list_dependencies"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_dependencies"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_ready"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_ready"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."remove_dependency"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."remove_dependency"(text, uuid, text) TO "authenticated", "postgres";

GRANT SELECT ON TABLE "public"."story_dependencies" TO "authenticated";

GRANT ALL ON TABLE "public"."story_dependencies" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."story_dependencies" TO "service_role";

GRANT SELECT ON TABLE "public"."task_dependencies" TO "authenticated";

GRANT ALL ON TABLE "public"."task_dependencies" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."task_dependencies" TO "service_role";

GRANT ALL ON TABLE "private"."claimable_jobs" TO "postgres";

GRANT ALL ON TABLE "private"."task_blockers" TO "postgres";

ALTER TABLE "public"."story_dependencies" ADD CONSTRAINT "story_dependencies_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

CREATE INDEX story_dependencies_created_by_idx ON public.story_dependencies USING btree (created_by);

ALTER TABLE "public"."task_dependencies" ADD CONSTRAINT "task_dependencies_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

CREATE INDEX task_dependencies_created_by_idx ON public.task_dependencies USING btree (created_by);
