-- Why: a task that moves starts and ends with its new story, which may close a cycle.
create function private.refuse_moved_cycle(p_task_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_path text[] := private.find_path('task', p_task_id, 'task', p_task_id);
begin
  if v_path is null then
    return;
  end if;
  perform private.refuse(409, format('Moving it to that story would create a circular dependency: %s. Remove one of these dependencies first.',
    array_to_string(v_path, ' → ')), jsonb_build_object('path', v_path));
end;
$$;

comment on function private.refuse_moved_cycle is 'PT409 with the path when a task waits for itself in its new story.';
