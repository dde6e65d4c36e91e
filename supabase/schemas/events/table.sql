-- A transaction's events are sent together at its end. A row here makes Postgres call private.send_events then,
-- and is deleted before the commit. Unlogged: nothing in it is worth recovering.
create unlogged table private.event_flushes (
  id bigint generated always as identity primary key
);

comment on table private.event_flushes is 'Transactions that have events to send (specification: Events). Always empty to others.';

alter table private.event_flushes enable row level security;

-- Written and emptied by private.emit and its trigger, which run as their owner.

-- Numbers events, so that nothing merges two equal ones, and a browser can say which it saw last.
create sequence private.event_seq;

comment on sequence private.event_seq is
  'Number of a change event (specification: Events). Only private.emit takes numbers.';

-- A client with a user's JWT may listen only to the topics of its user's products and to its user's own topic.
-- There is no insert policy: only the database sends events. Only the service reads pairing topics, because the pairing
-- cookie decides who may see them.
create policy listen_to_own_topics on realtime.messages
for select
to authenticated
using (
  extension = 'broadcast'
  and (
    (select realtime.topic()) = 'user:' || (select auth.uid())
    or exists (
      select 1
      from public.product_members as m
      where m.user_id = (select auth.uid())
        and (select realtime.topic()) = 'product:' || m.product_id
    )
  )
);
