-- Called by the phone that signs a desktop in.
create function operations.approve_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  return private.answer_pairing(p_pairing_id, p_mobile_secret_hash, 'APPROVED');
end;
$$;

comment on function operations.approve_pairing is 'Approves a pending pairing for the caller (specification: Login pairing).';
grant execute on function operations.approve_pairing to authenticated;
