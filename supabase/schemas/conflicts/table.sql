-- A merge conflict between two branches is resolved by the later job. One row for each time it was met, with both
-- versions, so that the next attempt has them, and the run can pause after two failed tries.
create table public.job_conflicts (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  attempt integer not null constraint job_conflicts_attempt_positive check (attempt >= 0),
  kind text not null constraint job_conflicts_kind_known check (kind in ('branch', 'base', 'sibling')),
  other_job_id uuid references public.agent_jobs (id) on delete set null,
  branch text not null constraint job_conflicts_branch_length check (char_length(branch) <= 200),
  ours_sha text not null constraint job_conflicts_ours_sha_length check (char_length(ours_sha) <= 64),
  theirs_sha text not null constraint job_conflicts_theirs_sha_length check (char_length(theirs_sha) <= 64),
  files jsonb not null constraint job_conflicts_files_list check (jsonb_typeof(files) = 'array'),
  decision text not null constraint job_conflicts_decision_known check (decision in ('home', 'paused', 'noted')),
  created_at timestamptz not null default private.now()
);

comment on table public.job_conflicts is 'Work that does not merge, and the job that resolves it (docs/dependencies.md).';
comment on column public.job_conflicts.job_id is 'The job that resolves it; attempt is the one that had ended, or was at work, when the conflict was found.';
comment on column public.job_conflicts.kind is 'What the work conflicts with: its own branch, the main branch, or another branch of the run.';
comment on column public.job_conflicts.files is 'One object per file: path, and the content on each side (ours, theirs), truncated.';
comment on column public.job_conflicts.decision is 'home: the job returned to the queue; paused: two tries failed; noted: the next claim gets it.';
create index job_conflicts_job_id_idx on public.job_conflicts (job_id, created_at);
create index job_conflicts_other_job_id_idx on public.job_conflicts (other_job_id) where other_job_id is not null;
create index job_conflicts_product_id_idx on public.job_conflicts (product_id);

alter table public.job_conflicts enable row level security;

-- Read with a claim and through functions that check access.
