-- Why: revoking a token ends the open streams that use it at once.
-- Definer: every write sends its event, but no client may call private.emit (specification: Authentication 1).
create function private.tg_api_tokens__emit()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_ended boolean;
begin
  v_ended := tg_op = 'DELETE' or (new.revoked_at is not null and old.revoked_at is null);
  if not v_ended and new.expires_at is not distinct from old.expires_at then
    return null;
  end if;
  perform private.emit('user:' || old.user_id, jsonb_build_object(
    'op', case when v_ended then 'D' else 'U' end, 'entity', 'api_token', 'id', old.id,
    'product_id', null, 'user_id', old.user_id
  ));
  return null;
end;
$$;
create trigger _900_emit
after update or delete on public.api_tokens
for each row execute function private.tg_api_tokens__emit();
