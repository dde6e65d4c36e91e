-- A user's rights beyond product memberships (specification: Other records, User).
create type public.user_role as enum ('DEVELOPER', 'ADMIN');

-- A user's color theme; SYSTEM follows the device.
create type public.user_theme as enum ('SYSTEM', 'LIGHT', 'DARK');

-- The profile next to Supabase Auth: auth.users holds email and password, this table the service's own data. A
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
  -- Until then a new password at Supabase Auth comes from this service, which ends the other sessions itself.
  password_set_until timestamptz,
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

-- Sign-ins, pairings, token and role changes; administrators read all. Outlives its user, and holds no secret.
create table public.audit_events (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references public.users (id) on delete set null,
  actor_id uuid references public.users (id) on delete set null,
  kind text not null constraint audit_events_kind_form check (kind ~ '^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$'),
  detail jsonb not null default '{}',
  ip text constraint audit_events_ip_length check (char_length(ip) <= 45),
  created_at timestamptz not null default clock_timestamp()
);

comment on table public.audit_events is
  'Audit trail of sign-ins, pairings, token and role changes: whom it concerns, who did it, from where.';
create index audit_events_user_id_idx on public.audit_events (user_id, created_at desc);
create index audit_events_actor_id_idx on public.audit_events (actor_id);
create index audit_events_created_at_idx on public.audit_events (created_at desc);

alter table public.audit_events enable row level security;

-- Users read events of their own account, administrators all. Many people share a demo account: they read none. No one writes directly.
create policy audit_events_select_own_or_admin on public.audit_events
  for select to authenticated using ((user_id = (select auth.uid()) and not (select private.is_demo())) or (select private.is_admin()));
grant select on public.audit_events to authenticated;

-- The sealed cookie names a row here, so that a session can be listed, ended or expired at once. A paired session
-- always ends 8 hours after its claim; others slide (specification: Authentication 2 and 5).
create table public.user_sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  user_agent text constraint user_sessions_user_agent_length check (char_length(user_agent) <= 255),
  ip text constraint user_sessions_ip_length check (char_length(ip) <= 45),
  paired boolean not null default false,
  paired_expires_at timestamptz,
  expires_at timestamptz not null,
  last_seen_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint user_sessions_paired_deadline check (paired = (paired_expires_at is not null))
);

comment on table public.user_sessions is
  'Signed-in browsers of a user (specification: Authentication): devices page, revocation, paired expiry.';
create index user_sessions_user_id_idx on public.user_sessions (user_id);

alter table public.user_sessions enable row level security;

-- Users see their own sessions, with a demo account only the one they ask from. Changes go through functions.
create policy user_sessions_select_own on public.user_sessions
  for select to authenticated
  using (user_id = (select auth.uid()) and (id = (select private.current_session_id()) or not (select private.is_demo())));
grant select on public.user_sessions to authenticated;
