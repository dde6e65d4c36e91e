-- Why: several workers see the same thing, even again after a restart: the key lets only the first observation have
-- effects.
create table public.pull_reactions (
  pull_id uuid not null references public.pulls (id) on delete cascade,
  kind text not null constraint pull_reactions_kind_known
    check (kind in ('ci_failed', 'ci_passed', 'changes_requested', 'review_comment', 'conflict', 'merged', 'closed')),
  external_id text not null constraint pull_reactions_external_id_length check (char_length(external_id) <= 200),
  head_sha text not null constraint pull_reactions_head_sha_length check (char_length(head_sha) <= 64),
  job_id uuid references public.agent_jobs (id) on delete set null,
  decision text not null constraint pull_reactions_decision_known check (decision in ('returned', 'asked', 'noted')),
  created_at timestamptz not null default private.now(),
  primary key (pull_id, kind, external_id, head_sha)
);

comment on table public.pull_reactions is 'What followed from what was seen of a pull request, once each (docs/forges.md).';

create index pull_reactions_job_id_idx on public.pull_reactions (job_id) where job_id is not null;

alter table public.pull_reactions enable row level security;

-- Read and written by functions only.
create policy pull_reactions_service on public.pull_reactions for all to service_role using (true) with check (true);

grant select, insert, update, delete on public.pull_reactions to service_role;
