-- Why: a program registers before it asks a person for access (POST /register). The app has checked name and redirects.
-- Service only: there is no user yet. Counted by address.
create function operations.register_oauth_client(p_client_id text, p_name text, p_redirect_uris jsonb, p_address_key text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.take_rate_limit('oauth_register', p_address_key);
  insert into public.oauth_clients (id, name, redirect_uris, created_at)
  values (p_client_id, p_name, array(select jsonb_array_elements_text(p_redirect_uris)), private.now());
  return json_build_object('client_id', p_client_id, 'issued_at', floor(extract(epoch from private.now()))::bigint);
end;
$$;

comment on function operations.register_oauth_client is 'A new OAuth client (docs/agents.md, Signing in over OAuth). Service only.';
grant execute on function operations.register_oauth_client to service_role;
