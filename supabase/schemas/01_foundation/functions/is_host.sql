-- Why: a host has one spelling: a lower-case name or an address, with a port only to allow that port alone. A name that
-- ends in a number is refused, because other programs would read it as an IP address.
create function private.is_host(p_text text)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_name text := regexp_replace(p_text, ':[0-9]{1,5}$', '');
begin
  if char_length(p_text) > 260
    or p_text !~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?$'
    or substring(p_text from ':([0-9]{1,5})$')::integer not between 1 and 65535
  then
    return false;
  end if;
  if v_name ~ '^\[' then
    return family(trim(both '[]' from v_name)::inet) = 6;
  elsif v_name ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    return host(v_name::inet) = v_name;
  end if;
  return true;
exception
  when invalid_text_representation then
    return false;
end;
$$;

comment on function private.is_host is 'Whether a text names a host, or a host and a port (specification: Product).';

grant execute on function private.is_host to authenticated, service_role;
