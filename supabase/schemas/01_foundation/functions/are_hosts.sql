-- Why: a list of hosts is short and contains nothing else.
create function private.are_hosts(p_hosts jsonb)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return jsonb_typeof(p_hosts) = 'array' and jsonb_array_length(p_hosts) <= 100 and not exists (
    select from jsonb_array_elements(p_hosts) h where jsonb_typeof(h) <> 'string' or not private.is_host(h #>> '{}'));
end;
$$;

comment on function private.are_hosts is 'Whether a list names at most a hundred hosts and nothing else (specification: Product).';

grant execute on function private.are_hosts to authenticated, service_role;
