-- Why: sends the transaction's events at its end. Definer: by then the caller's role is in force again, and no client
-- may send an event (specification: Events).
create function private.tg_event_flushes__send()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  delete from private.event_flushes f where f.id = new.id;
  perform private.send_events();
  return null;
end;
$$;

create constraint trigger _900_send
after insert on private.event_flushes
deferrable initially deferred
for each row execute function private.tg_event_flushes__send();

-- Why: sends the waiting events of this transaction, one message per topic; the only caller of realtime.send. Hosted
-- Realtime counts messages and drops those above its rate: the start of a run of 1,000 tasks is a handful, not 1,000.
-- It must never fail the writer: any error here becomes a warning, and the change is kept.
create function private.send_events() returns void language plpgsql volatile set search_path = '' as $$
declare
  v_waiting text := coalesce(current_setting('backloom.events', true), '');
begin
  if v_waiting = '' then
    return;
  end if;
  perform set_config('backloom.events', '', true);
  perform realtime.send(
    jsonb_build_object('events', jsonb_agg(e.value -> 1 order by e.place)), 'change', e.value ->> 0, true)
  from jsonb_array_elements(('[' || v_waiting || ']')::jsonb) with ordinality as e (value, place)
  group by e.value ->> 0;
exception
  when others then
    raise warning 'Events were not sent: %', sqlerrm;
end;
$$;

-- Why: the one way for triggers to send an event. Events wait in the transaction and are sent together at its end
-- (private.send_events); a savepoint that is rolled back drops its events.
-- Each event carries its transaction id, so that a stream can skip events that its first state already includes.
-- Called by the emit triggers, which run as their owner, so that no client can send an event.
create function private.emit(p_topic text, p_payload jsonb)
returns void language plpgsql volatile set search_path = '' as $$
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

-- Why: an event stays under 8,000 bytes and never makes its writer fail. Long texts are cut in the event only; the row
-- keeps them whole. A character takes at most six bytes in JSON, so two texts of 500 always fit (specification:
-- Events).
create function private.shorten_event(p_payload jsonb)
returns jsonb language plpgsql immutable set search_path = '' as $$
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

-- Why: questions are sent on the topic of each member of the product, because one notifications stream covers all
-- products of its user. Called by the emit triggers of questions and members (specification: Notifications stream).
create function private.emit_to_members(p_product_id uuid, p_payload jsonb)
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.emit('user:' || m.user_id, p_payload)
  from public.product_members as m
  where m.product_id = p_product_id;
end;
$$;
