-- The states of a login pairing (specification: States and transitions, Login pairing).
create type public.pairing_status as enum ('PENDING', 'APPROVED', 'CONSUMED', 'CANCELLED');

-- A desktop that waits to be signed in by a phone (specification: Login pairing). Each has its secret, stored as
-- SHA-256. The constraints keep the columns consistent: who approved, when, and when it was used.
create table public.login_pairings (
  id uuid primary key default gen_random_uuid(),
  status public.pairing_status not null default 'PENDING',
  user_id uuid references public.users (id) on delete cascade,
  session_id uuid references public.user_sessions (id) on delete set null,
  -- The session that approved: a paired one that is taken back takes along what it let in.
  approved_in uuid references public.user_sessions (id) on delete set null,
  mobile_secret_hash bytea not null
    constraint login_pairings_mobile_hash_length check (octet_length(mobile_secret_hash) = 32),
  desktop_token_hash bytea not null
    constraint login_pairings_desktop_hash_length check (octet_length(desktop_token_hash) = 32),
  desktop_ua text constraint login_pairings_ua_length check (char_length(desktop_ua) <= 255),
  desktop_ip text constraint login_pairings_ip_length check (char_length(desktop_ip) <= 45),
  check_code text not null constraint login_pairings_check_code_form check (check_code ~ '^[0-9]{3} [0-9]{3}$'),
  failed_attempts integer not null default 0,
  expires_at timestamptz not null,
  approved_at timestamptz,
  consumed_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint login_pairings_two_secrets check (mobile_secret_hash <> desktop_token_hash),
  constraint login_pairings_approval check (
    (status = 'PENDING' and user_id is null and approved_at is null and consumed_at is null)
    or (status = 'APPROVED' and user_id is not null and approved_at is not null and consumed_at is null)
    or (status = 'CONSUMED' and user_id is not null and approved_at is not null and consumed_at is not null)
    or (status = 'CANCELLED' and consumed_at is null)
  )
);

comment on table public.login_pairings is
  'Login pairings (specification: Login pairing): state machine, two deadlines, two hashed secrets.';
create index login_pairings_user_id_idx on public.login_pairings (user_id);
create index login_pairings_approved_in_idx on public.login_pairings (approved_in);
create index login_pairings_session_id_idx on public.login_pairings (session_id);
create index login_pairings_pending_expiry_idx on public.login_pairings (expires_at) where status = 'PENDING';
create index login_pairings_created_at_idx on public.login_pairings (created_at);

alter table public.login_pairings enable row level security;

-- No one reads pairings directly: they hold hashes of secrets.

-- The waiting desktop hears of each step of its pairing. The event never holds a secret (specification: Pairing stream).
create trigger _900_emit after insert or update of status or delete on public.login_pairings for each row
  execute function private.tg_any__emit('pairing', '{pairing:id}', '{"pairing_id": "id", "status": "status"}', 'without changed fields');
