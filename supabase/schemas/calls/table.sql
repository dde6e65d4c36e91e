-- Who is calling, read from the database for each request (specification: Authentication).
create type private.principal as (
  user_id uuid,
  username text,
  email text,
  role public.user_role,
  is_demo boolean,
  must_reset_password boolean,
  min_quota_pct integer,
  active_product_id uuid,
  theme public.user_theme,
  has_avatar boolean,
  session_id uuid,
  paired boolean,
  paired_expires_at timestamptz,
  token_id uuid,
  product_ids uuid[],
  scopes text[]
);

-- A caller that lost the answer can repeat the call without creating things twice. The row is written in the
-- transaction of the write, so both exist or neither. Kept for 24 hours (private.kept_call_lifetime).
create table public.idempotency_keys (
  user_id uuid not null references public.users (id) on delete cascade,
  key text not null check (char_length(key) between 1 and 255),
  -- SHA-256 of the operation and its arguments: the same key for something else is refused.
  fingerprint bytea not null,
  -- What the operation answered, byte for byte; null only inside the transaction of the write.
  answer text,
  created_at timestamptz not null,
  -- The product that the call wrote to, if any.
  product_id uuid,
  primary key (user_id, key)
);

comment on table public.idempotency_keys is
  'Answers of writes that were sent with an idempotency key, by user and key. Service only.';
create index idempotency_keys_created_at_idx on public.idempotency_keys (created_at);
create index idempotency_keys_user_idx on public.idempotency_keys (user_id, created_at);

alter table public.idempotency_keys enable row level security;
