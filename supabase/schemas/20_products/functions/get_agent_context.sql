-- Why: the first call of every agent. Hot: definer, so that row level security is not checked for each table; access is
-- checked first, in the statement that reads the product.
-- Called by GET /api/products/:id/agent-context and the MCP tool get_context. The answer is passed through unparsed.
create function operations.get_agent_context(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
  v_product json;
  v_member boolean;
  v_sprint_id uuid;
  v_sprint json;
  v_story_id uuid;
  v_story json;
  v_ideas json;
begin
  select row_to_json(p), exists (select from public.product_members m where m.product_id = p.id and m.user_id = v_user_id)
    and private.is_open_to_token(p.id)
  into v_product, v_member
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

  return json_build_object('product', v_product, 'active_sprint', v_sprint, 'next_story', v_story, 'open_ideas', v_ideas);
end;
$$;

comment on function operations.get_agent_context is
  'Product, active sprint, next story and open ideas (specification: GET /api/products/:id/agent-context).';
grant execute on function operations.get_agent_context to authenticated;
