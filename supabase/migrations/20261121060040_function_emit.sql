-- Why: the one place where an event leaves the database, and the only caller of realtime.send.
-- It must never fail the writer: whatever goes wrong here is a warning, the change itself is kept.
-- The transaction is told so that a stream can leave out what the state it read already shows.
-- Called by the emit triggers, which run as their owner, so that no client can send an event.
create function private.emit(p_topic text, p_payload jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform realtime.send(
    private.shorten_event(
      p_payload
      || jsonb_build_object('seq', nextval('private.event_seq'), 'xid', pg_current_xact_id()::text::bigint)
    ),
    'change',
    p_topic,
    true
  );
exception
  when others then
    raise warning 'An event for % was not sent: %', p_topic, sqlerrm;
end;
$$;

comment on function private.emit(text, jsonb) is
  'Announces a change on a private topic (specification: Events): own sequence, under 8,000 bytes, never fails the writer.';

revoke execute on function private.emit(text, jsonb) from public;
