-- Why: /authorize looks up the program. Null for an unknown id, or one removed because nobody used it. Service only.
create function operations.get_oauth_client(p_client_id text)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select json_build_object('client_id', c.id, 'name', c.name, 'redirect_uris', to_json(c.redirect_uris))
    from public.oauth_clients c
    where c.id = p_client_id);
end;
$$;

comment on function operations.get_oauth_client is 'A registered OAuth client, or null (docs/agents.md, Signing in over OAuth). Service only.';
grant execute on function operations.get_oauth_client to service_role;
