-- A user sees one's own sessions; changes go through functions.
create policy user_sessions_select_own on public.user_sessions
  for select to authenticated using (user_id = (select auth.uid()));
