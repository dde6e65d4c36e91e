-- Why: a browser that accepts push messages (specification: Other records, Push subscription: belongs to one user). An
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
grant select, insert, update, delete on public.push_subscriptions to service_role;
