-- Members read; members of a product that is not archived write. Demo accounts are stopped by restrictive policies,
-- whatever else is allowed (specification: Authentication 3, 4).
create policy sprints_select on public.sprints for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy sprints_insert on public.sprints for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy sprints_update on public.sprints for update to authenticated
  using (product_id in (select private.writable_product_ids()))
  with check (product_id in (select private.writable_product_ids()));
create policy sprints_delete on public.sprints for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy sprints_no_demo_insert on public.sprints as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy sprints_no_demo_update on public.sprints as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy sprints_no_demo_delete on public.sprints as restrictive for delete to authenticated
  using (not (select private.is_demo()));
