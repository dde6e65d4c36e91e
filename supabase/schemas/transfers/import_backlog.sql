-- A failed import deletes what its earlier steps have written. Service only.
create function operations.discard_import(p_product_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  delete from public.products p where p.id = p_product_id;
  delete from public.code_counters c where c.scope_id = p_product_id;
  return json_build_object('id', p_product_id);
end;
$$;
grant execute on function operations.discard_import to service_role;

-- Imports the backlog of another tool, in one transaction. Items with a known external id already exist and stay
-- unchanged, so importing the same file twice creates nothing twice. A preview runs the import and rolls it back, so
-- that it cannot differ. Without p_product_id the items go into a new product of the caller, with p_definition_of_done, whose gates
-- are the contract's unless the caller chose others. An import by a token passes no gate of the product: its stories wait in triage
-- where agents' stories do, and tasks are to do unless the product's work waits for no one.
-- p_import_id is one of start_import: get_import has its progress.
-- Ideas become the caller's; one with the title of another of the product already exists.
-- Refusals: 404, 403, 429, 422, 409. Definer: labels and external ids are written by functions only.
create function operations.import_backlog(
  p_pbis jsonb, p_product_id uuid default null, p_name text default null, p_code text default null,
  p_preview boolean default false, p_done_requires text default null, p_ideas jsonb default '[]',
  p_definition_of_done text default '', p_agent_items text default null, p_on_failure text default null, p_import_id uuid default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := p_product_id;
  v_report jsonb;
begin
  if p_product_id is null then
    perform private.require_no_demo();
  else
    perform private.require_write('product', p_product_id);
  end if;
  begin
    if v_product_id is null then
      v_product_id := (operations.create_product(p_code, p_name, p_definition_of_done => p_definition_of_done,
        p_done_requires => p_done_requires, p_agent_items => p_agent_items, p_on_failure => p_on_failure) ->> 'id')::uuid;
      perform private.lock_product(v_product_id);
    end if;
    v_report := private.import_rows(v_product_id, p_pbis, p_ideas, p_import_id) || jsonb_build_object('product', (
      select jsonb_build_object('id', case when p_product_id is not null or not coalesce(p_preview, false) then p.id end,
        'code', p.code, 'name', p.name)
      from public.products p where p.id = v_product_id));
    if p_preview then
      raise exception using errcode = 'IMPRV';
    end if;
  exception when sqlstate 'IMPRV' then
    -- The rows are gone again; what was counted stays.
  end;
  return v_report;
end;
$$;
grant execute on function operations.import_backlog to authenticated;

-- The rows of import_backlog. The limits on creating and undo do not apply, so the caller's claims are cleared
-- meanwhile. A person decides on all that they import.
create function private.import_rows(p_product_id uuid, p_pbis jsonb, p_ideas jsonb, p_import_id uuid)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_claims text := current_setting('request.jwt.claims', true);
  v_user_id uuid := auth.uid();
  v_by_token boolean := private.is_token();
  v_product public.products;
  v_all jsonb;
  v_stories jsonb;
  v_tasks jsonb;
  v_task_count integer;
  v_pbis jsonb;
  v_idea_count integer;
  v_label_count integer;
  v_relations jsonb;
  v_codes text[];
begin
  select p.* into v_product from public.products p where p.id = p_product_id;
  perform set_config('request.jwt.claims', '', true);

  -- Materialized, so that the sort carries stories alone: with its PBI beside each of them, it would write gigabytes.
  with items as materialized (
    select b.pbi ->> 'title' as pbi, b.place as pbi_place, s.story, s.place, s.story ->> 'external_id' as external_id
    from jsonb_array_elements(p_pbis) with ordinality b (pbi, place)
    cross join lateral jsonb_array_elements(b.pbi -> 'stories') with ordinality s (story, place)
  )
  select coalesce(jsonb_agg(i.story || jsonb_build_object(
    'id', gen_random_uuid(), 'pbi', i.pbi, 'is_new', not exists (
      select from public.stories o where o.product_id = p_product_id and o.external_id = i.external_id)
    and not exists (
      select from public.tasks o where o.product_id = p_product_id and o.external_id = i.external_id)
  ) order by i.pbi_place, i.place), '[]')
  into v_all
  from items i;
  select coalesce(jsonb_agg(s order by place), '[]') into v_stories
  from jsonb_array_elements(v_all) with ordinality s (s, place) where (s ->> 'is_new')::boolean;

  v_label_count := private.import_labels(p_product_id, v_stories);

  select coalesce(jsonb_agg(b.pbi - 'stories' order by b.place), '[]') into v_pbis
  from jsonb_array_elements(p_pbis) with ordinality b (pbi, place)
  where b.pbi ->> 'title' in (select s ->> 'pbi' from jsonb_array_elements(v_stories) s)
    and not exists (
      select from public.pbis o where o.product_id = p_product_id and lower(o.title) = lower(b.pbi ->> 'title'));
  v_codes := private.take_codes(p_product_id, 'pbi', array(select b ->> 'code' from jsonb_array_elements(v_pbis) b));
  insert into public.pbis (product_id, code, title, description)
  select p_product_id, e.code, e.pbi ->> 'title', coalesce(e.pbi ->> 'description', '')
  from rows from (jsonb_array_elements(v_pbis), unnest(v_codes)) with ordinality e (pbi, code, place)
  order by e.place;

  v_codes := private.take_codes(p_product_id, 'story', array(select s ->> 'code' from jsonb_array_elements(v_stories) s));
  insert into public.stories
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, assignee_id, label_ids, in_triage, external_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id, e.code, e.story ->> 'title', coalesce(e.story ->> 'description', ''), coalesce(e.story ->> 'acceptance_criteria', ''),
    coalesce((e.story ->> 'priority')::integer, 3), private.member_named(p_product_id, e.story ->> 'assignee'),
    case when e.story -> 'labels' <> '[]' then private.label_ids_named(p_product_id, e.story -> 'labels') else '{}' end, v_by_token and v_product.agent_items = 'triage', e.story ->> 'external_id',
    coalesce((e.story ->> 'created_at')::timestamptz, private.now())
  from (
    select * from rows from (jsonb_array_elements(v_stories), unnest(v_codes)) with ordinality e (story, code, place) order by e.place
  ) e
  join (
    select distinct on (lower(o.title)) o.id, lower(o.title) as title from public.pbis o where o.product_id = p_product_id
    order by lower(o.title), o.created_at, o.id
  ) b on b.title = lower(e.story ->> 'pbi')
  where p_import_id is null or e.place % 500 <> 0 or private.note_imported(p_import_id, e.place);

  select coalesce(jsonb_agg(t.task || jsonb_build_object('story_id', o.id)
      || case when v_by_token and v_product.done_requires <> 'none' then '{"status":"TO_DO"}' else '{}' end::jsonb order by s.place, t.place), '[]'),
    count(*)
  into v_tasks, v_task_count
  from jsonb_array_elements(v_all) with ordinality s (story, place)
  join public.stories o on o.product_id = p_product_id and o.external_id = s.story ->> 'external_id'
  cross join lateral jsonb_array_elements(coalesce(s.story -> 'tasks', '[]')) with ordinality t (task, place)
  where not exists (
      select from public.tasks k where k.product_id = p_product_id and k.external_id = t.task ->> 'external_id')
    and not exists (
      select from public.stories k where k.product_id = p_product_id and k.external_id = t.task ->> 'external_id');

  v_codes := private.take_codes(p_product_id, 'task', array(select t ->> 'code' from jsonb_array_elements(v_tasks) t));
  insert into public.tasks
    (product_id, story_id, code, title, description, implementation_plan, plan_decision, priority, status, estimated_minutes, label_ids, external_id,
      created_at)
  select p_product_id, (t ->> 'story_id')::uuid, e.code, t ->> 'title', coalesce(t ->> 'description', ''), t ->> 'implementation_plan',
    case when not v_by_token and t ->> 'implementation_plan' <> '' then private.plan_decision(t ->> 'implementation_plan', v_user_id) end, coalesce((t ->> 'priority')::integer, 3), coalesce(t ->> 'status', 'TO_DO')::public.task_status,
    (t ->> 'estimated_minutes')::integer, case when t -> 'labels' <> '[]' then private.label_ids_named(p_product_id, t -> 'labels') else '{}' end, t ->> 'external_id',
    coalesce((t ->> 'created_at')::timestamptz, private.now())
  from rows from (jsonb_array_elements(v_tasks), unnest(v_codes)) with ordinality e (t, code, place)
  where p_import_id is null or e.place % 500 <> 0 or private.note_imported(p_import_id, jsonb_array_length(v_stories) + e.place);

  insert into public.ideas (user_id, product_id, title, description, archived_at, created_at)
  select v_user_id, p_product_id, i ->> 'title', coalesce(i ->> 'description', ''), (i ->> 'archived_at')::timestamptz,
    coalesce((i ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_ideas) with ordinality e (i, place)
  where not exists (
    select from public.ideas o where o.product_id = p_product_id and o.user_id = v_user_id and o.title = i ->> 'title')
  order by e.place;
  get diagnostics v_idea_count = row_count;

  insert into public.story_logs (story_id, product_id, type, content, metadata, user_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, 'IMPLEMENTATION_PLAN', l ->> 'content', nullif(l -> 'metadata', 'null'), v_user_id,
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements(e.story -> 'log') l;

  -- No one here has seen them hold, so nothing more than that is written, whatever the file says.
  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, excerpt, observed_by)
  select p_product_id, (e.story ->> 'id')::uuid, private.criterion_id(c.words), c.words, 'pass', 'said', 'file',
    'Ticked off before the import', 'Import'
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements_text(e.story -> 'ticked') c (words);

  v_relations := private.import_relations(p_product_id, p_pbis, array(
    select i ->> 'external_id' from (
      select jsonb_array_elements(v_stories) as i union all select jsonb_array_elements(v_tasks)) n));

  perform set_config('backloom.taken_codes', '', true);
  perform set_config('request.jwt.claims', v_claims, true);
  return v_relations || jsonb_build_object(
    'pbis', jsonb_array_length(v_pbis), 'stories', jsonb_array_length(v_stories), 'tasks', v_task_count,
    'done', (select count(*) from jsonb_array_elements(v_tasks) t where t ->> 'status' = 'DONE'),
    'in_review', (select count(*) from jsonb_array_elements(v_tasks) t where t ->> 'status' = 'REVIEW'), 'ideas', v_idea_count, 'labels', v_label_count,
    'already_there', jsonb_array_length(v_all) - jsonb_array_length(v_stories),
    'unknown_people', (
      select coalesce(jsonb_agg(distinct s ->> 'assignee'), '[]') from jsonb_array_elements(v_stories) s
      where s ->> 'assignee' is not null and private.member_named(p_product_id, s ->> 'assignee') is null));
end;
$$;

-- Creates labels the product does not have yet, as long as there is room. Returns how many are new.
create function private.import_labels(p_product_id uuid, p_stories jsonb)
returns integer language plpgsql volatile set search_path = '' as $$
declare
  v_name text;
  v_count integer := 0;
begin
  for v_name in
    select (array_agg(l.name order by s.place))[1]
    from jsonb_array_elements(p_stories) with ordinality s (story, place)
    cross join lateral jsonb_array_elements_text(coalesce(s.story -> 'labels', '[]')) l (name)
    where not exists (
      select from public.labels o where o.product_id = p_product_id and lower(o.name) = lower(l.name))
    group by lower(l.name)
    order by min(s.place), lower((array_agg(l.name order by s.place))[1])
    limit greatest(0, 200 - (select count(*) from public.labels o where o.product_id = p_product_id))
  loop
    insert into public.labels (product_id, name, color)
    values (p_product_id, v_name, private.next_label_color(p_product_id));
    v_count := v_count + 1;
  end loop;
  return v_count;
end;
$$;

-- The product member whose user name or e-mail address equals a name from another tool.
create function private.member_named(p_product_id uuid, p_name text)
returns uuid language sql stable set search_path = '' as $$
  select m.user_id
  from public.product_members m
  join public.users u on u.id = m.user_id
  where m.product_id = p_product_id and m.role <> 'VIEWER' and lower(p_name) in (lower(u.username), lower(u.email))
  limit 1;
$$;

-- The last step of import_backlog. Only dependencies of what is new, and on what is new: those between older items
-- may have been removed since. A task and a story cannot wait for one another, so the task's story does. Impossible
-- ones, and those that become one with another by that, are answered with the reason.
create function private.import_relations(p_product_id uuid, p_pbis jsonb, p_new text[])
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_edge record;
  v_count integer := 0;
  v_impossible jsonb := '[]';
  v_reason text;
begin
  for v_edge in
    with items as (
      select s.story as item from jsonb_array_elements(p_pbis) b (pbi)
      cross join lateral jsonb_array_elements(b.pbi -> 'stories') s (story)
    ), edges as (
      select i.item ->> 'external_id' as blocked, w.id as blocker
      from (select item from items union all select jsonb_array_elements(item -> 'tasks') from items) i
      cross join lateral jsonb_array_elements_text(i.item -> 'blocked_by') w (id)
    ), ends as (
      select external_id, id as story_id, null::uuid as task_id from public.stories where product_id = p_product_id
      union all
      select external_id, story_id, id from public.tasks where product_id = p_product_id
    )
    select e.blocked, e.blocker, o.story_id, o.task_id, w.story_id as awaited_story_id, w.task_id as awaited_task_id
    from edges e
    left join ends o on o.external_id = e.blocked
    left join ends w on w.external_id = e.blocker
    where e.blocked = any (p_new) or e.blocker = any (p_new)
    order by e.blocked, e.blocker
    -- As many as app/wire/transfers/contract.ts lets through: each looks for circles.
    limit 2000
  loop
    v_reason := case
      when v_edge.story_id is null or v_edge.awaited_story_id is null then 'Dependencies on what is not imported'
      when v_edge.story_id = v_edge.awaited_story_id and num_nulls(v_edge.task_id, v_edge.awaited_task_id) = 1
        then 'Dependencies between a story and its own part' end;
    if v_reason is null then
      begin
        if (case when num_nulls(v_edge.task_id, v_edge.awaited_task_id) = 0
          then private.insert_dependency('task', p_product_id, v_edge.task_id, v_edge.awaited_task_id)
          else private.insert_dependency('story', p_product_id, v_edge.story_id, v_edge.awaited_story_id) end)
        then
          v_count := v_count + 1;
        else
          v_reason := 'Dependencies that are one with another of the same stories';
        end if;
      exception when sqlstate 'PT409' then
        v_reason := 'Dependencies that close a circle';
      when sqlstate 'PT422' then
        v_reason := 'Dependencies on itself, or on more than 100 others';
      end;
    end if;
    if v_reason is not null then
      v_impossible := v_impossible || jsonb_build_object('reason', v_reason, 'name',
        concat(regexp_replace(v_edge.blocked, '^[^:]*:', ''), ' on ', regexp_replace(v_edge.blocker, '^[^:]*:', '')));
    end if;
  end loop;
  return jsonb_build_object('dependencies', v_count, 'impossible', v_impossible);
end;
$$;
