-- Why: the backlog page shows thousands of rows and needs few words of each. Definer, so that row level security is
-- not asked three times; access is checked first. Its plans are the same for each product: without a word Postgres takes
-- a product that it has no statistics of for a small one, and plans anew on each call of a large installation.
-- Called by the backlog page: codes, titles and states of everything in a product, and the sprints a story can join.
create function operations.get_backlog_tree(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
as $$
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
        where s.product_id = p_product_id and (not s.in_triage or s.is_template)
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
$$;

comment on function operations.get_backlog_tree is 'The tree of the backlog page (design: pages, backlog).';
grant execute on function operations.get_backlog_tree to authenticated;
