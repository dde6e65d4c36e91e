-- Labels of a product for its stories and tasks, and where an imported story or task came from: for everybody who plans or imports.
set local check_function_bodies = off;

DROP FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb);

DROP FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb);

DROP FUNCTION "operations"."update_task"(uuid, text, text, boolean, text);

CREATE TABLE "public"."labels" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "name" text NOT NULL, "color" text NOT NULL, CONSTRAINT "labels_color_form" CHECK ((color ~ '^#[0-9a-f]{6}$'::text)), CONSTRAINT "labels_name_form" CHECK (((name <> ''::text) AND (char_length(name) <= 50) AND (name = btrim(name)) AND (name !~ '[[:cntrl:],]'::text))), CONSTRAINT "labels_pkey" PRIMARY KEY (id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."labels" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."stories" ADD COLUMN "label_ids" uuid[] NOT NULL DEFAULT '{}'::uuid[];

ALTER TABLE "public"."stories" ADD COLUMN "external_id" text;

ALTER TABLE "public"."tasks" ADD COLUMN "label_ids" uuid[] NOT NULL DEFAULT '{}'::uuid[];

ALTER TABLE "public"."tasks" ADD COLUMN "external_id" text;

CREATE OR REPLACE FUNCTION operations.add_story_to_sprint(p_sprint_id uuid, p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('sprint', p_sprint_id);
  perform private.require_write('story', p_story_id);

  update public.stories s
  set sprint_id = p_sprint_id
  where s.id = p_story_id and s.sprint_id is distinct from p_sprint_id;
  return private.story_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.assign_story(p_story_id uuid, p_assignee_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_assignee(private.require_write('story', p_story_id), p_assignee_id);
  update public.stories s set assignee_id = p_assignee_id where s.id = p_story_id;
  return private.story_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.change_things(p_things jsonb, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_thing record;
  v_product_id uuid;
  v_own uuid;
  v_changed integer := 0;
  v_skipped integer := 0;
  v_changes jsonb := p_changes;
begin
  if jsonb_typeof(p_things) is distinct from 'array' or jsonb_array_length(p_things) not between 1 and 500 then
    perform private.refuse(422, 'Choose 1 to 500 things.');
  end if;
  perform private.take_rate_limit('change', auth.uid()::text);

  if p_changes ? 'toggle_label' then
    v_changes := private.label_change(p_things, (p_changes ->> 'toggle_label')::uuid) || (p_changes - 'toggle_label');
  end if;

  for v_thing in
    select distinct on (i.value ->> 'id') i.value ->> 'kind' as kind, (i.value ->> 'id')::uuid as id, i.place
    from jsonb_array_elements(p_things) with ordinality i (value, place)
    order by i.value ->> 'id', i.place
  loop
    v_own := private.require_access(v_thing.kind, v_thing.id);
    v_product_id := coalesce(v_product_id, v_own);
    if v_own <> v_product_id then
      perform private.refuse(422, 'Change items of one product at a time.');
    end if;
    perform private.require_write(v_thing.kind, v_thing.id);
    begin
      if private.change_thing(v_thing.kind, v_thing.id, v_changes) then
        v_changed := v_changed + 1;
      else
        v_skipped := v_skipped + 1;
      end if;
    exception when others then
      if sqlstate not like 'PT%' or jsonb_array_length(p_things) = 1 then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s Nothing was changed.', private.code_of(v_thing.kind, v_thing.id), sqlerrm);
    end;
  end loop;
  return jsonb_build_object('changed', v_changed, 'skipped', v_skipped) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_label(p_product_id uuid, p_name text, p_color text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_name text;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('label', auth.uid()::text);
  v_name := private.require_label_name(p_product_id, p_name, null);
  if (select count(*) from public.labels l where l.product_id = p_product_id) >= 200 then
    perform private.refuse(409, 'A product has at most 200 labels. Delete one that is not used.');
  end if;
  insert into public.labels (id, product_id, name, color)
  values (v_id, p_product_id, v_name, coalesce(lower(p_color), private.next_label_color(p_product_id)));
  return (select json_build_object('id', l.id, 'name', l.name, 'color', l.color) from public.labels l where l.id = v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_story(p_pbi_id uuid, p_title text, p_description text DEFAULT ''::text, p_acceptance_criteria text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_sprint_id uuid DEFAULT NULL::uuid, p_assignee_id uuid DEFAULT NULL::uuid, p_blocked_by jsonb DEFAULT NULL::jsonb, p_labels jsonb DEFAULT NULL::jsonb)
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
    (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids)
  values
    (v_id, p_pbi_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_acceptance_criteria, ''),
      coalesce(p_priority, 3), p_sprint_id, p_assignee_id,
      coalesce(private.require_labels(v_product_id, p_labels), '{}'));
  perform private.add_dependencies('story', v_id, p_blocked_by);
  return private.story_json(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_task(p_story_id uuid, p_title text, p_description text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_repo_url text DEFAULT NULL::text, p_verify_only boolean DEFAULT false, p_verify_required text DEFAULT 'ALIGNED_OR_PARTIAL'::text, p_requires_opus boolean DEFAULT false, p_estimated_minutes integer DEFAULT NULL::integer, p_blocked_by jsonb DEFAULT NULL::jsonb, p_labels jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_label_ids uuid[] := private.require_labels(private.require_write('story', p_story_id), p_labels);
begin

  insert into public.tasks
    (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only, verify_required,
      requires_opus, estimated_minutes, label_ids)
  values
    (v_id, p_story_id, p_code, p_title, coalesce(p_description, ''), p_implementation_plan, coalesce(p_priority, 3),
      p_repo_url, coalesce(p_verify_only, false),
      coalesce(p_verify_required, 'ALIGNED_OR_PARTIAL')::public.verify_required, coalesce(p_requires_opus, false),
      p_estimated_minutes, coalesce(v_label_ids, '{}'));
  perform private.add_dependencies('task', v_id, p_blocked_by);
  return private.task_json(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.delete_label(p_product_id uuid, p_label_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_label(p_product_id, p_label_id);
  delete from public.labels l where l.id = p_label_id;
  perform set_config('backloom.undoing', 'yes', true);
  update public.stories s set label_ids = array_remove(s.label_ids, p_label_id)
  where s.product_id = p_product_id and p_label_id = any (s.label_ids);
  update public.tasks t set label_ids = array_remove(t.label_ids, p_label_id)
  where t.product_id = p_product_id and p_label_id = any (t.label_ids);
  perform set_config('backloom.undoing', '', true);
  return json_build_object('id', p_label_id, 'deleted', true);
end;
$function$;

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
        'done_requires', p.done_requires, 'dependency_release', p.dependency_release,
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
      to_char(b.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
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
        to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at) y
      where s.product_id = p_product_id
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
        to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at) y
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

CREATE OR REPLACE FUNCTION operations.get_backlog_tree(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform private.require_product_access(p_product_id);

  return json_build_object(
    'views', private.saved_views_of(p_product_id, 'backlog'),
    'labels', private.labels_of(p_product_id),
    'sprints', (
      select coalesce(json_agg(json_build_object(
        'id', s.id, 'code', s.code, 'status', lower(s.status::text), 'sprint_goal', s.sprint_goal)
        order by s.status desc, s.created_at), '[]')
      from public.sprints s
      where s.product_id = p_product_id and s.status in ('PLANNED', 'ACTIVE', 'FAILED')),
    'pbis', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select b.id, b.code, b.title, b.priority, lower(b.status::text) as status, b.pr_url
        from public.pbis b
        where b.product_id = p_product_id
        order by b.priority, b.sort_order, b.created_at, b.id
      ) x),
    'stories', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select s.id, s.pbi_id, s.code, s.title, s.priority, lower(s.status::text) as status, s.sprint_id, s.assignee_id, s.label_ids
        from public.stories s
        where s.product_id = p_product_id
        order by s.sort_order, s.created_at, s.id
      ) x),
    'tasks', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select t.id, t.story_id, t.code, t.title, t.label_ids,
          case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
        from public.tasks t
        where t.product_id = p_product_id
        order by t.sort_order, t.created_at, t.id
      ) x)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_solo_board(p_product_id uuid)
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
    'labels', private.labels_of(p_product_id),
    'workers_online', private.workers_online(array[p_product_id])
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_sprint(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('sprint', p_sprint_id);

  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'stories', (
      select coalesce(json_agg(private.with_labels(row_to_json(x), (select k.label_ids from public.stories k where k.id = x.id))), '[]')
      from (
        select s.*, b.code as pbi_code, private.username(s.assignee_id) as assignee_username
        from private.story_shape s
        join public.stories k on k.id = s.id
        join public.pbis b on b.id = s.pbi_id
        where s.sprint_id = p_sprint_id
        order by s.sort_order, k.created_at, s.id
      ) x
    ),
    'tasks', (
      select coalesce(json_agg(private.with_labels(row_to_json(x), (select k.label_ids from public.tasks k where k.id = x.id))), '[]')
      from (
        select t.*, s.code as story_code, k.implementation_plan is not null as has_plan
        from private.task_shape t
        join public.tasks k on k.id = t.id
        join public.stories s on s.id = t.story_id
        where s.sprint_id = p_sprint_id
        order by s.sort_order, t.sort_order, k.created_at, t.id
      ) x
    )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_sprint_board(p_sprint_id uuid)
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
    v_preflight := operations.preflight_sprint_run(p_sprint_id);
    if (v_preflight ->> 'ready')::boolean then
      v_forecast := operations.get_forecast(v_product, p_sprint_id);
    end if;
  end if;
  return json_build_object(
    'labels', private.labels_of(v_product),
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
    'budgets', operations.get_budgets(v_product, null, p_sprint_id),
    'preflight', v_preflight,
    'forecast', v_forecast,
    'burndown', private.get_sprint_burndown(p_sprint_id)
  );
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
      from private.story_shape s
      where s.id = p_story_id
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_story_page(p_story_id uuid)
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
    'story', private.story_json(p_story_id),
    'labels', private.labels_of(v_story.product_id),
    'assignee_name', private.username(v_story.assignee_id),
    'dependencies', operations.list_dependencies('story', p_story_id),
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
      select coalesce(json_agg(private.with_labels(row_to_json(t), (select k.label_ids from public.tasks k where k.id = t.id)) order by t.sort_order, t.created_at, t.id), '[]')
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

CREATE OR REPLACE FUNCTION operations.get_task_detail(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('task', p_task_id);
  return private.task_json(p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_task_page(p_task_id uuid)
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
    'task', private.task_json(p_task_id),
    'labels', private.labels_of(v_task.product_id),
    'repo_url_by', (select private.username(t.repo_url_by) from public.tasks t where t.id = p_task_id),
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
    'dependencies', operations.list_dependencies('task', p_task_id),
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
    (owner_id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires, dependency_release,
      requires_sandbox, may_reach, created_at)
  values (
    p_owner_id, v_product ->> 'code', v_product ->> 'name', v_product ->> 'description', v_product ->> 'repo_url',
    v_product ->> 'definition_of_done', (v_product ->> 'auto_pr')::boolean,
    (v_product ->> 'pr_strategy')::public.pr_strategy, (v_product ->> 'done_requires')::public.done_requires,
    coalesce(v_product ->> 'dependency_release', 'done')::public.dependency_release,
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

CREATE OR REPLACE FUNCTION operations.import_stories(p_product_id uuid, p_owner_id uuid, p_stories jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_stories jsonb;
  v_tasks jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.story || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_stories
  from jsonb_array_elements(p_stories) with ordinality e (story, place);

  insert into public.stories
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id, e.story ->> 'code', e.story ->> 'title',
    e.story ->> 'description', e.story ->> 'acceptance_criteria', (e.story ->> 'priority')::integer, s.id, m.user_id,
    private.label_ids_named(p_product_id, e.story -> 'labels'),
    coalesce((e.story ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
  left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
  left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
  left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id
  order by e.place;

  select jsonb_agg(
    t.task || jsonb_build_object('id', gen_random_uuid(), 'story_id', e.story -> 'id') order by e.place, t.place)
  into v_tasks
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'tasks') with ordinality t (task, place);

  insert into public.tasks
    (id, product_id, story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only,
     verify_required, requires_opus, estimated_minutes, label_ids, created_at)
  select (e.task ->> 'id')::uuid, p_product_id, (e.task ->> 'story_id')::uuid, e.task ->> 'code', e.task ->> 'title',
    e.task ->> 'description', e.task ->> 'implementation_plan', (e.task ->> 'priority')::integer,
    (e.task ->> 'status')::public.task_status, e.task ->> 'repo_url', (e.task ->> 'verify_only')::boolean,
    (e.task ->> 'verify_required')::public.verify_required, (e.task ->> 'requires_opus')::boolean,
    (e.task ->> 'estimated_minutes')::integer, private.label_ids_named(p_product_id, e.task -> 'labels'),
    coalesce((e.task ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_tasks) with ordinality e (task, place)
  order by e.place;

  insert into public.story_logs
    (story_id, product_id, type, content, status, commit_hash, commit_message, metadata, user_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, (l ->> 'type')::public.story_log_type, l ->> 'content',
    (l ->> 'status')::public.story_log_status, l ->> 'commit_hash', l ->> 'commit_message',
    nullif(l -> 'metadata', 'null'), coalesce(u.id, p_owner_id),
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements(e.story -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  perform private.import_proof(p_product_id, v_stories);
  perform private.import_reviews(p_product_id, v_tasks);

  return json_build_object(
    'story_codes', (
      select coalesce(json_agg(s.code order by e.place), '[]')
      from jsonb_array_elements(v_stories) with ordinality e (story, place)
      join public.stories s on s.id = (e.story ->> 'id')::uuid),
    'task_codes', (
      select coalesce(json_agg(t.code order by e.place), '[]')
      from jsonb_array_elements(v_tasks) with ordinality e (task, place)
      join public.tasks t on t.id = (e.task ->> 'id')::uuid));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_labels(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object('labels', private.labels_of(p_product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_pbi_stories(p_pbi_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('pbi', p_pbi_id);

  return (
    select coalesce(json_agg(private.with_labels(row_to_json(s), k.label_ids) order by s.sort_order, k.created_at, s.id), '[]')
    from private.story_shape s
    join public.stories k on k.id = s.id
    where s.pbi_id = p_pbi_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_story_tasks(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('story', p_story_id);

  return (
    select coalesce(json_agg(private.with_labels(row_to_json(t), k.label_ids) order by t.sort_order, k.created_at, t.id), '[]')
    from private.task_shape t
    join public.tasks k on k.id = t.id
    where t.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.move_task(p_task_id uuid, p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('task', p_task_id);
  perform private.require_access('story', p_story_id);
  update public.tasks t set story_id = p_story_id where t.id = p_task_id and t.story_id <> p_story_id;
  return private.task_json(p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.remove_story_from_sprint(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('story', p_story_id);
  update public.stories s set sprint_id = null where s.id = p_story_id and s.sprint_id is not null;
  return private.story_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_task_status(p_task_id uuid, p_status text, p_confirmed boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(coalesce(p_status, ''));
begin
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);
  perform private.heed_waiting(p_task_id, v_status, p_confirmed);
  update public.tasks t set status = v_status where t.id = p_task_id and t.status <> v_status;
  return (select private.with_labels(row_to_json(t), k.label_ids)::jsonb || private.released()
    from private.task_shape t join public.tasks k on k.id = t.id where t.id = p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_label(p_product_id uuid, p_label_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_label public.labels := private.require_label(p_product_id, p_label_id);
  v_name text := private.require_label_name(p_product_id, coalesce(p_changes ->> 'name', v_label.name), p_label_id);
begin
  update public.labels l
  set name = v_name, color = coalesce(lower(p_changes ->> 'color'), l.color)
  where l.id = p_label_id
  returning l.* into v_label;
  return json_build_object('id', v_label.id, 'name', v_label.name, 'color', v_label.color);
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

CREATE OR REPLACE FUNCTION operations.update_task(p_task_id uuid, p_status text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text, p_verify_only boolean DEFAULT NULL::boolean, p_verify_required text DEFAULT NULL::text, p_labels jsonb DEFAULT NULL::jsonb)
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
    'implementation_plan', t.implementation_plan
  ) || case when p_labels is null then '{}' else private.with_labels('{"of":0}', t.label_ids)::jsonb - 'of' end
  into v_answer;
  return v_answer || private.released();
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
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id, t.label_ids,
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

CREATE OR REPLACE FUNCTION private.change_label(p_kind text, p_id uuid, p_changes jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_added uuid[] := '{}';
  v_removed uuid := (p_changes ->> 'remove_label')::uuid;
begin
  if p_changes ? 'add_label' then
    v_added := private.require_labels(private.product_of(p_kind, p_id), jsonb_build_array(p_changes -> 'add_label'));
  end if;
  if p_kind = 'story' then
    update public.stories s set label_ids = array_remove(s.label_ids, v_removed) || v_added where s.id = p_id;
  else
    update public.tasks t set label_ids = array_remove(t.label_ids, v_removed) || v_added where t.id = p_id;
  end if;
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
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id,confirmed,add_label,remove_label}'::text[];
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

CREATE OR REPLACE FUNCTION private.export_stories(p_pbi_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', s.code, 'title', s.title, 'description', s.description, 'acceptance_criteria', s.acceptance_criteria,
      'priority', s.priority, 'status', s.status,
      'sprint', (select sp.code from public.sprints sp where sp.id = s.sprint_id),
      'assignee', (select u.username from public.users u where u.id = s.assignee_id),
      'labels', private.label_names(s.label_ids),
      'created_at', private.export_time(s.created_at),
      'blocked_by', private.export_blocked_by('story', s.id),
      'tasks', private.export_tasks(s.id),
      'log', private.export_log(s.id),
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = s.id),
      'evidence', private.export_evidence(s.id),
      'waivers', private.export_waivers(s.id)
    ) order by s.sort_order, s.created_at, s.code), '[]')
    from public.stories s
    where s.pbi_id = p_pbi_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_tasks(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', t.code, 'title', t.title, 'description', t.description, 'implementation_plan', t.implementation_plan,
      'priority', t.priority, 'status', t.status, 'repo_url', t.repo_url,
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes,
      'labels', private.label_names(t.label_ids),
      'blocked_by', private.export_blocked_by('task', t.id),
      'created_at', private.export_time(t.created_at),
      'reviews', private.export_reviews(t.id)
    ) order by t.sort_order, t.created_at, t.code), '[]')
    from public.tasks t
    where t.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.label_change(p_things jsonb, p_label_id uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select jsonb_build_object(case when bool_and(p_label_id = any (x.label_ids)) then 'remove_label' else 'add_label' end, p_label_id)
  from jsonb_array_elements(p_things) i (thing)
  join (
    select s.id, s.label_ids from public.stories s
    union all
    select t.id, t.label_ids from public.tasks t
  ) x on x.id = (i.thing ->> 'id')::uuid;
$function$;

CREATE OR REPLACE FUNCTION private.label_ids_named(p_product_id uuid, p_names jsonb)
 RETURNS uuid[]
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select coalesce(array_agg(l.id), '{}') from public.labels l
  where l.product_id = p_product_id
    and lower(l.name) in (select lower(btrim(n)) from jsonb_array_elements_text(coalesce(p_names, '[]')) n);
$function$;

CREATE OR REPLACE FUNCTION private.label_names(p_label_ids uuid[])
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select coalesce(json_agg(l.name order by lower(l.name)), '[]') from public.labels l where l.id = any (p_label_ids);
$function$;

CREATE OR REPLACE FUNCTION private.labels_of(p_product_id uuid)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color) order by lower(l.name)), '[]')
  from public.labels l
  where l.product_id = p_product_id;
$function$;

CREATE OR REPLACE FUNCTION private.next_label_color(p_product_id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select (array['#e5484d', '#0090ff', '#30a46c', '#f76b15', '#8e4ec6', '#12a594', '#e93d82', '#978365', '#3e63dd', '#ad7f58', '#46a758', '#6e56cf'])
    [1 + (select count(*) from public.labels l where l.product_id = p_product_id) % 12];
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
      ('label', 60, 60),
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
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

CREATE OR REPLACE FUNCTION private.require_label(p_product_id uuid, p_label_id uuid)
 RETURNS public.labels
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_label public.labels;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('label', auth.uid()::text);
  select l.* into v_label from public.labels l where l.id = p_label_id and l.product_id = p_product_id;
  if v_label.id is null then
    perform private.refuse(404, 'No such label.');
  end if;
  return v_label;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_label_name(p_product_id uuid, p_name text, p_except uuid)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_name text := btrim(p_name);
begin
  if coalesce(v_name, '') = '' or char_length(v_name) > 50 or v_name ~ '[[:cntrl:],]' then
    perform private.refuse(422, 'A label has a name of 1 to 50 characters in one line, without commas.');
  end if;
  if exists (
    select from public.labels l
    where l.product_id = p_product_id and lower(l.name) = lower(v_name) and l.id is distinct from p_except
  ) then
    perform private.refuse(409, format('There is a label "%s" already. Use that one, or choose another name.', private.one_line(v_name)));
  end if;
  return v_name;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_labels(p_product_id uuid, p_labels jsonb)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_missing text;
begin
  if p_labels is null or p_labels = 'null' then
    return null;
  end if;
  if jsonb_typeof(p_labels) <> 'array' or jsonb_array_length(p_labels) > 20 then
    perform private.refuse(422, 'labels is a list of at most 20 names.');
  end if;
  select w.label into v_missing
  from jsonb_array_elements_text(p_labels) w (label)
  where not exists (
    select from public.labels l
    where l.product_id = p_product_id and (lower(l.name) = lower(btrim(w.label)) or l.id::text = lower(w.label)))
  limit 1;
  if found then
    perform private.refuse(422, format('This product has no label "%s". Create it first, or use one of its labels.',
      regexp_replace(left(v_missing, 60), '[[:cntrl:]]+', ' ', 'g')));
  end if;
  return array(
    select distinct l.id
    from jsonb_array_elements_text(p_labels) w (label)
    join public.labels l
      on l.product_id = p_product_id and (lower(l.name) = lower(btrim(w.label)) or l.id::text = lower(w.label)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_fields(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now jsonb;
  v_task public.tasks;
  v_story public.stories;
  v_pbi public.pbis;
begin
  if p_change.kind = 'job' then
    return private.restore_unmerged(p_change);
  end if;

  case p_change.kind
    when 'task' then
      select t.* into v_task from public.tasks t where t.id = p_change.thing_id;
      v_now := private.own_fields('task', to_jsonb(v_task));
    when 'story' then
      select s.* into v_story from public.stories s where s.id = p_change.thing_id;
      v_now := private.own_fields('story', to_jsonb(v_story));
    else
      select b.* into v_pbi from public.pbis b where b.id = p_change.thing_id;
      v_now := private.own_fields('pbi', to_jsonb(v_pbi));
  end case;
  if v_now is null or v_now ->> 'code' is null then
    return 'was deleted since';
  end if;
  if exists (select from jsonb_each(p_change.after) a where a.value is distinct from v_now -> a.key) then
    return 'was changed since';
  end if;

  case p_change.kind
    when 'task' then
      v_task := jsonb_populate_record(v_task, p_change.before);
      update public.tasks t
      set (story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only, verify_required,
          requires_opus, estimated_minutes, label_ids) =
        (v_task.story_id, v_task.code, v_task.title, v_task.description, v_task.implementation_plan, v_task.priority,
          v_task.status, v_task.repo_url, v_task.verify_only, v_task.verify_required, v_task.requires_opus,
          v_task.estimated_minutes, v_task.label_ids)
      where t.id = p_change.thing_id;
    when 'story' then
      v_story := jsonb_populate_record(v_story, p_change.before);
      update public.stories s
      set (pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids) =
        (v_story.pbi_id, v_story.code, v_story.title, v_story.description, v_story.acceptance_criteria, v_story.priority,
          v_story.sprint_id, v_story.assignee_id, v_story.label_ids)
      where s.id = p_change.thing_id;
    else
      v_pbi := jsonb_populate_record(v_pbi, p_change.before);
      -- READY lifts a block; what the stories call for is put.
      v_pbi.status := case p_change.before ->> 'is_blocked' when 'true' then 'BLOCKED' when 'false' then 'READY'
        else v_pbi.status::text end::public.pbi_status;
      update public.pbis b
      set (code, title, description, priority, sort_order, status) =
        (v_pbi.code, v_pbi.title, v_pbi.description, v_pbi.priority, v_pbi.sort_order, v_pbi.status)
      where b.id = p_change.thing_id;
  end case;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.story_json(p_story_id uuid)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select private.with_labels(row_to_json(s), k.label_ids)
  from private.story_shape s
  join public.stories k on k.id = s.id
  where s.id = p_story_id;
$function$;

CREATE OR REPLACE FUNCTION private.task_json(p_task_id uuid)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select private.with_labels(row_to_json(t), k.label_ids)
  from private.task_detail_shape t
  join public.tasks k on k.id = t.id
  where t.id = p_task_id;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__keep_labels()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.label_ids := array(
    select l.id from public.labels l
    where l.product_id = new.product_id and l.id = any (new.label_ids)
    order by lower(l.name));
  if cardinality(new.label_ids) > 20 then
    raise exception using errcode = 'PT422', message = 'At most 20 labels on one story or task.',
      detail = '{"issues":[{"path":"labels","message":"At most 20 labels."}]}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.with_labels(p_row json, p_label_ids uuid[])
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if coalesce(cardinality(p_label_ids), 0) = 0 then
    return p_row;
  end if;
  return left(p_row::text, -1) || ',"labels":' || (
    select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color) order by lower(l.name)), '[]')
    from public.labels l where l.id = any (p_label_ids)) || '}';
end;
$function$;

ALTER TABLE "public"."labels" ADD CONSTRAINT "labels_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_external_id_length" CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 300)));

ALTER TABLE "public"."tasks" ADD CONSTRAINT "tasks_external_id_length" CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 300)));

CREATE UNIQUE INDEX labels_one_name ON public.labels USING btree (product_id, lower(name));

CREATE UNIQUE INDEX stories_external_id_key ON public.stories USING btree (product_id, external_id) WHERE (external_id IS NOT NULL);

CREATE UNIQUE INDEX tasks_external_id_key ON public.tasks USING btree (product_id, external_id) WHERE (external_id IS NOT NULL);

CREATE TRIGGER _400_touch BEFORE UPDATE ON public.labels FOR EACH ROW EXECUTE FUNCTION private.tg_any__touch();

CREATE TRIGGER _210_keep_labels BEFORE INSERT ON public.stories FOR EACH ROW WHEN ((new.label_ids IS DISTINCT FROM '{}'::uuid[])) EXECUTE FUNCTION private.tg_any__keep_labels();

CREATE TRIGGER _211_keep_labels BEFORE UPDATE OF label_ids ON public.stories FOR EACH ROW WHEN ((new.label_ids IS DISTINCT FROM old.label_ids)) EXECUTE FUNCTION private.tg_any__keep_labels();

CREATE TRIGGER _210_keep_labels BEFORE INSERT ON public.tasks FOR EACH ROW WHEN ((new.label_ids IS DISTINCT FROM '{}'::uuid[])) EXECUTE FUNCTION private.tg_any__keep_labels();

CREATE TRIGGER _211_keep_labels BEFORE UPDATE OF label_ids ON public.tasks FOR EACH ROW WHEN ((new.label_ids IS DISTINCT FROM old.label_ids)) EXECUTE FUNCTION private.tg_any__keep_labels();

CREATE POLICY "labels_select" ON "public"."labels" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON COLUMN "public"."stories"."external_id" IS 'What it was in the file that it was imported from, so that the same file brings it once.';

COMMENT ON COLUMN "public"."stories"."label_ids" IS 'Its labels (29_labels), in the order of their names.';

COMMENT ON COLUMN "public"."tasks"."external_id" IS 'What it was in the file that it was imported from, so that the same file brings it once.';

COMMENT ON COLUMN "public"."tasks"."label_ids" IS 'Its labels (29_labels), in the order of their names.';

COMMENT ON FUNCTION "operations"."create_label"(uuid, text, text) IS 'Creates a label of a product.';

COMMENT ON FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb) IS 'Creates a story (specification: Story, Entity codes). 60 per minute.';

COMMENT ON FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb) IS 'Creates a task (specification: Task, Entity codes). 100 per minute.';

COMMENT ON FUNCTION "operations"."delete_label"(uuid, uuid) IS 'Deletes a label and takes it off its stories and tasks.';

COMMENT ON FUNCTION "operations"."list_labels"(uuid) IS 'The labels of a product, by name.';

COMMENT ON FUNCTION "operations"."update_label"(uuid, uuid, jsonb) IS 'Renames or recolours a label.';

COMMENT ON FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb) IS 'Status or plan of a task (specification: PATCH /api/tasks/:id).';

COMMENT ON FUNCTION "private"."change_label"(text, uuid, jsonb) IS 'Puts one label on a story or task, or takes it off.';

COMMENT ON FUNCTION "private"."label_change"(jsonb, uuid) IS 'Whether a label is put on things or taken off them.';

COMMENT ON FUNCTION "private"."label_ids_named"(uuid, jsonb) IS 'Labels of a product by their names.';

COMMENT ON FUNCTION "private"."label_names"(uuid[]) IS 'The names of labels, in their order.';

COMMENT ON FUNCTION "private"."labels_of"(uuid) IS 'The labels of a product in REST form.';

COMMENT ON FUNCTION "private"."next_label_color"(uuid) IS 'The colour of a label that was made without one.';

COMMENT ON FUNCTION "private"."require_label"(uuid, uuid) IS 'A label that the caller may change, or PT404, PT403, PT429.';

COMMENT ON FUNCTION "private"."require_label_name"(uuid, text, uuid) IS 'The name that a label may have, or PT422, PT409.';

COMMENT ON FUNCTION "private"."require_labels"(uuid, jsonb) IS 'Labels of a product by name or id, or PT422.';

COMMENT ON FUNCTION "private"."story_json"(uuid) IS 'A story in REST form, with its labels (specification: Story).';

COMMENT ON FUNCTION "private"."task_json"(uuid) IS 'A task in detail, with its labels (specification: GET /api/tasks/:id).';

COMMENT ON FUNCTION "private"."tg_any__keep_labels"() IS 'Labels of a story or task are those of its product.';

COMMENT ON FUNCTION "private"."with_labels"(json, uuid[]) IS 'A story or task in REST form, with its labels when it has any.';

COMMENT ON TABLE "public"."labels" IS 'Labels of a product, for its stories and tasks.';

REVOKE ALL ON FUNCTION "operations"."create_label"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_label"(uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."delete_label"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."delete_label"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_labels"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_labels"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."update_label"(uuid, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."update_label"(uuid, uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."change_label"(text, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."change_label"(text, uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."label_change"(jsonb, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."label_change"(jsonb, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."label_ids_named"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."label_ids_named"(uuid, jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."label_names"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."label_names"(uuid[]) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."labels_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."labels_of"(uuid) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."next_label_color"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_label_color"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."require_label"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_label"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_label_name"(uuid, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_label_name"(uuid, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_labels"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_labels"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."story_json"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."story_json"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."task_json"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."task_json"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__keep_labels"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__keep_labels"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."with_labels"(json, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."with_labels"(json, uuid[]) TO "authenticated", "postgres";

GRANT SELECT ON TABLE "public"."labels" TO "authenticated";

GRANT ALL ON TABLE "public"."labels" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."labels" TO "service_role";

REVOKE ALL ("label_ids") ON TABLE "public"."stories" FROM "authenticated";

GRANT INSERT ("label_ids"), UPDATE ("label_ids") ON TABLE "public"."stories" TO "authenticated";

REVOKE ALL ("label_ids") ON TABLE "public"."tasks" FROM "authenticated";

GRANT INSERT ("label_ids"), UPDATE ("label_ids") ON TABLE "public"."tasks" TO "authenticated";
