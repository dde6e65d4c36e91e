-- Why: the whole backlog in one answer, thousands of rows: rows are read in order, written as JSON once and never
-- parsed again. The columns repeat those of the shape views, because a join back for the order would cost a fifth more.
-- Definer, so that row level security is not checked three times; access is checked first.
-- Called by GET /api/products/:id/backlog and the backlog page. The answer is passed through unparsed.
-- Trap: the fields of a task are those of private.task_shape; add new ones here too.
create function operations.get_backlog(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
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

comment on function operations.get_backlog is 'Snapshot of a whole backlog (specification: GET /api/products/:id/backlog).';
grant execute on function operations.get_backlog to authenticated;
