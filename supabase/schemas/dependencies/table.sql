-- A story blocked by a story of its product: each of its tasks is blocked by the whole other story. Composite keys
-- keep both ends in one product; private.refuse_cycle prevents cycles under the product's lock.
create table public.story_dependencies (
  blocked_id uuid not null,
  blocker_id uuid not null,
  product_id uuid not null references public.products (id) on delete cascade,
  created_by uuid default auth.uid() references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  constraint story_dependencies_pkey primary key (blocked_id, blocker_id),
  constraint story_dependencies_two_ends check (blocked_id <> blocker_id),
  constraint story_dependencies_blocked_fkey foreign key (blocked_id, product_id)
    references public.stories (id, product_id) on delete cascade,
  constraint story_dependencies_blocker_fkey foreign key (blocker_id, product_id)
    references public.stories (id, product_id) on delete cascade
);

comment on table public.story_dependencies is 'A story is blocked by a story of its product until that one is DONE.';
create index story_dependencies_blocked_idx on public.story_dependencies (blocked_id, product_id);
create index story_dependencies_blocker_idx on public.story_dependencies (blocker_id, product_id);
create index story_dependencies_product_id_idx on public.story_dependencies (product_id);
create index story_dependencies_created_by_idx on public.story_dependencies (created_by);

alter table public.story_dependencies enable row level security;

create policy story_dependencies_select on public.story_dependencies for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.story_dependencies to authenticated;

-- A task blocked by a task of its product. Keys and cycles as in story_dependencies.
create table public.task_dependencies (
  blocked_id uuid not null,
  blocker_id uuid not null,
  product_id uuid not null references public.products (id) on delete cascade,
  created_by uuid default auth.uid() references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  constraint task_dependencies_pkey primary key (blocked_id, blocker_id),
  constraint task_dependencies_two_ends check (blocked_id <> blocker_id),
  constraint task_dependencies_blocked_fkey foreign key (blocked_id, product_id)
    references public.tasks (id, product_id) on delete cascade,
  constraint task_dependencies_blocker_fkey foreign key (blocker_id, product_id)
    references public.tasks (id, product_id) on delete cascade
);

comment on table public.task_dependencies is 'A task is blocked by a task of its product until that one is DONE.';
create index task_dependencies_blocked_idx on public.task_dependencies (blocked_id, product_id);
create index task_dependencies_blocker_idx on public.task_dependencies (blocker_id, product_id);
create index task_dependencies_product_id_idx on public.task_dependencies (product_id);
create index task_dependencies_created_by_idx on public.task_dependencies (created_by);

alter table public.task_dependencies enable row level security;

create policy task_dependencies_select on public.task_dependencies for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.task_dependencies to authenticated;
