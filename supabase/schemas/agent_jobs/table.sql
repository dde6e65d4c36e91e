-- States of an agent job (specification: Agent job).
create type public.agent_job_status as enum ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED');

-- Enumerations of the agent side that are not states (specification: Agent job, Agent question).
create type public.agent_job_kind as enum ('TASK_IMPLEMENTATION', 'PLAN_CHAT', 'SPRINT_IMPLEMENTATION');

-- Result of the verification gate (specification: Agent job).
create type public.verify_result as enum ('ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT');

-- What a queued job needs: a worker to do it, another worker to check it, a person or CI to approve it
-- (docs/proof.md), or a person to approve its plan (docs/worker.md).
create type public.job_phase as enum ('implement', 'verify', 'review', 'plan');

-- Why a job failed or was requeued; decides what happens next (specification: Agent job).
create type public.failure_class as enum
  ('agent_error', 'verification_failed', 'rate_limited', 'infrastructure', 'cancelled');

-- A report as one value with named fields. A missing one is null and changes nothing (specification: Agent job).
create type private.job_report as (
  status text,
  verify_result text,
  summary text,
  failure_class text,
  failure_reason text,
  resets_at timestamptz,
  base_sha text,
  head_sha text,
  branch text,
  pushed_at timestamptz,
  pr_url text,
  session_id text,
  kept_ref text,
  model_id text,
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  events jsonb,
  evidence jsonb,
  implementation_plan text,
  lessons jsonb,
  agent text,
  "references" jsonb
);

-- The workers' queue (specification: Agent job). The contract's columns, and five that keep claims cheap:
-- lane_id        the branch queue (run, story or job): jobs that share a branch run one after another
-- position       the place in PBI, story, task order within the run
-- in_turn        true once every earlier job of the branch queue is finished, so that a claim reads only claimable jobs
-- open_blockers  number of unfinished blockers (private.recount_blockers); agents only get jobs with 0
-- claim_rank     0 for a job that returns with an answer (it goes first), otherwise 1
create table public.agent_jobs (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  task_id uuid references public.tasks (id) on delete cascade,
  idea_id uuid references public.ideas (id) on delete cascade,
  kind public.agent_job_kind not null,
  status public.agent_job_status not null default 'QUEUED',
  sprint_run_id uuid references public.sprint_runs (id) on delete cascade,
  lane_id uuid not null,
  position integer not null default 0,
  in_turn boolean not null default true,
  open_blockers integer not null default 0,
  claim_rank smallint not null default 1,
  phase public.job_phase not null default 'implement',
  author_worker_id uuid references public.agent_workers (id) on delete set null,
  branch text constraint agent_jobs_branch_length check (char_length(branch) <= 200),
  plan_snapshot text,
  plan_approved_at timestamptz,
  pushed_at timestamptz,
  pr_url text constraint agent_jobs_pr_url_form check (pr_url ~ '^https?://' and char_length(pr_url) <= 2000),
  verify_result public.verify_result,
  retry_count integer not null default 0,
  attempt integer not null default 0,
  agent text constraint agent_jobs_agent_length check (char_length(agent) <= 100),
  model text constraint agent_jobs_model_length check (char_length(model) <= 200),
  effort text constraint agent_jobs_effort_length check (char_length(effort) <= 10),
  fallback_agent text constraint agent_jobs_fallback_agent_length check (char_length(fallback_agent) <= 100),
  worker_id uuid references public.agent_workers (id) on delete set null,
  confinement public.confinement not null default 'none',
  claimed_at timestamptz,
  started_at timestamptz,
  lease_until timestamptz,
  not_before timestamptz,
  base_sha text constraint agent_jobs_base_sha_length check (char_length(base_sha) <= 64),
  merged_at timestamptz,
  head_sha text constraint agent_jobs_head_sha_length check (char_length(head_sha) <= 64),
  model_id text constraint agent_jobs_model_id_length check (char_length(model_id) <= 200),
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  additions integer,
  deletions integer,
  evidence jsonb,
  failure_class public.failure_class,
  failure_reason text constraint agent_jobs_failure_reason_length check (char_length(failure_reason) <= 4000),
  summary text constraint agent_jobs_summary_length check (char_length(summary) <= 20000),
  parked_question_id uuid,
  stopped_by_budget_id uuid,
  created_by uuid references public.users (id) on delete set null,
  taken_by uuid references public.users (id) on delete set null,
  taken_until timestamptz,
  take_at_once boolean not null default false,
  finished_at timestamptz,
  first_seen_at timestamptz,
  judged_at timestamptz,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  -- One check for all counters: each check costs time in every statement that writes a job.
  constraint agent_jobs_counts_positive check (
    least(open_blockers, retry_count, attempt, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, additions, deletions) >= 0
  ),
  constraint agent_jobs_task_or_idea check (num_nonnulls(task_id, idea_id) = 1),
  constraint agent_jobs_kind_target check (
    (kind = 'PLAN_CHAT') = (idea_id is not null)
    and (kind <> 'SPRINT_IMPLEMENTATION' or sprint_run_id is not null)
  ),
  constraint agent_jobs_finished check (
    (status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED')) = (finished_at is not null)
  )
);

alter table public.agent_jobs
  add constraint agent_jobs_parked_question_id_fkey
  foreign key (parked_question_id) references public.agent_questions (id) on delete set null;
alter table public.agent_jobs
  add constraint agent_jobs_stopped_by_budget_id_fkey
  foreign key (stopped_by_budget_id) references public.budgets (id) on delete set null;

comment on table public.agent_jobs is
  'Agent jobs (specification: Agent job): one a task of a run, one a batch run, or one a question about an idea.';
comment on column public.agent_jobs.author_worker_id is 'Worker that did the work to verify. Any other worker may verify it.';
comment on column public.agent_jobs.agent is
  'Agent of its last attempt: the named one, or the first agent of the worker. Model and effort are those of that attempt.';
comment on column public.agent_jobs.fallback_agent is 'Agent of the product''s fallback list that has it now. Overrides task, story and product.';
comment on column public.agent_jobs.confinement is 'Sandbox of its last attempt.';
comment on column public.agent_jobs.evidence is 'Evidence a worker sent for verification: changed files and test results.';
comment on column public.agent_jobs.additions is 'Lines that the newest diff of the job adds, for chips; null until there is one.';
comment on column public.agent_jobs.merged_at is
  'Since when its work is known to be on the main branch; looked for where a product asks for it (docs/dependencies.md).';
comment on column public.agent_jobs.first_seen_at is 'When a person first opened its changes.';
comment on column public.agent_jobs.judged_at is 'When the first verdict came.';
comment on column public.agent_jobs.plan_approved_at is 'When a person approved plan_snapshot, which no later plan of its task replaces.';
comment on column public.agent_jobs.taken_by is 'Person who has it in a terminal, or is taking it over.';
comment on column public.agent_jobs.taken_until is
  'Until when it waits for taken_by, while its agent ends; null once the person has it.';
comment on column public.agent_jobs.take_at_once is 'Whether its agent ends at once instead of after its tool call.';
comment on column public.agent_jobs.stopped_by_budget_id is 'The budget that stopped the last attempt; null once it is claimed again.';

-- A claim walks this index: the claimable jobs of one product in claim order.
create index agent_jobs_claim_order_idx on public.agent_jobs (product_id, claim_rank, created_at, position, id)
  where status = 'QUEUED' and in_turn and open_blockers = 0;

-- The order within a branch queue, and whether a run has unfinished jobs.
create index agent_jobs_unfinished_idx on public.agent_jobs (sprint_run_id, lane_id, position)
  where status in ('QUEUED', 'CLAIMED', 'RUNNING');
create index agent_jobs_lease_idx on public.agent_jobs (lease_until) where status in ('CLAIMED', 'RUNNING');
create index agent_jobs_review_idx on public.agent_jobs (product_id) where status = 'QUEUED' and phase = 'review';
create index agent_jobs_held_idx on public.agent_jobs (worker_id) where status in ('CLAIMED', 'RUNNING');
create index agent_jobs_sprint_run_id_idx on public.agent_jobs (sprint_run_id, position);
create index agent_jobs_task_id_idx on public.agent_jobs (task_id);
create index agent_jobs_idea_id_idx on public.agent_jobs (idea_id) where idea_id is not null;
create index agent_jobs_worker_id_idx on public.agent_jobs (worker_id);
create index agent_jobs_author_worker_id_idx on public.agent_jobs (author_worker_id) where author_worker_id is not null;
create index agent_jobs_parked_question_id_idx on public.agent_jobs (parked_question_id)
  where parked_question_id is not null;
create index agent_jobs_stopped_by_budget_id_idx on public.agent_jobs (stopped_by_budget_id)
  where stopped_by_budget_id is not null;
create index agent_jobs_taken_by_idx on public.agent_jobs (taken_by) where taken_by is not null;
create index agent_jobs_created_by_idx on public.agent_jobs (created_by);
create index agent_jobs_product_id_idx on public.agent_jobs (product_id, created_at, id);

-- The usage of finished tasks, newest first: a claim under a budget reads a hundred of them.
create index agent_jobs_done_idx on public.agent_jobs (product_id, finished_at) where status = 'DONE' and kind = 'TASK_IMPLEMENTATION';
create index agent_jobs_cleanup_idx on public.agent_jobs (finished_at) where status in ('FAILED', 'CANCELLED');

alter table public.agent_jobs enable row level security;

create policy agent_jobs_select on public.agent_jobs for select to authenticated
  using (
    product_id in (select private.accessible_product_ids())
    and (kind <> 'PLAN_CHAT' or created_by = (select auth.uid()))
  );
grant select on public.agent_jobs to authenticated;
grant insert on public.agent_jobs to authenticated;

-- One claim of a job is one attempt. The job has the current state; this has who tried, when, and how each attempt
-- ended. Written by triggers and functions only. product_id has no foreign key: its check would make writers contend.
create table public.job_attempts (
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  attempt integer not null constraint job_attempts_attempt_positive check (attempt >= 1),
  product_id uuid not null,
  worker_id uuid references public.agent_workers (id) on delete set null,
  worker_name text not null,
  agent text constraint job_attempts_agent_length check (char_length(agent) <= 100),
  confinement public.confinement not null default 'none',
  started_at timestamptz not null,
  ended_at timestamptz,
  outcome text constraint job_attempts_outcome_known
    check (outcome in ('done', 'skipped', 'failed', 'cancelled', 'rate_limited', 'question', 'lost', 'returned', 'budget', 'conflict',
      'failed_look')),
  head_sha text constraint job_attempts_head_sha_length check (char_length(head_sha) <= 64),
  session_id text constraint job_attempts_session_id_length check (char_length(session_id) <= 300),
  kept_ref text constraint job_attempts_kept_ref_length check (char_length(kept_ref) <= 300),
  "references" jsonb not null default '[]' constraint job_attempts_references_form check (jsonb_typeof("references") = 'array'
    and octet_length("references"::text) <= 2000),
  last_seq bigint not null default 0,
  output_bytes bigint not null default 0,
  dropped_from bigint,
  dropped_to bigint,
  told_at timestamptz,
  primary key (job_id, attempt),
  constraint job_attempts_ended check ((ended_at is null) = (outcome is null))
);

comment on table public.job_attempts is 'Attempts of jobs, one per claim, with worker, end and last output entry (specification: Agent job).';
comment on column public.job_attempts.agent is 'The agent that did it; null for a command, and for workers that announce none.';
comment on column public.job_attempts."references" is 'The commits of other repositories that its agent could read.';
comment on column public.job_attempts.dropped_from is
  'First and last seq of the middle of a long output that was let go; null while everything is there.';
comment on column public.job_attempts.told_at is 'When viewers were last notified of new output, at most once a second.';
create index job_attempts_product_id_idx on public.job_attempts (product_id, started_at);
create index job_attempts_worker_id_idx on public.job_attempts (worker_id);

alter table public.job_attempts enable row level security;

-- Only its owner may read a conversation about an idea.
create policy job_attempts_select on public.job_attempts for select to authenticated
  using (exists (select from public.agent_jobs j where j.id = job_attempts.job_id and (j.kind <> 'PLAN_CHAT' or j.created_by = (select auth.uid())))
    and product_id in (select private.accessible_product_ids()));
grant select on public.job_attempts to authenticated;

-- The scheduled cleanup deletes failed and cancelled jobs, but what they pushed is still where the next run begins and
-- what other tasks wait for. One row a deleted job, with what private.works reads. Written by the cleanup and merges.
create table public.past_jobs (
  id uuid primary key,
  product_id uuid not null references public.products (id) on delete cascade,
  task_id uuid not null references public.tasks (id) on delete cascade,
  kind public.agent_job_kind not null,
  status public.agent_job_status not null,
  sprint_run_id uuid references public.sprint_runs (id) on delete cascade,
  branch text constraint past_jobs_branch_length check (char_length(branch) <= 200),
  base_sha text constraint past_jobs_base_sha_length check (char_length(base_sha) <= 64),
  head_sha text constraint past_jobs_head_sha_length check (char_length(head_sha) <= 64),
  commits integer,
  pushed_at timestamptz,
  merged_at timestamptz,
  finished_at timestamptz not null,
  created_at timestamptz not null
);

comment on table public.past_jobs is 'Work of deleted jobs that later runs still need (docs/worker.md).';
create index past_jobs_product_id_idx on public.past_jobs (product_id);
create index past_jobs_task_id_idx on public.past_jobs (task_id);
create index past_jobs_sprint_run_id_idx on public.past_jobs (sprint_run_id);

alter table public.past_jobs enable row level security;

create policy past_jobs_select on public.past_jobs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.past_jobs to authenticated;
