-- Why: the events of a transaction leave together at its end. A row here, gone before the transaction is, is what makes
-- Postgres call private.send_events at that moment. Unlogged: nothing in it is ever worth recovering.
create unlogged table private.event_flushes (
  id bigint generated always as identity primary key
);

comment on table private.event_flushes is 'Transactions that have events to send (specification: Events). Always empty to others.';

alter table private.event_flushes enable row level security;

-- Written and emptied by private.emit and its trigger, which run as their owner.
create policy event_flushes_service on private.event_flushes
  for all to service_role using (true) with check (true);
