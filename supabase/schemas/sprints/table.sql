-- States of a sprint (specification: Sprint).
create type public.sprint_status as enum ('PLANNED', 'ACTIVE', 'COMPLETED', 'FAILED', 'CANCELLED');

-- A sprint groups stories of one product (specification: Sprint). At most one per product is ACTIVE.
create table public.sprints (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  code text not null
    constraint sprints_code_form check (code ~ '^SP-[0-9]+$' and char_length(code) <= 30),
  sprint_goal text not null default ''
    constraint sprints_sprint_goal_length check (char_length(sprint_goal) <= 10000),
  status public.sprint_status not null default 'PLANNED',
  start_date date,
  end_date date,
  started_at timestamptz,
  completed_at timestamptz,
  version integer not null default 1,
  field_versions jsonb not null default '{}',
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint sprints_dates_in_order check (end_date >= start_date),
  constraint sprints_product_code_key unique (product_id, code),
  constraint sprints_id_product_key unique (id, product_id)
);

comment on table public.sprints is 'Sprints (specification: Sprint).';

comment on column public.sprints.field_versions is 'Of each changed field: the version that changed it, who did, and when.';
create unique index sprints_one_active_key on public.sprints (product_id) where status = 'ACTIVE';

alter table public.sprints enable row level security;

-- Everyone in the product reads; members and the owner write while it is not archived. Restrictive policies stop demo
-- accounts, even if other policies allow it (specification: Authentication 3, 4).
create policy sprints_select on public.sprints for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy sprints_insert on public.sprints for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy sprints_update on public.sprints for update to authenticated
  using (product_id in (select private.writable_product_ids()));
create policy sprints_delete on public.sprints for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy sprints_no_demo_insert on public.sprints as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy sprints_no_demo_update on public.sprints as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy sprints_no_demo_delete on public.sprints as restrictive for delete to authenticated
  using (not (select private.is_demo()));
grant select on public.sprints to authenticated;
grant insert (id, product_id, sprint_goal, start_date, end_date),
  update (sprint_goal, start_date, end_date)
  on public.sprints to authenticated;

-- Unfinished stories leave a sprint that ends, and an untouched one would leave no trace in it; the sprint review
-- must show what was planned and not done. Written by functions only.
create table public.sprint_leftovers (
  sprint_id uuid not null references public.sprints (id) on delete cascade,
  story_id uuid not null references public.stories (id) on delete cascade,
  primary key (sprint_id, story_id)
);

comment on table public.sprint_leftovers is 'Stories that were not done when their sprint ended (docs/planning.md).';
create index sprint_leftovers_story_id_idx on public.sprint_leftovers (story_id);

alter table public.sprint_leftovers enable row level security;

-- Read through operations.get_sprint_review, which checks access once.
