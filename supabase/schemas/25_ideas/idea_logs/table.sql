-- Why: the history on an idea's page: created, edited, moved, linked, promoted, asked, answered.
create table public.idea_logs (
  id uuid primary key default gen_random_uuid(),
  idea_id uuid not null references public.ideas (id) on delete cascade,
  user_id uuid references public.users (id) on delete set null,
  kind text not null constraint idea_logs_kind_form check (kind ~ '^[A-Z][A-Z_]{1,39}$'),
  content text not null default '' constraint idea_logs_content_length check (char_length(content) <= 100000),
  created_at timestamptz not null default private.now()
);

comment on table public.idea_logs is 'The log of an idea (specification: Other records, idea log). Written by triggers.';

create index idea_logs_idea_id_idx on public.idea_logs (idea_id, created_at);
create index idea_logs_user_id_idx on public.idea_logs (user_id);

alter table public.idea_logs enable row level security;

create policy idea_logs_select on public.idea_logs for select to authenticated
  using (idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid())));

grant select on public.idea_logs to authenticated;
grant select, insert, update, delete on public.idea_logs to service_role;
