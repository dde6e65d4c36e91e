-- Called by the backlog page after a confirmation.
create function operations.delete_task(p_task_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('task', p_task_id);
  delete from public.tasks t where t.id = p_task_id;
  return json_build_object('id', p_task_id);
end;
$$;

comment on function operations.delete_task is 'Deletes a task (specification: Task).';
grant execute on function operations.delete_task to authenticated;
