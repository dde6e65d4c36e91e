-- Why: one claim of a job is one attempt. The job has the current state; this has who tried, when, and how each attempt
-- ended. Written by triggers and functions only. product_id has no foreign key, because its check would make all
-- writers of a product contend for the product's row.
create table public.job_attempts (
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  attempt integer not null constraint job_attempts_attempt_positive check (attempt >= 1),
  product_id uuid not null,
  worker_id uuid references public.agent_workers (id) on delete set null,
  worker_name text not null,
  confinement public.confinement not null default 'none',
  started_at timestamptz not null,
  ended_at timestamptz,
  outcome text constraint job_attempts_outcome_known
    check (outcome in ('done', 'skipped', 'failed', 'cancelled', 'rate_limited', 'question', 'lost', 'returned', 'budget', 'conflict',
      'failed_look')),
  head_sha text constraint job_attempts_head_sha_length check (char_length(head_sha) <= 64),
  session_id text constraint job_attempts_session_id_length check (char_length(session_id) <= 300),
  kept_ref text constraint job_attempts_kept_ref_length check (char_length(kept_ref) <= 300),
  last_seq bigint not null default 0,
  output_bytes bigint not null default 0,
  dropped_from bigint,
  dropped_to bigint,
  told_at timestamptz,
  primary key (job_id, attempt),
  constraint job_attempts_ended check ((ended_at is null) = (outcome is null))
);

comment on table public.job_attempts is
  'Attempts of agent jobs: one a claim, with its worker, its end, and how far its output goes (specification: Agent job).';
comment on column public.job_attempts.dropped_from is
  'First and last seq of the middle of a long output that was let go; null while everything is there.';
comment on column public.job_attempts.told_at is 'When viewers were last told that there is more to read: at most once a second.';

create index job_attempts_product_id_idx on public.job_attempts (product_id);
create index job_attempts_worker_id_idx on public.job_attempts (worker_id);

alter table public.job_attempts enable row level security;

-- Only its owner may read a conversation about an idea.
create policy job_attempts_select on public.job_attempts for select to authenticated
  using (job_id in (select j.id from public.agent_jobs j where j.kind <> 'PLAN_CHAT' or j.created_by = (select auth.uid()))
    and product_id in (select private.accessible_product_ids()));

grant select on public.job_attempts to authenticated;
grant select, insert, update, delete on public.job_attempts to service_role;
