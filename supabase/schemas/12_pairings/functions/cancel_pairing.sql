-- Called by the phone that declines a desktop.
create function operations.cancel_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  return private.answer_pairing(p_pairing_id, p_mobile_secret_hash, 'CANCELLED');
end;
$$;

comment on function operations.cancel_pairing is 'Declines a pending pairing (specification: Login pairing).';
grant execute on function operations.cancel_pairing to authenticated;
