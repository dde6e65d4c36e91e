-- Why: ideas belong to one user; only that user hears of them.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_ideas__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'idea', to_jsonb(old), to_jsonb(new));
  v_row public.ideas := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  perform private.emit('user:' || v_row.user_id, v_event || jsonb_build_object(
    'idea_id', v_row.id, 'status', lower(v_row.status::text)
  ));
  return null;
end;
$$;

comment on function private.tg_ideas__emit is
  'Announces changes of ideas on user:<id> of their owner (specification: Idea).';

create trigger _900_emit
after insert or update or delete on public.ideas
for each row execute function private.tg_ideas__emit();
