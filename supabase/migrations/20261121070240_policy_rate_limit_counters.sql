-- Nobody reads or resets counters directly. The service role passes row level security.
create policy rate_limit_counters_service on public.rate_limit_counters
  for all to service_role using (true) with check (true);
