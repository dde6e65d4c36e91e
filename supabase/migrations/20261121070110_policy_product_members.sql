-- Members: everybody in the product sees them; the owner adds and removes members, a member may leave. Nobody writes or
-- removes the owner's row (specification: Authentication 3, 4).
create policy product_members_select on public.product_members for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy product_members_insert on public.product_members for insert to authenticated
  with check (
    role = 'MEMBER' and product_id in (select private.owned_product_ids())
    and product_id in (select private.writable_product_ids())
  );
create policy product_members_delete on public.product_members for delete to authenticated
  using (
    role = 'MEMBER' and (user_id = (select auth.uid()) or product_id in (select private.owned_product_ids()))
  );

create policy product_members_no_demo_insert on public.product_members as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy product_members_no_demo_delete on public.product_members as restrictive for delete to authenticated
  using (not (select private.is_demo()));
