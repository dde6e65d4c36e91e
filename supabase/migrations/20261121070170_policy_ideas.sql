-- Ideas belong to one user; writing also needs access to the product (specification: Idea; Authentication 3, 4).
create policy ideas_select on public.ideas for select to authenticated
  using (user_id = (select auth.uid()));
create policy ideas_insert on public.ideas for insert to authenticated
  with check (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()));
create policy ideas_update on public.ideas for update to authenticated
  using (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()))
  with check (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()));
create policy ideas_delete on public.ideas for delete to authenticated
  using (user_id = (select auth.uid()));

create policy ideas_no_demo_insert on public.ideas as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy ideas_no_demo_update on public.ideas as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy ideas_no_demo_delete on public.ideas as restrictive for delete to authenticated
  using (not (select private.is_demo()));
