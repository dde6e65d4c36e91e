-- Why: what an agent says and does while it works, entry by entry, for people to watch or read later. Entries are never
-- changed; the same seq sent twice is one entry. Kept for 14 days.
create table public.job_outputs (
  job_id uuid not null,
  attempt integer not null,
  seq bigint not null constraint job_outputs_seq_positive check (seq >= 1),
  at timestamptz not null,
  kind text not null constraint job_outputs_kind_known
    check (kind in ('text', 'thought', 'plan', 'command', 'tool', 'edit', 'test', 'note', 'error')),
  text text not null,
  title text constraint job_outputs_title_length check (char_length(title) <= 1000),
  path text constraint job_outputs_path_length check (char_length(path) <= 2000),
  status text constraint job_outputs_status_length check (char_length(status) <= 100),
  created_at timestamptz not null default private.now(),
  primary key (job_id, attempt, seq),
  constraint job_outputs_attempt_fkey foreign key (job_id, attempt)
    references public.job_attempts (job_id, attempt) on delete cascade
);

comment on table public.job_outputs is 'What an agent says and does in an attempt, entry by entry (docs/agents.md).';

create index job_outputs_created_at_idx on public.job_outputs (created_at);

alter table public.job_outputs enable row level security;

-- Read through operations.get_job_output, which checks access once per page of entries.
create policy job_outputs_service on public.job_outputs for all to service_role using (true) with check (true);

grant select, insert, update, delete on public.job_outputs to service_role;
