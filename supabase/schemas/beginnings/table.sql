-- A story that a person started over: the next run leaves its unmerged work. Kept forever, and the branches stay.
create table public.fresh_starts (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  story_id uuid not null references public.stories (id) on delete cascade,
  left_branches jsonb not null constraint fresh_starts_left_branches_list check (jsonb_typeof(left_branches) = 'array'),
  user_id uuid references public.users (id) on delete set null,
  started_by text not null,
  created_at timestamptz not null default private.now()
);

comment on table public.fresh_starts is 'Stories that a person started over from main, and the work left out since then (docs/worker.md).';
comment on column public.fresh_starts.left_branches is 'One object per branch: branch and head_sha, as they were.';
create index fresh_starts_story_id_idx on public.fresh_starts (story_id, created_at);
create index fresh_starts_product_id_idx on public.fresh_starts (product_id);
create index fresh_starts_user_id_idx on public.fresh_starts (user_id);

alter table public.fresh_starts enable row level security;

create policy fresh_starts_select on public.fresh_starts for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.fresh_starts to authenticated;
