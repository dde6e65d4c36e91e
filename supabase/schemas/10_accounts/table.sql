-- Why: the profile beside Supabase Auth: auth.users holds e-mail and password, this table the service's own data. A
-- trigger on auth.users creates the row. The flags are read here on every request, never from the cookie.
-- The foreign key of active_product_id is added below, because products come after users.
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

-- Completes users once products exist. Deleting a product clears it as active product.
alter table public.users
  add constraint users_active_product_id_fkey
  foreign key (active_product_id) references public.products (id) on delete set null;

comment on table public.users is
  'Profile of a user (specification: Other records, User): role, demo flag, quota threshold, active product.';

create unique index users_username_key on public.users (lower(username));
create index users_email_idx on public.users (lower(email));
create index users_active_product_id_idx on public.users (active_product_id);

alter table public.users enable row level security;

-- Users see their own name and those of people who share a product with them (the grant limits the columns).
create policy users_select_own_and_teammates on public.users
  for select to authenticated
  using (
    id = (select auth.uid())
    or exists (
      select from public.product_members m
      where m.user_id = users.id and m.product_id in (select private.accessible_product_ids())
    )
  );

grant select (id, username, role, is_demo, created_at) on public.users to authenticated;
grant select, insert, update, delete on public.users to service_role;
