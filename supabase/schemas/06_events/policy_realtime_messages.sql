-- Why: a client with a user's JWT may listen only to the topics of its user's products and to its user's own topic.
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
