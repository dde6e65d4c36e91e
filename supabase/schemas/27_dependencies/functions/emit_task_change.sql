-- Why: what stands beside a task may change without its row; those who show it hear of it in the form that they know.
create function private.emit_task_change(p_task_id uuid, p_field text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_task public.tasks;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  if not found then
    return;
  end if;
  perform private.emit('product:' || v_task.product_id, jsonb_build_object('op', 'U', 'entity', 'task', 'id', v_task.id,
    'product_id', v_task.product_id, 'changed_fields', jsonb_build_array(p_field), 'story_id', v_task.story_id,
    'task_status', v_task.status, 'task_title', v_task.title, 'task_sort_order', v_task.sort_order)
    || private.story_place(v_task.story_id));
end;
$$;

comment on function private.emit_task_change is
  'Announces a task of which something beside its row changed (specification: Solo stream, Backlog stream).';
