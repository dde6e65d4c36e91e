-- Why: a signed-in phone approves or declines a desktop. Both need the secret, so that knowing the id is not enough.
-- Approve, cancel, expiry and a second answer race for one pending row: the row lock orders them and the clock is read
-- after it, so that exactly one wins and no stale time approves. A wrong secret and an unknown pairing get the same
-- answer, returned instead of raised, so that it counts.
-- Definer: pairings hold hashes and cannot be touched by users directly; it acts for the caller only.
create function private.answer_pairing(p_pairing_id uuid, p_mobile_secret_hash text, p_status public.pairing_status)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_pairing public.login_pairings;
  v_now timestamptz;
  v_expires_at timestamptz;
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

  if p_status = 'APPROVED' then
    v_expires_at := v_now + interval '5 minutes';
    update public.login_pairings
    set status = p_status, user_id = auth.uid(), approved_in = private.own_session_id(), approved_at = v_now, expires_at = v_expires_at
    where id = p_pairing_id;
  else
    update public.login_pairings set status = p_status where id = p_pairing_id;
  end if;
  perform private.audit(auth.uid(), auth.uid(), case when p_status = 'APPROVED' then 'pairing.approved' else 'pairing.declined' end,
    jsonb_build_object('pairing_id', p_pairing_id, 'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip));
  return json_strip_nulls(json_build_object('pairing_id', p_pairing_id, 'status', lower(p_status::text), 'expires_at', v_expires_at));
end;
$$;

comment on function private.answer_pairing is 'Approves (APPROVED) or declines (CANCELLED) a pending pairing for the caller.';

grant execute on function private.answer_pairing to authenticated;
