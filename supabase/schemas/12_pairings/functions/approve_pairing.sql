-- Why: a signed-in phone lets a desktop in. Approve, cancel, expiry and a second approve race for one pending row: the
-- row lock orders them and the clock is read after it, so that exactly one wins and no stale time approves.
-- A wrong secret and an unknown pairing get the same answer, returned and not raised, because it must count.
-- Definer half: pairings hold hashes and cannot be touched by users directly; it acts for the caller only.
create function private.approve_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_pairing public.login_pairings;
  v_now timestamptz;
begin
  -- User, then pairing: the order in which a password change locks them, which cancels what was approved before it.
  perform from public.users u where u.id = auth.uid() for share;
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  perform private.require_pairing_guesses_left(v_pairing, auth.uid());
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, auth.uid());
  end if;

  if v_pairing.status <> 'PENDING' or v_pairing.expires_at <= v_now then
    raise exception using errcode = 'PT410',
      message = 'This code has expired or was already answered. Show a new code on the other device.';
  end if;

  update public.login_pairings
  set status = 'APPROVED', user_id = auth.uid(), approved_in = private.own_session_id(), approved_at = v_now, expires_at = v_now + interval '5 minutes'
  where id = p_pairing_id;
  perform private.audit(auth.uid(), auth.uid(), 'pairing.approved', jsonb_build_object(
    'pairing_id', p_pairing_id, 'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip));
  return json_build_object('pairing_id', p_pairing_id, 'status', 'approved', 'expires_at', v_now + interval '5 minutes');
end;
$$;

comment on function private.approve_pairing is 'Approves a pending pairing for the caller.';

grant execute on function private.approve_pairing to authenticated;

create function public.approve_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  return private.approve_pairing(p_pairing_id, p_mobile_secret_hash);
end;
$$;

comment on function public.approve_pairing is 'Approves a pending pairing for the caller (specification: Login pairing).';
grant execute on function public.approve_pairing to authenticated;
