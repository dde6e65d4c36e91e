-- Why: stories that agents make can wait in triage until a person accepts them (setting agent_items of a product).
set local check_function_bodies = off;

DROP TRIGGER "_301_derive_status" ON "public"."stories";

DROP VIEW "private"."product_detail_shape";

DROP FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text);

ALTER TABLE "public"."stories" ADD COLUMN "in_triage" boolean NOT NULL DEFAULT false;

CREATE TYPE "public"."agent_items" AS ENUM ('backlog', 'triage');

ALTER TABLE "public"."products" ADD COLUMN "agent_items" public.agent_items NOT NULL DEFAULT 'backlog'::public.agent_items;

ALTER TYPE "public"."story_status" ADD VALUE 'TRIAGE' AFTER 'FAILED';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.accept_story(p_story_id uuid, p_pbi_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_triage(p_story_id);
  if p_pbi_id is not null then
    perform private.require_access('pbi', p_pbi_id);
  end if;
  update public.stories s set in_triage = false, pbi_id = coalesce(p_pbi_id, s.pbi_id) where s.id = p_story_id;
  return private.story_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb, p_plan_first text DEFAULT 'ask'::text, p_pull_requests text DEFAULT 'none'::text, p_agent_items text DEFAULT 'backlog'::text)
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
    dependency_release, requires_sandbox, may_reach, plan_first, pull_requests, agent_items)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first,
    coalesce(p_pull_requests, 'none')::public.pull_requests,
    coalesce(p_agent_items, 'backlog')::public.agent_items);
  return operations.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_story(p_pbi_id uuid, p_title text, p_description text DEFAULT ''::text, p_acceptance_criteria text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_sprint_id uuid DEFAULT NULL::uuid, p_assignee_id uuid DEFAULT NULL::uuid, p_blocked_by jsonb DEFAULT NULL::jsonb, p_labels jsonb DEFAULT NULL::jsonb, p_refuse_similar boolean DEFAULT false)
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
    (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids, in_triage)
  values
    (v_id, p_pbi_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_acceptance_criteria, ''),
      coalesce(p_priority, 3), case when not v_in_triage then p_sprint_id end, p_assignee_id,
      coalesce(private.require_labels(v_product_id, p_labels), '{}'), v_in_triage);
  perform private.add_dependencies('story', v_id, p_blocked_by);
  return private.story_json(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.decline_story(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_triage(p_story_id);
  delete from public.stories s where s.id = p_story_id;
  return json_build_object('id', p_story_id);
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
        'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pull_requests', p.pull_requests, 'pr_strategy', p.pr_strategy,
        'done_requires', p.done_requires, 'dependency_release', p.dependency_release, 'plan_first', p.plan_first, 'agent_items', p.agent_items,
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
          'stories', private.export_stories(b.id), 'comments', private.export_comments(b.id)
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
        where s.product_id = p_product_id and not s.in_triage
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

CREATE OR REPLACE FUNCTION operations.get_product(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);

  return (
    select row_to_json(x)
    from (
      select
        p.*, private.username(p.owner_id) as owner_username, m.role,
        (
          select row_to_json(a)
          from (
            select s.id, s.code, s.sprint_goal, s.status, s.start_date, s.end_date from private.sprint_shape s
            where s.product_id = p.id and s.status = 'active'
          ) a
        ) as active_sprint,
        (select count(*) from public.stories s where s.product_id = p.id and s.in_triage) as triage_count
      from private.product_detail_shape p
      join public.product_members m on m.product_id = p.id and m.user_id = (select auth.uid())
      where p.id = p_product_id
    ) x
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
    (owner_id, code, name, description, repo_url, definition_of_done, auto_pr, pull_requests, pr_strategy, done_requires, dependency_release, plan_first, agent_items,
      requires_sandbox, may_reach, created_at)
  values (
    p_owner_id, v_product ->> 'code', v_product ->> 'name', v_product ->> 'description', v_product ->> 'repo_url',
    v_product ->> 'definition_of_done', (v_product ->> 'auto_pr')::boolean,
    coalesce(v_product ->> 'pull_requests', 'none')::public.pull_requests,
    (v_product ->> 'pr_strategy')::public.pr_strategy, (v_product ->> 'done_requires')::public.done_requires,
    coalesce(v_product ->> 'dependency_release', 'done')::public.dependency_release,
    coalesce(v_product ->> 'plan_first', 'ask')::public.plan_first,
    coalesce(v_product ->> 'agent_items', 'backlog')::public.agent_items,
    coalesce((v_product ->> 'requires_sandbox')::boolean, false), coalesce(v_product -> 'may_reach', '[]'),
    coalesce((v_product ->> 'created_at')::timestamptz, private.now()))
  returning id into v_product_id;

  perform private.lock_product(v_product_id);

  insert into public.product_members (product_id, user_id, role)
  select distinct v_product_id, u.id, (case m ->> 'role' when 'VIEWER' then 'VIEWER' else 'MEMBER' end)::public.member_role
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

  perform private.import_comments(v_product_id, 'pbi', v_pbis);

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
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids, in_triage, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id, e.story ->> 'code', e.story ->> 'title',
    e.story ->> 'description', e.story ->> 'acceptance_criteria', (e.story ->> 'priority')::integer, s.id, m.user_id,
    private.label_ids_named(p_product_id, e.story -> 'labels'), e.story ->> 'status' is not distinct from 'TRIAGE',
    coalesce((e.story ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
  left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
  left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
  left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id and m.role <> 'VIEWER'
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
  perform private.import_comments(p_product_id, 'story', v_stories);
  perform private.import_comments(p_product_id, 'task', v_tasks);

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
    where s.pbi_id = p_pbi_id and not k.in_triage
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_ready(p_product_id uuid, p_limit integer DEFAULT 50)
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
        (
          select count(*) from public.tasks w
          where w.status <> 'DONE' and w.id in (
            select d.blocked_id from public.task_dependencies d where d.blocker_id = t.id
            union
            select i.id from public.story_dependencies d join public.tasks i on i.story_id = d.blocked_id where d.blocker_id = t.story_id)
        ) as frees,
        p.status is not distinct from 'ACTIVE' and coalesce(t.implementation_plan, '') ~ '\S' as dispatchable
      from public.tasks t
      join public.stories s on s.id = t.story_id
      join public.pbis b on b.id = s.pbi_id
      left join public.sprints p on p.id = s.sprint_id
      where t.product_id = p_product_id and t.status = 'TO_DO' and b.status <> 'BLOCKED' and not s.in_triage
        and not exists (select from private.task_blockers k where k.task_id = t.id and not k.resolved)
      order by (p.status is not distinct from 'ACTIVE') desc, s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id
      limit least(greatest(coalesce(p_limit, 50), 1), 200)
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_triage(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object(
    'stories', (
      select coalesce(json_agg(private.with_labels(row_to_json(x), k.label_ids) order by k.created_at, k.id), '[]')
      from private.story_shape x
      join public.stories k on k.id = x.id
      where k.product_id = p_product_id and k.in_triage),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order, b.created_at, b.id), '[]')
      from public.pbis b where b.product_id = p_product_id),
    'targets', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title)
        order by s.sort_order, s.created_at, s.id), '[]')
      from public.stories s where s.product_id = p_product_id and not s.in_triage and s.status <> 'DONE'));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.merge_story(p_story_id uuid, p_into uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
  v_target public.stories;
  v_text text;
begin
  perform private.require_triage(p_story_id);
  perform private.require_access('story', p_into);
  select s.* into v_story from public.stories s where s.id = p_story_id;
  select s.* into v_target from public.stories s where s.id = p_into;
  if v_target.product_id <> v_story.product_id or v_target.in_triage then
    perform private.refuse(422, 'Choose a story of this product that is not in triage.',
      '{"issues":[{"path":"into","message":"Choose a story of the backlog."}]}');
  end if;
  v_text := concat_ws(E'\n\n', nullif(v_target.description, ''), format('Merged from %s: %s', v_story.code, v_story.title),
    nullif(v_story.description, ''), nullif(v_story.acceptance_criteria, ''));
  if char_length(v_text) > 100000 then
    perform private.refuse(422, format('The description of %s has no room for this text. Accept the story instead.', v_target.code));
  end if;

  update public.stories s set description = v_text where s.id = p_into;
  update public.tasks t set story_id = p_into where t.story_id = p_story_id;
  delete from public.stories s where s.id = p_story_id;
  return private.story_json(p_into);
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
  perform private.refuse_triage(array(
    select distinct t.story_id from public.tasks t where t.id = any (v_task_ids)
    union select p_story_id where p_story_id is not null));
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

CREATE OR REPLACE FUNCTION private.derived_pbi_status(p_pbi_id uuid)
 RETURNS public.pbi_status
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.stories s where s.pbi_id = p_pbi_id and s.status = 'FAILED') then
    return 'FAILED';
  end if;
  if exists (select from public.stories s where s.pbi_id = p_pbi_id and s.status <> 'DONE' and not s.in_triage)
    or not exists (select from public.stories s where s.pbi_id = p_pbi_id and not s.in_triage) then
    return 'READY';
  end if;
  return 'DONE';
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_triage(p_story_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_code text;
begin
  select s.code into v_code from public.stories s where s.id = any (p_story_ids) and s.in_triage order by s.sort_order limit 1;
  if v_code is not null then
    perform private.refuse(409, format('%s is in triage. Accept it before you give it to agents.', v_code));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_triage(p_story_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  perform private.require_write('story', p_story_id);
  if private.is_token() then
    perform private.refuse(403, 'Only people accept, merge and decline: sign in. An API token can only suggest.');
  end if;
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not v_story.in_triage then
    perform private.refuse(409, format('%s is not in triage any more. Reload the page to see what happened.', v_story.code));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__derive_status()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.in_triage then
    new.status := 'TRIAGE';
  else
    new.status := private.derived_story_status(new.id, new.sprint_id);
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__guard_sprint()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = new.sprint_id;

  if v_sprint.product_id is distinct from new.product_id then
    raise exception using errcode = 'PT422', message = 'A sprint can only hold stories of its own product.',
      detail = '{"issues":[{"path":"sprint_id","message":"Choose a sprint of the story''s product."}]}';
  end if;

  if new.in_triage then
    raise exception using errcode = 'PT409', message = format('%s is in triage. Accept it before it joins a sprint.', new.code);
  end if;

  if v_sprint.status not in ('PLANNED', 'ACTIVE') then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s. Stories can only be added to a planned or active sprint.', v_sprint.code, lower(v_sprint.status::text));
  end if;

  return new;
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
    plan_first,
    pull_requests,
    agent_items
   FROM public.products p;

CREATE INDEX stories_triage_idx ON public.stories USING btree (product_id, created_at, id) WHERE in_triage;

CREATE TRIGGER _301_derive_status BEFORE UPDATE ON public.stories FOR EACH ROW WHEN (((new.status <> old.status) OR (new.sprint_id IS DISTINCT FROM old.sprint_id) OR (new.in_triage <> old.in_triage))) EXECUTE FUNCTION private.tg_stories__derive_status();

COMMENT ON COLUMN "public"."stories"."in_triage" IS 'Somebody has to accept it before it is part of the backlog; its status is TRIAGE until then.';

COMMENT ON FUNCTION "operations"."accept_story"(uuid, uuid) IS 'Takes a story from triage into the backlog.';

COMMENT ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text) IS 'Creates a product of the caller (specification: Product). 5 per minute.';

COMMENT ON FUNCTION "operations"."decline_story"(uuid) IS 'Removes a story from triage.';

COMMENT ON FUNCTION "operations"."list_triage"(uuid) IS 'What waits in the triage of a product, and where it can go.';

COMMENT ON FUNCTION "operations"."merge_story"(uuid, uuid) IS 'Adds a story of triage to one of the backlog.';

COMMENT ON FUNCTION "private"."refuse_triage"(uuid[]) IS 'PT409 for stories that nobody has accepted yet.';

COMMENT ON FUNCTION "private"."require_triage"(uuid) IS 'The caller may decide on this story, and nobody has yet.';

COMMENT ON TYPE "public"."agent_items" IS 'Whether stories that tokens make wait in triage (docs/users.md).';

COMMENT ON VIEW "private"."product_detail_shape" IS 'A product with all fields (specification: Product).';

REVOKE ALL ON FUNCTION "operations"."accept_story"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."accept_story"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."decline_story"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."decline_story"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_triage"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_triage"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."merge_story"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."merge_story"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."is_token"() FROM "authenticated";

GRANT EXECUTE ON FUNCTION "private"."is_token"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."refuse_triage"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_triage"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_triage"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_triage"(uuid) TO "authenticated", "postgres";

REVOKE ALL ("agent_items") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("agent_items"), UPDATE ("agent_items") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ("in_triage") ON TABLE "public"."stories" FROM "authenticated";

GRANT INSERT ("in_triage"), UPDATE ("in_triage") ON TABLE "public"."stories" TO "authenticated";

GRANT USAGE ON TYPE "public"."agent_items" TO "postgres";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";
