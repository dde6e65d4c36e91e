-- A user sees the name of oneself and of the people one shares a product with (columns are limited by the grant).
create policy users_select_own_and_teammates on public.users
  for select to authenticated
  using (
    id = (select auth.uid())
    or exists (
      select from public.product_members m
      where m.user_id = users.id and m.product_id in (select private.accessible_product_ids())
    )
  );
