-- A user reads what concerns one's own account, an administrator reads everything; nobody writes directly.
create policy audit_events_select_own_or_admin on public.audit_events
  for select to authenticated using (user_id = (select auth.uid()) or (select private.is_admin()));
