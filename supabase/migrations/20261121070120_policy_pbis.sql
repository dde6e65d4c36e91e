-- Members read; members of a product that is not archived write. Demo accounts are stopped by restrictive policies,
-- whatever else is allowed (specification: Authentication 3, 4).
create policy pbis_select on public.pbis for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy pbis_insert on public.pbis for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy pbis_update on public.pbis for update to authenticated
  using (product_id in (select private.writable_product_ids()))
  with check (product_id in (select private.writable_product_ids()));
create policy pbis_delete on public.pbis for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy pbis_no_demo_insert on public.pbis as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy pbis_no_demo_update on public.pbis as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy pbis_no_demo_delete on public.pbis as restrictive for delete to authenticated
  using (not (select private.is_demo()));
