-- Why: a declined or merged item must not return with its next delivery.
create table public.settled_items (
  product_id uuid not null references public.products (id) on delete cascade,
  external_id text not null,
  story_id uuid not null,
  code text not null,
  outcome text not null constraint settled_items_outcome check (outcome in ('declined', 'merged')),
  merged_into uuid references public.stories (id) on delete set null,
  settled_at timestamptz not null default private.now(),
  primary key (product_id, external_id)
);

comment on table public.settled_items is 'Items from outside that are gone from triage, by their external id.';

comment on column public.settled_items.merged_into is 'The story that an issue of the code host was merged into.';

create index settled_items_merged_into_idx on public.settled_items (merged_into) where merged_into is not null;

alter table public.settled_items enable row level security;

-- The service role bypasses row level security; this policy only states that nobody else has a row here.
create policy settled_items_service on public.settled_items
  for all to service_role using (true) with check (true);

grant select, insert, update, delete on public.settled_items to service_role;
