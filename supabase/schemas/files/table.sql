-- Why: pictures and recordings shown in comments, stories, tasks and jobs. The content is in a separate table, so that
-- listing files does not read it; supabase/README.md, Files, says why it is in the database at all. Written by functions only.
create table public.files (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  story_id uuid,
  task_id uuid,
  comment_id uuid references public.comments (id) on delete cascade,
  job_id uuid references public.agent_jobs (id) on delete cascade,
  name text not null constraint files_name_length check (char_length(name) between 1 and 200),
  type text not null constraint files_type_known check (type in
    ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'video/mp4', 'video/webm', 'application/pdf', 'text/plain')),
  size integer not null constraint files_size_allowed check (size between 1 and 10485760),
  created_by uuid default auth.uid() references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  constraint files_story_fkey foreign key (story_id, product_id) references public.stories (id, product_id) on delete cascade,
  constraint files_task_fkey foreign key (task_id, product_id) references public.tasks (id, product_id) on delete cascade
);

comment on table public.files is 'Files that people and agents attach in a product (docs/board.md).';
create index files_product_idx on public.files (product_id);
create index files_story_idx on public.files (story_id, product_id) where story_id is not null;
create index files_task_idx on public.files (task_id, product_id) where task_id is not null;
create index files_comment_idx on public.files (comment_id) where comment_id is not null;
create index files_job_idx on public.files (job_id) where job_id is not null;
create index files_created_by_idx on public.files (created_by);

alter table public.files enable row level security;

create policy files_select on public.files for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.files to authenticated;

-- Why: the content of a file, read by operations.read_file after it has checked access.
create table public.file_contents (
  file_id uuid primary key references public.files (id) on delete cascade,
  content bytea not null
);

-- Not compressed, so that a part of a file is read without the rest.
alter table public.file_contents alter column content set storage external;

comment on table public.file_contents is 'The bytes of files; service only.';

alter table public.file_contents enable row level security;
create policy file_contents_service on public.file_contents for all to service_role using (true) with check (true);
