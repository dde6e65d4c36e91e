-- Why: signing out ends that browser's open streams at once; an earlier end of the session makes them check again.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_user_sessions__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_ended boolean;
begin
  v_ended := tg_op = 'DELETE' or (new.revoked_at is not null and old.revoked_at is null);
  if not v_ended
    and new.expires_at >= old.expires_at
    and new.paired_expires_at is not distinct from old.paired_expires_at
  then
    return null;
  end if;
  perform private.emit('user:' || old.user_id, jsonb_build_object(
    'op', case when v_ended then 'D' else 'U' end, 'entity', 'session', 'id', old.id,
    'product_id', null, 'user_id', old.user_id
  ));
  return null;
end;
$$;

comment on function private.tg_user_sessions__emit is
  'Announces the end of a session on user:<id> (specification: Authentication 2 and 5).';

create trigger _900_emit
after update or delete on public.user_sessions
for each row execute function private.tg_user_sessions__emit();
