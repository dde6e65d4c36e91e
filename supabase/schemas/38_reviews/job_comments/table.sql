-- Why: a comment on a line of a diff, visible only to its author until it is sent with a review. It stores the text of
-- its line, to find the line after it moves, and to be marked stale when it is gone. An imported one has a review and
-- no job. Written by functions only.
create table public.job_comments (
  id uuid primary key default gen_random_uuid(),
  job_id uuid references public.agent_jobs (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  review_id uuid references public.job_reviews (id) on delete cascade,
  attempt integer not null constraint job_comments_attempt_positive check (attempt >= 1),
  path text not null constraint job_comments_path_length check (char_length(path) between 1 and 4096),
  line integer not null constraint job_comments_line_positive check (line >= 1),
  side text not null constraint job_comments_side_known check (side in ('old', 'new')),
  line_text text not null constraint job_comments_line_text_length check (char_length(line_text) <= 2000),
  body text not null constraint job_comments_body_length check (char_length(body) between 1 and 10000),
  author_id uuid references public.users (id) on delete cascade,
  author text not null,
  created_at timestamptz not null default private.now(),
  constraint job_comments_has_place check (job_id is not null or review_id is not null)
);

comment on table public.job_comments is 'Comments on lines of diffs; drafts until they are sent with a review (docs/review.md).';

create index job_comments_job_id_idx on public.job_comments (job_id, created_at);
create index job_comments_product_id_idx on public.job_comments (product_id);
create index job_comments_review_id_idx on public.job_comments (review_id);
create index job_comments_author_id_idx on public.job_comments (author_id);

alter table public.job_comments enable row level security;

-- Read through operations.list_job_comments, because a draft is visible only to its author.
create policy job_comments_service on public.job_comments for all to service_role using (true) with check (true);

grant select, insert, update, delete on public.job_comments to service_role;
