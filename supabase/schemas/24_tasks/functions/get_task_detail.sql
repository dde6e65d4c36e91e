-- Called by GET /api/tasks/:id and the MCP tool get_task. The answer is passed through unparsed.
create function operations.get_task_detail(p_task_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('task', p_task_id);
  return private.task_json(p_task_id);
end;
$$;

comment on function operations.get_task_detail is 'Backlog task with its detail fields (specification: GET /api/tasks/:id).';
grant execute on function operations.get_task_detail to authenticated;
