-- Members read; members of a product that is not archived write. Demo accounts are stopped by restrictive policies,
-- whatever else is allowed (specification: Authentication 3, 4).
create policy stories_select on public.stories for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy stories_insert on public.stories for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy stories_update on public.stories for update to authenticated
  using (product_id in (select private.writable_product_ids()))
  with check (product_id in (select private.writable_product_ids()));
create policy stories_delete on public.stories for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy stories_no_demo_insert on public.stories as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy stories_no_demo_update on public.stories as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy stories_no_demo_delete on public.stories as restrictive for delete to authenticated
  using (not (select private.is_demo()));
