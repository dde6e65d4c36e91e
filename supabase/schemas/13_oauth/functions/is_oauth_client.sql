-- Why: a registered program whose registration was removed has to register anew, and learns that only from `invalid_client`. One that
-- names the address of its document needs no registration.
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
