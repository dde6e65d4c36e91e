-- Work that came back to its agent, and what for: one row an attempt and cause. Lessons are measured by
-- it after the cleanup of jobs, so it refers to none. Written by private.note_return only.
create table public.task_returns (
  job_id uuid not null,
  attempt integer not null,
  cause text not null constraint task_returns_cause_known check (cause in ('changes_requested', 'proof_voided', 'ci_failed')),
  product_id uuid not null references public.products (id) on delete cascade,
  task_id uuid not null references public.tasks (id) on delete cascade,
  begun_at timestamptz not null,
  created_at timestamptz not null default private.now(),
  constraint task_returns_pkey primary key (job_id, attempt, cause)
);

comment on table public.task_returns is 'Work that came back to its agent, by cause (docs/inbox.md, Lessons).';
comment on column public.task_returns.begun_at is 'When the attempt began whose work came back.';
create index task_returns_product_id_idx on public.task_returns (product_id, begun_at);
create index task_returns_task_id_idx on public.task_returns (task_id, created_at);

alter table public.task_returns enable row level security;

-- A sentence that an attempt proposes, and agents read once a person accepted it. Read and written by functions only.
create table public.lessons (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  text text not null constraint lessons_text_length check (char_length(text) between 1 and 300)
    constraint lessons_text_one_line check (text !~ '[[:cntrl:]]'),
  status text not null default 'proposed'
    constraint lessons_status_known check (status in ('proposed', 'accepted', 'declined', 'retired')),
  cause text not null constraint lessons_cause_known check (cause in ('changes_requested', 'proof_voided', 'ci_failed')),
  job_id uuid references public.agent_jobs (id) on delete set null,
  task_id uuid references public.tasks (id) on delete set null,
  label_ids uuid[] not null default '{}',
  accepted_by text,
  since timestamptz,
  before integer[] not null default '{0,0}' constraint lessons_before_form check (cardinality(before) = 2),
  after integer[] not null default '{0,0}' constraint lessons_after_form check (cardinality(after) = 2),
  counted_from timestamptz,
  weighed_at timestamptz,
  has_effect boolean,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint lessons_since_accepted check ((status in ('accepted', 'retired')) = (since is not null))
);

comment on table public.lessons is 'Lessons from rework that people accept (docs/inbox.md, Lessons).';
comment on column public.lessons.label_ids is 'Labels of its task and story: whether it helps is counted among tasks with one of them, without labels among all.';
comment on column public.lessons.before is 'Tasks that came back for the same cause before the verdict, of tasks.';
comment on column public.lessons.after is 'The same since it was accepted, as far as counted_from; what followed is counted when it is read.';
comment on column public.lessons.has_effect is 'Whether fewer tasks came back after 30 of them; false proposes its own end.';
create index lessons_product_id_idx on public.lessons (product_id, created_at);
create index lessons_accepted_idx on public.lessons (product_id) where status = 'accepted';
create index lessons_waiting_idx on public.lessons (product_id) where status = 'proposed' or (status = 'accepted' and not has_effect);
create index lessons_job_id_idx on public.lessons (job_id);
create index lessons_task_id_idx on public.lessons (task_id);

alter table public.lessons enable row level security;
