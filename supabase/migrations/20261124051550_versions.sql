-- Why: two editors no longer overwrite each other in silence: rows carry a version that a change may name.
set local check_function_bodies = off;

DROP VIEW "private"."idea_shape";

DROP VIEW "private"."pbi_shape";

DROP VIEW "private"."product_detail_shape";

DROP VIEW "private"."sprint_shape";

DROP VIEW "private"."story_shape";

DROP VIEW "private"."task_detail_shape";

DROP VIEW "private"."task_shape";

DROP FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb);

ALTER TABLE "public"."ideas" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."ideas" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."pbis" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."pbis" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."products" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."products" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."sprints" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."sprints" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."stories" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."stories" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."tasks" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."tasks" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

CREATE OR REPLACE FUNCTION operations.edit_task(p_task_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(p_changes ->> 'status');
  v_label_ids uuid[];
begin
  perform private.parse_choice('verify_required', p_changes ->> 'verify_required', '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_changes -> 'labels');
  perform private.require_version('task', p_task_id, p_changes);
  perform private.require_proof(p_task_id, v_status);
  perform private.heed_waiting(p_task_id, v_status, (p_changes ->> 'confirmed')::boolean);

  update public.tasks t
  set title = coalesce(p_changes ->> 'title', t.title),
      description = coalesce(p_changes ->> 'description', t.description),
      code = coalesce(p_changes ->> 'code', t.code),
      label_ids = coalesce(v_label_ids, t.label_ids),
      priority = coalesce((p_changes ->> 'priority')::integer, t.priority),
      status = coalesce(v_status, t.status),
      verify_only = coalesce((p_changes ->> 'verify_only')::boolean, t.verify_only),
      verify_required = coalesce((p_changes ->> 'verify_required')::public.verify_required, t.verify_required),
      requires_opus = coalesce((p_changes ->> 'requires_opus')::boolean, t.requires_opus),
      implementation_plan = case when p_changes ? 'implementation_plan' then p_changes ->> 'implementation_plan' else t.implementation_plan end,
      repo_url = case when p_changes ? 'repo_url' then p_changes ->> 'repo_url' else t.repo_url end,
      estimated_minutes = case when p_changes ? 'estimated_minutes' then (p_changes ->> 'estimated_minutes')::integer else t.estimated_minutes end
  where t.id = p_task_id;
  return private.task_json(p_task_id)::jsonb || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_backlog(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pbis json;
  v_stories json;
  v_tasks json;
begin
  perform private.require_product_access(p_product_id);

  select coalesce(json_agg(x), '[]')
  into v_pbis
  from (
    select
      b.id, b.product_id, b.code, b.title, b.description, b.priority, b.sort_order, lower(b.status::text) as status, b.pr_url,
      to_char(b.pr_merged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as pr_merged_at,
      to_char(b.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, b.version
    from public.pbis b
    where b.product_id = p_product_id
    order by b.priority, b.sort_order, b.created_at, b.id
  ) x;

  select coalesce(json_object_agg(b.id, coalesce(g.list, '[]')), '{}')
  into v_stories
  from public.pbis b
  left join (
    select x.pbi_id, json_agg(case when x.label_ids = '{}' then x.line else private.with_labels(x.line, x.label_ids) end) as list
    from (
      select s.pbi_id, s.label_ids, row_to_json(y) as line
      from public.stories s
      cross join lateral (select
        s.id, s.product_id, s.pbi_id, s.code, s.title, s.description, s.acceptance_criteria, s.priority,
        lower(s.status::text) as status, s.sort_order, s.sprint_id, s.assignee_id,
        to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, s.version) y
      where s.product_id = p_product_id and not s.in_triage
      order by s.pbi_id, s.sort_order, s.created_at, s.id
    ) x
    group by x.pbi_id
  ) g on g.pbi_id = b.id
  where b.product_id = p_product_id;

  select coalesce(json_object_agg(s.id, coalesce(g.list, '[]')), '{}')
  into v_tasks
  from public.stories s
  left join (
    select x.story_id, json_agg(case when x.label_ids = '{}' then x.line else private.with_labels(x.line, x.label_ids) end) as list
    from (
      select t.story_id, t.label_ids, row_to_json(y) as line
      from public.tasks t
      cross join lateral (select
        t.id, t.story_id, t.product_id, t.code, t.title, t.description, t.priority, t.sort_order,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.repo_url, t.verify_only, t.verify_required,
        to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, t.version) y
      where t.product_id = p_product_id
      order by t.story_id, t.sort_order, t.created_at, t.id
    ) x
    group by x.story_id
  ) g on g.story_id = s.id
  where s.product_id = p_product_id;

  return json_build_object(
    'product', (select row_to_json(p) from private.product_shape p where p.id = p_product_id),
    'pbis', v_pbis, 'storiesByPbi', v_stories, 'tasksByStory', v_tasks
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_idea(p_idea_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status text := upper(private.parse_choice('status', p_changes ->> 'status', '{draft,discussing,ready,planned}'));
  v_new_product_id uuid := (p_changes ->> 'product_id')::uuid;
begin
  perform private.require_idea_write(p_idea_id);
  if p_changes ? 'expected_version' then
    -- No product is locked for an idea: its own row is.
    perform from public.ideas i where i.id = p_idea_id for update;
    perform private.require_version('idea', p_idea_id, p_changes);
  end if;
  if v_new_product_id is not null then
    perform private.require_product_access(v_new_product_id);
    perform private.require_product_write(v_new_product_id);
  end if;

  update public.ideas i
  set title = coalesce(p_changes ->> 'title', i.title),
      description = coalesce(p_changes ->> 'description', i.description),
      product_id = coalesce(v_new_product_id, i.product_id),
      status = coalesce(v_status::public.idea_status, i.status)
  where i.id = p_idea_id;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_pbi(p_pbi_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status text := upper(private.parse_choice('status', p_changes ->> 'status', '{ready,blocked}'));
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
begin
  perform private.require_version('PBI', p_pbi_id, p_changes);
  update public.pbis b
  set title = coalesce(p_changes ->> 'title', b.title),
      description = coalesce(p_changes ->> 'description', b.description),
      code = coalesce(p_changes ->> 'code', b.code),
      status = case
        when v_status = 'BLOCKED' or (v_status = 'READY' and b.status = 'BLOCKED') then v_status::public.pbi_status
        else b.status
      end
  where b.id = p_pbi_id;

  update public.pbis b
  set priority = (p_changes ->> 'priority')::integer,
      sort_order = (
        select coalesce(max(o.sort_order), 0) + 1 from public.pbis o
        where o.product_id = v_product_id and o.priority = (p_changes ->> 'priority')::integer
      )
  where b.id = p_pbi_id and b.priority <> (p_changes ->> 'priority')::integer;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
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
  perform private.require_version('product', p_product_id, p_changes);

  update public.products p
  set code = coalesce(p_changes ->> 'code', p.code),
      name = coalesce(p_changes ->> 'name', p.name),
      description = coalesce(p_changes ->> 'description', p.description),
      repo_url = coalesce(p_changes ->> 'repo_url', p.repo_url),
      definition_of_done = coalesce(p_changes ->> 'definition_of_done', p.definition_of_done),
      auto_pr = coalesce((p_changes ->> 'auto_pr')::boolean, p.auto_pr),
      pull_requests = coalesce((p_changes ->> 'pull_requests')::public.pull_requests, p.pull_requests),
      agent_items = coalesce((p_changes ->> 'agent_items')::public.agent_items, p.agent_items),
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

CREATE OR REPLACE FUNCTION operations.update_sprint(p_sprint_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  perform private.require_write('sprint', p_sprint_id);
  perform private.require_version('sprint', p_sprint_id, p_changes);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status in ('COMPLETED', 'CANCELLED') then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s and can no longer be changed. Plan another one.', v_sprint.code, lower(v_sprint.status::text));
  end if;

  v_sprint.sprint_goal := coalesce(p_changes ->> 'sprint_goal', v_sprint.sprint_goal);
  if p_changes ? 'start_date' then
    v_sprint.start_date := (p_changes ->> 'start_date')::date;
  end if;
  if p_changes ? 'end_date' then
    v_sprint.end_date := (p_changes ->> 'end_date')::date;
  end if;
  perform private.require_dates_in_order(v_sprint.start_date, v_sprint.end_date);

  update public.sprints s
  set sprint_goal = v_sprint.sprint_goal, start_date = v_sprint.start_date, end_date = v_sprint.end_date
  where s.id = p_sprint_id;
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_story(p_story_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_label_ids uuid[] := private.require_labels(private.require_write('story', p_story_id), p_changes -> 'labels');
begin
  perform private.require_version('story', p_story_id, p_changes);
  if p_changes ->> 'pbi_id' is not null then
    perform private.require_access('pbi', (p_changes ->> 'pbi_id')::uuid);
  end if;

  update public.stories s
  set title = coalesce(p_changes ->> 'title', s.title),
      description = coalesce(p_changes ->> 'description', s.description),
      acceptance_criteria = coalesce(p_changes ->> 'acceptance_criteria', s.acceptance_criteria),
      code = coalesce(p_changes ->> 'code', s.code),
      label_ids = coalesce(v_label_ids, s.label_ids),
      priority = coalesce((p_changes ->> 'priority')::integer, s.priority),
      pbi_id = coalesce((p_changes ->> 'pbi_id')::uuid, s.pbi_id)
  where s.id = p_story_id;
  return private.story_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_task(p_task_id uuid, p_status text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text, p_verify_only boolean DEFAULT NULL::boolean, p_verify_required text DEFAULT NULL::text, p_labels jsonb DEFAULT NULL::jsonb, p_expected_version jsonb DEFAULT NULL::jsonb)
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
  if p_status is null and p_implementation_plan is null and p_labels is null then
    raise exception using errcode = 'PT422', message = 'Give at least one of status and implementation_plan.',
      detail = '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}';
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_labels);
  if p_expected_version is not null then
    perform private.require_version('task', p_task_id, jsonb_strip_nulls(jsonb_build_object('status', p_status,
      'implementation_plan', p_implementation_plan, 'verify_only', p_verify_only, 'verify_required', p_verify_required,
      'labels', p_labels, 'expected_version', p_expected_version)));
  end if;
  v_status := private.parse_task_status(p_status);
  perform private.require_proof(p_task_id, v_status), private.heed_waiting(p_task_id, v_status, false);

  update public.tasks t
  set status = coalesce(v_status, t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      label_ids = coalesce(v_label_ids, t.label_ids),
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

CREATE OR REPLACE FUNCTION private.changed_fields(p_old jsonb, p_new jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return to_jsonb(array(
    select f.key
    from jsonb_each(p_new) as f
    where f.value is distinct from p_old -> f.key and f.key not in ('updated_at', 'version', 'field_versions')
    order by f.key
  ));
end;
$function$;

CREATE OR REPLACE FUNCTION private.changed_task_fields(p_old public.tasks, p_new public.tasks)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_rest public.tasks := p_new;
begin
  v_rest.status := p_old.status;
  v_rest.updated_at := p_old.updated_at;
  v_rest.version := p_old.version;
  v_rest.field_versions := p_old.field_versions;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return case when p_new.status is distinct from p_old.status then '["status"]' else '[]' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.current_row(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case p_kind
    when 'task' then private.task_json(p_id)::jsonb
    when 'story' then private.story_json(p_id)::jsonb
    when 'PBI' then (select to_jsonb(b) from private.pbi_shape b where b.id = p_id)
    when 'sprint' then (select to_jsonb(s) from private.sprint_shape s where s.id = p_id)
    when 'idea' then (select to_jsonb(i) from private.idea_shape i where i.id = p_id)
    when 'product' then (select to_jsonb(p) from private.product_detail_shape p where p.id = p_id)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.field_versions(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select jsonb_build_object('version', x.version, 'fields', x.field_versions) from (
    select t.version, t.field_versions from public.tasks t where p_kind = 'task' and t.id = p_id
    union all
    select s.version, s.field_versions from public.stories s where p_kind = 'story' and s.id = p_id
    union all
    select b.version, b.field_versions from public.pbis b where p_kind = 'PBI' and b.id = p_id
    union all
    select n.version, n.field_versions from public.sprints n where p_kind = 'sprint' and n.id = p_id
    union all
    select i.version, i.field_versions from public.ideas i where p_kind = 'idea' and i.id = p_id
    union all
    select p.version, p.field_versions from public.products p where p_kind = 'product' and p.id = p_id) x;
$function$;

CREATE OR REPLACE FUNCTION private.is_there_already(p_current jsonb, p_changes jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select not exists (
    select from jsonb_each(p_changes - 'labels') c
    where c.value is distinct from coalesce(p_current -> c.key, 'null'))
  and (not p_changes ? 'labels' or (
    select count(*) = jsonb_array_length(p_changes -> 'labels') from jsonb_array_elements(coalesce(p_current -> 'labels', '[]')) l
    where p_changes -> 'labels' @> (l -> 'name') or p_changes -> 'labels' @> (l -> 'id'))
    and jsonb_array_length(coalesce(p_current -> 'labels', '[]')) = jsonb_array_length(p_changes -> 'labels'));
$function$;

CREATE OR REPLACE FUNCTION private.own_fields(p_kind text, p_row jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then p_row - '{id,product_id,sort_order,created_at,updated_at,version,field_versions}'::text[]
    when 'story' then p_row - '{id,product_id,status,sort_order,created_at,updated_at,version,field_versions}'::text[]
    when 'pbi' then jsonb_build_object('is_blocked', p_row ->> 'status' = 'BLOCKED')
      || (p_row - '{id,product_id,status,pr_url,pr_merged_at,idea_id,is_intake,created_at,updated_at,version,field_versions}'::text[])
  end;
$function$;

CREATE OR REPLACE FUNCTION private.require_version(p_kind text, p_id uuid, p_changes jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_expected jsonb := p_changes -> 'expected_version';
  v_current jsonb;
  v_fields jsonb;
  v_names jsonb;
  v_editor text;
  v_changed_at text;
begin
  if coalesce(v_expected, 'null') = 'null' then
    return;
  end if;
  v_fields := private.field_versions(p_kind, p_id);
  if v_expected @> (v_fields -> 'version') then
    return;
  end if;
  v_current := private.current_row(p_kind, p_id);
  if private.is_there_already(v_current, p_changes - '{expected_version,confirmed}'::text[]) then
    return;
  end if;

  select coalesce(jsonb_agg(f.key order by f.key), '[]'),
    (array_agg(private.username((f.value ->> 1)::uuid) order by (f.value ->> 0)::integer desc))[1], max(f.value ->> 2)
  into v_names, v_editor, v_changed_at
  from jsonb_each(v_fields -> 'fields') f
  where (f.value ->> 0)::integer > (select coalesce(max(e.value::integer), 0) from jsonb_path_query(v_expected, '$[*]') e (value));
  perform private.refuse(412,
    format('This %s changed after you read it%s. Read it again, and send your change with its new version.',
      p_kind, coalesce(': ' || v_editor || ' edited it', '')),
    jsonb_build_object('current', v_current, 'changed_fields', v_names, 'changed_by', v_editor, 'changed_at', v_changed_at));
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__raise_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_old jsonb := to_jsonb(old);
  v_new jsonb := to_jsonb(new);
  v_changed jsonb;
begin
  select jsonb_object_agg(case f when 'label_ids' then 'labels' else f end, jsonb_build_array(old.version + 1, auth.uid(),
    to_char(private.now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
  into v_changed
  from unnest(tg_argv[0]::text[]) f
  where v_new -> f is distinct from v_old -> f;
  if v_changed is not null then
    new.version := old.version + 1;
    new.field_versions := old.field_versions || v_changed;
  end if;
  return new;
end;
$function$;

CREATE VIEW "private"."idea_shape" WITH (security_invoker=true) AS  SELECT id,
    code,
    product_id,
    title,
    description,
    lower((status)::text) AS status,
    pbi_id,
    ( SELECT COALESCE(json_agg(l.product_id ORDER BY l.created_at, l.product_id), '[]'::json) AS "coalesce"
           FROM public.idea_products l
          WHERE (l.idea_id = i.id)) AS secondary_product_ids,
    to_char((archived_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS archived_at,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at,
    version
   FROM public.ideas i;

CREATE VIEW "private"."pbi_shape" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    code,
    title,
    description,
    priority,
    sort_order,
    lower((status)::text) AS status,
    pr_url,
    to_char((pr_merged_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS pr_merged_at,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at,
    version
   FROM public.pbis b;

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
    agent_items,
    version
   FROM public.products p;

CREATE VIEW "private"."sprint_shape" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    code,
    sprint_goal,
    lower((status)::text) AS status,
    start_date,
    end_date,
    to_char((started_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS started_at,
    to_char((completed_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS completed_at,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at,
    version
   FROM public.sprints s;

CREATE VIEW "private"."story_shape" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    pbi_id,
    code,
    title,
    description,
    acceptance_criteria,
    priority,
    lower((status)::text) AS status,
    sort_order,
    sprint_id,
    assignee_id,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at,
    version
   FROM public.stories s;

CREATE VIEW "private"."task_shape" WITH (security_invoker=true) AS  SELECT id,
    story_id,
    product_id,
    code,
    title,
    description,
    priority,
    sort_order,
        CASE status
            WHEN 'TO_DO'::public.task_status THEN 'todo'::text
            ELSE lower((status)::text)
        END AS status,
    repo_url,
    verify_only,
    verify_required,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at,
    version
   FROM public.tasks t;

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
    k.estimated_minutes
   FROM ((private.task_shape t
     JOIN public.tasks k ON ((k.id = t.id)))
     JOIN public.stories s ON ((s.id = t.story_id)));

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.ideas FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{product_id,title,description,status,archived_at,pbi_id}');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.pbis FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{code,title,description,priority,status,pr_url,pr_merged_at}');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.products FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{code,name,description,repo_url,definition_of_done,auto_pr,pull_requests,agent_items,pr_strategy,done_requires,dependency_release,plan_first,requires_sandbox,may_reach,archived_at}');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.sprints FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{code,sprint_goal,status,start_date,end_date}');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.stories FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{pbi_id,code,title,description,acceptance_criteria,priority,status,sprint_id,assignee_id,label_ids}');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.tasks FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{story_id,code,title,description,implementation_plan,priority,status,repo_url,verify_only,verify_required,requires_opus,estimated_minutes,label_ids}');

COMMENT ON COLUMN "public"."ideas"."field_versions" IS 'Of each changed field: the version that changed it, who did, and when.';

COMMENT ON COLUMN "public"."pbis"."field_versions" IS 'Of each changed field: the version that changed it, who did, and when.';

COMMENT ON COLUMN "public"."products"."field_versions" IS 'Of each changed field: the version that changed it, who did, and when.';

COMMENT ON COLUMN "public"."sprints"."field_versions" IS 'Of each changed field: the version that changed it, who did, and when.';

COMMENT ON COLUMN "public"."stories"."field_versions" IS 'Of each changed field: the version that changed it, who did, and when.';

COMMENT ON COLUMN "public"."tasks"."field_versions" IS 'Of each changed field: the version that changed it, who did, and when.';

COMMENT ON FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb, jsonb) IS 'Status or plan of a task (specification: PATCH /api/tasks/:id).';

COMMENT ON FUNCTION "private"."current_row"(text, uuid) IS 'A row in REST form, by its kind.';

COMMENT ON FUNCTION "private"."field_versions"(text, uuid) IS 'Version of a row and of its fields.';

COMMENT ON FUNCTION "private"."is_there_already"(jsonb, jsonb) IS 'Whether a row has all that a change would write.';

COMMENT ON FUNCTION "private"."require_version"(text, uuid, jsonb) IS 'PT412 with the row as it is, when it is not the version that was edited.';

COMMENT ON FUNCTION "private"."tg_any__raise_version"() IS 'Raises the version of a row and of its changed fields.';

COMMENT ON VIEW "private"."idea_shape" IS 'An idea in REST form (specification: Idea).';

COMMENT ON VIEW "private"."pbi_shape" IS 'A PBI in REST form (specification: PBI).';

COMMENT ON VIEW "private"."product_detail_shape" IS 'A product with all fields (specification: Product).';

COMMENT ON VIEW "private"."sprint_shape" IS 'A sprint in REST form (specification: Sprint).';

COMMENT ON VIEW "private"."story_shape" IS 'A story in REST form (specification: Story).';

COMMENT ON VIEW "private"."task_detail_shape" IS 'A task in detail (specification: GET /api/tasks/:id).';

COMMENT ON VIEW "private"."task_shape" IS 'A backlog task in REST form (specification: Task).';

REVOKE ALL ON FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."current_row"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."current_row"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."field_versions"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."field_versions"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."is_there_already"(jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_there_already"(jsonb, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_version"(text, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_version"(text, uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__raise_version"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__raise_version"() TO "postgres";

GRANT SELECT ON TABLE "private"."idea_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."idea_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."pbi_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."pbi_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."sprint_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."sprint_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."story_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."story_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."task_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."task_detail_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."task_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."task_shape" TO "postgres";
