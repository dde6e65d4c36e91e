-- Why: a host is written one way: its name in small letters or its address, with a port where only that one is meant.
create function private.is_host(p_text text)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return char_length(p_text) <= 260
    and p_text ~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?$'
    and coalesce(substring(p_text from ':([0-9]{1,5})$')::integer, 1) between 1 and 65535;
end;
$$;

comment on function private.is_host is 'Whether a text names a host, or a host and a port (specification: Product).';

grant execute on function private.is_host to authenticated, service_role;
