-- Why: the root of everything that people and agents share (specification: Product).
-- The owner also has a row in product_members, kept by a trigger; access is looked up there and nowhere else.
create table public.products (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null default auth.uid() references public.users (id) on delete restrict,
  code text not null
    constraint products_code_form check (code ~ '^[A-Za-z0-9._-]{1,30}$'),
  name text not null constraint products_name_length check (char_length(name) between 1 and 200),
  description text not null default ''
    constraint products_description_length check (char_length(description) <= 100000),
  repo_url text not null default '' constraint products_repo_url_length check (char_length(repo_url) <= 2000)
    constraint products_repo_url_form check (repo_url !~* '^[[:space:]]*(javascript|data|vbscript):'),
  definition_of_done text not null default ''
    constraint products_definition_of_done_length check (char_length(definition_of_done) <= 100000),
  auto_pr boolean not null default false,
  pr_strategy public.pr_strategy not null default 'SPRINT',
  archived_at timestamptz,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint products_owner_code_key unique (owner_id, code)
);

comment on table public.products is 'Products (specification: Product). Archived ones can be read and not written.';

alter table public.products enable row level security;
