-- Why: the outbox. Notices for people and webhooks are written in the transaction of the change and sent after its
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

create policy notices_service on public.notices for all to service_role using (true) with check (true);
grant select, insert, update, delete on public.notices to service_role;
