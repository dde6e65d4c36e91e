-- Why: a program whose registration was removed must register again, and only `invalid_client` tells it so. A program
-- identified by its document's address needs no registration.
create function private.is_oauth_client(p_client_id text)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return p_client_id ~ '^https?://' or exists (select from public.oauth_clients c where c.id = p_client_id);
end;
$$;

comment on function private.is_oauth_client is 'Whether a client may ask for tokens at all (docs/agents.md, Signing in over OAuth).';

grant execute on function private.is_oauth_client to service_role;
