-- The counters are reached through private.next_code alone; this policy only states that nobody else has a row here.
create policy code_counters_service on public.code_counters for all to service_role using (true) with check (true);
