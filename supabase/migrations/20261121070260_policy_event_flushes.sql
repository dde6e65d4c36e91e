-- Written and emptied by private.emit and its trigger, which run as their owner.
create policy event_flushes_service on private.event_flushes
  for all to service_role using (true) with check (true);
