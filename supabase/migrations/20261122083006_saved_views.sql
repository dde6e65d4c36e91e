-- Why: looks of backlog and board can be kept under a name, by one person or for all members of a product; the pages show them and files carry the shared ones. The inbox names the job that waits for a verdict.
set local check_function_bodies = off;

CREATE TABLE "public"."saved_views" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "user_id" uuid, "created_by" uuid, "page" text NOT NULL, "name" text NOT NULL, "look" jsonb NOT NULL, CONSTRAINT "saved_views_look_form" CHECK (((jsonb_typeof(look) = 'object'::text) AND (octet_length((look)::text) <= 4000))), CONSTRAINT "saved_views_name_form" CHECK (((name <> ''::text) AND (char_length(name) <= 60) AND (name = btrim(name)) AND (name !~ '[[:cntrl:]]'::text))), CONSTRAINT "saved_views_page_known" CHECK ((page = ANY (ARRAY['backlog'::text, 'board'::text]))), CONSTRAINT "saved_views_pkey" PRIMARY KEY (id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."saved_views" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.create_saved_view(p_product_id uuid, p_page text, p_name text, p_look jsonb, p_shared boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := case when not p_shared then auth.uid() end;
  v_page text;
  v_view public.saved_views;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('saved_view', auth.uid()::text);
  v_page := lower(private.require_choice('page', p_page, array['BACKLOG', 'BOARD']));
  insert into public.saved_views (product_id, user_id, created_by, page, name, look)
  values (p_product_id, v_user_id, auth.uid(), v_page,
    private.require_view_name(p_product_id, v_page, v_user_id, p_name, null), private.require_look(p_look))
  returning * into v_view;
  return private.saved_view_json(v_view);
end;
$function$;

CREATE OR REPLACE FUNCTION private.delete_saved_view(p_view_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_view public.saved_views := private.require_own_view(p_view_id);
begin
  delete from public.saved_views v where v.id = v_view.id;
  return json_build_object('id', p_view_id, 'deleted', true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_backlog_tree(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);

  return json_build_object(
    'views', private.saved_views_of(p_product_id, 'backlog'),
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
        select s.id, s.pbi_id, s.code, s.title, s.priority, lower(s.status::text) as status, s.sprint_id, s.assignee_id
        from public.stories s
        where s.product_id = p_product_id
        order by s.sort_order, s.created_at, s.id
      ) x),
    'tasks', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select t.id, t.story_id, t.code, t.title,
          case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
        from public.tasks t
        where t.product_id = p_product_id
        order by t.sort_order, t.created_at, t.id
      ) x)
  );
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
      select jsonb_build_object('question', private.question_json(q)) from public.agent_questions q where q.id = p_id)
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

CREATE OR REPLACE FUNCTION private.may_change_view(p_view public.saved_views)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return coalesce(p_view.user_id = auth.uid() or p_view.created_by = auth.uid(), false) or exists (
    select from public.product_members m
    where m.product_id = p_view.product_id and m.user_id = auth.uid() and m.role = 'OWNER');
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
      ('job_conflict', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_look(p_look jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_known text[] := '{q,status,sprint,group,as,dense,hide}';
begin
  if jsonb_typeof(p_look) is distinct from 'object' or p_look - v_known <> '{}' then
    perform private.refuse(422, 'look may hold q, status, sprint, group, as, dense and hide.');
  end if;
  if exists (
    select from jsonb_each(p_look) e where jsonb_typeof(e.value) <> 'string' or char_length(e.value #>> '{}') > 200
  ) then
    perform private.refuse(422, 'Each part of a look is a text of at most 200 characters.');
  end if;
  return (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(p_look) e where e.value <> '""');
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_own_view(p_view_id uuid)
 RETURNS public.saved_views
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_view public.saved_views;
begin
  select v.* into v_view
  from public.saved_views v
  where v.id = p_view_id and (v.user_id is null or v.user_id = auth.uid());
  if not found then
    perform private.refuse(404, 'No such view.');
  end if;
  perform private.require_write('product', v_view.product_id);
  if not private.may_change_view(v_view) then
    perform private.refuse(403, 'A shared view is changed by whoever made it and by the owner of the product. Save one of your own.');
  end if;
  perform private.take_rate_limit('saved_view', auth.uid()::text);
  -- Anew, under the lock.
  select v.* into v_view from public.saved_views v where v.id = p_view_id;
  if not found then
    perform private.refuse(404, 'No such view.');
  end if;
  return v_view;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_view_name(p_product_id uuid, p_page text, p_user_id uuid, p_name text, p_except uuid)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_name text := btrim(p_name);
  v_others integer;
begin
  if coalesce(v_name, '') = '' or char_length(v_name) > 60 or v_name ~ '[[:cntrl:]]' then
    perform private.refuse(422, 'A view has a name of 1 to 60 characters in one line.');
  end if;
  if exists (
    select from public.saved_views v
    where v.product_id = p_product_id and v.page = p_page and v.user_id is not distinct from p_user_id
      and lower(v.name) = lower(v_name) and v.id is distinct from p_except
  ) then
    perform private.refuse(409, format('There is a view "%s" already. Change that one, or choose another name.', private.one_line(v_name)));
  end if;
  select count(*) into v_others
  from public.saved_views v
  where v.product_id = p_product_id and v.user_id is not distinct from p_user_id and v.id is distinct from p_except;
  if v_others >= 50 then
    perform private.refuse(409, 'A product keeps 50 shared views, and 50 of each member. Delete one that nobody uses.');
  end if;
  return v_name;
end;
$function$;

CREATE OR REPLACE FUNCTION private.saved_view_json(p_view public.saved_views)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'id', p_view.id, 'product_id', p_view.product_id, 'page', p_view.page, 'name', p_view.name, 'look', p_view.look,
    'shared', p_view.user_id is null, 'may_change', private.may_change_view(p_view), 'created_at', p_view.created_at,
    'updated_at', p_view.updated_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.saved_views_of(p_product_id uuid, p_page text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.saved_view_json(v) order by v.user_id is null, lower(v.name), v.id), '[]')
    from public.saved_views v
    where v.product_id = p_product_id and (p_page is null or v.page = p_page)
      and (v.user_id is null or v.user_id = auth.uid()));
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_saved_view(p_view_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_view public.saved_views := private.require_own_view(p_view_id);
  v_was_shared boolean := v_view.user_id is null;
  v_shared boolean := coalesce((p_changes ->> 'shared')::boolean, v_was_shared);
  v_name text;
begin
  if v_shared <> v_was_shared then
    v_view.user_id := case when not v_shared then auth.uid() end;
  end if;
  v_name := private.require_view_name(
    v_view.product_id, v_view.page, v_view.user_id, coalesce(p_changes ->> 'name', v_view.name), v_view.id);
  update public.saved_views v
  set name = v_name, user_id = v_view.user_id,
      look = case when p_changes ? 'look' then private.require_look(p_changes -> 'look') else v.look end
  where v.id = p_view_id
  returning v.* into v_view;
  return private.saved_view_json(v_view);
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_saved_view(p_product_id uuid, p_page text, p_name text, p_look jsonb, p_shared boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.create_saved_view(p_product_id, p_page, p_name, p_look, coalesce(p_shared, false));
end;
$function$;

CREATE OR REPLACE FUNCTION public.delete_saved_view(p_view_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.delete_saved_view(p_view_id);
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
        'done_requires', p.done_requires,
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

CREATE OR REPLACE FUNCTION public.get_sprint_board(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
begin
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
        where s.product_id = v_product and s.sprint_id is null and s.status in ('OPEN', 'FAILED')
        order by s.sort_order, s.created_at, s.id
        limit 200
      ) x),
    'budgets', public.get_budgets(v_product, null, p_sprint_id),
    'preflight', private.preflight_sprint_run(p_sprint_id),
    'burndown', private.get_sprint_burndown(p_sprint_id)
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
    (owner_id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires, created_at)
  values (
    p_owner_id, v_product ->> 'code', v_product ->> 'name', v_product ->> 'description', v_product ->> 'repo_url',
    v_product ->> 'definition_of_done', (v_product ->> 'auto_pr')::boolean,
    (v_product ->> 'pr_strategy')::public.pr_strategy, (v_product ->> 'done_requires')::public.done_requires,
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

CREATE OR REPLACE FUNCTION public.list_saved_views(p_product_id uuid, p_page text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object('views', private.saved_views_of(p_product_id, p_page));
end;
$function$;

CREATE OR REPLACE FUNCTION public.update_saved_view(p_view_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.update_saved_view(p_view_id, p_changes);
end;
$function$;

ALTER TABLE "public"."saved_views" ADD CONSTRAINT "saved_views_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."saved_views" ADD CONSTRAINT "saved_views_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."saved_views" ADD CONSTRAINT "saved_views_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

CREATE INDEX saved_views_created_by_idx ON public.saved_views USING btree (created_by);

CREATE UNIQUE INDEX saved_views_one_name ON public.saved_views USING btree (product_id, page, user_id, lower(name)) NULLS NOT DISTINCT;

CREATE INDEX saved_views_user_id_idx ON public.saved_views USING btree (user_id);

CREATE TRIGGER _400_touch BEFORE UPDATE ON public.saved_views FOR EACH ROW EXECUTE FUNCTION private.tg_any__touch();

CREATE POLICY "saved_views_select" ON "public"."saved_views" FOR SELECT TO "authenticated" USING (((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)) AND ((user_id IS NULL) OR (user_id = ( SELECT auth.uid() AS uid)))));

COMMENT ON FUNCTION "private"."may_change_view"(public.saved_views) IS 'Whether the caller may rename, change or delete a saved view.';

COMMENT ON FUNCTION "private"."require_look"(jsonb) IS 'A look of a page, or PT422.';

COMMENT ON FUNCTION "private"."require_own_view"(uuid) IS 'The view that the caller may change, its product locked; PT404, PT403, PT429.';

COMMENT ON FUNCTION "private"."require_view_name"(uuid, text, uuid, text, uuid) IS 'The name that a view may have, or PT422, PT409.';

COMMENT ON FUNCTION "private"."saved_view_json"(public.saved_views) IS 'A saved view as answers show it.';

COMMENT ON FUNCTION "private"."saved_views_of"(uuid, text) IS 'The caller''s own and the shared views of a product, own ones first.';

COMMENT ON FUNCTION "public"."create_saved_view"(uuid, text, text, jsonb, boolean) IS 'Keeps a look of backlog or board under a name, for the caller or for all members.';

COMMENT ON FUNCTION "public"."delete_saved_view"(uuid) IS 'Deletes a saved view.';

COMMENT ON FUNCTION "public"."list_saved_views"(uuid, text) IS 'The caller''s own and the shared views of a product, of one page or of all.';

COMMENT ON FUNCTION "public"."update_saved_view"(uuid, jsonb) IS 'Changes name, look or reach of a saved view.';

COMMENT ON TABLE "public"."saved_views" IS 'Looks of backlog and board that people keep under a name, each for one person or for all members.';

REVOKE ALL ON FUNCTION "private"."create_saved_view"(uuid, text, text, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_saved_view"(uuid, text, text, jsonb, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."delete_saved_view"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."delete_saved_view"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."may_change_view"(public.saved_views) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."may_change_view"(public.saved_views) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_look"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_look"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_own_view"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_own_view"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_view_name"(uuid, text, uuid, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_view_name"(uuid, text, uuid, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."saved_view_json"(public.saved_views) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."saved_view_json"(public.saved_views) TO "postgres";

REVOKE ALL ON FUNCTION "private"."saved_views_of"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."saved_views_of"(uuid, text) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."update_saved_view"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."update_saved_view"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."create_saved_view"(uuid, text, text, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_saved_view"(uuid, text, text, jsonb, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."delete_saved_view"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."delete_saved_view"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_saved_views"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_saved_views"(uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."update_saved_view"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."update_saved_view"(uuid, jsonb) TO "authenticated", "postgres";

GRANT SELECT ON TABLE "public"."saved_views" TO "authenticated";

GRANT ALL ON TABLE "public"."saved_views" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."saved_views" TO "service_role";
