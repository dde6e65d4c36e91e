-- Why: a product may ask that what is done frees others only when its code is on the main branch. Every product keeps "done".
set local check_function_bodies = off;

DROP VIEW "private"."product_detail_shape";

DROP VIEW "private"."task_blockers";

DROP FUNCTION "private"."blocker_json"(uuid, text, text, text);

DROP FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text);

ALTER TABLE "public"."agent_jobs" ADD COLUMN "merged_at" timestamp with time zone;

CREATE TYPE "public"."dependency_release" AS ENUM ('done', 'merged');

ALTER TABLE "public"."products" ADD COLUMN "dependency_release" public.dependency_release NOT NULL DEFAULT 'done'::public.dependency_release;

CREATE OR REPLACE FUNCTION private.awaited_heads(p_user_id uuid, p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
  v_work jsonb;
  v_heads jsonb := '[]';
begin
  for v_product in
    select p.*
    from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null and p.dependency_release = 'merged'
    where m.user_id = p_user_id and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
    order by p.id
  loop
    for v_work in
      select w
      from jsonb_array_elements(private.awaited_work(array(
        select a.task_id
        from public.sprint_runs r
        join public.agent_jobs j on j.sprint_run_id = r.id and j.status = 'QUEUED' and j.open_blockers > 0
        cross join lateral unnest(private.tasks_of_job(j)) as a (task_id)
        where r.product_id = v_product.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      ), 50)) w
      where w ->> 'head_sha' is not null
    loop
      v_heads := v_heads || (v_work || jsonb_build_object('product_repo_url', v_product.repo_url, 'repo_url', (
        select coalesce(nullif(t.repo_url, ''), v_product.repo_url) from public.agent_jobs j join public.tasks t on t.id = j.task_id
        where j.id = (v_work ->> 'job_id')::uuid)));
    end loop;
  end loop;
  return nullif(v_heads, '[]');
end;
$function$;

CREATE OR REPLACE FUNCTION private.awaited_work(p_task_ids uuid[], p_limit integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(w) order by w.task_code), '[]')
    from (
      select distinct on (x.job_id) x.job_id, x.task_code, x.branch, x.head_sha
      from (
        select distinct b.kind, b.blocker_id
        from private.task_blockers b
        where b.task_id = any (p_task_ids) and b.status = 'done' and not b.resolved
      ) d
      cross join lateral private.unmerged_works(d.kind, d.blocker_id) x
      order by x.job_id, x.task_code
      limit p_limit
    ) w
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.base_refs(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting uuid[] := private.tasks_of_job(p_job);
  v_task_ids uuid[];
  v_story_ids uuid[];
  v_repo_url text;
begin
  v_task_ids := array(select d.blocker_id from public.task_dependencies d where d.blocked_id = any (v_waiting));
  v_story_ids := array(select d.blocker_id from public.story_dependencies d
    where d.blocked_id = any (array(select t.story_id from public.tasks t where t.id = any (v_waiting))));
  if v_task_ids = '{}' and v_story_ids = '{}' then
    return '[]';
  end if;
  v_task_ids := v_task_ids || array(select t.id from public.tasks t where t.story_id = any (v_story_ids));
  v_repo_url := (
    select coalesce(nullif(t.repo_url, ''), p.repo_url)
    from public.tasks t join public.products p on p.id = t.product_id where t.id = p_job.task_id);
  return (
    select coalesce(json_agg(jsonb_build_object('task_id', h.task_id, 'task_code', h.code, 'branch', h.branch, 'head_sha', h.head_sha)
      || case when h.merged then '{"merged": true}' else '{}' end::jsonb order by h.sort_order, h.code), '[]')
    from (
      select distinct on (j.branch) t.id as task_id, t.code, t.sort_order, j.branch, j.head_sha,
        p.dependency_release = 'merged' and j.merged_at is not null as merged
      from unnest(v_task_ids) k (id)
      join public.tasks t on t.id = k.id and t.status = 'DONE'
      join public.products p on p.id = t.product_id
      cross join lateral (
        select a.id, a.status, a.branch, a.head_sha, a.finished_at, a.merged_at
        from public.agent_jobs a where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION'
        union all
        select a.id, a.status, a.branch, a.head_sha, a.finished_at, a.merged_at
        from public.task_executions e
        join public.agent_jobs a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION'
        where e.task_id = t.id and e.status = 'DONE'
      ) j
      where j.status = 'DONE' and j.head_sha is not null and j.branch is not null and j.branch is distinct from p_job.branch
        and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url
      order by j.branch, j.finished_at desc, j.id, t.sort_order, t.code
    ) h
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.blocker_json(p_id uuid, p_code text, p_title text, p_status text, p_resolved boolean)
 RETURNS json
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select json_build_object('id', p_id, 'code', p_code, 'title', p_title, 'status', p_status, 'resolved', p_resolved);
$function$;

CREATE OR REPLACE FUNCTION private.count_open_blockers(p_job public.agent_jobs)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'TASK_IMPLEMENTATION' then
    return (select count(*) from private.task_blockers b where b.task_id = p_job.task_id
      and (b.status <> 'done' or not private.has_arrived(b.task_id, b.kind, b.blocker_id, p_job.product_id, p_job.branch)));
  end if;
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    return 0;
  end if;
  return (
    select count(*)
    from public.task_executions e
    join private.task_blockers b on b.task_id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')
      and (b.status <> 'done' or not private.has_arrived(b.task_id, b.kind, b.blocker_id, p_job.product_id, p_job.branch))
      and not exists (
        select from public.task_executions i
        join public.tasks t on t.id = i.task_id
        where i.sprint_run_id = e.sprint_run_id and b.blocker_id in (t.id, t.story_id)
      )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.dependencies_json(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_ends jsonb;
  v_awaited jsonb;
begin
  if p_kind = 'task' then
    v_ends := jsonb_build_object('blocked_by', (
      select coalesce(json_agg(private.blocker_json(t.id, t.code, t.title, private.task_status_word(t.status),
        t.status = 'DONE' and private.has_arrived(p_id, 'task', t.id, t.product_id)) order by t.sort_order, t.created_at, t.id), '[]')
      from public.task_dependencies d join public.tasks t on t.id = d.blocker_id where d.blocked_id = p_id
    ), 'blocks', (
      select coalesce(json_agg(private.blocker_json(t.id, t.code, t.title, private.task_status_word(t.status), t.status = 'DONE')
        order by t.sort_order, t.created_at, t.id), '[]')
      from public.task_dependencies d join public.tasks t on t.id = d.blocked_id where d.blocker_id = p_id
    ));
    v_awaited := private.awaited_work(array[p_id]);
  else
    v_ends := jsonb_build_object('blocked_by', (
      select coalesce(json_agg(private.blocker_json(s.id, s.code, s.title, lower(s.status::text),
        s.status = 'DONE' and not exists (select from public.tasks t
          where t.story_id = p_id and not private.has_arrived(t.id, 'story', s.id, s.product_id))) order by s.sort_order, s.created_at, s.id), '[]')
      from public.story_dependencies d join public.stories s on s.id = d.blocker_id where d.blocked_id = p_id
    ), 'blocks', (
      select coalesce(json_agg(private.blocker_json(s.id, s.code, s.title, lower(s.status::text), s.status = 'DONE')
        order by s.sort_order, s.created_at, s.id), '[]')
      from public.story_dependencies d join public.stories s on s.id = d.blocked_id where d.blocker_id = p_id
    ));
    v_awaited := private.awaited_work(array(select t.id from public.tasks t where t.story_id = p_id));
  end if;
  return v_ends || case when v_awaited = '[]' then '{}' else jsonb_build_object('awaited', v_awaited) end;
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
    select coalesce(jsonb_agg(jsonb_build_object('code', r.code, 'message', r.message, 'blocked_by', r.blocked_by)
      || case when r.code = 'dependency_unmerged' then jsonb_build_object('awaited', private.awaited_work(p_task_ids)) else '{}' end
      order by r.code desc), '[]')
    from (
      select b.reason as code,
        case b.reason
          when 'dependency_failed'
            then format('It waits for %s, which failed. Try that again, finish it by hand or remove the dependency.', string_agg(b.code, ', ' order by b.sort_order, b.code))
          when 'dependency_unmerged'
            then format('It waits for the code of %s: done, and not on the main branch yet. Merge it; a worker sees that within a minute. Or the owner says that it is there.',
              string_agg(b.code, ', ' order by b.sort_order, b.code))
          else format('It waits for %s.', string_agg(format('%s (%s)', b.code, case b.status when 'todo' then 'to do' else replace(b.status, '_', ' ') end), ', ' order by b.sort_order, b.code)) end as message,
        jsonb_agg(private.blocker_json(b.blocker_id, b.code, b.title, b.status, false)::jsonb || jsonb_build_object('kind', b.kind) order by b.sort_order, b.code) as blocked_by
      from (
        select distinct k.kind, k.blocker_id, k.code, k.title, k.status, k.sort_order,
          case k.status when 'failed' then 'dependency_failed' when 'done' then 'dependency_unmerged' else 'dependency' end as reason
        from private.task_blockers k
        where k.task_id = any (p_task_ids) and not k.resolved and k.blocker_id <> all (p_task_ids)
        order by k.sort_order, k.code
        limit 20
      ) b
      group by b.reason
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_arrived(p_waiting_id uuid, p_kind text, p_blocker_id uuid, p_product_id uuid, p_branch text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_branches text[];
begin
  if (select p.dependency_release from public.products p where p.id = p_product_id) = 'done' then
    return true;
  end if;
  v_branches := array_remove(array(
    select j.branch from public.agent_jobs j
    where j.task_id = p_waiting_id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    union all
    select j.branch from public.task_executions e
    join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    where e.task_id = p_waiting_id
  ) || p_branch, null);
  return not exists (
    select from private.unmerged_works(p_kind, p_blocker_id) w where w.branch is null or w.branch <> all (v_branches));
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
    'awaited_heads', case when v_product.dependency_release = 'merged' then private.awaited_heads(auth.uid(), v_product.id) end,
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

CREATE OR REPLACE FUNCTION private.note_merged_requests(p_product_id uuid, p_pbi_id uuid, p_was_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.agent_jobs j
  set merged_at = case when x.pr_merged_at > j.finished_at then x.pr_merged_at end
  from (
    select w.id, min(b.pr_merged_at) as pr_merged_at
    from public.pbis b
    join public.stories s on s.pbi_id = b.id
    join public.tasks t on t.story_id = s.id
    cross join lateral (
      select a.id from public.agent_jobs a where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.status = 'DONE'
      union all
      select a.id from public.task_executions e
      join public.agent_jobs a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION' and a.finished_at is not null
      where e.task_id = t.id and e.status = 'DONE'
    ) w
    where b.product_id = p_product_id and (p_pbi_id is null or b.id = p_pbi_id)
    group by w.id
  ) x
  where j.id = x.id and (j.merged_at is null and x.pr_merged_at > j.finished_at
    or j.merged_at = p_was_at and (x.pr_merged_at > j.finished_at) is not true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_user_id uuid, p_product_id uuid, p_full_budgets uuid[] DEFAULT NULL::uuid[])
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
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none claimable now: %s wait for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_waiting.held,
      case when p_full_budgets <> '{}' then ' A budget lets nobody begin.' else '' end))
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_user_id, p_product_id)))
      else '{}' end;
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
      ('dependency', 120, 60),
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
      ('saved_view', 60, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60),
      ('job_merged', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_merged(p_job_id uuid, p_head_sha text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  if not private.is_token() then
    perform private.require_product_owner(v_job.product_id);
  elsif p_head_sha is null then
    perform private.refuse(422, 'head_sha names the commit that you found on the main branch.');
  end if;
  perform private.take_rate_limit('job_merged', p_job_id::text);
  if v_job.kind = 'PLAN_CHAT' or v_job.finished_at is null or (v_job.kind = 'TASK_IMPLEMENTATION' and v_job.status <> 'DONE') then
    perform private.refuse(409, 'The work of this job is not done, so it cannot have been merged.');
  end if;
  if p_head_sha is not null and p_head_sha is distinct from v_job.head_sha then
    perform private.refuse(409, format('The work of this job stands at %s now.', coalesce(left(v_job.head_sha, 8), 'no commit')));
  end if;
  if v_job.merged_at is null then
    update public.agent_jobs j set merged_at = private.now() where j.id = p_job_id returning j.* into v_job;
    if not private.is_token() then
      perform private.audit(auth.uid(), auth.uid(), 'job.merged', jsonb_build_object('product_id', v_job.product_id, 'job_id', v_job.id,
        'code', (select t.code from public.tasks t where t.id = v_job.task_id), 'head_sha', v_job.head_sha));
    end if;
  end if;
  return jsonb_build_object('job_id', v_job.id, 'merged_at', v_job.merged_at) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_dependency_release(p_product_id uuid, p_release public.dependency_release)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id), private.require_product_owner(p_product_id);
  if p_release is null or p_release = (select p.dependency_release from public.products p where p.id = p_product_id) then
    return;
  end if;
  if p_release = 'merged' then
    perform private.note_merged_requests(p_product_id, null);
  end if;
  update public.products p set dependency_release = p_release where p.id = p_product_id;
  perform private.recount_blockers(array(
    select d.blocked_id from public.task_dependencies d where d.product_id = p_product_id
    union
    select t.id from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id where d.product_id = p_product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.tasks_of_job(p_job public.agent_jobs)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return array(select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id);
  end if;
  return array_remove(array[p_job.task_id], null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__settle_merged()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (select p.dependency_release from public.products p where p.id = old.product_id) = 'merged' then
    perform private.settle_waiting(nullif(private.waiting_for(private.tasks_of_job(old)), '{}'));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_pbis__note_merged()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (select p.dependency_release from public.products p where p.id = new.product_id) = 'merged' then
    perform private.note_merged_requests(new.product_id, new.id, old.pr_merged_at);
  end if;
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
  v_task_ids uuid[];
begin
  if tg_op = 'DELETE' then
    perform private.settle_waiting(nullif(private.waiting_for('{}', array[old.story_id]), '{}'));
    return null;
  end if;
  v_task_ids := array(select d.blocked_id from public.task_dependencies d where d.blocker_id = new.id);
  if new.story_id <> old.story_id then
    perform private.refuse_moved_cycle(new.id);
    v_task_ids := v_task_ids || new.id || private.waiting_for('{}', array[old.story_id, new.story_id]);
  elsif exists (select from public.task_executions e where e.task_id = new.id) then
    v_task_ids := v_task_ids || new.id;
  end if;
  perform private.settle_waiting(nullif(v_task_ids, '{}'));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unmerged_work(p_task_id uuid)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
  v_batch public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j
  where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  select j.* into v_batch
  from public.task_executions e
  join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
  where e.task_id = p_task_id and e.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  if v_job.id is null or v_batch.created_at > v_job.created_at then
    v_job := v_batch;
  end if;
  if v_job.merged_at is not null
    or (v_job.status in ('DONE', 'SKIPPED') and (v_job.head_sha is null or v_job.head_sha = v_job.base_sha)) then
    return null;
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unmerged_works(p_kind text, p_blocker_id uuid)
 RETURNS TABLE(job_id uuid, task_code text, branch text, head_sha text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_job public.agent_jobs;
begin
  for v_task in
    select t.* from public.tasks t where p_kind = 'task' and t.id = p_blocker_id
    union all
    select t.* from public.tasks t where p_kind = 'story' and t.story_id = p_blocker_id
  loop
    v_job := private.unmerged_work(v_task.id);
    continue when v_job.id is null;
    return query select v_job.id, v_task.code, v_job.branch, v_job.head_sha;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.waiting_for(p_task_ids uuid[], p_story_ids uuid[] DEFAULT '{}'::uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[] := p_story_ids || array(select t.story_id from public.tasks t where t.id = any (p_task_ids));
begin
  return array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = any (p_task_ids)
    union
    select t.id from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id where d.blocker_id = any (v_story_ids));
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release);
  return public.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.export_product(p_product_id uuid)
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
        'done_requires', p.done_requires, 'dependency_release', p.dependency_release,
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

CREATE OR REPLACE FUNCTION public.import_product(p_owner_id uuid, p_document jsonb)
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
    (owner_id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires, dependency_release,
      created_at)
  values (
    p_owner_id, v_product ->> 'code', v_product ->> 'name', v_product ->> 'description', v_product ->> 'repo_url',
    v_product ->> 'definition_of_done', (v_product ->> 'auto_pr')::boolean,
    (v_product ->> 'pr_strategy')::public.pr_strategy, (v_product ->> 'done_requires')::public.done_requires,
    coalesce(v_product ->> 'dependency_release', 'done')::public.dependency_release,
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

CREATE OR REPLACE FUNCTION public.report_merged(p_job_id uuid, p_head_sha text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.report_merged(p_job_id, p_head_sha);
end;
$function$;

CREATE OR REPLACE FUNCTION public.update_product(p_product_id uuid, p_changes jsonb)
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
      done_requires = coalesce((p_changes ->> 'done_requires')::public.done_requires, p.done_requires)
  where p.id = p_product_id;
  perform private.set_dependency_release(p_product_id, (p_changes ->> 'dependency_release')::public.dependency_release);
  return public.get_product(p_product_id);
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
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at
   FROM public.products p;

CREATE VIEW "private"."task_blockers" WITH (security_invoker=true) AS  SELECT d.blocked_id AS task_id,
    'task'::text AS kind,
    b.id AS blocker_id,
    b.code,
    b.title,
        CASE b.status
            WHEN 'TO_DO'::public.task_status THEN 'todo'::text
            ELSE lower((b.status)::text)
        END AS status,
    ((b.status = 'DONE'::public.task_status) AND private.has_arrived(d.blocked_id, 'task'::text, b.id, d.product_id)) AS resolved,
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
    ((b.status = 'DONE'::public.story_status) AND private.has_arrived(t.id, 'story'::text, b.id, d.product_id)) AS resolved,
    b.sort_order
   FROM ((public.story_dependencies d
     JOIN public.tasks t ON ((t.story_id = d.blocked_id)))
     JOIN public.stories b ON ((b.id = d.blocker_id)));

CREATE TRIGGER _592_settle_merged_deleted AFTER DELETE ON public.agent_jobs FOR EACH ROW WHEN (((old.finished_at IS NOT NULL) AND (old.head_sha IS NOT NULL) AND (old.merged_at IS NULL))) EXECUTE FUNCTION private.tg_agent_jobs__settle_merged();

CREATE TRIGGER _592_settle_merged AFTER UPDATE OF merged_at ON public.agent_jobs FOR EACH ROW WHEN ((new.merged_at IS DISTINCT FROM old.merged_at)) EXECUTE FUNCTION private.tg_agent_jobs__settle_merged();

CREATE TRIGGER _560_note_merged AFTER UPDATE OF pr_merged_at ON public.pbis FOR EACH ROW WHEN ((new.pr_merged_at IS DISTINCT FROM old.pr_merged_at)) EXECUTE FUNCTION private.tg_pbis__note_merged();

CREATE TRIGGER _560_settle_waiting_deleted AFTER DELETE ON public.tasks FOR EACH ROW WHEN ((old.status = 'DONE'::public.task_status)) EXECUTE FUNCTION private.tg_tasks__settle_waiting();

COMMENT ON COLUMN "public"."agent_jobs"."merged_at" IS 'Since when its work is known to be on the main branch; looked for where a product asks for it (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."awaited_heads"(uuid, uuid) IS 'Commits that work waits for on main branches, for a worker to look for.';

COMMENT ON FUNCTION "private"."awaited_work"(uuid[], integer) IS 'Work that is done, not on the main branch yet, and waited for.';

COMMENT ON FUNCTION "private"."blocker_json"(uuid, text, text, text, boolean) IS 'One end of a dependency: { id, code, title, status, resolved }.';

COMMENT ON FUNCTION "private"."dependencies_json"(text, uuid) IS '{ blocked_by, blocks, awaited? } of a task or story.';

COMMENT ON FUNCTION "private"."dependency_reasons"(uuid[]) IS 'dependency, dependency_failed and dependency_unmerged (specification: Agent job).';

COMMENT ON FUNCTION "private"."has_arrived"(uuid, text, uuid, uuid, text) IS 'Whether the code of a done task or story is where a waiting task needs it (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."note_merged_requests"(uuid, uuid, timestamp with time zone) IS 'Work that merged pull requests of PBIs brought to the main branch.';

COMMENT ON FUNCTION "private"."set_dependency_release"(uuid, public.dependency_release) IS 'Sets products.dependency_release and counts anew what waits (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."tasks_of_job"(public.agent_jobs) IS 'The tasks that a job works on.';

COMMENT ON FUNCTION "private"."tg_agent_jobs__settle_merged"() IS 'Counters follow work to the main branch (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."tg_pbis__note_merged"() IS 'Work follows the pull request of its PBI to the main branch (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."unmerged_work"(uuid) IS 'The job of a done task whose work is not known to be on the main branch, or null.';

COMMENT ON FUNCTION "private"."unmerged_works"(text, uuid) IS 'Work of a task, or of the tasks of a story, that is not known to be on the main branch.';

COMMENT ON FUNCTION "private"."waiting_for"(uuid[], uuid[]) IS 'The tasks that wait for tasks, or for stories.';

COMMENT ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text, text) IS 'Creates a product of the caller (specification: Product). 5 per minute.';

COMMENT ON FUNCTION "public"."report_merged"(uuid, text) IS 'The work of a job is on the main branch (docs/dependencies.md).';

COMMENT ON TYPE "public"."dependency_release" IS 'When what is done frees what waits for it: at once, or when its code is on the main branch (docs/dependencies.md).';

COMMENT ON VIEW "private"."product_detail_shape" IS 'A product with all fields (specification: Product).';

COMMENT ON VIEW "private"."task_blockers" IS 'What a task waits for: tasks, and the stories that its story waits for.';

REVOKE ALL ON FUNCTION "private"."awaited_heads"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."awaited_heads"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."awaited_work"(uuid[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."awaited_work"(uuid[], integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."blocker_json"(uuid, text, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."blocker_json"(uuid, text, text, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_arrived"(uuid, text, uuid, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."has_arrived"(uuid, text, uuid, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."note_merged_requests"(uuid, uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_merged_requests"(uuid, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."report_merged"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_merged"(uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."set_dependency_release"(uuid, public.dependency_release) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_dependency_release"(uuid, public.dependency_release) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."tasks_of_job"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tasks_of_job"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__settle_merged"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__settle_merged"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_pbis__note_merged"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_pbis__note_merged"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."unmerged_work"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unmerged_work"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."unmerged_works"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unmerged_works"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."waiting_for"(uuid[], uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waiting_for"(uuid[], uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."report_merged"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."report_merged"(uuid, text) TO "authenticated", "postgres";

REVOKE ALL ("dependency_release") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("dependency_release") ON TABLE "public"."products" TO "authenticated";

GRANT USAGE ON TYPE "public"."dependency_release" TO "postgres";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."task_blockers" TO "authenticated";

GRANT ALL ON TABLE "private"."task_blockers" TO "postgres";
