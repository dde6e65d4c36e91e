-- Why: the one place where an event leaves the hands of a trigger. It waits in the transaction and is sent with all others at
-- its end (private.send_events): a savepoint that is rolled back takes its events with it.
-- The transaction is told so that a stream can leave out what the state it read already shows.
-- Called by the emit triggers, which run as their owner, so that no client can send an event.
create function private.emit(p_topic text, p_payload jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_waiting text := coalesce(current_setting('backloom.events', true), '');
  v_event jsonb := private.shorten_event(
    p_payload || jsonb_build_object('seq', nextval('private.event_seq'), 'xid', pg_current_xact_id()::text::bigint));
begin
  if v_waiting = '' then
    insert into private.event_flushes default values;
  else
    v_waiting := v_waiting || ',';
  end if;
  v_waiting := v_waiting || jsonb_build_array(p_topic, v_event);
  perform set_config('backloom.events', v_waiting, true);

  -- A message must stay under what Realtime carries (256 KB), and the text must not grow with every row of a long write.
  if octet_length(v_waiting) > 100000 then
    perform private.send_events();
  end if;
end;
$$;

comment on function private.emit is
  'Announces a change on a private topic at the end of the transaction (specification: Events): own sequence, under 8,000 bytes.';
