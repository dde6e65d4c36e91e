-- Why: hot read of agents. Definer, so that row level security is not checked for each table; access is checked first.
-- Ordered by the story's sort_order, then the task's, then age, then id; priority is ignored.
-- Called by GET /api/sprints/:id/tasks. The answer is passed through unparsed.
create function operations.list_sprint_tasks(p_sprint_id uuid, p_limit integer default 10)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_access('sprint', p_sprint_id);
begin
  if p_limit is null or p_limit not between 1 and 50 then
    raise exception using errcode = 'PT422', message = 'limit is an integer from 1 to 50.',
      detail = '{"issues":[{"path":"limit","message":"Must be an integer from 1 to 50."}]}';
  end if;

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        t.id, t.code, t.title, t.description, t.implementation_plan, t.story_id, s.code as story_code, t.priority,
        t.sort_order, case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
      from public.stories s
      join public.tasks t on t.story_id = s.id
      where s.sprint_id = p_sprint_id and s.product_id = v_product_id
      order by s.sort_order, t.sort_order, t.created_at, t.id
      limit p_limit
    ) x
  );
end;
$$;

comment on function operations.list_sprint_tasks is
  'The first tasks of a sprint, 10 by default and 50 at most (specification: GET /api/sprints/:id/tasks).';
grant execute on function operations.list_sprint_tasks to authenticated;
