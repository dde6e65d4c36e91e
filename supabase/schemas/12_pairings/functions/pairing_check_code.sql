-- Why: both screens show the same six digits, so that a person sees that the phone is about this desktop. They follow
-- from the id, which is no secret, so they need no place in any answer (app/contract/pairing.ts computes the same).
create function private.pairing_check_code(p_pairing_id uuid)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return regexp_replace(
    lpad((('x' || left(replace(p_pairing_id::text, '-', ''), 8))::bit(32)::bigint % 1000000)::text, 6, '0'),
    '^(...)', '\1 ');
end;
$$;

comment on function private.pairing_check_code is 'Six digits that both devices show for a pairing.';

grant execute on function private.pairing_check_code to service_role;
