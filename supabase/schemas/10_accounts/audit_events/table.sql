-- Why: sign-ins, pairings, token and role changes are recorded; users read their own, administrators all. A row
-- outlives its user and never holds a secret.
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

-- Users read events of their own account, administrators all. Nobody writes directly.
create policy audit_events_select_own_or_admin on public.audit_events
  for select to authenticated using (user_id = (select auth.uid()) or (select private.is_admin()));

grant select on public.audit_events to authenticated;
grant select, insert, update, delete on public.audit_events to service_role;
