-- Why: answers to status changes carry `released` only if they released work; otherwise they are unchanged.
create function private.released()
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_codes jsonb := nullif(current_setting('backloom.released', true), '')::jsonb;
begin
  if v_codes is null then
    return '{}';
  end if;
  return jsonb_build_object('released', (select jsonb_agg(distinct c) from jsonb_array_elements(v_codes) c));
end;
$$;

comment on function private.released is '{ released: [codes] } of this transaction, or an empty object.';

grant execute on function private.released to authenticated;
