-- Written by triggers, read by those who may see what they are about.
create policy task_status_changes_select on public.task_status_changes for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy idea_logs_select on public.idea_logs for select to authenticated
  using (idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid())));
