-- Called by the MCP tool get_sprint_context: the sprint with its stories and their tasks as agents read them, at most
-- `p_limit` stories. The cursor is the id of the last story of the previous page.
create function operations.get_sprint_context(p_sprint_id uuid, p_limit integer default 10, p_cursor uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_access('sprint', p_sprint_id);
  v_limit integer := least(greatest(coalesce(p_limit, 10), 1), 50);
  v_stories json;
  v_count integer;
  v_last uuid;
begin
  select coalesce(json_agg(row_to_json(x)), '[]'), count(*), (array_agg(x.id))[count(*)]
  into v_stories, v_count, v_last
  from (
    select
      s.id, s.code, s.title, s.description, s.acceptance_criteria, s.priority, s.sort_order,
      lower(s.status::text) as status, s.assignee_id, private.agent_tasks(s.id) as tasks
    from public.stories s
    left join public.stories c on c.id = p_cursor
    where s.sprint_id = p_sprint_id and s.product_id = v_product_id
      and (p_cursor is null or (s.sort_order, s.created_at, s.id) > (c.sort_order, c.created_at, c.id))
    order by s.sort_order, s.created_at, s.id
    limit v_limit
  ) x;

  return json_build_object(
    'product', (select row_to_json(p) from private.product_shape p where p.id = v_product_id),
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'stories', v_stories,
    'next_cursor', case when v_count = v_limit then v_last end
  );
end;
$$;

comment on function operations.get_sprint_context is
  'A sprint with stories and tasks for an agent, cut with a cursor (specification: Sprint).';
grant execute on function operations.get_sprint_context to authenticated;
