-- Running applications of jobs that people can try (docs/previews.md).
create table public.previews (
  id text primary key default left(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'), 32)
    constraint previews_id_form check (id ~ '^[0-9a-f]{32}$'),
  product_id uuid not null references public.products (id) on delete cascade,
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  worker_id uuid references public.agent_workers (id) on delete set null,
  head_sha text not null constraint previews_head_sha_length check (char_length(head_sha) <= 64),
  branch_sha text constraint previews_branch_sha_length check (char_length(branch_sha) <= 64),
  state text not null default 'starting' constraint previews_state_known check (state in ('starting', 'ready', 'failed', 'stopped')),
  stopped_by text constraint previews_stopped_by_known check (stopped_by in ('person', 'idle', 'worker', 'review')),
  log jsonb not null default '[]' constraint previews_log_list
    check (jsonb_typeof(log) = 'array' and jsonb_array_length(log) <= 20 and octet_length(log::text) <= 65536),
  started_by uuid references public.users (id) on delete set null,
  heard_at timestamptz,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint previews_stopped check ((state = 'stopped') = (stopped_by is not null))
);
create unique index previews_one_alive on public.previews (job_id) where state in ('starting', 'ready');
create index previews_job_idx on public.previews (job_id, created_at);
create index previews_product_idx on public.previews (product_id);
create index previews_worker_idx on public.previews (worker_id) where state in ('starting', 'ready');
create index previews_started_by_idx on public.previews (started_by) where started_by is not null;
create table public.preview_tickets (
  ticket_hash bytea primary key constraint preview_tickets_hash_length check (octet_length(ticket_hash) = 32),
  preview_id text not null references public.previews (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  session_id uuid not null references public.user_sessions (id) on delete cascade,
  expires_at timestamptz not null
);
create index preview_tickets_preview_id_idx on public.preview_tickets (preview_id);
create index preview_tickets_user_id_idx on public.preview_tickets (user_id);
create index preview_tickets_session_id_idx on public.preview_tickets (session_id);
create index preview_tickets_expires_at_idx on public.preview_tickets (expires_at);
alter table public.agent_workers
  add column previews smallint not null default 0;
