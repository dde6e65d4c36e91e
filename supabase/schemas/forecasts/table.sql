-- A repository whose changes a product knows: what its worker saw at the head of main. One for all forms of an address.
create table public.change_indexes (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  repository text not null constraint change_indexes_repository_length check (char_length(repository) <= 2000),
  head_sha text not null constraint change_indexes_head_sha_length check (char_length(head_sha) <= 64),
  known_changes integer not null default 0,
  updated_at timestamptz not null default private.now(),
  constraint change_indexes_once unique (product_id, repository)
);
comment on table public.change_indexes is 'Repositories whose earlier changes forecasts are made from (docs/forecast.md).';
comment on column public.change_indexes.repository is 'Host and path, which are the same over https and ssh.';
alter table public.change_indexes enable row level security;

-- What earlier work was called and which files it touched: commits of main, and finished tasks. Never who did it.
create table public.known_changes (
  index_id uuid not null references public.change_indexes (id) on delete cascade,
  sha text not null constraint known_changes_sha_length check (char_length(sha) <= 64),
  task_id uuid references public.tasks (id) on delete cascade,
  at timestamptz not null,
  place integer not null,
  title text not null constraint known_changes_title_length check (char_length(title) <= 300),
  words text[] not null,
  paths text[] not null,
  reverts text constraint known_changes_reverts_length check (char_length(reverts) <= 64),
  primary key (index_id, sha)
);
create index known_changes_task_id_idx on public.known_changes (task_id) where task_id is not null;
comment on table public.known_changes is 'Earlier changes: commits of the main branch, and finished tasks (docs/forecast.md).';
comment on column public.known_changes.sha is 'The commit, or the task''s id.';
comment on column public.known_changes.place is 'How many changes of main are newer.';
alter table public.known_changes enable row level security;

-- Each file of those changes, so that its words and its age are found once a head and not once a question.
create table public.known_paths (
  index_id uuid not null references public.change_indexes (id) on delete cascade,
  path text not null constraint known_paths_path_length check (octet_length(path) <= 2000),
  name text not null,
  words text[] not null,
  recent double precision not null,
  primary key (index_id, path)
);
create index known_paths_name_idx on public.known_paths (index_id, name);
comment on table public.known_paths is 'Files of earlier changes (docs/forecast.md).';
comment on column public.known_paths.recent is 'How often and how lately it changed.';
alter table public.known_paths enable row level security;

-- What a task probably touches, until its text or the head changes; after a claim kept, to compare with what it did.
create table public.forecasts (
  task_id uuid primary key references public.tasks (id) on delete cascade,
  index_id uuid not null references public.change_indexes (id) on delete cascade,
  digest text not null,
  main_sha text not null,
  known_changes integer not null,
  touches jsonb not null,
  ranked text[] not null,
  recent text[] not null,
  by_words text[] not null,
  support integer not null,
  passed_over integer not null default 0,
  claimed_at timestamptz,
  settled_at timestamptz,
  changed text[]
);
create index forecasts_index_id_idx on public.forecasts (index_id);
create index forecasts_open_idx on public.forecasts (claimed_at) where claimed_at is not null and settled_at is null;
comment on table public.forecasts is 'What tasks probably touch, and afterwards what they touched (docs/forecast.md).';
comment on column public.forecasts.digest is 'Of the text and the head it was made from.';
comment on column public.forecasts.ranked is 'The ten files that most likely change; recent and by_words are those of the two baselines.';
comment on column public.forecasts.support is 'How many of the similar changes touched the first of them.';
comment on column public.forecasts.passed_over is 'How often a claim took a later task because of it (avoid_overlap).';
comment on column public.forecasts.settled_at is 'When its work was compared with it.';
comment on column public.forecasts.changed is 'What its work touched, without generated files.';
alter table public.forecasts enable row level security;
