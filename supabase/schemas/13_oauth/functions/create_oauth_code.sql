-- Why: after a person pressed Allow, the grant waits under the hash of a code for the program, at most 60 seconds.
-- Service only, because demo accounts may grant `read` too; the app has resolved user and session. Refusals: 422, 429.
create function operations.create_oauth_code(
  p_user_id uuid, p_session_id uuid, p_client_id text, p_client_name text, p_redirect_uri text, p_challenge text,
  p_code_hash text, p_audience text, p_scopes jsonb, p_product_ids jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
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
    raise exception using errcode = 'PT422', message = 'Choose what the program may do.',
      detail = '{"issues":[{"path":"scope","message":"Choose at least one."}]}';
  end if;
  if v_products is null or cardinality(v_products) <> jsonb_array_length(p_product_ids) then
    raise exception using errcode = 'PT422', message = 'Choose at least one product, among those that you can use.',
      detail = '{"issues":[{"path":"product","message":"Choose at least one product."}]}';
  end if;

  insert into public.oauth_codes (code_hash, user_id, session_id, client_id, client_name, redirect_uri, challenge, audience,
    scopes, product_ids, expires_at, created_at)
  values (decode(p_code_hash, 'hex'), p_user_id, p_session_id, p_client_id, p_client_name, p_redirect_uri,
    decode(p_challenge, 'hex'), p_audience, v_scopes, v_products, v_now + interval '60 seconds', v_now);
  update public.oauth_clients set used_at = v_now where id = p_client_id;
  return json_build_object('scopes', to_json(v_scopes));
end;
$$;

comment on function operations.create_oauth_code is
  'What a person allowed, under a code for 60 seconds (docs/agents.md, Signing in over OAuth). Service only.';
grant execute on function operations.create_oauth_code to service_role;
