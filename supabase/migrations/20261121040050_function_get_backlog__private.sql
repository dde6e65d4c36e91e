-- Why: the whole backlog in one answer, thousands of rows: JSON text is put together row by row and never parsed again.
-- Definer, so that row level security is not asked three times; access is checked first.
create function private.get_backlog(p_product_id uuid)
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

  select coalesce(json_agg(row_to_json(x)), '[]')
  into v_pbis
  from (
    select b.* from private.pbi_shape b
    join public.pbis k on k.id = b.id
    where b.product_id = p_product_id
    order by k.priority, k.sort_order, k.created_at, k.id
  ) x;

  select coalesce(json_object_agg(b.id, coalesce(g.list, '[]')), '{}')
  into v_stories
  from public.pbis b
  left join (
    select s.pbi_id, json_agg(row_to_json(s) order by s.sort_order, k.created_at, s.id) as list
    from private.story_shape s
    join public.stories k on k.id = s.id
    where s.product_id = p_product_id
    group by s.pbi_id
  ) g on g.pbi_id = b.id
  where b.product_id = p_product_id;

  select coalesce(json_object_agg(s.id, coalesce(g.list, '[]')), '{}')
  into v_tasks
  from public.stories s
  left join (
    select t.story_id, json_agg(row_to_json(t) order by t.sort_order, k.created_at, t.id) as list
    from private.task_shape t
    join public.tasks k on k.id = t.id
    where t.product_id = p_product_id
    group by t.story_id
  ) g on g.story_id = s.id
  where s.product_id = p_product_id;

  return json_build_object(
    'product', (select row_to_json(p) from private.product_shape p where p.id = p_product_id),
    'pbis', v_pbis, 'storiesByPbi', v_stories, 'tasksByStory', v_tasks
  );
end;
$$;

comment on function private.get_backlog(uuid) is
  'Body of get_backlog (specification: GET /api/products/:id/backlog).';

grant execute on function private.get_backlog(uuid) to authenticated, service_role;
