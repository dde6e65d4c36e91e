-- Why: processes of one program that refresh at the same time all get the same tokens, and nobody is signed out.
set local check_function_bodies = off;

DROP FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text);

ALTER TABLE "public"."spent_refresh_tokens" ADD COLUMN "next_tokens" text;

CREATE OR REPLACE FUNCTION operations.refresh_oauth_token(p_refresh_hash text, p_client_id text, p_audience text, p_scopes jsonb, p_token_hash text, p_new_refresh_hash text, p_next_tokens text, p_address_key text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.answer_spent_refresh_token(p_refresh_hash bytea, p_client_id text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

ALTER TABLE "public"."spent_refresh_tokens" ADD CONSTRAINT "spent_refresh_tokens_next_length" CHECK ((char_length(next_tokens) <= 1000));

COMMENT ON FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text, text) IS 'The next tokens of a grant; a refresh token that comes again later ends it (docs/agents.md, Signing in over OAuth). Service only.';

COMMENT ON FUNCTION "private"."answer_spent_refresh_token"(bytea, text) IS 'The answer to a refresh token that was used already (docs/agents.md, Signing in over OAuth).';

REVOKE ALL ON FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."answer_spent_refresh_token"(bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."answer_spent_refresh_token"(bytea, text) TO "postgres", "service_role";
