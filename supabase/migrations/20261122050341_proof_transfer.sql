-- Why: export files carry what proves a story: done_requires, evidence, waivers. No rows move.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.criteria_of(p_acceptance_criteria text, p_definition_of_done text)
 RETURNS TABLE(place integer, id text, kind text, text text)
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select row_number() over (order by min(l.place))::integer,
    private.criterion_id(l.line), min(l.kind), l.line
  from (
    select a.place, 'acceptance' as kind, a.line
    from private.list_items(p_acceptance_criteria) with ordinality as a (line, place)
    union all
    select 1000000 + d.place, 'definition_of_done', d.line
    from private.list_items(p_definition_of_done) with ordinality as d (line, place)
  ) l
  group by l.line;
end;
$function$;

CREATE OR REPLACE FUNCTION private.criterion_id(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return left(encode(sha256(convert_to(btrim(regexp_replace(p_text, '\s+', ' ', 'g')), 'UTF8')), 'hex'), 12);
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_evidence(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', e.criterion_text, 'verdict', e.verdict, 'grade', e.grade, 'kind', e.kind, 'command', e.command,
      'exit_code', e.exit_code, 'excerpt', e.excerpt, 'url', e.url, 'head_sha', e.head_sha, 'observed_by', e.observed_by,
      'created_at', private.export_time(e.created_at)) order by e.seq), '[]')
    from public.evidence e
    where e.story_id = p_story_id
  );
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
      'created_at', private.export_time(s.created_at),
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

CREATE OR REPLACE FUNCTION private.export_waivers(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', w.criterion_text, 'reason', w.reason, 'waived_by', w.waived_by,
      'created_at', private.export_time(w.created_at)) order by w.created_at, w.criterion), '[]')
    from public.waivers w
    where w.story_id = p_story_id
  );
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

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, excerpt,
    url, head_sha, observed_by, created_at)
  select p_product_id, (e.story ->> 'id')::uuid, private.criterion_id(l.line ->> 'criterion'), l.line ->> 'criterion',
    (l.line ->> 'verdict')::public.evidence_verdict, (l.line ->> 'grade')::public.evidence_grade,
    (l.line ->> 'kind')::public.evidence_kind, l.line ->> 'command', (l.line ->> 'exit_code')::integer, l.line ->> 'excerpt',
    l.line ->> 'url', l.line ->> 'head_sha', l.line ->> 'observed_by',
    coalesce((l.line ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'evidence') with ordinality l (line, place)
  order by e.place, l.place;

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, waived_by, created_at)
  select p_product_id, (s ->> 'id')::uuid, private.criterion_id(w ->> 'criterion'), w ->> 'criterion', w ->> 'reason',
    w ->> 'waived_by', coalesce((w ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) s
  cross join lateral jsonb_array_elements(s -> 'waivers') w
  on conflict (story_id, criterion) do nothing;
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

CREATE OR REPLACE FUNCTION public.import_stories(p_product_id uuid, p_owner_id uuid, p_stories jsonb)
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
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id, e.story ->> 'code', e.story ->> 'title',
    e.story ->> 'description', e.story ->> 'acceptance_criteria', (e.story ->> 'priority')::integer, s.id, m.user_id,
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
     verify_required, requires_opus, estimated_minutes, created_at)
  select (e.task ->> 'id')::uuid, p_product_id, (e.task ->> 'story_id')::uuid, e.task ->> 'code', e.task ->> 'title',
    e.task ->> 'description', e.task ->> 'implementation_plan', (e.task ->> 'priority')::integer,
    (e.task ->> 'status')::public.task_status, e.task ->> 'repo_url', (e.task ->> 'verify_only')::boolean,
    (e.task ->> 'verify_required')::public.verify_required, (e.task ->> 'requires_opus')::boolean,
    (e.task ->> 'estimated_minutes')::integer, coalesce((e.task ->> 'created_at')::timestamptz, private.now())
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

COMMENT ON FUNCTION "private"."criterion_id"(text) IS 'The id of a criterion: the hash of its words (docs/proof.md).';

COMMENT ON FUNCTION "private"."export_evidence"(uuid) IS 'Evidence of a story for the export file. Used by export_product only.';

COMMENT ON FUNCTION "private"."export_waivers"(uuid) IS 'Waivers of a story for the export file. Used by export_product only.';

COMMENT ON FUNCTION "private"."import_proof"(uuid, jsonb) IS 'Evidence and waivers of an import (docs/export-format.md).';

REVOKE ALL ON FUNCTION "private"."criterion_id"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."criterion_id"(text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."export_evidence"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."export_evidence"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."export_waivers"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."export_waivers"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."import_proof"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."import_proof"(uuid, jsonb) TO "postgres", "service_role";
