-- Called by the board and the solo page, where people can set every status, including review (specification: PATCH
-- /api/tasks/:id). p_confirmed starts a blocked task anyway.
create function operations.set_task_status(p_task_id uuid, p_status text, p_confirmed boolean default false)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status public.task_status := private.parse_task_status(coalesce(p_status, ''));
begin
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);
  perform private.heed_waiting(p_task_id, v_status, p_confirmed);
  update public.tasks t set status = v_status where t.id = p_task_id and t.status <> v_status;
  return (select private.with_labels(row_to_json(t), k.label_ids)::jsonb || private.released()
    from private.task_shape t join public.tasks k on k.id = t.id where t.id = p_task_id);
end;
$$;

comment on function operations.set_task_status is
  'A board move of a task, all statuses (specification: States and transitions, Task).';
grant execute on function operations.set_task_status to authenticated;
