-- Why: what was planned, tested and committed for a story (specification: Story log entry). Entries are never changed.
-- Constraints refuse fields of another type. `job_id` is the agent job that wrote the entry, if any.
create table public.story_logs (
  id uuid primary key default gen_random_uuid(),
  story_id uuid not null,
  product_id uuid not null references public.products (id) on delete cascade,
  type public.story_log_type not null,
  content text not null constraint story_logs_content_length check (char_length(content) between 1 and 100000),
  status public.story_log_status,
  commit_hash text constraint story_logs_commit_hash_length check (char_length(commit_hash) between 1 and 200),
  commit_message text constraint story_logs_commit_message_length check (char_length(commit_message) between 1 and 100000),
  metadata jsonb
    constraint story_logs_metadata_object check (jsonb_typeof(metadata) = 'object'),
  user_id uuid default auth.uid() references public.users (id) on delete set null,
  job_id uuid,
  created_at timestamptz not null default private.now(),
  constraint story_logs_status_of_test_result check ((type = 'TEST_RESULT') = (status is not null)),
  constraint story_logs_commit_fields check (
    (type = 'COMMIT') = (commit_hash is not null) and (type = 'COMMIT') = (commit_message is not null)
  ),
  constraint story_logs_story_fkey foreign key (story_id, product_id)
    references public.stories (id, product_id) on delete cascade
);

-- At most 64 KiB, counted without the spaces jsonb adds. Not valid, because older entries, from when the Data API
-- accepted twice as much, stay unchanged.
alter table public.story_logs
  add constraint story_logs_metadata_size check (
    octet_length(metadata::text) <= 65536
    or octet_length(regexp_replace(metadata::text, '("(?:[^"\\]|\\.)*")| ', '\1', 'g')) <= 65536
  ) not valid;

comment on table public.story_logs is 'Story log entries (specification: Story log entry).';

create index story_logs_story_idx on public.story_logs (story_id, product_id, created_at, id);
create index story_logs_product_id_idx on public.story_logs (product_id);
create index story_logs_user_id_idx on public.story_logs (user_id);

alter table public.story_logs enable row level security;

-- Members read log entries and add them in their own name; nobody changes them (specification: Story log entry).
create policy story_logs_select on public.story_logs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy story_logs_insert on public.story_logs for insert to authenticated
  with check (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()));

create policy story_logs_no_demo_insert on public.story_logs as restrictive for insert to authenticated
  with check (not (select private.is_demo()));

grant select on public.story_logs to authenticated;

grant insert (id, story_id, type, content, status, commit_hash, commit_message, metadata)
  on public.story_logs to authenticated;

grant select, insert, update, delete on public.story_logs to service_role;
