-- Called by PATCH /api/tasks/:id and the MCP tools update_task_status and update_task_plan. Passed through unparsed.
create function public.update_task(
  p_task_id uuid,
  p_status text default null,
  p_implementation_plan text default null,
  p_verify_only boolean default null,
  p_verify_required text default null
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.update_task(p_task_id, p_status, p_implementation_plan, p_verify_only, p_verify_required);
end;
$$;

comment on function public.update_task(uuid, text, text, boolean, text) is
  'Status or plan of a task (specification: PATCH /api/tasks/:id).';

revoke execute on function public.update_task(uuid, text, text, boolean, text) from public, anon;
grant execute on function public.update_task(uuid, text, text, boolean, text) to authenticated;
