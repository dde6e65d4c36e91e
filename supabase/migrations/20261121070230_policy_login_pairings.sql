-- Nobody reads pairings directly: they hold hashes of secrets. The service role passes row level security.
create policy login_pairings_service on public.login_pairings
  for all to service_role using (true) with check (true);
