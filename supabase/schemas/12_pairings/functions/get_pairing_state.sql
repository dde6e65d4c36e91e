-- Why: the pairing stream reads it on opening and again once its subscription is active. The row is read with a lock: a
-- change is announced when it is on disk, a moment before other transactions see it, so a plain read right after
-- subscribing could miss a change announced just before. The snapshot says which changes it knows.
-- Service only; authenticated by the hash of the desktop cookie: unknown PT404, mismatch PT401, expired PT410
-- (specification: GET /api/auth/pair/stream/:pairingId).
create function operations.get_pairing_state(p_pairing_id uuid, p_desktop_token_hash text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for share;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such pairing. Show a new code.';
  end if;
  if v_pairing.desktop_token_hash <> decode(p_desktop_token_hash, 'hex') then
    raise exception using errcode = 'PT401', message = 'This pairing was started by another browser. Show a new code.';
  end if;
  if v_pairing.expires_at <= private.now() then
    raise exception using errcode = 'PT410', message = 'This code has expired. Show a new code.';
  end if;
  return json_build_object('pairing_id', v_pairing.id, 'status', lower(v_pairing.status::text),
    'expires_at', v_pairing.expires_at, 'snapshot', pg_current_snapshot()::text);
end;
$$;

comment on function operations.get_pairing_state is
  'Where a pairing stands, for the desktop that started it (specification: Pairing stream). Service only.';
grant execute on function operations.get_pairing_state to service_role;
