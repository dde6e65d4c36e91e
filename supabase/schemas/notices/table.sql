-- The states of one delivery to a device or a webhook (specification: Agent question; push, webhooks).
create type public.notice_status as enum ('PENDING', 'DELIVERED', 'FAILED');

-- The outbox. Notices for people and webhooks are written in the transaction of the change and sent after its
-- commit: nothing is lost, and nothing is sent for a change that was rolled back. A row is also its own delivery log.
-- The id is the idempotency id of a webhook request.
create table public.notices (
  id uuid primary key default gen_random_uuid(),
  kind text not null constraint notices_kind check (kind in
    ('question_opened', 'question_answered', 'question_expired', 'run_paused', 'run_failed', 'run_done',
     'review_needed', 'budget_warning', 'mentioned', 'ping')),
  product_id uuid references public.products (id) on delete cascade,
  user_id uuid references public.users (id) on delete cascade,
  webhook_id uuid references public.webhooks (id) on delete cascade,
  payload jsonb not null,
  status public.notice_status not null default 'PENDING',
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default private.now(),
  response_status integer,
  last_error text constraint notices_last_error_length check (char_length(last_error) <= 1000),
  delivered_at timestamptz,
  created_at timestamptz not null default private.now(),
  constraint notices_one_target check (num_nonnulls(user_id, webhook_id) = 1)
);

comment on table public.notices is 'Outbox and delivery log of push messages and webhook requests. Service only.';
create index notices_due_idx on public.notices (next_attempt_at) where status = 'PENDING';
create index notices_done_idx on public.notices (created_at) where status <> 'PENDING';
create index notices_user_id_idx on public.notices (user_id);
create index notices_webhook_id_idx on public.notices (webhook_id, created_at, id);
create index notices_product_id_idx on public.notices (product_id);

alter table public.notices enable row level security;

-- A browser that accepts push messages (specification: Other records, Push subscription: belongs to one user). An
-- endpoint that the push service reports as gone is disabled, not retried forever.
create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  -- A browser is told things only while it is signed in; null for those from before sessions were noted.
  session_id uuid references public.user_sessions (id) on delete cascade,
  endpoint text not null unique
    constraint push_subscriptions_endpoint_form check (endpoint ~ '^https?://' and char_length(endpoint) <= 2000),
  p256dh text not null constraint push_subscriptions_p256dh_length check (char_length(p256dh) between 1 and 200),
  auth text not null constraint push_subscriptions_auth_length check (char_length(auth) between 1 and 100),
  user_agent text constraint push_subscriptions_user_agent_length check (char_length(user_agent) <= 255),
  last_error text constraint push_subscriptions_last_error_length check (char_length(last_error) <= 1000),
  disabled_at timestamptz,
  created_at timestamptz not null default private.now()
);

comment on table public.push_subscriptions is 'Web push subscriptions (specification: Other records), one user each.';
create index push_subscriptions_session_id_idx on public.push_subscriptions (session_id);
create index push_subscriptions_user_id_idx on public.push_subscriptions (user_id);

alter table public.push_subscriptions enable row level security;

create policy push_subscriptions_select on public.push_subscriptions for select to authenticated
  using (user_id = (select auth.uid()));
grant select (id, user_id, endpoint, user_agent, last_error, disabled_at, created_at) on public.push_subscriptions to authenticated;

-- Signed requests about a product's questions, runs and reviews. The secret is shown once, on creation.
create table public.webhooks (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  url text not null constraint webhooks_url_form check (url ~ '^https?://' and char_length(url) <= 2000),
  secret text not null constraint webhooks_secret_length check (char_length(secret) between 32 and 200),
  events jsonb not null default '[]'
    constraint webhooks_events check (jsonb_typeof(events) = 'array' and jsonb_array_length(events) between 1 and 10),
  active boolean not null default true,
  created_by uuid references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now()
);

comment on table public.webhooks is 'Outbound webhooks of a product: address, signing secret, chosen events.';
create index webhooks_product_id_idx on public.webhooks (product_id);
create index webhooks_created_by_idx on public.webhooks (created_by);

alter table public.webhooks enable row level security;

create policy webhooks_select on public.webhooks for select to authenticated
  using (product_id in (select private.owned_product_ids()));
grant select (id, product_id, url, events, active, created_by, created_at, updated_at) on public.webhooks to authenticated;
