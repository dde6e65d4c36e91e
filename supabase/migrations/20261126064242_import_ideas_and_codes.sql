-- Why: imports bring drafts as ideas, codes of PBIs and tasks, and the definition of done of a new product.
set local check_function_bodies = off;

DROP FUNCTION "operations"."import_backlog"(jsonb, uuid, text, text, boolean, text);

DROP FUNCTION "private"."import_rows"(uuid, jsonb);

CREATE OR REPLACE FUNCTION operations.import_backlog(p_pbis jsonb, p_product_id uuid DEFAULT NULL::uuid, p_name text DEFAULT NULL::text, p_code text DEFAULT NULL::text, p_preview boolean DEFAULT false, p_done_requires text DEFAULT 'person'::text, p_ideas jsonb DEFAULT '[]'::jsonb, p_definition_of_done text DEFAULT ''::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
        p_done_requires => coalesce(p_done_requires, 'person'), p_agent_items => 'triage') ->> 'id')::uuid;
      perform private.lock_product(v_product_id);
    end if;
    v_report := private.import_rows(v_product_id, p_pbis, p_ideas) || jsonb_build_object('product', (
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
$function$;

CREATE OR REPLACE FUNCTION private.import_rows(p_product_id uuid, p_pbis jsonb, p_ideas jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_claims text := current_setting('request.jwt.claims', true);
  v_user_id uuid := auth.uid();
  v_all jsonb;
  v_stories jsonb;
  v_tasks jsonb;
  v_task_count integer;
  v_pbi_count integer;
  v_idea_count integer;
  v_label_count integer;
  v_relations jsonb;
begin
  perform set_config('request.jwt.claims', '', true);

  select coalesce(jsonb_agg(s.story || jsonb_build_object(
    'id', gen_random_uuid(), 'pbi', b.pbi ->> 'title', 'is_new', not exists (
      select from public.stories o where o.product_id = p_product_id and o.external_id = s.story ->> 'external_id')
    and not exists (
      select from public.tasks o where o.product_id = p_product_id and o.external_id = s.story ->> 'external_id')
  ) order by b.place, s.place), '[]')
  into v_all
  from jsonb_array_elements(p_pbis) with ordinality b (pbi, place)
  cross join lateral jsonb_array_elements(b.pbi -> 'stories') with ordinality s (story, place);
  select coalesce(jsonb_agg(s order by place), '[]') into v_stories
  from jsonb_array_elements(v_all) with ordinality s (s, place) where (s ->> 'is_new')::boolean;

  v_label_count := private.import_labels(p_product_id, v_stories);

  insert into public.pbis (product_id, code, title, description)
  select p_product_id,
    case when not exists (select from public.pbis o where o.product_id = p_product_id and o.code = b.pbi ->> 'code')
      and row_number() over (partition by b.pbi ->> 'code' order by b.place) = 1 then b.pbi ->> 'code' end,
    b.pbi ->> 'title', coalesce(b.pbi ->> 'description', '')
  from jsonb_array_elements(p_pbis) with ordinality b (pbi, place)
  where exists (select from jsonb_array_elements(v_stories) s where s ->> 'pbi' = b.pbi ->> 'title')
    and not exists (
      select from public.pbis o where o.product_id = p_product_id and lower(o.title) = lower(b.pbi ->> 'title'))
  order by b.place;
  get diagnostics v_pbi_count = row_count;

  insert into public.stories
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, assignee_id, label_ids, external_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id,
    case when e.repeats = 1 and not exists (
      select from public.stories o where o.product_id = p_product_id and o.code = e.story ->> 'code') then e.story ->> 'code' end,
    e.story ->> 'title', coalesce(e.story ->> 'description', ''), coalesce(e.story ->> 'acceptance_criteria', ''),
    coalesce((e.story ->> 'priority')::integer, 3), private.member_named(p_product_id, e.story ->> 'assignee'),
    private.label_ids_named(p_product_id, e.story -> 'labels'), e.story ->> 'external_id',
    coalesce((e.story ->> 'created_at')::timestamptz, private.now())
  from (
    select s.story, s.place, row_number() over (partition by s.story ->> 'code' order by s.place) as repeats
    from jsonb_array_elements(v_stories) with ordinality s (story, place)
  ) e
  cross join lateral (
    select o.id from public.pbis o
    where o.product_id = p_product_id and lower(o.title) = lower(e.story ->> 'pbi')
    order by o.created_at, o.id limit 1
  ) b
  order by (e.story ->> 'code') is null, e.place;

  select coalesce(jsonb_agg(t.task || jsonb_build_object('story_id', o.id) order by s.place, t.place), '[]'), coalesce(sum(1), 0)
  into v_tasks, v_task_count
  from jsonb_array_elements(v_all) with ordinality s (story, place)
  join public.stories o on o.product_id = p_product_id and o.external_id = s.story ->> 'external_id'
  cross join lateral jsonb_array_elements(coalesce(s.story -> 'tasks', '[]')) with ordinality t (task, place)
  where not exists (
      select from public.tasks k where k.product_id = p_product_id and k.external_id = t.task ->> 'external_id')
    and not exists (
      select from public.stories k where k.product_id = p_product_id and k.external_id = t.task ->> 'external_id');

  insert into public.tasks
    (product_id, story_id, code, title, description, implementation_plan, priority, status, estimated_minutes, label_ids, external_id, created_at)
  select p_product_id, (t ->> 'story_id')::uuid,
    case when not exists (select from public.tasks o where o.product_id = p_product_id and o.code = t ->> 'code')
      and row_number() over (partition by t ->> 'code' order by e.place) = 1 then t ->> 'code' end, t ->> 'title', coalesce(t ->> 'description', ''), t ->> 'implementation_plan',
    coalesce((t ->> 'priority')::integer, 3), coalesce(t ->> 'status', 'TO_DO')::public.task_status,
    (t ->> 'estimated_minutes')::integer, private.label_ids_named(p_product_id, t -> 'labels'), t ->> 'external_id',
    coalesce((t ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_tasks) with ordinality e (t, place)
  order by e.place;

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

  -- Nobody here has seen them hold, so nothing more than that is written, whatever the file says.
  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, excerpt, observed_by)
  select p_product_id, (e.story ->> 'id')::uuid, private.criterion_id(c.words), c.words, 'pass', 'said', 'file',
    'Ticked off before the import', 'Import'
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements_text(e.story -> 'ticked') c (words);

  v_relations := private.import_relations(p_product_id, p_pbis, array(
    select i ->> 'external_id' from (
      select jsonb_array_elements(v_stories) as i union all select jsonb_array_elements(v_tasks)) n));

  perform set_config('request.jwt.claims', v_claims, true);
  return v_relations || jsonb_build_object(
    'pbis', v_pbi_count, 'stories', jsonb_array_length(v_stories), 'tasks', v_task_count, 'ideas', v_idea_count, 'labels', v_label_count,
    'already_there', jsonb_array_length(v_all) - jsonb_array_length(v_stories),
    'unknown_people', (
      select coalesce(jsonb_agg(distinct s ->> 'assignee'), '[]') from jsonb_array_elements(v_stories) s
      where s ->> 'assignee' is not null and private.member_named(p_product_id, s ->> 'assignee') is null));
end;
$function$;

REVOKE ALL ON FUNCTION "operations"."import_backlog"(jsonb, uuid, text, text, boolean, text, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."import_backlog"(jsonb, uuid, text, text, boolean, text, jsonb, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."import_rows"(uuid, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."import_rows"(uuid, jsonb, jsonb) TO "postgres";
