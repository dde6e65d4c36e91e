-- API tokens can be limited to scopes and products when they are made.
set local check_function_bodies = off;

DROP FUNCTION "operations"."create_api_token"(text, text, text, integer);

CREATE OR REPLACE FUNCTION operations.create_api_token(p_label text, p_prefix text, p_token_hash text, p_expires_days integer DEFAULT NULL::integer, p_scopes jsonb DEFAULT NULL::jsonb, p_product_ids jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_token public.api_tokens;
  v_products uuid[];
begin
  perform private.require_no_demo();
  if p_token_hash !~ '^[0-9a-f]{64}$' or char_length(p_label) not between 1 and 100
    or p_expires_days not between 1 and 3650 then
    raise exception using errcode = 'PT422',
      message = 'A token needs a label of 1 to 100 characters, a SHA-256 hash and 1 to 3650 days or no end.';
  end if;
  select array_agg(p.id order by p.id) into v_products
  from public.products p
  where p.id in (select private.open_product_ids()) and p_product_ids ? p.id::text;
  if p_product_ids is not null and coalesce(cardinality(v_products), 0) <> jsonb_array_length(p_product_ids) then
    raise exception using errcode = 'PT422', message = 'Choose among the products that you can use.',
      detail = '{"issues":[{"path":"product","message":"Choose among the products that you can use."}]}';
  end if;
  perform private.take_rate_limit('api_token', auth.uid()::text);

  insert into public.api_tokens (user_id, session_id, label, prefix, token_hash, expires_at, created_at, scopes, product_ids)
  values (auth.uid(), private.own_session_id(), p_label, p_prefix, decode(p_token_hash, 'hex'),
    private.now() + make_interval(days => p_expires_days), private.now(),
    case when p_scopes is not null then array(select jsonb_array_elements_text(p_scopes)) end, v_products)
  returning * into v_token;
  perform private.audit(auth.uid(), auth.uid(), 'token.created',
    jsonb_build_object('token_id', v_token.id, 'label', p_label, 'expires_at', v_token.expires_at));
  return json_build_object('id', v_token.id, 'label', v_token.label, 'prefix', v_token.prefix,
    'created_at', v_token.created_at, 'expires_at', v_token.expires_at, 'last_used_at', null, 'revoked_at', null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_api_tokens()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', t.id, 'label', t.label, 'prefix', t.prefix, 'created_at', t.created_at, 'expires_at', t.expires_at,
      'last_used_at', t.last_used_at, 'revoked_at', t.revoked_at, 'scopes', to_json(t.scopes),
      'products', case when t.product_ids is not null then (
        select coalesce(json_agg(p.code order by p.code), '[]') from public.products p where p.id = any (t.product_ids)) end
    ) order by t.revoked_at is not null, t.created_at desc, t.id), '[]')
    from public.api_tokens t
    where t.user_id = auth.uid() and t.client_id is null
      and (t.revoked_at is null or t.revoked_at > private.now() - interval '30 days')
  );
end;
$function$;

COMMENT ON FUNCTION "operations"."create_api_token"(text, text, text, integer, jsonb, jsonb) IS 'A new API token of the caller, by its hash, limited where it says so (specification: Authentication 1, Limits).';

REVOKE ALL ON FUNCTION "operations"."create_api_token"(text, text, text, integer, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_api_token"(text, text, text, integer, jsonb, jsonb) TO "authenticated", "postgres";
