-- Why: every change of a story reaches the solo and backlog streams of its product. A story that moved tells where it was,
-- so that those who lose it hear of it too.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_stories__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'story', to_jsonb(old), to_jsonb(new));
  v_row public.stories := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'pbi_id', v_row.pbi_id,
    'sprint_id', v_row.sprint_id,
    'assignee_id', v_row.assignee_id,
    'story_status', v_row.status,
    'story_title', v_row.title,
    'story_code', v_row.code,
    'story_sort_order', v_row.sort_order
  );
  if tg_op = 'UPDATE' and v_event -> 'changed_fields' ?| array['pbi_id', 'sprint_id', 'assignee_id'] then
    v_event := v_event || jsonb_build_object(
      'old_pbi_id', old.pbi_id, 'old_sprint_id', old.sprint_id, 'old_assignee_id', old.assignee_id
    );
  end if;
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_stories__emit is
  'Announces changes of stories on product:<id> (specification: Solo stream, Backlog stream).';

create trigger _900_emit
after insert or update or delete on public.stories
for each row execute function private.tg_stories__emit();
