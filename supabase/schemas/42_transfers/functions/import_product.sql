-- Why: the first step of an import: the product with its members, sprints and PBIs, in one transaction
-- (docs/export-format.md). Rate limits do not apply, as there is no user. Service only.
create function operations.import_product(p_owner_id uuid, p_document jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_product jsonb := p_document -> 'product';
  v_product_id uuid;
  v_pbis jsonb;
begin
  insert into public.products
    (owner_id, code, name, description, repo_url, definition_of_done, auto_pr, pull_requests, landing, pr_strategy, done_requires, dependency_release, plan_first, agent_items,
      requires_sandbox, may_reach, forge_issue_label, created_at)
  values (
    p_owner_id, v_product ->> 'code', v_product ->> 'name', v_product ->> 'description', v_product ->> 'repo_url',
    v_product ->> 'definition_of_done', (v_product ->> 'auto_pr')::boolean,
    coalesce(v_product ->> 'pull_requests', 'none')::public.pull_requests, coalesce(v_product ->> 'landing', 'manual')::public.landing,
    (v_product ->> 'pr_strategy')::public.pr_strategy, (v_product ->> 'done_requires')::public.done_requires,
    coalesce(v_product ->> 'dependency_release', 'done')::public.dependency_release,
    coalesce(v_product ->> 'plan_first', 'ask')::public.plan_first,
    coalesce(v_product ->> 'agent_items', 'backlog')::public.agent_items,
    coalesce((v_product ->> 'requires_sandbox')::boolean, false), coalesce(v_product -> 'may_reach', '[]'),
    coalesce(v_product ->> 'forge_issue_label', ''),
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
$$;

comment on function operations.import_product is
  'Product, members, sprints and PBIs of an import (docs/export-format.md). Service only.';
grant execute on function operations.import_product to service_role;
