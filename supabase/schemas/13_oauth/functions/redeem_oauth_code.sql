-- Why: a program exchanges its code for tokens, once. The lock of the code's row serializes concurrent calls: the
-- second finds it redeemed. A redeemed code used again was stolen, so its grant ends; refusals are therefore returned,
-- not raised, which would roll that back. The challenge is the SHA-256 of the verifier. Service only; counted by
-- address.
create function operations.redeem_oauth_code(
  p_code_hash text, p_client_id text, p_redirect_uri text, p_challenge text, p_audience text,
  p_token_hash text, p_refresh_hash text, p_prefix text, p_address_key text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_code public.oauth_codes;
  v_token_id uuid;
begin
  perform private.take_rate_limit('oauth_token', p_address_key);
  if not private.is_oauth_client(p_client_id) then
    return private.oauth_refusal('invalid_client');
  end if;

  select * into v_code from public.oauth_codes c where c.code_hash = decode(p_code_hash, 'hex') for update;
  if not found or v_code.client_id <> p_client_id then
    return private.oauth_refusal('invalid_grant');
  end if;
  if v_code.redeemed_at is not null then
    perform private.end_grant(v_code.token_id, 'code used again');
    return private.oauth_refusal('invalid_grant');
  end if;
  if v_code.expires_at <= v_now or v_code.redirect_uri <> p_redirect_uri
    or v_code.challenge <> decode(p_challenge, 'hex')
    or exists (select from public.user_sessions s where s.id = v_code.session_id and s.revoked_at is not null) then
    return private.oauth_refusal('invalid_grant');
  end if;
  if v_code.audience <> coalesce(p_audience, v_code.audience) then
    return private.oauth_refusal('invalid_target');
  end if;

  insert into public.api_tokens (user_id, session_id, label, prefix, token_hash, expires_at, created_at, scopes, product_ids,
    client_id, audience, refresh_hash, refresh_expires_at)
  values (v_code.user_id, v_code.session_id, v_code.client_name, p_prefix, decode(p_token_hash, 'hex'),
    v_now + private.access_token_lifetime(), v_now, v_code.scopes, v_code.product_ids, v_code.client_id, v_code.audience,
    decode(p_refresh_hash, 'hex'), v_now + interval '30 days')
  returning id into v_token_id;
  update public.oauth_codes set redeemed_at = v_now, token_id = v_token_id where code_hash = v_code.code_hash;
  update public.oauth_clients set used_at = v_now where id = p_client_id;
  perform private.audit(v_code.user_id, v_code.user_id, 'grant.created', jsonb_build_object(
    'token_id', v_token_id, 'client', v_code.client_name, 'client_id', v_code.client_id, 'scopes', to_jsonb(v_code.scopes)));
  return private.oauth_answer(v_code.scopes);
end;
$$;

comment on function operations.redeem_oauth_code is
  'A code becomes a grant and its tokens, once (docs/agents.md, Signing in over OAuth). Service only.';
grant execute on function operations.redeem_oauth_code to service_role;
