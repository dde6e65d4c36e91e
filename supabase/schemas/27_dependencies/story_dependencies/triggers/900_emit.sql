-- Why: cards of both ends show what waits for what, so both are announced as changed.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_story_dependencies__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.emit_story_change(coalesce(new.blocked_id, old.blocked_id), 'blocked_by'),
    private.emit_story_change(coalesce(new.blocker_id, old.blocker_id), 'blocks');
  return null;
end;
$$;

comment on function private.tg_story_dependencies__emit is
  'Announces dependencies as changes of their stories (specification: Solo stream, Backlog stream).';

create trigger _900_emit
after insert or delete on public.story_dependencies
for each row execute function private.tg_story_dependencies__emit();
