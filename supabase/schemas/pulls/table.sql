-- What workers last saw of a pull request, one row each, without a secret. Written by operations.observe_pulls only.
create table public.pulls (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  number integer not null constraint pulls_number_positive check (number >= 1),
  url text not null constraint pulls_url_form check (url ~ '^https?://' and char_length(url) <= 2000),
  branch text not null constraint pulls_branch_length check (char_length(branch) between 1 and 200),
  head_sha text not null constraint pulls_head_sha_length check (char_length(head_sha) <= 64),
  state text not null constraint pulls_state_known check (state in ('open', 'closed', 'merged')),
  draft boolean not null default false,
  mergeable boolean,
  ci text not null default 'none' constraint pulls_ci_known check (ci in ('none', 'pending', 'passed', 'failed')),
  review text not null default 'none' constraint pulls_review_known check (review in ('none', 'approved', 'changes_requested')),
  observed_at timestamptz not null,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint pulls_one_url unique (product_id, url)
);

comment on table public.pulls is 'Pull requests of branches that jobs work on, as workers last saw them (docs/forges.md).';
comment on column public.pulls.mergeable is 'Null while the Git host has not found out.';
create index pulls_branch_idx on public.pulls (product_id, branch);
create index pulls_open_idx on public.pulls (product_id, number) where state = 'open';

alter table public.pulls enable row level security;

create policy pulls_select on public.pulls for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.pulls to authenticated;

-- Several workers see the same thing, even again after a restart: the key lets only the first observation have effects.
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

comment on table public.pull_reactions is 'Reactions to events of a pull request, once each (docs/forges.md).';
create index pull_reactions_job_id_idx on public.pull_reactions (job_id) where job_id is not null;

alter table public.pull_reactions enable row level security;

-- Read and written by functions only.

create trigger _400_touch before update on public.pulls for each row execute function private.tg_any__touch();

create trigger _900_emit after insert or update or delete on public.pulls for each row
  execute function private.tg_any__emit('pull', '{product:product_id}', '{"number": "number", "state": "state"}');
