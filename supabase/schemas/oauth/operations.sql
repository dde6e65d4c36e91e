-- After a person pressed Allow, the grant waits under the hash of a code for the program, at most 60 seconds.
-- Service only, because demo accounts may grant `read` too; the app has resolved user and session. Refusals: 422, 429.
create function operations.create_oauth_code(
  p_user_id uuid, p_session_id uuid, p_client_id text, p_client_name text, p_redirect_uri text, p_challenge text,
  p_code_hash text, p_audience text, p_scopes jsonb, p_product_ids jsonb
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_demo boolean := (select u.is_demo from public.users u where u.id = p_user_id);
  v_scopes text[] := array(
    select s from unnest('{read,plan,work}'::text[]) with ordinality as k (s, place)
    where p_scopes ? s and (s = 'read' or not v_demo) order by place);
  v_products uuid[];
begin
  perform private.take_rate_limit('oauth_consent', p_user_id::text);
  select array_agg(p.id order by p.id) into v_products
  from public.products p
  join public.product_members m on m.product_id = p.id and m.user_id = p_user_id
  where p.archived_at is null and p_product_ids ? p.id::text;

  if v_scopes = '{}' then
    perform private.refuse(422, 'Choose what the program may do.', '{"issues":[{"path":"scope","message":"Choose at least one."}]}');
  end if;
  if v_products is null or cardinality(v_products) <> jsonb_array_length(p_product_ids) then
    perform private.refuse(422, 'Choose at least one product, among those that you can use.',
      '{"issues":[{"path":"product","message":"Choose at least one product."}]}');
  end if;

  insert into public.oauth_codes (code_hash, user_id, session_id, client_id, client_name, redirect_uri, challenge, audience,
    scopes, product_ids, expires_at, created_at)
  values (decode(p_code_hash, 'hex'), p_user_id, p_session_id, p_client_id, p_client_name, p_redirect_uri,
    decode(p_challenge, 'hex'), p_audience, v_scopes, v_products, v_now + interval '60 seconds', v_now);
  update public.oauth_clients set used_at = v_now where id = p_client_id;
  return json_build_object('scopes', to_json(v_scopes));
end;
$$;
grant execute on function operations.create_oauth_code to service_role;

-- A program exchanges its code for tokens, once. The lock of the code's row serializes concurrent calls: the second
-- finds it redeemed. A redeemed code used again was stolen, so its grant ends; refusals are therefore returned, not
-- raised, which would roll that back. The challenge is the SHA-256 of the verifier. Service only; counted by address.
create function operations.redeem_oauth_code(
  p_code_hash text, p_client_id text, p_redirect_uri text, p_challenge text, p_audience text, p_token_hash text,
  p_refresh_hash text, p_prefix text, p_address_key text
) returns json language plpgsql volatile set search_path = '' as $$
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
grant execute on function operations.redeem_oauth_code to service_role;

-- A program gets its next tokens, which replace the old ones. The lock of the grant's row serializes concurrent
-- calls: the second finds its refresh token spent. A spent token may end the grant, so refusals are returned, not
-- raised, which would roll that back. The next tokens come sealed with the refresh token. Service only; counted by address.
create function operations.refresh_oauth_token(
  p_refresh_hash text, p_client_id text, p_audience text, p_scopes jsonb, p_token_hash text, p_new_refresh_hash text,
  p_next_tokens text, p_address_key text
) returns json language plpgsql volatile set search_path = '' as $$
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
grant execute on function operations.refresh_oauth_token to service_role;

-- Processes of one program that share a stored token refresh at the same time, and an answer can get lost. So the
-- same client gets the same tokens again for 30 seconds. Later, or from another client, the token was stolen, and its
-- grant ends; that refusal is returned, not raised, which would roll it back (docs/oauth.md).
create function private.answer_spent_refresh_token(p_refresh_hash bytea, p_client_id text)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_spent public.spent_refresh_tokens;
  v_grant public.api_tokens;
begin
  select * into v_spent from public.spent_refresh_tokens s where s.refresh_hash = p_refresh_hash;
  select * into v_grant from public.api_tokens t where t.id = v_spent.token_id;
  if v_grant.client_id = p_client_id and v_grant.revoked_at is null and v_spent.next_tokens is not null
    and v_spent.spent_at > private.now() - interval '30 seconds' then
    return (private.oauth_answer(v_grant.scopes)::jsonb || jsonb_build_object('next_tokens', v_spent.next_tokens))::json;
  end if;
  perform private.end_grant(v_grant.id, 'refresh token used again');
  return private.oauth_refusal('invalid_grant');
end;
$$;
grant execute on function private.answer_spent_refresh_token to service_role;

-- POST /register. The app has checked name and redirects. Service only: there is no user yet. Counted by address.
create function operations.register_oauth_client(
  p_client_id text, p_name text, p_redirect_uris jsonb, p_address_key text
) returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.take_rate_limit('oauth_register', p_address_key);
  insert into public.oauth_clients (id, name, redirect_uris, created_at)
  values (p_client_id, p_name, array(select jsonb_array_elements_text(p_redirect_uris)), private.now());
  return json_build_object('client_id', p_client_id, 'issued_at', floor(extract(epoch from private.now()))::bigint);
end;
$$;
grant execute on function operations.register_oauth_client to service_role;

-- A program that signs out revokes its access (RFC 7009), with either of its tokens. An unknown token is not an error:
-- it is already gone. Service only: the token itself is the credential. Counted by address.
create function operations.revoke_oauth_token(p_token_hash text, p_client_id text, p_address_key text)
returns json language plpgsql volatile set search_path = '' as $$
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
grant execute on function operations.revoke_oauth_token to service_role;

-- A working day, not an hour: hosted connectors refresh late, and a revoked grant ends at once (docs/oauth.md).
create function private.access_token_lifetime() returns interval language plpgsql immutable set search_path = '' as $$
begin
  return interval '8 hours';
end;
$$;
grant execute on function private.access_token_lifetime to service_role;

-- A reused code or token, or signing out, ends the grant and (by api_tokens' trigger) open streams (docs/oauth.md).
create function private.end_grant(p_token_id uuid, p_reason text)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_grant public.api_tokens;
begin
  update public.api_tokens set revoked_at = private.now()
  where id = p_token_id and revoked_at is null
  returning * into v_grant;
  if found then
    perform private.audit(v_grant.user_id, null, 'grant.ended',
      jsonb_build_object('token_id', p_token_id, 'client', v_grant.label, 'reason', p_reason));
  end if;
end;
$$;
grant execute on function private.end_grant to service_role;

-- A program whose registration was removed must register again, and only `invalid_client` says so. A program
-- identified by its document's address needs no registration (docs/oauth.md).
create function private.is_oauth_client(p_client_id text)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return p_client_id ~ '^https?://' or exists (select from public.oauth_clients c where c.id = p_client_id);
end;
$$;
grant execute on function private.is_oauth_client to service_role;

-- Redeeming and refreshing answer alike. The app makes the tokens; they never get here (docs/oauth.md).
create function private.oauth_answer(p_scopes text[]) returns json language plpgsql immutable set search_path = '' as $$
begin
  return json_build_object('expires_in', extract(epoch from private.access_token_lifetime())::integer, 'scope', array_to_string(p_scopes, ' '));
end;
$$;
grant execute on function private.oauth_answer to service_role;

-- The codes are those of RFC 6749 and 8707; the app adds each code's sentence and status (docs/oauth.md).
create function private.oauth_refusal(p_error text) returns json language plpgsql immutable set search_path = '' as $$
begin
  return json_build_object('refused', p_error);
end;
$$;
grant execute on function private.oauth_refusal to service_role;
