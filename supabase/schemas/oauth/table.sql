-- Programs that registered to ask for access (RFC 7591). They are public clients without a secret, so knowing an
-- id is worth nothing. Programs identified by the address of a metadata document are not stored here.
create table public.oauth_clients (
  id text primary key constraint oauth_clients_id_length check (char_length(id) between 1 and 200),
  name text not null constraint oauth_clients_name_length check (char_length(name) between 1 and 100),
  redirect_uris text[] not null constraint oauth_clients_redirects check (cardinality(redirect_uris) between 1 and 20),
  created_at timestamptz not null default clock_timestamp(),
  used_at timestamptz
);

comment on table public.oauth_clients is
  'Registered OAuth clients (docs/oauth.md); removed when unused for 30 days. Service only.';
create index oauth_clients_created_at_idx on public.oauth_clients (created_at);

alter table public.oauth_clients enable row level security;

-- No one reads clients directly.

-- What a person has just allowed, for the minute until the program fetches its tokens. Only the SHA-256 of the
-- code is kept. A redeemed code stays for a day: using it again means it was stolen, and ends its grant.
create table public.oauth_codes (
  code_hash bytea primary key constraint oauth_codes_hash_length check (octet_length(code_hash) = 32),
  user_id uuid not null references public.users (id) on delete cascade,
  -- The session that allowed it: one that has ended allows nothing.
  session_id uuid references public.user_sessions (id) on delete cascade,
  client_id text not null constraint oauth_codes_client_id_length check (char_length(client_id) <= 2000),
  client_name text not null constraint oauth_codes_client_name_length check (char_length(client_name) between 1 and 100),
  redirect_uri text not null constraint oauth_codes_redirect_length check (char_length(redirect_uri) <= 2000),
  challenge bytea not null constraint oauth_codes_challenge_length check (octet_length(challenge) = 32),
  audience text not null constraint oauth_codes_audience_known check (audience in ('/mcp', '/mcp/all', '/mcp/worker')),
  scopes text[] not null constraint oauth_codes_scopes_known check (scopes <@ '{read,plan,work}' and cardinality(scopes) > 0),
  product_ids uuid[] not null constraint oauth_codes_products_bound check (cardinality(product_ids) between 1 and 1000),
  expires_at timestamptz not null,
  redeemed_at timestamptz,
  token_id uuid references public.api_tokens (id) on delete cascade,
  created_at timestamptz not null default clock_timestamp()
);

comment on table public.oauth_codes is
  'Authorization codes, good once for 60 seconds (docs/oauth.md). Service only.';
create index oauth_codes_user_id_idx on public.oauth_codes (user_id);
create index oauth_codes_session_id_idx on public.oauth_codes (session_id);
create index oauth_codes_token_id_idx on public.oauth_codes (token_id);
create index oauth_codes_created_at_idx on public.oauth_codes (created_at);

alter table public.oauth_codes enable row level security;

-- No one reads codes directly: they hold hashes of secrets.

-- A refresh token works once. A second use means that two parties have it, and no one knows which is the thief:
-- the grant ends. For 30 seconds the tokens that it brought are kept, sealed with the refresh token itself, because
-- several processes of one program may refresh at the same time.
create table public.spent_refresh_tokens (
  refresh_hash bytea primary key constraint spent_refresh_tokens_hash_length check (octet_length(refresh_hash) = 32),
  token_id uuid not null references public.api_tokens (id) on delete cascade,
  spent_at timestamptz not null default clock_timestamp(),
  next_tokens text constraint spent_refresh_tokens_next_length check (char_length(next_tokens) <= 1000)
);

comment on table public.spent_refresh_tokens is
  'Refresh tokens that were used, by their hash (docs/oauth.md). Service only.';
create index spent_refresh_tokens_token_id_idx on public.spent_refresh_tokens (token_id);

alter table public.spent_refresh_tokens enable row level security;

-- No one reads them directly.
