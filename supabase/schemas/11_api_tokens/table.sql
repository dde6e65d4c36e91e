-- Why: bearer tokens of agents and scripts. The token itself is shown once and never stored, only its SHA-256.
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
  created_at timestamptz not null default clock_timestamp()
);

comment on table public.api_tokens is
  'API tokens (specification: Authentication 1): one user each, stored as SHA-256, optional expiry, revocable.';

create index api_tokens_session_id_idx on public.api_tokens (session_id);
create index api_tokens_user_id_idx on public.api_tokens (user_id);

alter table public.api_tokens enable row level security;

-- A user sees one's own tokens, without their hashes (columns are limited by the grant); changes go through functions.
create policy api_tokens_select_own on public.api_tokens
  for select to authenticated using (user_id = (select auth.uid()));

grant select (id, user_id, label, prefix, expires_at, last_used_at, revoked_at, created_at)
  on public.api_tokens to authenticated;

grant select, insert, update, delete on public.api_tokens to service_role;
