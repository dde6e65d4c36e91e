-- Why: bearer tokens of agents and scripts, and access that people granted to programs over OAuth (rows with a
-- client_id). The token is shown once; only its SHA-256 is stored. A grant has one access token at a time, replaced
-- with each refresh.
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
