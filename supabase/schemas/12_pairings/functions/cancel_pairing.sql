-- Why: a signed-in phone declines a desktop. It needs the secret like approving, so that a stranger who knows the id
-- cannot cancel. Same race rules and same answer for wrong and unknown as approve_pairing.
-- Definer half: pairings hold hashes and cannot be touched by users directly.
create function private.cancel_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
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
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  perform private.require_pairing_guesses_left(v_pairing, auth.uid());
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, auth.uid());
  end if;

  if v_pairing.status <> 'PENDING' or v_pairing.expires_at <= v_now then
    raise exception using errcode = 'PT410', message = 'This code has expired or was already answered.';
  end if;

  update public.login_pairings set status = 'CANCELLED' where id = p_pairing_id;
  perform private.audit(auth.uid(), auth.uid(), 'pairing.declined', jsonb_build_object(
    'pairing_id', p_pairing_id, 'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip));
  return json_build_object('pairing_id', p_pairing_id, 'status', 'cancelled');
end;
$$;

comment on function private.cancel_pairing is 'Declines a pending pairing.';

grant execute on function private.cancel_pairing to authenticated;

create function public.cancel_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  return private.cancel_pairing(p_pairing_id, p_mobile_secret_hash);
end;
$$;

comment on function public.cancel_pairing is 'Declines a pending pairing (specification: Login pairing).';
grant execute on function public.cancel_pairing to authenticated;
