-- Why: every change of a task reaches the solo and backlog streams of its product, with the sprint and assignee of its
-- story for the filter. A task that moved tells where it was, so that those who lose it hear of it too.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_tasks__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb;
  v_row public.tasks := coalesce(new, old);
begin
  if tg_op = 'UPDATE' then
    v_event := private.change_event(tg_op, 'task', null,
      jsonb_build_object('id', new.id, 'product_id', new.product_id), private.changed_task_fields(old, new));
  else
    v_event := private.change_event(tg_op, 'task', to_jsonb(old), to_jsonb(new));
  end if;
  if v_event is null then
    return null;
  end if;

  v_event := v_event || private.story_place(v_row.story_id) || jsonb_build_object(
    'story_id', v_row.story_id,
    'task_status', v_row.status,
    'task_title', v_row.title,
    'task_sort_order', v_row.sort_order
  );
  if tg_op = 'UPDATE' and new.story_id <> old.story_id then
    v_event := v_event || jsonb_build_object('old_story_id', old.story_id) || (
      select jsonb_object_agg('old_' || place.key, place.value)
      from jsonb_each(private.story_place(old.story_id)) as place
    );
  end if;
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_tasks__emit is
  'Announces changes of tasks on product:<id> (specification: Solo stream, Backlog stream).';

create trigger _900_emit
after insert or update or delete on public.tasks
for each row execute function private.tg_tasks__emit();
