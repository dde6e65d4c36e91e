-- Why: the notifications stream carries every question of every product that a user can reach. A question that is
-- deleted while open is told as cancelled, because the stream knows no deletes.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_agent_questions__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'question', to_jsonb(old), to_jsonb(new));
  v_row public.agent_questions := coalesce(new, old);
  v_status text;
begin
  if v_event is null then
    return null;
  end if;

  v_status := lower(v_row.status::text);
  if tg_op = 'DELETE' then
    if old.status <> 'OPEN' then
      return null;
    end if;
    v_status := 'cancelled';
    v_event := v_event || '{"op": "U"}';
  end if;

  perform private.emit_to_members(v_row.product_id, v_event || jsonb_build_object(
    'story_id', v_row.story_id,
    'idea_id', v_row.idea_id,
    'task_id', v_row.task_id,
    'assignee_id', v_row.assignee_id,
    'status', v_status
  ));
  return null;
end;
$$;

comment on function private.tg_agent_questions__emit is
  'Announces agent questions on user:<id> of every member (specification: Notifications stream).';

create trigger _900_emit
after insert or update or delete on public.agent_questions
for each row execute function private.tg_agent_questions__emit();
