-- Why: a client with a user's JWT may listen to its own products and to its own user topic, and to nothing else.
-- There is no policy for insert: events come from the database alone, no client can send one. Topics of pairings
-- are read by the service only, because who may see them is decided by the pairing cookie.
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
