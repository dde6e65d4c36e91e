-- Why: the profile beside Supabase Auth. auth.users holds e-mail and password, this table what the service knows.
-- A trigger on auth.users makes the row; the flags are read here on every request, never from the cookie.
-- The reference of active_product_id follows in a later file, because products come after users.
create table public.users (
  id uuid primary key references auth.users (id) on delete cascade,
  username text not null
    constraint users_username_pattern check (username ~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$'),
  email text not null constraint users_email_length check (char_length(email) <= 254),
  role public.user_role not null default 'DEVELOPER',
  is_demo boolean not null default false,
  must_reset_password boolean not null default false,
  min_quota_pct integer not null default 20
    constraint users_min_quota_pct_range check (min_quota_pct between 1 and 100),
  active_product_id uuid,
  theme public.user_theme not null default 'SYSTEM',
  avatar bytea constraint users_avatar_size check (octet_length(avatar) <= 1048576),
  avatar_mime text constraint users_avatar_mime
    check (avatar_mime in ('image/png', 'image/jpeg', 'image/webp', 'image/gif')),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint users_avatar_complete check ((avatar is null) = (avatar_mime is null))
);

comment on table public.users is
  'Profile of a user (specification: Other records, User): role, demo flag, quota threshold, active product.';

create unique index users_username_key on public.users (lower(username));
create index users_email_idx on public.users (lower(email));
create index users_active_product_id_idx on public.users (active_product_id);

alter table public.users enable row level security;
