-- Imports that are followed while they run.
create table public.imports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  rows integer not null constraint imports_rows_positive check (rows >= 0),
  state text not null default 'running' constraint imports_state_known check (state in ('running', 'done', 'failed')),
  report jsonb,
  error text constraint imports_error_length check (char_length(error) <= 10000),
  created_at timestamptz not null default now()
);
create index imports_user_id_idx on public.imports (user_id, created_at);
