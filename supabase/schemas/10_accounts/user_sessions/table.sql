-- Why: the sealed cookie names a row here, so that a session can be listed, ended or expired at once. A paired session
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

-- Users see their own sessions. Changes go through functions.
create policy user_sessions_select_own on public.user_sessions
  for select to authenticated using (user_id = (select auth.uid()));

grant select on public.user_sessions to authenticated;
grant select, insert, update, delete on public.user_sessions to service_role;
