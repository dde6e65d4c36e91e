-- One row for each landing of a branch on main, with its result. One branch of a product at a time, so that each is
-- tested on the main it is merged into. Written by next_landing, report_landing and observed pull requests. `ours_sha`
-- is the work, `head_sha` what is tested and merged: the work, merged with the main branch if that has moved on.
create table public.landings (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  branch text not null constraint landings_branch_length check (char_length(branch) between 1 and 200),
  ours_sha text not null constraint landings_ours_sha_length check (char_length(ours_sha) <= 64),
  head_sha text constraint landings_head_sha_length check (char_length(head_sha) <= 64),
  state text not null default 'working'
    constraint landings_state_known check (state in ('working', 'waiting_ci', 'landed', 'conflict', 'test_failed', 'refused')),
  words text constraint landings_words_length check (char_length(words) <= 10000),
  worker text not null constraint landings_worker_length check (char_length(worker) <= 200),
  tries integer not null default 0,
  lease uuid not null default gen_random_uuid(),
  lease_until timestamptz not null,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  finished_at timestamptz,
  constraint landings_finished check ((state in ('working', 'waiting_ci')) = (finished_at is null))
);

comment on table public.landings is 'Branches on their way to the main branch, one at a time in a product (docs/forges.md).';
create unique index landings_one_at_a_time on public.landings (product_id) where finished_at is null;
create index landings_job_idx on public.landings (job_id);
create index landings_product_idx on public.landings (product_id, created_at);

alter table public.landings enable row level security;

create policy landings_select on public.landings for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
revoke select on public.landings from authenticated;
-- Without the lease: who has it may report for the worker.
grant select (id, product_id, job_id, branch, ours_sha, head_sha, state, words, worker, tries, lease_until, created_at, updated_at, finished_at)
  on public.landings to authenticated;
