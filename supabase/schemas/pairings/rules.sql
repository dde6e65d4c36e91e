-- Why: the waiting desktop hears of each step of its pairing. The payload never holds a secret.
-- Definer: every write sends its event, but no client may call private.emit (specification: Pairing stream).
create function private.tg_login_pairings__emit()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_row public.login_pairings := coalesce(new, old);
begin
  perform private.emit('pairing:' || v_row.id, jsonb_build_object(
    'op', left(tg_op, 1), 'entity', 'pairing', 'id', v_row.id, 'product_id', null,
    'pairing_id', v_row.id, 'status', lower(v_row.status::text)
  ));
  return null;
end;
$$;
create trigger _900_emit
after insert or update of status or delete on public.login_pairings
for each row execute function private.tg_login_pairings__emit();
