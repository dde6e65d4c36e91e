-- Why: a transaction's events are sent together at its end. A row here makes Postgres call private.send_events then,
-- and is deleted before the commit. Unlogged: nothing in it is worth recovering.
create unlogged table private.event_flushes (
  id bigint generated always as identity primary key
);

comment on table private.event_flushes is 'Transactions that have events to send (specification: Events). Always empty to others.';

alter table private.event_flushes enable row level security;

-- Written and emptied by private.emit and its trigger, which run as their owner.
create policy event_flushes_service on private.event_flushes
  for all to service_role using (true) with check (true);
