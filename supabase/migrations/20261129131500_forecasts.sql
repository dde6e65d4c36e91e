-- What earlier changes of a repository touched, and what tasks will probably touch.
create table public.change_indexes (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  repository text not null constraint change_indexes_repository_length check (char_length(repository) <= 2000),
  head_sha text not null constraint change_indexes_head_sha_length check (char_length(head_sha) <= 64),
  known_changes integer not null default 0,
  updated_at timestamptz not null default private.now(),
  constraint change_indexes_once unique (product_id, repository)
);
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
create table public.known_paths (
  index_id uuid not null references public.change_indexes (id) on delete cascade,
  path text not null constraint known_paths_path_length check (octet_length(path) <= 2000),
  name text not null,
  words text[] not null,
  recent double precision not null,
  primary key (index_id, path)
);
create index known_paths_name_idx on public.known_paths (index_id, name);
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
alter table public.products
  add column change_index boolean not null default true,
  add column avoid_overlap boolean not null default false;
