-- Links of one's own ideas, to products one may use (specification: Idea; Authentication 3, 4).
create policy idea_products_select on public.idea_products for select to authenticated
  using (idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid())));
create policy idea_products_insert on public.idea_products for insert to authenticated
  with check (
    idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid()))
    and product_id in (select private.writable_product_ids())
  );
create policy idea_products_delete on public.idea_products for delete to authenticated
  using (idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid())));

create policy idea_products_no_demo_insert on public.idea_products as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy idea_products_no_demo_delete on public.idea_products as restrictive for delete to authenticated
  using (not (select private.is_demo()));
