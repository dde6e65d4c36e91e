-- The waiting desktop hears of each step of its pairing. The event never holds a secret (specification: Pairing stream).
create trigger _900_emit after insert or update of status or delete on public.login_pairings for each row
  execute function private.tg_any__emit('pairing', '{pairing:id}', '{"pairing_id": "id", "status": "status"}', 'without changed fields');
