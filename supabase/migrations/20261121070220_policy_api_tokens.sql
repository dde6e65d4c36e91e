-- A user sees one's own tokens, without their hashes (columns are limited by the grant); changes go through functions.
create policy api_tokens_select_own on public.api_tokens
  for select to authenticated using (user_id = (select auth.uid()));
