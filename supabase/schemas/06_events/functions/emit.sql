-- Why: the one way for triggers to send an event. Events wait in the transaction and are sent together at its end
-- (private.send_events); a savepoint that is rolled back drops its events.
-- Each event carries its transaction id, so that a stream can skip events that its first state already includes.
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

-- Why: an event stays under 8,000 bytes and never makes its writer fail. Long texts are cut in the event only; the row
-- keeps them whole. A character takes at most six bytes in JSON, so two texts of 500 always fit.
create function private.shorten_event(p_payload jsonb)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- Writing it out to measure it is the dearer way: most events are so small that even six bytes a character would do.
  if pg_column_size(p_payload) < 1300 or octet_length(p_payload::text) < 7900 then
    return p_payload;
  end if;

  return (
    select jsonb_object_agg(
      f.key,
      case when jsonb_typeof(f.value) = 'string' then to_jsonb(left(f.value #>> '{}', 500)) else f.value end
    )
    from jsonb_each(p_payload) as f
  );
end;
$$;

comment on function private.shorten_event is
  'Cuts the texts of an event that would reach 8,000 bytes (specification: Events).';
