-- Why: the tasks of a story as agents read them, shared by the agent context, the next story and the sprint context.
-- Definer: only called by functions that have checked access.
create function private.agent_tasks(p_story_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        t.id, t.code, t.title, t.description, t.implementation_plan, t.priority, t.sort_order,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
      from public.tasks t
      where t.story_id = p_story_id
      order by t.sort_order, t.created_at, t.id
    ) x
  );
end;
$$;

comment on function private.agent_tasks is
  'Tasks of a story as agents read them (specification: GET /api/products/:id/agent-context).';

grant execute on function private.agent_tasks to authenticated;
