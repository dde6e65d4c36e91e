-- Every field of a product, for its settings and for tools (specification: Product).
create view private.product_detail_shape with (security_invoker = true) as
select
  p.id, p.code, p.name, p.description, p.repo_url, p.definition_of_done, p.auto_pr, p.pr_strategy, p.done_requires, p.dependency_release, p.owner_id,
  to_char(p.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as archived_at,
  to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  p.requires_sandbox, p.may_reach, p."references", p.plan_first, p.plan_review, p.on_failure, p.pull_requests, p.landing, p.agent_items,
  p.version, p.forge_issue_label, p.branch_prefix, p.review_marks,
  p.agent, p.model, p.effort, p.fallback, p.fallback_after, p.change_index, p.avoid_overlap
from public.products p;
grant select on private.product_detail_shape to authenticated;

-- The six product fields of the contract (specification: Product, GET /api/products).
create view private.product_shape with (security_invoker = true) as
select p.id, p.code, p.name, p.description, p.repo_url, p.definition_of_done
from public.products p;
grant select on private.product_shape to authenticated;

-- The first call of every agent. Hot: definer, access is checked once, in the statement that reads the product. The
-- result is passed through unparsed (specification: GET /api/products/:id/agent-context).
create function operations.get_agent_context(p_product_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_user_id uuid := auth.uid();
  v_product json;
  v_member boolean;
  v_sprint_id uuid;
  v_sprint json;
  v_story_id uuid;
  v_story json;
  v_ideas json;
  v_lessons json;
begin
  select row_to_json(p), exists (select from public.product_members m where m.product_id = p.id and m.user_id = v_user_id)
    and private.is_open_to_token(p.id), private.accepted_lessons(p.id)
  into v_product, v_member, v_lessons
  from private.product_shape p
  where p.id = p_product_id;

  if v_member is not true then
    perform private.require_product_access(p_product_id);
  end if;

  select x.id, row_to_json(x)
  into v_sprint_id, v_sprint
  from (
    select s.id, s.sprint_goal, s.status from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE'
  ) x;

  if v_sprint_id is not null then
    v_story_id := private.first_open_story(p_product_id, v_sprint_id);
  end if;

  if v_story_id is not null then
    select private.with_comments(row_to_json(x), v_story_id)
    into v_story
    from (
      select
        s.id, s.code, s.title, s.description, s.acceptance_criteria, s.priority, lower(s.status::text) as status,
        private.agent_tasks(s.id) as tasks
      from public.stories s
      where s.id = v_story_id
    ) x;
  end if;

  select coalesce(json_agg(row_to_json(x)), '[]')
  into v_ideas
  from (
    select
      i.id, i.code, i.title, i.description, lower(i.status::text) as status,
      to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    from (
      select o.* from public.ideas o
      where o.user_id = v_user_id and o.product_id = p_product_id and o.archived_at is null and o.status <> 'PLANNED'
      union all
      select o.* from public.idea_products l
      join public.ideas o on o.id = l.idea_id
      where l.product_id = p_product_id and o.user_id = v_user_id and o.product_id <> p_product_id
        and o.archived_at is null and o.status <> 'PLANNED'
    ) i
    order by i.created_at, i.id
    limit 50
  ) x;

  return private.with_key(json_build_object('product', v_product, 'active_sprint', v_sprint, 'next_story', v_story, 'open_ideas', v_ideas),
    'lessons', v_lessons);
end;
$$;
grant execute on function operations.get_agent_context to authenticated;

-- The whole backlog in one answer, thousands of rows: rows are read in order, written as JSON once and never parsed
-- again. The columns repeat those of the shape views, because a join back for the order would cost a fifth more.
-- Definer: access is checked once, first. The result is passed through unparsed. Trap: the fields of a task are those
-- of private.task_shape; add new ones here too (specification: GET /api/products/:id/backlog).
create function operations.get_backlog(p_product_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
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
  where s.product_id = p_product_id and not s.in_triage;

  return json_build_object(
    'product', (select row_to_json(p) from private.product_shape p where p.id = p_product_id),
    'pbis', v_pbis, 'storiesByPbi', v_stories, 'tasksByStory', v_tasks
  );
end;
$$;
grant execute on function operations.get_backlog to authenticated;

-- All fields, the caller's role, the active sprint and the number of stories in triage (specification: Product).
create function operations.get_product(p_product_id uuid)
returns json language plpgsql stable set search_path = '' as $$
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
        (select count(*) from public.stories s where s.product_id = p.id and s.in_triage and not s.is_template) as triage_count
      from private.product_detail_shape p
      join public.product_members m on m.product_id = p.id and m.user_id = (select auth.uid())
      where p.id = p_product_id
    ) x
  );
end;
$$;
grant execute on function operations.get_product to authenticated;

-- The caller's products with role and counts, archived ones only for processes of 0.4.0 (specification: Product).
create function operations.list_product_overviews(p_archived boolean default false)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        p.*, m.role,
        (select count(*) from public.product_members o where o.product_id = p.id) as member_count,
        (select count(*) from public.pbis b where b.product_id = p.id) as pbi_count,
        (select count(*) from public.stories s where s.product_id = p.id) as story_count,
        (select count(*) from public.stories s where s.product_id = p.id and s.status = 'DONE') as done_story_count,
        (select count(*) from public.tasks t where t.product_id = p.id) as task_count,
        (select count(*) from public.tasks t where t.product_id = p.id and t.status = 'DONE') as done_task_count,
        (
          select row_to_json(a)
          from (
            select s.id, s.code, s.sprint_goal, s.status, s.start_date, s.end_date from private.sprint_shape s
            where s.product_id = p.id and s.status = 'active'
          ) a
        ) as active_sprint
      from private.product_detail_shape p
      join public.product_members m on m.product_id = p.id and m.user_id = (select auth.uid())
      where (p.archived_at is not null) = p_archived and private.is_open_to_token(p.id)
      order by p.name, p.id
    ) x
  );
end;
$$;
grant execute on function operations.list_product_overviews to authenticated;

-- The caller's products without archived ones (specification: GET /api/products).
create function operations.list_products() returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(row_to_json(p) order by k.created_at, k.id), '[]')
    from private.product_shape p
    join public.products k on k.id = p.id
    where k.archived_at is null and k.id in (select private.accessible_product_ids())
  );
end;
$$;
grant execute on function operations.list_products to authenticated;

-- A product by id, by code, or by owner/code where two owners use one code. Service only: it resolves any product.
create function operations.resolve_product(p_reference text)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_products json;
begin
  select json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'owner_id', p.owner_id) order by p.created_at)
  into v_products
  from public.products p
  join public.users u on u.id = p.owner_id
  where p.id::text = p_reference or p.code = p_reference or u.username || '/' || p.code = p_reference;

  if v_products is null then
    perform private.refuse(404, format('There is no product %s. Give its id, its code, or owner/code.', private.one_line(p_reference)));
  end if;

  if json_array_length(v_products) > 1 then
    perform private.refuse(409, format('%s products have the code %s. Give the id, or owner/code.', json_array_length(v_products), p_reference),
      jsonb_build_object('candidates', v_products));
  end if;
  return v_products -> 0;
end;
$$;
grant execute on function operations.resolve_product to service_role;

-- Over ssh the host may be ssh.github.com, or an alias without a dot. Without an address there is none to compare.
create function private.is_own_address(p_product_id uuid, p_url text)
returns boolean language plpgsql stable set search_path = '' as $$
declare
  v_repository text := (
    select regexp_replace(rtrim(lower(p.repo_url), '/'), '\.git$', '') from public.products p where p.id = p_product_id);
  v_address text := regexp_replace(lower(p_url), '^https?://', '');
  v_host text := regexp_replace(v_address, '[/:].*$', '');
  v_ssh text[] := regexp_match(v_repository, '^(?:ssh://)?[^@/:]+@([^/:]+)(?::[0-9]+(?=/))?[:/]+(.+)$');
begin
  if v_address ~ '[\\[:space:][:cntrl:]@?#]|(\.|%2e){2}' then
    return false;
  elsif v_repository ~ '^https?://' then
    return starts_with(v_address, regexp_replace(v_repository, '^https?://([^@/]*@)?', '') || '/');
  elsif v_ssh is not null then
    return case when v_ssh[1] ~ '\.'
      then '.' || v_ssh[1] like '%.' || v_host and starts_with(regexp_replace(v_address, '^[^/]*', ''), '/' || v_ssh[2] || '/')
      else position('/' || v_ssh[2] || '/' in v_address) > 0 end;
  end if;
  return true;
end;
$$;
