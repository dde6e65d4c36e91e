-- People review an attempt's work in rounds. A review is one round: a verdict, a summary, and its author's
-- collected comments. Never changed; a task's newest review decides what its next attempt gets. An imported review has
-- no job and belongs to its task. Written by functions only.
create table public.job_reviews (
  id uuid primary key default gen_random_uuid(),
  job_id uuid references public.agent_jobs (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  attempt integer not null constraint job_reviews_attempt_positive check (attempt >= 1),
  verdict text not null constraint job_reviews_verdict_known check (verdict in ('approve', 'request_changes')),
  summary text not null constraint job_reviews_summary_length check (char_length(summary) <= 10000),
  author_id uuid references public.users (id) on delete set null,
  author text not null,
  created_at timestamptz not null default private.now(),
  head_sha text constraint job_reviews_head_sha_length check (char_length(head_sha) <= 64),
  task_id uuid references public.tasks (id) on delete cascade,
  handed_in_at timestamptz,
  first_seen_at timestamptz,
  constraint job_reviews_one_place check (num_nonnulls(job_id, task_id) = 1)
);

comment on table public.job_reviews is 'Reviews of the work of agent jobs (docs/review.md).';
comment on column public.job_reviews.head_sha is 'The commit that was judged, where it is known.';
comment on column public.job_reviews.handed_in_at is 'When the attempt ended that was judged, where it is known.';
comment on column public.job_reviews.first_seen_at is 'When a person first opened the changes of its job, where it is known.';
create index job_reviews_job_id_idx on public.job_reviews (job_id, created_at);
create index job_reviews_product_id_idx on public.job_reviews (product_id);
create index job_reviews_task_id_idx on public.job_reviews (task_id) where task_id is not null;
create index job_reviews_author_id_idx on public.job_reviews (author_id);

alter table public.job_reviews enable row level security;

-- Read through operations.list_job_comments, which checks access once.

-- A comment on a line of a diff, visible only to its author until it is sent with a review. It stores the text of its
-- line, to find the line after it moves, and to be marked stale when it is gone. An imported one has no job.
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
