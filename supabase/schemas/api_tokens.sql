-- Bearer tokens of agents and scripts, and access granted to programs over OAuth (rows with a client_id). The token is
-- shown once; only its SHA-256 is stored. A grant has one access token at a time, replaced with each refresh.
create table public.api_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  -- The session that made it: a paired one that is taken back takes its tokens along.
  session_id uuid references public.user_sessions (id) on delete set null,
  label text not null constraint api_tokens_label_length check (char_length(label) between 1 and 100),
  prefix text not null constraint api_tokens_prefix_length check (char_length(prefix) between 1 and 20),
  token_hash bytea not null unique constraint api_tokens_hash_length check (octet_length(token_hash) = 32),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  first_used_at timestamptz,
  -- Null for all: what the token may do, and in which products of its user.
  scopes text[] constraint api_tokens_scopes_known
    check (scopes <@ '{read,plan,work}' and cardinality(scopes) > 0),
  product_ids uuid[] constraint api_tokens_products_bound check (cardinality(product_ids) between 1 and 1000),
  -- What only a grant has: the program, the path of the one address where its token is good, and how it gets the next token.
  client_id text constraint api_tokens_client_id_length check (char_length(client_id) <= 2000),
  audience text constraint api_tokens_audience_known check (audience in ('/mcp', '/mcp/all', '/mcp/worker')),
  refresh_hash bytea unique constraint api_tokens_refresh_hash_length check (octet_length(refresh_hash) = 32),
  refresh_expires_at timestamptz,
  constraint api_tokens_grant_complete check (
    num_nulls(client_id, audience, refresh_hash, refresh_expires_at) in (0, 4)
    and (client_id is null or num_nulls(scopes, product_ids, expires_at) = 0))
);

comment on table public.api_tokens is
  'API tokens (specification: Authentication 1): one user each, stored as SHA-256, optional expiry, revocable; bound to scopes and products, or granted to a program, where it says so.';
create index api_tokens_session_id_idx on public.api_tokens (session_id);
create index api_tokens_user_id_idx on public.api_tokens (user_id);
create index api_tokens_client_id_idx on public.api_tokens (client_id) where client_id is not null;

alter table public.api_tokens enable row level security;

-- Users see their own tokens without hashes (the grant limits the columns). Changes go through functions.
create policy api_tokens_select_own on public.api_tokens
  for select to authenticated using (user_id = (select auth.uid()));
grant select (id, user_id, label, prefix, expires_at, last_used_at, revoked_at, created_at, first_used_at, scopes, product_ids,
  client_id, audience, refresh_expires_at)
  on public.api_tokens to authenticated;

-- Revoking a token ends the open streams that use it at once (specification: Authentication 1).
create trigger _900_emit after delete on public.api_tokens for each row
  execute function private.tg_any__emit_credential('api_token');
create trigger _901_emit after update on public.api_tokens for each row
  when ((new.revoked_at is not null and old.revoked_at is null) or new.expires_at is distinct from old.expires_at)
  execute function private.tg_any__emit_credential('api_token');

-- The app generates the token and shows it once; the service keeps only its SHA-256. Scopes and products limit it;
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
    perform private.refuse(422, 'A token needs a label of 1 to 100 characters, a SHA-256 hash and 1 to 3650 days or no end.');
  end if;
  select array_agg(p.id order by p.id) into v_products
  from public.products p
  where p.id in (select private.open_product_ids()) and p_product_ids ? p.id::text;
  if p_product_ids is not null and coalesce(cardinality(v_products), 0) <> jsonb_array_length(p_product_ids) then
    perform private.refuse(422, 'Choose among the products that you can use.',
      '{"issues":[{"path":"product","message":"Choose among the products that you can use."}]}');
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

-- By the operator, for any account, demo accounts too; without hourly limits. Receives only the SHA-256. Service only.
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

-- Ends a leaked token, or a program's access, at once. Idempotent.
-- Definer: users may not write api_tokens directly; it touches only the caller's rows (specification: Authentication
-- 1).
create function operations.revoke_api_token(p_token_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_no_demo();
  update public.api_tokens set revoked_at = coalesce(revoked_at, private.now())
  where id = p_token_id and user_id = auth.uid();
  if not found then
    perform private.refuse(404, 'No such token. It may already be revoked: see Settings, API tokens.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'token.revoked', jsonb_build_object('token_id', p_token_id));
  return json_build_object('id', p_token_id);
end;
$$;
grant execute on function operations.revoke_api_token to authenticated;

-- The token page, without tokens or hashes. Row level security shows only the caller's. Revoked tokens stay listed
-- for 30 days, so that their owner sees what became of them (specification: Authentication 1).
create function operations.list_api_tokens() returns json language plpgsql stable set search_path = '' as $$
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
$$;
grant execute on function operations.list_api_tokens to authenticated;
