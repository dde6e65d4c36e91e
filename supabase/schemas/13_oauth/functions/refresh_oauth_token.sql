-- Why: a program gets its next tokens, which replace the old ones. The lock of the grant's row serializes concurrent
-- calls: the second finds its refresh token spent. A spent token may end the grant, so refusals are returned, not
-- raised, which would roll that back. The next tokens come sealed with the refresh token. Service only; counted by address.
create function operations.refresh_oauth_token(
  p_refresh_hash text, p_client_id text, p_audience text, p_scopes jsonb,
  p_token_hash text, p_new_refresh_hash text, p_next_tokens text, p_address_key text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_hash bytea := decode(p_refresh_hash, 'hex');
  v_grant public.api_tokens;
begin
  perform private.take_rate_limit('oauth_token', p_address_key);
  if not private.is_oauth_client(p_client_id) then
    return private.oauth_refusal('invalid_client');
  end if;

  select * into v_grant from public.api_tokens t where t.refresh_hash = v_hash for update;
  if not found then
    return private.answer_spent_refresh_token(v_hash, p_client_id);
  end if;
  if v_grant.revoked_at is not null or v_grant.refresh_expires_at <= v_now or v_grant.client_id <> p_client_id then
    return private.oauth_refusal('invalid_grant');
  end if;
  if v_grant.audience <> coalesce(p_audience, v_grant.audience) then
    return private.oauth_refusal('invalid_target');
  end if;
  if exists (select from jsonb_array_elements_text(p_scopes) s where s <> all (v_grant.scopes)) then
    return private.oauth_refusal('invalid_scope');
  end if;

  update public.spent_refresh_tokens set next_tokens = null
  where token_id = v_grant.id and next_tokens is not null and spent_at <= v_now - interval '30 seconds';
  insert into public.spent_refresh_tokens (refresh_hash, token_id, spent_at, next_tokens)
  values (v_hash, v_grant.id, v_now, p_next_tokens);
  update public.api_tokens
  set token_hash = decode(p_token_hash, 'hex'), expires_at = v_now + private.access_token_lifetime(),
      refresh_hash = decode(p_new_refresh_hash, 'hex'), refresh_expires_at = v_now + interval '30 days'
  where id = v_grant.id;
  update public.oauth_clients set used_at = v_now where id = p_client_id;
  return private.oauth_answer(v_grant.scopes);
end;
$$;

comment on function operations.refresh_oauth_token is
  'The next tokens of a grant; a refresh token that comes again later ends it (docs/agents.md, Signing in over OAuth). Service only.';
grant execute on function operations.refresh_oauth_token to service_role;
