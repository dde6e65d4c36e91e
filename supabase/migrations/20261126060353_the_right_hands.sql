-- Why: a task, story or product says which agent, model and effort does the work; workers announce the agents they have, and each attempt says who did it.
set local check_function_bodies = off;

DROP VIEW "private"."claimable_jobs";

DROP VIEW "private"."product_detail_shape";

DROP VIEW "private"."task_detail_shape";

DROP FUNCTION "operations"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb);

DROP FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text);

DROP FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb, boolean);

DROP FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb, boolean);

DROP FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb, jsonb);

DROP FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[], boolean, jsonb);

DROP FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid, uuid[], boolean, jsonb);

DROP FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[], public.confinement, jsonb);

DROP FUNCTION "private"."touch_worker"(uuid, text, text, integer, public.confinement, jsonb);

DROP FUNCTION "private"."worker_gates"(private.job_gates, uuid, uuid, boolean, jsonb);

DROP VIEW "private"."job_gates";

ALTER TABLE "public"."agent_jobs" ADD COLUMN "agent" text;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "model" text;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "effort" text;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "fallback_agent" text;

ALTER TABLE "public"."agent_workers" ADD COLUMN "offers" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."job_attempts" ADD COLUMN "agent" text;

ALTER TABLE "public"."products" ADD COLUMN "agent" text;

ALTER TABLE "public"."products" ADD COLUMN "model" text;

ALTER TABLE "public"."products" ADD COLUMN "effort" text;

ALTER TABLE "public"."products" ADD COLUMN "fallback" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."products" ADD COLUMN "fallback_after" integer NOT NULL DEFAULT 15;

ALTER TABLE "public"."stories" ADD COLUMN "agent" text;

ALTER TABLE "public"."stories" ADD COLUMN "model" text;

ALTER TABLE "public"."stories" ADD COLUMN "effort" text;

ALTER TABLE "public"."tasks" ADD COLUMN "agent" text;

ALTER TABLE "public"."tasks" ADD COLUMN "model" text;

ALTER TABLE "public"."tasks" ADD COLUMN "effort" text;

CREATE TYPE "private"."asker" AS ("user_id" uuid, "worker_id" uuid, "confinement" public.confinement, "also_repos" jsonb, "agents" jsonb);

CREATE TYPE "private"."job_wants" AS ("needs_sandbox" boolean, "own_repo" text, "agent" text, "model" text, "effort" text, "requires_opus" boolean);

CREATE OR REPLACE FUNCTION operations.check_queue_empty(p_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_queued integer;
  v_held integer;
  v_claimable boolean;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select count(*) filter (where j.status = 'QUEUED'), count(*) filter (where j.status <> 'QUEUED')
  into v_queued, v_held
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = v_user_id
    and private.is_open_to_token(m.product_id)
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);
  v_claimable := private.next_product(row(v_user_id, null, 'bwrap', null, null)::private.asker, p_product_id, null, null, '{}') is not null;
  return json_build_object('empty', v_queued = 0 and v_held = 0, 'claimable', v_claimable, 'queued', v_queued, 'held', v_held,
    'reason', case when not v_claimable then private.nothing_to_claim(row(v_user_id, null, 'bwrap', null, null)::private.asker, p_product_id) end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.claim_agent_job(p_worker text, p_product_id uuid DEFAULT NULL::uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_kinds jsonb DEFAULT NULL::jsonb, p_hostname text DEFAULT NULL::text, p_version text DEFAULT NULL::text, p_quota_pct integer DEFAULT NULL::integer, p_confinement text DEFAULT NULL::text, p_also_repos jsonb DEFAULT NULL::jsonb, p_agents jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
  v_locked uuid[];
  v_tried uuid[] := '{}';
  v_product_id uuid;
  v_job public.agent_jobs;
  v_rooms private.budget_room[];
  v_full_budgets uuid[];
  v_asker private.asker := row(v_user_id, null, coalesce(p_confinement, 'none'), coalesce(p_also_repos, '[]'), coalesce(p_agents, '[]'));
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_asker.worker_id := v_worker.id;
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is null and v_asker.agents <> '[]' then
    v_asker.agents := private.able_agents(p_agents, (select u.min_quota_pct from public.users u where u.id = v_user_id));
    v_quota_reason := case when v_asker.agents = '[]' then 'Each agent of this worker is at its limit or below the quota that its user wants to keep (min_quota_pct).' end;
  end if;
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_asker.confinement, v_asker.also_repos, coalesce(p_agents, '[]'));
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_asker, p_product_id, p_sprint_run_id, p_kinds, v_tried);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_rooms := private.weigh_budgets(v_product_id, v_worker.id, v_tried = '{}');
    v_full_budgets := case when v_rooms is not null then private.full_budgets(v_rooms) end;
    v_job := private.take_job(v_asker, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_asker.confinement, v_asker.also_repos, coalesce(p_agents, '[]'));
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason',
      private.nothing_to_claim(v_asker, p_product_id, v_full_budgets));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb, p_plan_first text DEFAULT 'ask'::text, p_pull_requests text DEFAULT 'none'::text, p_agent_items text DEFAULT 'backlog'::text, p_landing text DEFAULT 'manual'::text, p_branch_prefix text DEFAULT 'backloom'::text, p_agent text DEFAULT NULL::text, p_model text DEFAULT NULL::text, p_effort text DEFAULT NULL::text, p_fallback jsonb DEFAULT '[]'::jsonb, p_fallback_after integer DEFAULT 15)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  perform private.require_unlimited_token();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach, plan_first, pull_requests, agent_items, landing, branch_prefix, agent, model, effort,
    fallback, fallback_after)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first,
    coalesce(p_pull_requests, 'none')::public.pull_requests,
    coalesce(p_agent_items, 'backlog')::public.agent_items, coalesce(p_landing, 'manual')::public.landing,
    coalesce(p_branch_prefix, 'backloom'), p_agent, p_model, p_effort, coalesce(p_fallback, '[]'), coalesce(p_fallback_after, 15));
  return operations.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_story(p_pbi_id uuid, p_title text, p_description text DEFAULT ''::text, p_acceptance_criteria text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_sprint_id uuid DEFAULT NULL::uuid, p_assignee_id uuid DEFAULT NULL::uuid, p_blocked_by jsonb DEFAULT NULL::jsonb, p_labels jsonb DEFAULT NULL::jsonb, p_refuse_similar boolean DEFAULT false, p_agent text DEFAULT NULL::text, p_model text DEFAULT NULL::text, p_effort text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
  v_in_triage boolean := private.is_token()
    and (select p.agent_items = 'triage' from public.products p where p.id = v_product_id);
begin
  if p_sprint_id is not null then
    perform private.require_access('sprint', p_sprint_id);
  end if;
  perform private.require_assignee(v_product_id, p_assignee_id);
  if p_refuse_similar then
    perform private.refuse_similar('story', p_pbi_id, p_title);
  end if;

  insert into public.stories
    (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids, in_triage,
      agent, model, effort)
  values
    (v_id, p_pbi_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_acceptance_criteria, ''),
      coalesce(p_priority, 3), case when not v_in_triage then p_sprint_id end, p_assignee_id,
      coalesce(private.require_labels(v_product_id, p_labels), '{}'), v_in_triage, p_agent, p_model, p_effort);
  perform private.add_dependencies('story', v_id, p_blocked_by);
  return private.story_json(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_task(p_story_id uuid, p_title text, p_description text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_repo_url text DEFAULT NULL::text, p_verify_only boolean DEFAULT false, p_verify_required text DEFAULT 'ALIGNED_OR_PARTIAL'::text, p_requires_opus boolean DEFAULT false, p_estimated_minutes integer DEFAULT NULL::integer, p_blocked_by jsonb DEFAULT NULL::jsonb, p_labels jsonb DEFAULT NULL::jsonb, p_refuse_similar boolean DEFAULT false, p_agent text DEFAULT NULL::text, p_model text DEFAULT NULL::text, p_effort text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_label_ids uuid[] := private.require_labels(private.require_write('story', p_story_id), p_labels);
begin
  if p_refuse_similar then
    perform private.refuse_similar('task', p_story_id, p_title);
  end if;

  insert into public.tasks
    (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only, verify_required,
      requires_opus, estimated_minutes, label_ids, agent, model, effort)
  values
    (v_id, p_story_id, p_code, p_title, coalesce(p_description, ''), p_implementation_plan, coalesce(p_priority, 3),
      p_repo_url, coalesce(p_verify_only, false),
      coalesce(p_verify_required, 'ALIGNED_OR_PARTIAL')::public.verify_required, coalesce(p_requires_opus, false),
      p_estimated_minutes, coalesce(v_label_ids, '{}'), p_agent, p_model, p_effort);
  perform private.add_dependencies('task', v_id, p_blocked_by);
  return private.task_json(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_story(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('story', p_story_id);

  return (
    select private.with_labels(row_to_json(x), (select k.label_ids from public.stories k where k.id = x.id))
    from (
      select
        s.*,
        (select json_build_object('id', b.id, 'code', b.code, 'title', b.title) from public.pbis b where b.id = s.pbi_id) as pbi,
        (
          select json_build_object('id', p.id, 'code', p.code, 'sprint_goal', p.sprint_goal, 'status', p.status)
          from private.sprint_shape p
          where p.id = s.sprint_id
        ) as sprint,
        private.username(s.assignee_id) as assignee_username,
        (
          select coalesce(json_agg(private.with_labels(row_to_json(t), k.label_ids) order by t.sort_order, k.created_at, t.id), '[]')
          from private.task_detail_shape t
          join public.tasks k on k.id = t.id
          where t.story_id = s.id
        ) as tasks,
        operations.list_story_logs(s.id) as logs
      from private.story_detail_shape s
      where s.id = p_story_id
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_task(p_task_id uuid, p_status text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text, p_verify_only boolean DEFAULT NULL::boolean, p_verify_required text DEFAULT NULL::text, p_labels jsonb DEFAULT NULL::jsonb, p_expected_version jsonb DEFAULT NULL::jsonb, p_who jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status;
  v_label_ids uuid[];
  v_answer jsonb;
begin
  if p_status is null and p_implementation_plan is null and p_labels is null and coalesce(p_who, '{}') = '{}' then
    raise exception using errcode = 'PT422', message = 'Give at least one of status and implementation_plan.',
      detail = '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}';
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_labels);
  if p_expected_version is not null then
    perform private.require_version('task', p_task_id, jsonb_strip_nulls(jsonb_build_object('status', p_status,
      'implementation_plan', p_implementation_plan, 'verify_only', p_verify_only, 'verify_required', p_verify_required,
      'labels', p_labels, 'expected_version', p_expected_version)) || coalesce(p_who, '{}'));
  end if;
  v_status := private.parse_task_status(p_status);
  perform private.require_proof(p_task_id, v_status), private.heed_waiting(p_task_id, v_status, false);

  update public.tasks t
  set status = coalesce(v_status, t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      label_ids = coalesce(v_label_ids, t.label_ids),
      agent = case when p_who ? 'agent' then p_who ->> 'agent' else t.agent end,
      model = case when p_who ? 'model' then p_who ->> 'model' else t.model end,
      effort = case when p_who ? 'effort' then p_who ->> 'effort' else t.effort end,
      verify_only = coalesce(p_verify_only, t.verify_only),
      verify_required = coalesce(p_verify_required::public.verify_required, t.verify_required)
  where t.id = p_task_id
  returning jsonb_build_object(
    'id', t.id,
    'status', case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end,
    'implementation_plan', t.implementation_plan,
    'version', t.version
  ) || case when p_labels is null then '{}' else private.with_labels('{"of":0}', t.label_ids)::jsonb - 'of' end
  into v_answer;
  return v_answer || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.able_agents(p_agents jsonb, p_min_quota_pct integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(a.agent order by a.place), '[]')
    from jsonb_array_elements(p_agents) with ordinality a (agent, place)
    where coalesce((a.agent ->> 'quota_pct')::integer >= p_min_quota_pct, true)
      and coalesce((a.agent ->> 'limited_until')::timestamptz <= private.now(), true));
end;
$function$;

CREATE OR REPLACE FUNCTION private.agent_advice(p_agent text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select format('start one with --agent %s, or change the agent of the task, its story or its product.', coalesce(p_agent, '<agent>'));
$function$;

CREATE OR REPLACE FUNCTION private.agent_for(p_wants private.job_wants, p_agents jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select a.agent ->> 'id'
    from jsonb_array_elements(p_agents) with ordinality a (agent, place)
    where a.agent ->> 'id' = coalesce(p_wants.agent, a.agent ->> 'id')
      and coalesce(a.agent -> 'models' ? private.model_for(p_wants, a.agent ->> 'id'), true)
    order by a.place
    limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.agent_line(p_agent text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select 'node backloom-worker.mjs --url <address> --token <token> --repo <folder> --agent ' || coalesce(p_agent, '<agent>');
$function$;

CREATE OR REPLACE FUNCTION private.agent_reasons(p_wants private.job_wants)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_array(jsonb_strip_nulls(jsonb_build_object('code', 'agent',
    'message', format('It is for %s, and no online worker has it free: %s',
      concat_ws(' with ', 'the agent ' || p_wants.agent, 'the model ' || private.model_for(p_wants, 'claude')), private.agent_advice(p_wants.agent)),
    'agent', p_wants.agent, 'model', p_wants.model, 'command', private.agent_line(p_wants.agent))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempts_json(p_job_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'worker_id', a.worker_id, 'worker_name', a.worker_name, 'agent', a.agent,
      'confinement', a.confinement,
      'started_at', a.started_at, 'ended_at', a.ended_at, 'outcome', a.outcome, 'head_sha', a.head_sha,
      'session_id', a.session_id, 'kept_ref', a.kept_ref, 'last_seq', a.last_seq, 'output_bytes', a.output_bytes, 'usage', private.attempt_usage_json(a.job_id, a.attempt))
      order by a.attempt), '[]')
    from public.job_attempts a
    where a.job_id = p_job_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_attempt(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, agent, confinement, started_at)
  values (p_job.id, p_job.attempt, p_job.product_id, p_job.worker_id,
    coalesce((select w.name from public.agent_workers w where w.id = p_job.worker_id), ''), p_job.agent, p_job.confinement,
    coalesce(p_job.claimed_at, private.now()))
  on conflict (job_id, attempt) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.change_thing(p_kind text, p_id uuid, p_changes jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_fields jsonb;
begin
  if p_kind = 'task' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id,add_label,remove_label}'::text[];
    if v_fields <> '{}' then
      perform operations.edit_task(p_id, v_fields);
    end if;
    if p_changes ? 'assignee_id' then
      -- Whoever has a task has its story.
      perform operations.assign_story((select t.story_id from public.tasks t where t.id = p_id), (p_changes ->> 'assignee_id')::uuid);
    end if;
    if p_changes ? 'story_id' then
      perform operations.move_task(p_id, (p_changes ->> 'story_id')::uuid);
    end if;
    if p_changes ?| '{add_label,remove_label}' then
      perform private.change_label(p_kind, p_id, p_changes);
    end if;
    return v_fields <> '{}' or p_changes ?| '{story_id,assignee_id,add_label,remove_label}';
  end if;

  if p_kind = 'pbi' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id,agent,model,effort,confirmed,add_label,remove_label}'::text[];
    if v_fields ->> 'status' not in ('ready', 'blocked') then
      v_fields := v_fields - 'status';
    end if;
    if v_fields <> '{}' then
      perform operations.update_pbi(p_id, v_fields);
    end if;
    return v_fields <> '{}';
  end if;

  v_fields := p_changes - '{status,assignee_id,sprint_id,story_id,confirmed,add_label,remove_label}'::text[];
  if v_fields <> '{}' then
    perform operations.update_story(p_id, v_fields);
  end if;
  if p_changes ? 'assignee_id' then
    perform operations.assign_story(p_id, (p_changes ->> 'assignee_id')::uuid);
  end if;
  if p_changes ? 'sprint_id' and p_changes ->> 'sprint_id' is null then
    perform operations.remove_story_from_sprint(p_id);
  elsif p_changes ? 'sprint_id' then
    perform operations.add_story_to_sprint((p_changes ->> 'sprint_id')::uuid, p_id);
  end if;
  if p_changes ?| '{add_label,remove_label}' then
    perform private.change_label(p_kind, p_id, p_changes);
  end if;
  return v_fields <> '{}' or p_changes ?| '{assignee_id,sprint_id,add_label,remove_label}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.changed_job_fields(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_rest public.agent_jobs := p_new;
begin
  v_rest.agent := p_old.agent;
  v_rest.attempt := p_old.attempt;
  v_rest.claimed_at := p_old.claimed_at;
  v_rest.confinement := p_old.confinement;
  v_rest.effort := p_old.effort;
  v_rest.finished_at := p_old.finished_at;
  v_rest.head_sha := p_old.head_sha;
  v_rest.lease_until := p_old.lease_until;
  v_rest.model := p_old.model;
  v_rest.plan_snapshot := p_old.plan_snapshot;
  v_rest.started_at := p_old.started_at;
  v_rest.status := p_old.status;
  v_rest.summary := p_old.summary;
  v_rest.updated_at := p_old.updated_at;
  v_rest.verify_result := p_old.verify_result;
  v_rest.worker_id := p_old.worker_id;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return to_jsonb(array_remove(array[
    case when p_new.agent is distinct from p_old.agent then 'agent' end,
    case when p_new.attempt is distinct from p_old.attempt then 'attempt' end,
    case when p_new.claimed_at is distinct from p_old.claimed_at then 'claimed_at' end,
    case when p_new.confinement is distinct from p_old.confinement then 'confinement' end,
    case when p_new.effort is distinct from p_old.effort then 'effort' end,
    case when p_new.finished_at is distinct from p_old.finished_at then 'finished_at' end,
    case when p_new.head_sha is distinct from p_old.head_sha then 'head_sha' end,
    case when p_new.lease_until is distinct from p_old.lease_until then 'lease_until' end,
    case when p_new.model is distinct from p_old.model then 'model' end,
    case when p_new.plan_snapshot is distinct from p_old.plan_snapshot then 'plan_snapshot' end,
    case when p_new.started_at is distinct from p_old.started_at then 'started_at' end,
    case when p_new.status is distinct from p_old.status then 'status' end,
    case when p_new.summary is distinct from p_old.summary then 'summary' end,
    case when p_new.verify_result is distinct from p_old.verify_result then 'verify_result' end,
    case when p_new.worker_id is distinct from p_old.worker_id then 'worker_id' end
  ], null));
end;
$function$;

CREATE OR REPLACE FUNCTION private.earlier_attempts(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('job_id', x.job_id, 'attempt', x.attempt, 'outcome', x.outcome,
      'worker_id', x.worker_id, 'worker_name', x.worker_name, 'agent', x.agent, 'session_id', x.session_id, 'kept_ref', x.kept_ref,
      'head_sha', x.head_sha, 'ended_at', x.ended_at) order by x.started_at desc), '[]')
    from (
      select a.*
      from public.agent_jobs j
      join public.job_attempts a on a.job_id = j.id
      where (j.id = p_job.id or (p_job.task_id is not null and j.task_id = p_job.task_id)) and a.ended_at is not null
      order by a.started_at desc
      limit 10
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.ensure_worker(p_user_id uuid, p_name text)
 RETURNS public.agent_workers
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_worker public.agent_workers;
begin
  if coalesce(char_length(p_name), 0) not between 1 and 100 then
    perform private.refuse(422, 'worker takes a name of 1 to 100 characters. Keep the same name across restarts.');
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  if found then
    return v_worker;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('new worker:' || p_user_id::text, 0));
  if (select count(*) from public.agent_workers w where w.user_id = p_user_id) >= 50
    and not exists (select from public.agent_workers w where w.user_id = p_user_id and w.name = p_name) then
    update public.agent_workers w
    set name = p_name, hostname = null, version = null, last_seen_at = private.now(), last_quota_pct = null,
        last_quota_check_at = null, stopped_at = null, agents = null, confinement = 'none', also_repos = '[]', offers = '[]',
        created_at = private.now()
    where w.id = (
      select u.id from public.agent_workers u
      where u.user_id = p_user_id
        and not exists (select from public.agent_jobs j where j.worker_id = u.id and j.status in ('CLAIMED', 'RUNNING'))
      order by exists (select from public.agent_jobs j where j.worker_id = u.id), u.last_seen_at, u.id
      limit 1
      for update skip locked
    );
    if not found then
      perform private.refuse(409, 'All 50 of your workers hold jobs. Use one of their names, or let one finish first.');
    end if;
  else
    insert into public.agent_workers (user_id, name) values (p_user_id, p_name)
    on conflict (user_id, name) do nothing;
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  return v_worker;
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
      'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pull_requests', p.pull_requests, 'pr_strategy', p.pr_strategy) as product,
    case when r.id is not null then json_build_object('id', r.id, 'status', lower(r.status::text), 'branch', r.branch,
      'pr_strategy', r.pr_strategy, 'previous_run_id', r.previous_run_id, 'subject', private.run_subject(r),
      'sprint_id', n.id, 'sprint_code', n.code, 'sprint_goal', n.sprint_goal) end as run,
    case when v_is_task then json_build_object('id', t.id, 'code', t.code,
      'title', t.title, 'description', t.description, 'status', private.task_status_word(t.status),
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes) end as task,
    case when v_is_task then json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
      'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title) end as story,
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, coalesce(p_job.fallback_agent, t.agent, s.agent, p.agent) as agent, private.branch_prefix_of(p_job.branch, p) as branch_prefix, p.may_reach, p.done_requires, p.dependency_release, r.sprint_id,
    coalesce(r.plan_first, false) as plans_first,
    not v_is_task or concat(s.acceptance_criteria, p.definition_of_done) ~ '\S' as has_criteria,
    p_job.phase <> 'verify' and (p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from private.works j where j.task_id = p_job.task_id and j.id <> p_job.id)) as has_past,
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

  return private.with_key(json_build_object(
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
    'agent', v.agent,
    'model', p_job.model,
    'effort', p_job.effort,
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
    'branch_prefix', v.branch_prefix,
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
  ), 'messages', private.open_messages(p_job));
end;
$function$;

CREATE OR REPLACE FUNCTION private.model_for(p_wants private.job_wants, p_agent text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(p_wants.model, case when p_wants.requires_opus and p_agent = 'claude' then 'opus' end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_product(p_asker private.asker, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[])
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return (
    select w.product_id
    from private.worker_products(p_asker.user_id, p_product_id) as w (product_id)
    cross join lateral (
      select j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = w.product_id
        and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
        and (p_kinds is null or p_kinds ? j.kind::text)
        and private.worker_gates(j.job, p_asker) = '{}'
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where w.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_asker private.asker, p_product_id uuid, p_full_budgets uuid[] DEFAULT NULL::uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(select private.worker_products(p_asker.user_id, p_product_id));
  v_waiting record;
  v_held integer;
  v_closed jsonb;
begin
  select count(*) filter (where not x.archived) as queued, count(*) filter (where x.archived) as archived,
    count(*) filter (where 'paused' = any (x.gates)) as paused,
    count(*) filter (where 'question' = any (x.gates)) as asked,
    count(*) filter (where 'not_before' = any (x.gates)) as delayed,
    count(*) filter (where 'not_before' = any (x.gates) and g.failure_class is distinct from 'rate_limited') as failed,
    count(*) filter (where 'order' = any (x.gates)) as in_order,
    count(*) filter (where 'review' = any (x.gates)) as in_review,
    count(*) filter (where 'needs_other_worker' = any (x.gates)) as to_verify,
    count(*) filter (where 'dependency' = any (x.gates) and 'order' <> all (x.gates)) as blocked,
    count(*) filter (where 'sandbox' = any (x.gates)) as unconfined,
    min((g.wants).own_repo) filter (where 'repository' = any (x.gates)) as foreign_repo,
    min((g.wants).agent) filter (where 'agent' = any (x.gates)) as missing_agent,
    count(*) filter (where 'agent' = any (x.gates)) as for_agents
  into v_waiting
  from private.job_gates g
  cross join lateral (select private.worker_gates(g, p_asker) as own) w
  cross join lateral (select 'archived' = any (g.gates) as archived,
    case when 'archived' = any (g.gates) then '{}' else g.gates || w.own end as gates) x
  where g.product_id = any (v_products) and 'conversation' <> all (w.own);
  select count(*) into v_held from public.agent_jobs j
  where j.product_id = any (v_products) and j.status in ('CLAIMED', 'RUNNING')
    and (j.kind <> 'PLAN_CHAT' or j.created_by = p_asker.user_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_asker.user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('There are jobs in %s, where your workers are not allowed yet. Press "Allow my workers" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 and v_waiting.archived > 0 then
    return jsonb_build_object('code', 'archived', 'message', format('%s queued, all in archived products: %s', v_waiting.archived,
      'their work rests until an owner takes the product out of the archive.'));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_held > 0 then format('; %s held by workers', v_held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.unconfined > 0 then 'sandbox'
      when v_waiting.foreign_repo is not null then 'repository'
      when v_waiting.for_agents > 0 then 'agent'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none available now: %s waiting for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed - v_waiting.failed,
      case when v_waiting.failed > 0 then format(', %s for another try', v_waiting.failed) else '' end,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_held,
      concat(case when p_full_budgets <> '{}' then ' A budget allows no new work.' end,
        case when v_waiting.unconfined > 0 then format(' %s are in products that require a sandbox, and this worker has none: %s', v_waiting.unconfined, private.sandbox_advice()) end,
        case when v_waiting.foreign_repo is not null
          then format(' A task uses the repository %s, which this worker does not follow: %s', v_waiting.foreign_repo, private.repository_advice(v_waiting.foreign_repo)) end,
        case when v_waiting.for_agents > 0 then format(' %s want %s, which this worker does not have: %s', v_waiting.for_agents,
          coalesce('the agent ' || v_waiting.missing_agent, 'a model'), private.agent_advice(v_waiting.missing_agent)) end)))
    || case when v_held + v_waiting.delayed + v_waiting.to_verify + v_waiting.blocked = 0
        and v_waiting.paused + v_waiting.asked + v_waiting.in_review > 0
      then jsonb_build_object('waits_for_person', true) else '{}' end
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_asker.user_id, p_product_id)))
      else '{}' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.story_json(p_story_id uuid)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select private.with_labels(row_to_json(s), k.label_ids)
  from private.story_detail_shape s
  join public.stories k on k.id = s.id
  where s.id = p_story_id;
$function$;

CREATE OR REPLACE FUNCTION private.take_job(p_asker private.asker, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[])
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
begin
  with next as materialized (
    select j.id, j.wants
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
      and private.worker_gates(j.job, p_asker) = '{}'
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_asker.worker_id, confinement = p_asker.confinement,
      agent = case when p_asker.agents <> '[]' then private.agent_for(next.wants, p_asker.agents) end, effort = (next.wants).effort,
      model = case when p_asker.agents = '[]' then (next.wants).model
        else private.model_for(next.wants, private.agent_for(next.wants, p_asker.agents)) end,
      claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, stopped_by_budget_id = null, failure_class = null,
      parked_question_id = null,
      -- A verifier looks at the criteria; how the work meets the plan was found before.
      verify_result = case when x.phase = 'verify' then x.verify_result end,
      plan_snapshot = coalesce(
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t where t.id = x.task_id))
  from next
  where x.id = next.id
  returning x.* into v_job;
  -- What an earlier attempt found of a task that it did not finish says nothing about this one.
  if v_job.kind = 'SPRINT_IMPLEMENTATION' then
    update public.task_executions e
    set verify_result = null
    where e.sprint_run_id = v_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and e.verify_result is not null;
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.touch_worker(p_worker_id uuid, p_hostname text, p_version text, p_quota_pct integer, p_confinement public.confinement DEFAULT NULL::public.confinement, p_also_repos jsonb DEFAULT NULL::jsonb, p_offers jsonb DEFAULT NULL::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  -- An address may carry a password that is nobody's to read here.
  v_also_repos jsonb := regexp_replace(p_also_repos::text, '://[^/?#"]*@', '://', 'g');
begin
  update public.agent_workers w
  set last_seen_at = v_now,
      hostname = coalesce(left(p_hostname, 255), w.hostname),
      version = coalesce(left(p_version, 50), w.version),
      last_quota_pct = coalesce(p_quota_pct, w.last_quota_pct),
      last_quota_check_at = case when p_quota_pct is null then w.last_quota_check_at else v_now end,
      confinement = coalesce(p_confinement, w.confinement),
      also_repos = coalesce(v_also_repos, w.also_repos),
      offers = coalesce(p_offers, w.offers),
      stopped_at = null
  where w.id = p_worker_id
    and (w.last_seen_at <= v_now - interval '10 seconds'
      or w.last_seen_at > v_now
      or w.stopped_at is not null
      or (p_hostname is not null and left(p_hostname, 255) is distinct from w.hostname)
      or (p_version is not null and left(p_version, 50) is distinct from w.version)
      or (p_quota_pct is not null and p_quota_pct is distinct from w.last_quota_pct)
      or p_confinement <> w.confinement
      or v_also_repos <> w.also_repos
      or p_offers <> w.offers);
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_gates private.job_gates;
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
  v_confined integer;
  v_following integer;
  v_with_agent integer;
  v_able integer;
  v_repo_url text;
  v_written_by text;
begin
  select g.* into v_gates from private.job_gates g where g.id = p_job.id;
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed),
    count(*) filter (where m.workers_allowed and 'sandbox' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and 'repository' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and 'agent' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and x.gates = '{}')
  into v_online, v_with_quota, v_without_consent, v_confined, v_following, v_with_agent, v_able
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id and m.role <> 'VIEWER'
  cross join lateral (select private.worker_gates(v_gates, row(w.user_id, w.id, w.confinement,
    w.also_repos, private.able_agents(w.offers, u.min_quota_pct))::private.asker) as gates) x
  where private.is_online(w.last_seen_at, w.stopped_at) and not x.gates && '{conversation,needs_other_worker}';

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and must be reviewed by a worker other than %s. Start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online but not allowed here yet. Each of them can press "Allow my workers" on the members page, or name the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one: the Connect page has the command.',
      'command', private.agent_line((v_gates.wants).agent)));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want to keep (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  if v_able > 0 then
    return '[]';
  end if;
  v_repo_url := regexp_replace((v_gates.wants).own_repo, '://[^/?#]*@', '://');
  v_written_by := (select u.username from public.tasks t join public.users u on u.id = t.repo_url_by where t.id = p_job.task_id);
  -- Where each lacks something else, one of it is told.
  return case when v_confined = 0 or (v_following > 0 and v_with_agent > 0 and (v_gates.wants).needs_sandbox) then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product requires a sandbox, and no online worker that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task has its own repository, %s%s, and no online worker follows it: %s', v_repo_url,
        ' (written by ' || v_written_by || ')', private.repository_advice(v_repo_url)),
      'repo_url', v_repo_url, 'written_by', v_written_by))
      else '[]' end
    || case when v_with_agent = 0 or (v_following > 0 and not (v_gates.wants).needs_sandbox) then private.agent_reasons(v_gates.wants)
      else '[]' end;
end;
$function$;

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_agent_length" CHECK ((char_length(agent) <= 100));

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_effort_length" CHECK ((char_length(effort) <= 10));

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_fallback_agent_length" CHECK ((char_length(fallback_agent) <= 100));

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_model_length" CHECK ((char_length(model) <= 200));

ALTER TABLE "public"."agent_workers" ADD CONSTRAINT "agent_workers_offers_list" CHECK (((jsonb_typeof(offers) = 'array'::text) AND (jsonb_array_length(offers) <= 20) AND (octet_length((offers)::text) <= 65536)));

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_agent_length" CHECK ((char_length(agent) <= 100));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_agent_form" CHECK ((agent ~ '^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$'::text));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_effort_known" CHECK ((effort = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text])));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_fallback_after_range" CHECK (((fallback_after >= 1) AND (fallback_after <= 44640)));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_fallback_agents" CHECK (((jsonb_typeof(fallback) = 'array'::text) AND (jsonb_array_length(fallback) <= 10) AND (octet_length((fallback)::text) <= 2000) AND (NOT jsonb_path_exists(fallback, '$[*]?(!(@.type() == "string") || !(@ like_regex "^[A-Za-z0-9][A-Za-z0-9:._-]*$"))'::jsonpath))));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_model_form" CHECK ((model ~ '^[A-Za-z0-9][][A-Za-z0-9:./_@+-]{0,199}$'::text));

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_agent_form" CHECK ((agent ~ '^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$'::text));

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_effort_known" CHECK ((effort = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text])));

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_model_form" CHECK ((model ~ '^[A-Za-z0-9][][A-Za-z0-9:./_@+-]{0,199}$'::text));

ALTER TABLE "public"."tasks" ADD CONSTRAINT "tasks_agent_form" CHECK ((agent ~ '^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$'::text));

ALTER TABLE "public"."tasks" ADD CONSTRAINT "tasks_effort_known" CHECK ((effort = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text])));

ALTER TABLE "public"."tasks" ADD CONSTRAINT "tasks_model_form" CHECK ((model ~ '^[A-Za-z0-9][][A-Za-z0-9:./_@+-]{0,199}$'::text));

CREATE VIEW "private"."job_gates" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    task_id,
    created_by,
    author_worker_id,
    phase,
    claim_rank,
    created_at,
    "position",
    in_turn,
    open_blockers,
    failure_class,
    ( SELECT ROW(p.requires_sandbox,
                CASE
                    WHEN (t.repo_url <> p.repo_url) THEN t.repo_url
                    ELSE NULL::text
                END, COALESCE(j.fallback_agent, t.agent, s.agent, p.agent),
                CASE
                    WHEN (j.fallback_agent IS NULL) THEN COALESCE(t.model, s.model, p.model)
                    ELSE NULL::text
                END, COALESCE(t.effort, s.effort, p.effort), COALESCE(t.requires_opus, false))::private.job_wants AS "row"
           FROM ((public.products p
             LEFT JOIN public.tasks t ON ((t.id = j.task_id)))
             LEFT JOIN public.stories s ON ((s.id = t.story_id)))
          WHERE (p.id = j.product_id)) AS wants,
    array_remove(ARRAY[
        CASE
            WHEN (phase = 'review'::public.job_phase) THEN 'review'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT (r.status <> ALL (ARRAY['QUEUED'::public.sprint_run_status, 'RUNNING'::public.sprint_run_status]))
               FROM public.sprint_runs r
              WHERE (r.id = j.sprint_run_id)) THEN 'paused'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT ((q.status = 'OPEN'::public.agent_question_status) AND ((q.on_expiry <> 'RECOMMENDED'::public.question_expiry) OR (q.expires_at > private.now())))
               FROM public.agent_questions q
              WHERE (q.id = j.parked_question_id)) THEN 'question'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (not_before > private.now()) THEN 'not_before'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (open_blockers > 0) THEN 'dependency'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (NOT in_turn) THEN 'order'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT (p.archived_at IS NOT NULL)
               FROM public.products p
              WHERE (p.id = j.product_id)) THEN 'archived'::text
            ELSE NULL::text
        END], NULL::text) AS gates
   FROM public.agent_jobs j
  WHERE (status = 'QUEUED'::public.agent_job_status);

CREATE OR REPLACE FUNCTION private.worker_gates(p_job private.job_gates, p_asker private.asker)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_wants private.job_wants := p_job.wants;
begin
  return array_remove(array[
    case when p_job.kind = 'PLAN_CHAT' and p_job.created_by is distinct from p_asker.user_id then 'conversation' end,
    case when p_job.phase = 'verify' and p_job.author_worker_id = p_asker.worker_id then 'needs_other_worker' end,
    case when v_wants.needs_sandbox and p_asker.confinement = 'none' then 'sandbox' end,
    case when v_wants.own_repo is not null and not private.is_followed(v_wants.own_repo, p_asker.also_repos) then 'repository' end,
    case when v_wants.agent is not null and p_asker.agents = '[]' then 'agent'
      when (v_wants.agent is not null or v_wants.model is not null or v_wants.requires_opus)
        and p_asker.agents <> '[]' and private.agent_for(v_wants, p_asker.agents) is null then 'agent' end
  ], null);
end;
$function$;

CREATE VIEW "private"."claimable_jobs" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    task_id,
    created_by,
    author_worker_id,
    phase,
    claim_rank,
    created_at,
    "position",
    in_turn,
    open_blockers,
    failure_class,
    wants,
    gates,
    g.*::private.job_gates AS job
   FROM private.job_gates g
  WHERE (in_turn AND (open_blockers = 0) AND (gates = '{}'::text[]));

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
    plan_first,
    pull_requests,
    landing,
    agent_items,
    version,
    forge_issue_label,
    branch_prefix,
    review_marks,
    agent,
    model,
    effort,
    fallback,
    fallback_after
   FROM public.products p;

CREATE VIEW "private"."story_detail_shape" WITH (security_invoker=true) AS  SELECT s.id,
    s.product_id,
    s.pbi_id,
    s.code,
    s.title,
    s.description,
    s.acceptance_criteria,
    s.priority,
    s.status,
    s.sort_order,
    s.sprint_id,
    s.assignee_id,
    s.created_at,
    s.version,
    k.agent,
    k.model,
    k.effort
   FROM (private.story_shape s
     JOIN public.stories k ON ((k.id = s.id)));

CREATE VIEW "private"."task_detail_shape" WITH (security_invoker=true) AS  SELECT t.id,
    t.story_id,
    t.product_id,
    t.code,
    t.title,
    t.description,
    t.priority,
    t.sort_order,
    t.status,
    t.repo_url,
    t.verify_only,
    t.verify_required,
    t.created_at,
    t.version,
    true AS _detail,
    k.implementation_plan,
    s.acceptance_criteria,
    k.requires_opus,
    k.estimated_minutes,
    k.agent,
    k.model,
    k.effort
   FROM ((private.task_shape t
     JOIN public.tasks k ON ((k.id = t.id)))
     JOIN public.stories s ON ((s.id = t.story_id)));

COMMENT ON COLUMN "public"."agent_jobs"."agent" IS 'Who does its last attempt: what was named, else the first agent of the worker. Model and effort are what that attempt was given.';

COMMENT ON COLUMN "public"."agent_jobs"."fallback_agent" IS 'The agent of the fallback list of its product that has it now, whatever task, story and product name.';

COMMENT ON COLUMN "public"."agent_workers"."offers" IS 'The agents that do its jobs, as its last claim said: id, and where known models, quota_pct, limited_until.';

COMMENT ON COLUMN "public"."job_attempts"."agent" IS 'The agent that did it; null for a command, and for workers that announce none.';

COMMENT ON COLUMN "public"."products"."agent" IS 'Who does its tasks where task and story name none; so are model and effort (private.job_gates).';

COMMENT ON COLUMN "public"."products"."fallback" IS 'Agents that take over, in order, when one is at its limit or has failed.';

COMMENT ON COLUMN "public"."products"."fallback_after" IS 'Minutes: a limit that ends later hands the work to the next agent.';

COMMENT ON COLUMN "public"."stories"."agent" IS 'Who does its tasks, before its product; so are model and effort (private.job_gates).';

COMMENT ON COLUMN "public"."tasks"."agent" IS 'Who does it, before its story and product; so are model and effort (private.job_gates).';

REVOKE ALL ON FUNCTION "operations"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text, text, text, text, jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text, text, text, text, jsonb, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb, boolean, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb, boolean, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb, boolean, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb, boolean, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb, jsonb, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."able_agents"(jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."able_agents"(jsonb, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."agent_advice"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."agent_advice"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."agent_for"(private.job_wants, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."agent_for"(private.job_wants, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."agent_line"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."agent_line"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."agent_reasons"(private.job_wants) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."agent_reasons"(private.job_wants) TO "postgres";

REVOKE ALL ON FUNCTION "private"."model_for"(private.job_wants, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."model_for"(private.job_wants, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."next_product"(private.asker, uuid, uuid, jsonb, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_product"(private.asker, uuid, uuid, jsonb, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."nothing_to_claim"(private.asker, uuid, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."nothing_to_claim"(private.asker, uuid, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."take_job"(private.asker, uuid, uuid, jsonb, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_job"(private.asker, uuid, uuid, jsonb, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."touch_worker"(uuid, text, text, integer, public.confinement, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."touch_worker"(uuid, text, text, integer, public.confinement, jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."worker_gates"(private.job_gates, private.asker) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_gates"(private.job_gates, private.asker) TO "postgres";

REVOKE ALL ("offers") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("offers") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("agent") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("agent"), UPDATE ("agent") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ("effort") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("effort"), UPDATE ("effort") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ("fallback_after") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("fallback_after"), UPDATE ("fallback_after") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ("fallback") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("fallback"), UPDATE ("fallback") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ("model") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("model"), UPDATE ("model") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ("agent") ON TABLE "public"."stories" FROM "authenticated";

GRANT INSERT ("agent"), UPDATE ("agent") ON TABLE "public"."stories" TO "authenticated";

REVOKE ALL ("effort") ON TABLE "public"."stories" FROM "authenticated";

GRANT INSERT ("effort"), UPDATE ("effort") ON TABLE "public"."stories" TO "authenticated";

REVOKE ALL ("model") ON TABLE "public"."stories" FROM "authenticated";

GRANT INSERT ("model"), UPDATE ("model") ON TABLE "public"."stories" TO "authenticated";

REVOKE ALL ("agent") ON TABLE "public"."tasks" FROM "authenticated";

GRANT INSERT ("agent"), UPDATE ("agent") ON TABLE "public"."tasks" TO "authenticated";

REVOKE ALL ("effort") ON TABLE "public"."tasks" FROM "authenticated";

GRANT INSERT ("effort"), UPDATE ("effort") ON TABLE "public"."tasks" TO "authenticated";

REVOKE ALL ("model") ON TABLE "public"."tasks" FROM "authenticated";

GRANT INSERT ("model"), UPDATE ("model") ON TABLE "public"."tasks" TO "authenticated";

GRANT USAGE ON TYPE "private"."asker" TO "postgres";

GRANT USAGE ON TYPE "private"."job_wants" TO "postgres";

GRANT ALL ON TABLE "private"."claimable_jobs" TO "postgres";

GRANT ALL ON TABLE "private"."job_gates" TO "postgres";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."story_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."story_detail_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."task_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."task_detail_shape" TO "postgres";
