-- Why: further products of an idea (specification: Idea): unique per pair, deleted with either side.
create table public.idea_products (
  idea_id uuid not null references public.ideas (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  primary key (idea_id, product_id)
);

comment on table public.idea_products is 'Secondary products of an idea (specification: Idea).';

create index idea_products_product_id_idx on public.idea_products (product_id, idea_id);

alter table public.idea_products enable row level security;

-- Links of the user's own ideas to products they may use, not to archived ones (specification: Idea; Authentication 3,
-- 4).
create policy idea_products_select on public.idea_products for select to authenticated
  using (idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid())));
create policy idea_products_insert on public.idea_products for insert to authenticated
  with check (
    idea_id in (
      select i.id from public.ideas i
      where i.user_id = (select auth.uid()) and i.product_id not in (select private.frozen_product_ids()))
    and product_id in (select private.writable_product_ids())
  );
create policy idea_products_delete on public.idea_products for delete to authenticated
  using (
    idea_id in (
      select i.id from public.ideas i
      where i.user_id = (select auth.uid()) and i.product_id not in (select private.frozen_product_ids()))
    and product_id not in (select private.frozen_product_ids())
  );

create policy idea_products_no_demo_insert on public.idea_products as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy idea_products_no_demo_delete on public.idea_products as restrictive for delete to authenticated
  using (not (select private.is_demo()));

grant select on public.idea_products to authenticated;
grant insert (idea_id, product_id), delete on public.idea_products to authenticated;

grant select, insert, update, delete on public.idea_products to service_role;
