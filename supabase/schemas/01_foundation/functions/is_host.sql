-- Why: a host is written one way: its name in small letters or its address, with a port where only that one is meant. What only looks
-- like an address (a name that ends in a number) would be read as another one elsewhere.
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
