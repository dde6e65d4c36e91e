-- Other services send work to a product through one secret address. Only the SHA-256 of its key is stored; the app
-- derives the key from its own secret and the id, so that the owner can see the address again in the settings.
create table public.intake_hooks (
  id uuid primary key,
  product_id uuid not null unique references public.products (id) on delete cascade,
  key_hash bytea not null unique constraint intake_hooks_key_hash_length check (octet_length(key_hash) = 32),
  created_by uuid references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  last_item_at timestamptz
);

comment on table public.intake_hooks is 'The URL at which a product takes items of other services, one per product.';
comment on column public.intake_hooks.key_hash is 'SHA-256 of the key in the address.';
create index intake_hooks_created_by_idx on public.intake_hooks (created_by);

alter table public.intake_hooks enable row level security;

-- The owner sees the product's hook. No one writes directly.
create policy intake_hooks_select on public.intake_hooks for select to authenticated
  using (product_id in (select private.owned_product_ids()));
grant select (id, product_id, created_by, created_at, last_item_at) on public.intake_hooks to authenticated;

-- A declined or merged item must not return with its next delivery.
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

comment on column public.settled_items.merged_into is 'The story that an issue of the Git host was merged into.';
create index settled_items_merged_into_idx on public.settled_items (merged_into) where merged_into is not null;

alter table public.settled_items enable row level security;
