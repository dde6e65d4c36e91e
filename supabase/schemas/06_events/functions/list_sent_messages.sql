-- Why: Realtime silently drops messages above its rate, and those sent while it is not replicating. Every few seconds a
-- process lists what was sent on its topics and compares it with what it received. The number of its first event
-- identifies a message. Looks back one minute, because a message has the time at which its transaction began.
create function operations.list_sent_messages(p_topics jsonb)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_array(s.topic, s.event -> 'seq', s.event -> 'xid')), '[]')
    from (
      select m.topic, m.payload -> 'events' -> 0 as event
      from realtime.messages as m
      where m.inserted_at > localtimestamp - interval '1 minute'
        and m.topic = any (array(select jsonb_array_elements_text(p_topics)))
        and m.extension = 'broadcast'
        and m.private is true
        and m.event = 'change'
      order by m.inserted_at desc
      limit 5000
    ) as s
    where s.event ? 'seq'
  );
end;
$$;

comment on function operations.list_sent_messages is
  'Topic, first event number and transaction of what was sent within a minute (specification: Events). Service only.';
grant execute on function operations.list_sent_messages to service_role;
