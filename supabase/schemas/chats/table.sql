-- An account of a chat service that a person paired with theirs here, and what they want to hear of there. Of one service
-- each person has one. Until it is confirmed in the browser it is a pairing under way: the hash of a code, then the account that typed it.
create table public.chats (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  service text not null constraint chats_service_known check (service in ('telegram', 'slack', 'discord', 'matrix')),
  code_hash bytea,
  code_expires_at timestamptz not null,
  account_id text constraint chats_account_id_length check (char_length(account_id) between 1 and 255),
  account_name text constraint chats_account_name_length check (char_length(account_name) <= 100),
  room text constraint chats_room_length check (char_length(room) <= 255),
  confirmed_at timestamptz,
  products uuid[],
  quiet_from time,
  quiet_to time,
  time_zone text not null default 'UTC',
  bundle boolean not null default false,
  titles boolean not null default true,
  last_sent_at timestamptz,
  last_error text constraint chats_last_error_length check (char_length(last_error) <= 500),
  created_at timestamptz not null default private.now(),
  constraint chats_one_each unique (user_id, service),
  constraint chats_account check (account_id is not null or confirmed_at is null),
  constraint chats_quiet check ((quiet_from is null) = (quiet_to is null))
);

comment on table public.chats is 'Accounts of chat services, paired from both sides, and what each person hears there.';
comment on column public.chats.code_hash is 'SHA-256 of the code that is typed to the bot, once; null afterwards.';
comment on column public.chats.products is 'Null: questions of all products.';
create unique index chats_account_key on public.chats (service, account_id) where confirmed_at is not null;
create unique index chats_code_key on public.chats (service, code_hash) where code_hash is not null;

alter table public.chats enable row level security;

-- No one reads chats directly: they hold hashes of codes.

-- Which events of a service are dealt with, and what was said to them: a service delivers at least once, and a process may end
-- between its answer and its word to the service. Written in the transaction of the answer.
create table public.chat_events (
  service text not null,
  event_id text not null constraint chat_events_id_length check (char_length(event_id) between 1 and 255),
  reply jsonb not null default '{}',
  created_at timestamptz not null default private.now(),
  primary key (service, event_id)
);

comment on table public.chat_events is 'Presses and texts that were dealt with, for a week. Service only.';
create index chat_events_created_at_idx on public.chat_events (created_at);

alter table public.chat_events enable row level security;

-- The questions that are to be said, or were, in a chat. Several that were said at once have the same ref.
create table public.chat_messages (
  id uuid primary key default gen_random_uuid(),
  chat_id uuid not null references public.chats (id) on delete cascade,
  question_id uuid not null references public.agent_questions (id) on delete cascade,
  -- The first part of the ids of its buttons, so that no one can make one up.
  key text not null default substr(replace(gen_random_uuid()::text, '-', ''), 1, 12),
  state text not null default 'queued' constraint chat_messages_state_known check (state in ('queued', 'sent', 'snoozed', 'closed')),
  ref text constraint chat_messages_ref_length check (char_length(ref) <= 1000),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default private.now(),
  snoozed_until timestamptz,
  sent_at timestamptz,
  constraint chat_messages_one_each unique (question_id, chat_id)
);

comment on table public.chat_messages is 'Outbox and state of what was asked in chats. Service only.';
create index chat_messages_chat_idx on public.chat_messages (chat_id, ref);
create index chat_messages_open_idx on public.chat_messages (next_attempt_at) where state <> 'closed';

alter table public.chat_messages enable row level security;

-- Which process holds a service's connection. A lease: the Data API and poolers keep no session for an advisory lock.
create table public.chat_connections (
  service text primary key,
  holder uuid not null,
  held_until timestamptz not null,
  state text not null,
  reason text constraint chat_connections_reason_length check (char_length(reason) <= 500),
  bot_name text constraint chat_connections_bot_name_length check (char_length(bot_name) <= 255),
  last_error text constraint chat_connections_last_error_length check (char_length(last_error) <= 500),
  last_error_at timestamptz
);

comment on table public.chat_connections is 'Who holds the connection to a chat service, its state and last error. Service only.';

alter table public.chat_connections enable row level security;
