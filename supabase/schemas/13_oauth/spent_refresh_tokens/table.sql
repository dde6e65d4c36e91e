-- Why: a refresh token works once. A second use means that two parties have it, and nobody knows which is the thief:
-- the grant ends. For 30 seconds the tokens that it brought are kept, sealed with the refresh token itself, because
-- several processes of one program may refresh at the same time.
create table public.spent_refresh_tokens (
  refresh_hash bytea primary key constraint spent_refresh_tokens_hash_length check (octet_length(refresh_hash) = 32),
  token_id uuid not null references public.api_tokens (id) on delete cascade,
  spent_at timestamptz not null default clock_timestamp(),
  next_tokens text constraint spent_refresh_tokens_next_length check (char_length(next_tokens) <= 1000)
);

comment on table public.spent_refresh_tokens is
  'Refresh tokens that were used, by their hash (docs/agents.md, Signing in over OAuth). Service only.';

create index spent_refresh_tokens_token_id_idx on public.spent_refresh_tokens (token_id);

alter table public.spent_refresh_tokens enable row level security;

-- Nobody reads them directly. The service role bypasses row level security.
create policy spent_refresh_tokens_service on public.spent_refresh_tokens
  for all to service_role using (true) with check (true);

grant select, insert, update, delete on public.spent_refresh_tokens to service_role;
