-- Why: what workers last saw of a pull request at its code host. One row each, whichever worker looked; nothing here is
-- secret, and it contains no login. Written only by operations.observe_pulls.
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
comment on column public.pulls.mergeable is 'Null while the code host has not found out.';

create index pulls_branch_idx on public.pulls (product_id, branch);
create index pulls_open_idx on public.pulls (product_id, number) where state = 'open';

alter table public.pulls enable row level security;

create policy pulls_select on public.pulls for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.pulls to authenticated;
grant select, insert, update, delete on public.pulls to service_role;
