-- Why: a program that signs out revokes its access (RFC 7009), with either of its tokens. An unknown token is no error:
-- it is already gone. Service only: the token itself is the credential. Counted by address.
create function operations.revoke_oauth_token(p_token_hash text, p_client_id text, p_address_key text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_hash bytea := decode(p_token_hash, 'hex');
begin
  perform private.take_rate_limit('oauth_token', p_address_key);
  perform private.end_grant(t.id, 'given back')
  from public.api_tokens t
  where (t.token_hash = v_hash or t.refresh_hash = v_hash)
    and t.client_id = coalesce(p_client_id, t.client_id);
  return json_build_object('ok', true);
end;
$$;

comment on function operations.revoke_oauth_token is 'Ends the grant of a token (docs/agents.md, Signing in over OAuth). Service only.';
grant execute on function operations.revoke_oauth_token to service_role;
