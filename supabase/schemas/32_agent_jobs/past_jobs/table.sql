-- Why: the scheduled cleanup deletes failed and cancelled jobs, but what they pushed is still where the next run begins
-- and what other tasks wait for. One row a deleted job, with its id and what private.works reads of it. Written by the
-- cleanup and by merges only.
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

comment on table public.past_jobs is 'What stays of the work of deleted agent jobs (docs/worker.md, Where a run starts).';

create index past_jobs_product_id_idx on public.past_jobs (product_id);
create index past_jobs_task_id_idx on public.past_jobs (task_id);
create index past_jobs_sprint_run_id_idx on public.past_jobs (sprint_run_id);

alter table public.past_jobs enable row level security;

create policy past_jobs_select on public.past_jobs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.past_jobs to authenticated;
grant select, insert, update, delete on public.past_jobs to service_role;
