-- Products: members read, the owner changes. Demo accounts are stopped by restrictive policies, whatever else is allowed
-- (specification: Authentication 3, 4).
create policy products_select on public.products for select to authenticated
  using (owner_id = (select auth.uid()) or id in (select private.accessible_product_ids()));
create policy products_insert on public.products for insert to authenticated
  with check (owner_id = (select auth.uid()));
create policy products_update on public.products for update to authenticated
  using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()));
create policy products_delete on public.products for delete to authenticated
  using (owner_id = (select auth.uid()));

create policy products_no_demo_insert on public.products as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy products_no_demo_update on public.products as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy products_no_demo_delete on public.products as restrictive for delete to authenticated
  using (not (select private.is_demo()));
