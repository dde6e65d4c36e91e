-- Why: the phone shows which device is asking before approval (get-pairing-for-approval). Needs the secret, as approval
-- does. Service only, because it counts wrong secrets and demo users may still read it; the app has resolved the user.
create function operations.get_pairing_for_approval(p_user_id uuid, p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id;
  perform private.require_pairing_guesses_left(v_pairing, p_user_id);
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, p_user_id);
  end if;
  if v_pairing.status = 'PENDING' and v_pairing.expires_at <= private.now() then
    raise exception using errcode = 'PT410', message = 'This code has expired. Show a new code on the other device.';
  end if;
  return json_build_object('pairing_id', v_pairing.id, 'status', lower(v_pairing.status::text),
    'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip, 'check_code', v_pairing.check_code,
    'expires_at', v_pairing.expires_at, 'username', private.username(p_user_id));
end;
$$;

comment on function operations.get_pairing_for_approval is
  'Device, address, check code and account of a pairing (specification: Pairing operations). Service only.';
grant execute on function operations.get_pairing_for_approval to service_role;
