-- Members read; members of a product that is not archived write. Demo accounts are stopped by restrictive policies,
-- whatever else is allowed (specification: Authentication 3, 4).
create policy tasks_select on public.tasks for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy tasks_insert on public.tasks for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy tasks_update on public.tasks for update to authenticated
  using (product_id in (select private.writable_product_ids()))
  with check (product_id in (select private.writable_product_ids()));
create policy tasks_delete on public.tasks for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy tasks_no_demo_insert on public.tasks as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy tasks_no_demo_update on public.tasks as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy tasks_no_demo_delete on public.tasks as restrictive for delete to authenticated
  using (not (select private.is_demo()));
