-- Log entries are read by members and only ever added, in the name of the writer (specification: Story log entry).
create policy story_logs_select on public.story_logs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy story_logs_insert on public.story_logs for insert to authenticated
  with check (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()));

create policy story_logs_no_demo_insert on public.story_logs as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
