-- Why: other services send work to a product through one secret address. Only the SHA-256 of its key is stored; the app
-- derives the key from its own secret and the id, so that the owner can see the address again in the settings.
create table public.intake_hooks (
  id uuid primary key,
  product_id uuid not null unique references public.products (id) on delete cascade,
  key_hash bytea not null unique constraint intake_hooks_key_hash_length check (octet_length(key_hash) = 32),
  created_by uuid references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  last_item_at timestamptz
);

comment on table public.intake_hooks is 'The address at which a product takes items of other services, one a product.';
comment on column public.intake_hooks.key_hash is 'SHA-256 of the key in the address.';

create index intake_hooks_created_by_idx on public.intake_hooks (created_by);

alter table public.intake_hooks enable row level security;

-- The owner sees the product's hook. Nobody writes directly.
create policy intake_hooks_select on public.intake_hooks for select to authenticated
  using (product_id in (select private.owned_product_ids()));

grant select (id, product_id, created_by, created_at, last_item_at) on public.intake_hooks to authenticated;
grant select, insert, update, delete on public.intake_hooks to service_role;
