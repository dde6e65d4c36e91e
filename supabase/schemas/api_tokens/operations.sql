-- Why: the app generates the token and shows it once; the service keeps only its SHA-256. Scopes and products limit it;
-- without them it can do what its user can.
-- Definer: users may not write api_tokens directly; the row always belongs to the caller (specification: Authentication
-- 1, Limits).
create function operations.create_api_token(
  p_label text, p_prefix text, p_token_hash text, p_expires_days integer default null, p_scopes jsonb default null,
  p_product_ids jsonb default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
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
$$;
grant execute on function operations.create_api_token to authenticated;

-- Why: the operator creates tokens for any account, including demo accounts, which cannot create their own. Hourly
-- limits are for users only. Receives only the SHA-256. Service only.
create function operations.issue_api_token(
  p_user_id uuid, p_label text, p_prefix text, p_token_hash text, p_expires_days integer default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid;
begin
  insert into public.api_tokens (user_id, label, prefix, token_hash, expires_at, created_at)
  values (p_user_id, p_label, p_prefix, decode(p_token_hash, 'hex'),
    private.now() + make_interval(days => p_expires_days), private.now())
  returning id into v_id;

  perform private.audit(p_user_id, null, 'token.created', jsonb_build_object('token_id', v_id, 'label', p_label));
  return json_build_object('id', v_id);
end;
$$;
grant execute on function operations.issue_api_token to service_role;

-- Why: ends a leaked token, or a program's access, at once. Idempotent.
-- Definer: users may not write api_tokens directly; it touches only the caller's rows (specification: Authentication
-- 1).
create function operations.revoke_api_token(p_token_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_no_demo();
  update public.api_tokens set revoked_at = coalesce(revoked_at, private.now())
  where id = p_token_id and user_id = auth.uid();
  if not found then
    raise exception using errcode = 'PT404', message = 'No such token. It may already be revoked: see Settings, API tokens.';
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'token.revoked', jsonb_build_object('token_id', p_token_id));
  return json_build_object('id', p_token_id);
end;
$$;
grant execute on function operations.revoke_api_token to authenticated;
