-- Why: the person who approved a pairing can revoke it at once: an unclaimed one is cancelled, a claimed one loses its
-- session. Definer: users may not write these tables; it touches only what the caller approved.
create function operations.revoke_pairing(p_pairing_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_pairing public.login_pairings;
begin
  perform private.require_no_demo();
  select * into v_pairing from public.login_pairings p
  where p.id = p_pairing_id and p.user_id = auth.uid() for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'You have not approved such a device.';
  end if;

  if v_pairing.status = 'APPROVED' then
    update public.login_pairings set status = 'CANCELLED' where id = p_pairing_id;
  end if;
  perform private.end_session_chain(v_pairing.session_id);
  perform private.audit(auth.uid(), auth.uid(), 'pairing.revoked', jsonb_build_object('pairing_id', p_pairing_id));
  return json_build_object('pairing_id', p_pairing_id);
end;
$$;

comment on function operations.revoke_pairing is 'Ends what an approved pairing allowed (specification: Login pairing).';
grant execute on function operations.revoke_pairing to authenticated;
