-- Why: import, export, copies, edits, undo and versions take every column of an item, so a new one is named in fewer places.
set local check_function_bodies = off;

DROP TRIGGER "_390_raise_version" ON "public"."ideas";

DROP TRIGGER "_390_raise_version" ON "public"."pbis";

DROP TRIGGER "_390_raise_version" ON "public"."products";

DROP TRIGGER "_390_raise_version" ON "public"."sprints";

DROP TRIGGER "_390_raise_version" ON "public"."stories";

DROP TRIGGER "_390_raise_version" ON "public"."tasks";

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

  perform private.set_fields('public.tasks', p_task_id,
    p_changes - 'story_id' || jsonb_build_object('status', v_status, 'label_ids', v_label_ids));
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
      'product', private.exported(to_jsonb(p), '{owner_id,landing_since}'),
      'members', (
        select coalesce(json_agg(json_build_object('username', u.username, 'role', m.role) order by u.username), '[]')
        from public.product_members m
        join public.users u on u.id = m.user_id
        where m.product_id = p.id),
      'sprints', (
        select coalesce(json_agg(private.exported(to_jsonb(s), '{}') order by private.sort_order_from_code(s.code)), '[]')
        from public.sprints s
        where s.product_id = p.id),
      'pbis', (
        select coalesce(json_agg(private.exported(to_jsonb(b), '{idea_id,is_intake}') || jsonb_build_object(
          'sort_order', b.sort_order, 'stories', private.export_stories(b.id), 'comments', private.export_comments(b.id)
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
      'files', private.export_files(p.id),
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

CREATE OR REPLACE FUNCTION operations.import_ideas(p_product_id uuid, p_owner_id uuid, p_ideas jsonb, p_archived_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_ideas jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.idea || jsonb_build_object(
    'id', gen_random_uuid(),
    'user_id', coalesce(u.id, p_owner_id),
    'code', case
      when exists (
        select from public.ideas i where i.user_id = coalesce(u.id, p_owner_id) and i.code = e.idea ->> 'code'
      ) then null
      else e.idea ->> 'code' end,
    'pbi_id', (select b.id from public.pbis b where b.product_id = p_product_id and b.code = e.idea ->> 'pbi')
  ) order by e.place)
  into v_ideas
  from jsonb_array_elements(p_ideas) with ordinality e (idea, place)
  left join public.users u on lower(u.username) = lower(e.idea ->> 'username');

  perform private.insert_rows('public.ideas', (
    select jsonb_agg(e.idea || jsonb_build_object('product_id', p_product_id, 'created_at', coalesce(e.idea ->> 'created_at', private.now()::text))
      order by (e.idea ->> 'code') is null, e.place)
    from jsonb_array_elements(v_ideas) with ordinality e (idea, place)));

  update public.pbis b
  set idea_id = i.id
  from public.ideas i
  where i.product_id = p_product_id and i.pbi_id = b.id;

  insert into public.idea_products (idea_id, product_id)
  select (e.idea ->> 'id')::uuid, p.id
  from jsonb_array_elements(v_ideas) e (idea)
  cross join lateral jsonb_array_elements_text(e.idea -> 'linked_products') l (code)
  join public.products p on p.owner_id = p_owner_id and p.code = l.code and p.id <> p_product_id;

  -- What the triggers wrote about the import itself gives way to the log of the file.
  delete from public.idea_logs l
  using jsonb_array_elements(v_ideas) e (idea)
  where l.idea_id = (e.idea ->> 'id')::uuid and jsonb_array_length(e.idea -> 'log') > 0;

  insert into public.idea_logs (idea_id, user_id, kind, content, created_at)
  select (e.idea ->> 'id')::uuid, u.id, l ->> 'kind', l ->> 'content',
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_ideas) e (idea)
  cross join lateral jsonb_array_elements(e.idea -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  update public.products p set archived_at = p_archived_at where p.id = p_product_id and p_archived_at is not null;

  return json_build_object('idea_codes', (
    select coalesce(json_agg(i.code order by e.place), '[]')
    from jsonb_array_elements(v_ideas) with ordinality e (idea, place)
    join public.ideas i on i.id = (e.idea ->> 'id')::uuid));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_product(p_owner_id uuid, p_document jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_product jsonb := p_document -> 'product';
  v_product_id uuid := gen_random_uuid();
  v_pbis jsonb;
begin
  -- Archiving is the last step: an archived product is read-only.
  perform private.insert_rows('public.products', jsonb_build_array(v_product - 'archived_at' || jsonb_build_object(
    'id', v_product_id, 'owner_id', p_owner_id, 'created_at', coalesce(v_product ->> 'created_at', private.now()::text))));

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

  perform private.insert_rows('public.sprints', (
    select jsonb_agg(s || jsonb_build_object('product_id', v_product_id, 'created_at', coalesce(s ->> 'created_at', private.now()::text)))
    from jsonb_array_elements(p_document -> 'sprints') s));

  select jsonb_agg(e.pbi || jsonb_build_object('id', gen_random_uuid(), 'product_id', v_product_id, 'sort_order', e.pbi -> 'sort_order',
    'created_at', coalesce(e.pbi ->> 'created_at', private.now()::text)) order by e.place)
  into v_pbis
  from jsonb_array_elements(p_document -> 'pbis') with ordinality e (pbi, place);

  perform private.insert_rows('public.pbis', v_pbis);

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

  perform private.insert_rows('public.stories', (
    select jsonb_agg(e.story - 'status' || jsonb_build_object('product_id', p_product_id, 'pbi_id', b.id, 'sprint_id', s.id,
      'assignee_id', m.user_id, 'label_ids', private.label_ids_named(p_product_id, e.story -> 'labels'),
      'in_triage', e.story ->> 'status' is not distinct from 'TRIAGE',
      'created_at', coalesce(e.story ->> 'created_at', private.now()::text)) order by e.place)
    from jsonb_array_elements(v_stories) with ordinality e (story, place)
    join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
    left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
    left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
    left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id and m.role <> 'VIEWER'));

  select jsonb_agg(t.task || jsonb_build_object('id', gen_random_uuid(), 'product_id', p_product_id, 'story_id', e.story -> 'id',
    'label_ids', private.label_ids_named(p_product_id, t.task -> 'labels'),
    'created_at', coalesce(t.task ->> 'created_at', private.now()::text)) order by e.place, t.place)
  into v_tasks
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'tasks') with ordinality t (task, place);

  perform private.insert_rows('public.tasks', v_tasks);

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

CREATE OR REPLACE FUNCTION operations.update_product(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_version('product', p_product_id, p_changes);

  perform private.set_fields('public.products', p_product_id, p_changes - '{landing_since,archived_at}'::text[]
    || coalesce((select jsonb_build_object('landing_since', private.now()) from public.products p
      where p.id = p_product_id and p.landing = 'manual' and p_changes ->> 'landing' = 'queue'), '{}'));
  perform private.set_dependency_release(p_product_id, (p_changes ->> 'dependency_release')::public.dependency_release);
  return operations.get_product(p_product_id);
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

  perform private.set_fields('public.stories', p_story_id,
    p_changes - '{sprint_id,assignee_id,in_triage}'::text[] || jsonb_build_object('label_ids', v_label_ids));
  return private.story_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.copy_template(p_template_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_copies jsonb;
begin
  perform private.insert_rows('public.stories', (
    select jsonb_agg(private.own_fields('story', to_jsonb(s)) - '{code,in_triage,external_id,external_url,origin}'::text[]
      || jsonb_build_object('id', v_id, 'template_id', s.id,
        'sprint_id', (select p.id from public.sprints p where p.product_id = s.product_id and p.status = 'ACTIVE')))
    from public.stories s where s.id = p_template_id));

  v_copies := (
    select coalesce(jsonb_object_agg(t.id, gen_random_uuid()), '{}') from public.tasks t where t.story_id = p_template_id);
  perform private.insert_rows('public.tasks', (
    select jsonb_agg(private.own_fields('task', to_jsonb(t)) - '{code,status}'::text[]
      || jsonb_build_object('id', v_copies -> t.id::text, 'story_id', v_id)
      order by t.sort_order, t.created_at, t.id)
    from public.tasks t where t.story_id = p_template_id));
  -- The repository of a task counts for whoever named it, and here that was not the service.
  update public.tasks c set repo_url_by = t.repo_url_by
  from public.tasks t
  where t.story_id = p_template_id and t.repo_url_by is not null and c.id = (v_copies ->> t.id::text)::uuid;
  insert into public.task_dependencies (blocked_id, blocker_id, product_id, created_by)
  select (v_copies ->> d.blocked_id::text)::uuid, coalesce((v_copies ->> d.blocker_id::text)::uuid, d.blocker_id), d.product_id, d.created_by
  from public.task_dependencies d
  where v_copies ? d.blocked_id::text;
  insert into public.budgets (product_id, scope, task_id, unit, amount, created_by)
  select b.product_id, 'task', (v_copies ->> b.task_id::text)::uuid, b.unit, b.amount, b.created_by
  from public.budgets b
  where v_copies ? b.task_id::text;
  return v_id;
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
    select coalesce(json_agg(private.exported(to_jsonb(s),
      '{pbi_id,sprint_id,assignee_id,label_ids,in_triage,is_template,template_id,external_id,external_url,origin}') || jsonb_build_object(
      'status', case when s.status = 'TEMPLATE' then 'TRIAGE' else s.status end,
      'sprint', (select sp.code from public.sprints sp where sp.id = s.sprint_id),
      'assignee', (select u.username from public.users u where u.id = s.assignee_id),
      'labels', private.label_names(s.label_ids),
      'blocked_by', private.export_blocked_by('story', s.id),
      'tasks', private.export_tasks(s.id),
      'log', private.export_log(s.id),
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = s.id),
      'evidence', private.export_evidence(s.id),
      'waivers', private.export_waivers(s.id),
      'comments', private.export_comments(s.id)
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
    select coalesce(json_agg(private.exported(to_jsonb(t), '{story_id,label_ids,repo_url_by,external_id}') || jsonb_build_object(
      'labels', private.label_names(t.label_ids),
      'blocked_by', private.export_blocked_by('task', t.id),
      'reviews', private.export_reviews(t.id),
      'comments', private.export_comments(t.id)
    ) order by t.sort_order, t.created_at, t.code), '[]')
    from public.tasks t
    where t.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.exported(p_row jsonb, p_hidden text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_object_agg(f.key, case when f.key like '%\_at' then to_jsonb(private.export_time((f.value #>> '{}')::timestamptz)) else f.value end)
    from jsonb_each(p_row - '{id,product_id,sort_order,version,field_versions,updated_at}'::text[] - p_hidden) f);
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_proof(p_product_id uuid, p_stories jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.story_heads (story_id, head_sha, attempt)
  select (s ->> 'id')::uuid, s ->> 'head_sha', 0
  from jsonb_array_elements(p_stories) s
  where s ->> 'head_sha' is not null;

  perform private.insert_rows('public.evidence', (
    select jsonb_agg(l.line || jsonb_build_object('product_id', p_product_id, 'story_id', e.story -> 'id',
      'criterion', private.criterion_id(l.line ->> 'criterion'), 'criterion_text', l.line -> 'criterion',
      'file_id', private.imported_file(p_product_id, l.line ->> 'file'),
      'base_file_id', private.imported_file(p_product_id, l.line ->> 'base_file'),
      'created_at', coalesce(l.line ->> 'created_at', private.now()::text)) order by e.place, l.place)
    from jsonb_array_elements(p_stories) with ordinality e (story, place)
    cross join lateral jsonb_array_elements(e.story -> 'evidence') with ordinality l (line, place)));

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, waived_by, created_at)
  select p_product_id, (s ->> 'id')::uuid, private.criterion_id(w ->> 'criterion'), w ->> 'criterion', w ->> 'reason',
    w ->> 'waived_by', coalesce((w ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) s
  cross join lateral jsonb_array_elements(s -> 'waivers') w
  on conflict (story_id, criterion) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_rows(p_table regclass, p_rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_columns text := (
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_catalog.pg_attribute a
    where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and p_rows -> 0 ? a.attname);
begin
  if v_columns is not null then
    execute format('insert into %1$s (%2$s) select %2$s from jsonb_populate_recordset(null::%1$s, $1)', p_table, v_columns) using p_rows;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_fields(p_kind text, p_row jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then p_row - '{id,product_id,sort_order,repo_url_by,external_id,created_at,updated_at,version,field_versions}'::text[]
    when 'story' then p_row - '{id,product_id,status,sort_order,is_template,template_id,external_id,external_url,origin,created_at,updated_at,version,field_versions}'::text[]
    when 'pbi' then jsonb_build_object('is_blocked', p_row ->> 'status' = 'BLOCKED')
      || (p_row - '{id,product_id,status,pr_url,pr_merged_at,idea_id,is_intake,created_at,updated_at,version,field_versions}'::text[])
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
  if exists (select from jsonb_each(p_change.after) a where a.value is distinct from v_now -> a.key)
    -- What was accepted and has joined a sprint or a run since is no longer a suggestion.
    or p_change.kind = 'story' and p_change.before ->> 'in_triage' = 'true' and private.is_taken_up(v_story) then
    return 'was changed since';
  end if;

  case p_change.kind
    when 'task' then
      perform private.set_fields('public.tasks', p_change.thing_id, p_change.before);
    when 'story' then
      perform private.set_fields('public.stories', p_change.thing_id, p_change.before);
    else
      -- READY lifts a block; what the stories call for is put.
      perform private.set_fields('public.pbis', p_change.thing_id, p_change.before || jsonb_build_object(
        'status', case p_change.before ->> 'is_blocked' when 'true' then 'BLOCKED' when 'false' then 'READY' end));
  end case;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_fields(p_table regclass, p_id uuid, p_fields jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_columns text := (
    select string_agg(format('%1$I = n.%1$I', a.attname), ', ' order by a.attnum) from pg_catalog.pg_attribute a
    where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and p_fields ? a.attname
      and not (a.attnotnull and p_fields -> a.attname = 'null')
      and has_column_privilege(a.attrelid, a.attnum, 'update'));
begin
  if v_columns is not null then
    execute format('update %1$s t set %2$s from jsonb_populate_record(null::%1$s, $1) n where t.id = $2', p_table, v_columns) using p_fields, p_id;
  end if;
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
  from jsonb_object_keys(v_new) f
  where v_new -> f is distinct from v_old -> f and f <> all ('{id,product_id,sort_order,version,field_versions,created_at,updated_at}' || tg_argv[0]::text[]);
  if v_changed is not null then
    new.version := old.version + 1;
    new.field_versions := old.field_versions || v_changed;
  end if;
  return new;
end;
$function$;

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.ideas FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{user_id}');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.pbis FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{idea_id,is_intake}');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.products FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{owner_id,landing_since}');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.sprints FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{started_at,completed_at}');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.stories FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{in_triage,is_template,template_id,external_id,external_url,origin}');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.tasks FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{repo_url_by,external_id}');

REVOKE ALL ON FUNCTION "private"."exported"(jsonb, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."exported"(jsonb, text[]) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."insert_rows"(regclass, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."insert_rows"(regclass, jsonb) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."set_fields"(regclass, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_fields"(regclass, uuid, jsonb) TO "authenticated", "postgres", "service_role";
