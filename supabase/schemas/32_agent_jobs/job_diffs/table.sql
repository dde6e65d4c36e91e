-- Why: the changes of an attempt, file by file, for review. One row per attempt, replaced when the attempt sends again.
-- Written by functions only; private.make_room_for_diffs and the cleanup limit what a product keeps.
create table public.job_diffs (
  job_id uuid not null,
  attempt integer not null,
  product_id uuid not null references public.products (id) on delete cascade,
  base_sha text not null constraint job_diffs_base_sha_length check (char_length(base_sha) <= 64),
  head_sha text not null constraint job_diffs_head_sha_length check (char_length(head_sha) <= 64),
  additions integer not null constraint job_diffs_additions_positive check (additions >= 0),
  deletions integer not null constraint job_diffs_deletions_positive check (deletions >= 0),
  files jsonb not null constraint job_diffs_files_list check (jsonb_typeof(files) = 'array'),
  bytes integer not null constraint job_diffs_bytes_positive check (bytes >= 0),
  created_at timestamptz not null default private.now(),
  primary key (job_id, attempt),
  constraint job_diffs_attempt_fkey foreign key (job_id, attempt)
    references public.job_attempts (job_id, attempt) on delete cascade
);

comment on table public.job_diffs is 'What the attempts of agent jobs have changed (docs/review.md).';
comment on column public.job_diffs.files is
  'One object a file: path, old_path, status, additions, deletions, binary, folded, truncated, and patch as git writes it.';

create index job_diffs_product_id_idx on public.job_diffs (product_id, created_at);

alter table public.job_diffs enable row level security;

-- Read through operations.get_job_diff, which checks access once per diff.
create policy job_diffs_service on public.job_diffs for all to service_role using (true) with check (true);

grant select, insert, update, delete on public.job_diffs to service_role;
