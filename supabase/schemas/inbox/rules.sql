-- Why: reviews and failures must reach open inboxes as promptly as questions. Members only hear that something changed;
-- streams then read their state again.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_any__notify_inbox()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.emit_to_members(new.product_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', new.id, 'product_id', new.product_id));
  return null;
end;
$$;
