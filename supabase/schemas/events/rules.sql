-- Sends a transaction's events at its end. Definer: in the caller's role, which may not (specification: Events).
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

-- Sends the waiting events of this transaction, one message per topic; the only caller of realtime.send. Hosted
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

-- The one way for triggers to send an event. Events wait in the transaction and are sent together at its end
-- (private.send_events); a savepoint that is rolled back drops its events. Each event carries its transaction id, so
-- that a stream can skip events that its first state already includes. An update that changed nothing has no event.
create function private.emit(p_topic text, p_payload jsonb)
returns void language plpgsql volatile strict set search_path = '' as $$
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

  -- A message must stay under what Realtime carries (256 KB), and each event copies the text that waits.
  if octet_length(v_waiting) > 20000 then
    perform private.send_events();
  end if;
end;
$$;

-- Rows that come in bulk: each [topic, event] as private.emit does, without a copy of what waits for each of them.
create function private.emit_all(p_events jsonb[]) returns void language plpgsql volatile set search_path = '' as $$
declare
  v_part text;
begin
  if cardinality(p_events) < 20 then
    perform private.emit(e ->> 0, e -> 1) from unnest(p_events) e;
    return;
  end if;
  perform private.send_events();
  for v_part in
    select string_agg(w.text, ',' order by w.place)
    from (
      select e.place, e.text, sum(length(e.text)) over (order by e.place) / 20000 as part
      from (
        select x.place, jsonb_build_array(x.event -> 0, private.shorten_event(x.event -> 1
          || jsonb_build_object('seq', nextval('private.event_seq'), 'xid', pg_current_xact_id()::text::bigint)))::text as text
        from unnest(p_events) with ordinality x (event, place)
      ) e
    ) w
    group by w.part order by w.part
  loop
    perform set_config('backloom.events', v_part, true);
    perform private.send_events();
  end loop;
end;
$$;

-- An event stays under 8,000 bytes and never makes its writer fail. Long texts are cut in the event only; the row keeps
-- them whole. A character takes at most six bytes in JSON, so two texts of 500 always fit (specification: Events).
create function private.shorten_event(p_payload jsonb)
returns jsonb language plpgsql immutable set search_path = '' as $$
begin
  -- Measuring the text costs more, and most events are small enough to skip it, even at six bytes a character.
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

-- Most rows say all that their event carries. Arguments: the entity; its topics, each with the column that names its
-- product, user or pairing; further keys of the event, each with its column; and whether changed fields are left out. The
-- key `status` is in lower case, as in the API; the others are as stored.
-- Definer: every write sends its event, but no client may call private.emit (specification: Events).
create function private.tg_any__emit() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_row jsonb := coalesce(to_jsonb(new), to_jsonb(old));
  v_event jsonb := private.change_event(case when tg_nargs = 4 then left(tg_op, 1) else tg_op end, tg_argv[0], to_jsonb(old), to_jsonb(new));
begin
  if v_event is null then
    return null;
  end if;

  select v_event || jsonb_object_agg(k.key, case k.key when 'status' then to_jsonb(lower(v_row ->> k.value)) else v_row -> k.value end)
  into v_event from jsonb_each_text(tg_argv[2]::jsonb) k;
  perform private.emit(split_part(t.topic, ':', 1) || ':' || (v_row ->> split_part(t.topic, ':', 2)), v_event)
  from unnest(tg_argv[1]::text[]) t (topic);
  return null;
end;
$$;

-- Open streams end with the session or token that opened them, and check again when its end has moved. The argument is
-- the entity. Definer: as above (specification: Authentication 1, 2 and 5).
create function private.tg_any__emit_credential()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.emit('user:' || old.user_id, jsonb_build_object(
    'op', case when tg_op = 'DELETE' or (new.revoked_at is not null and old.revoked_at is null) then 'D' else 'U' end,
    'entity', tg_argv[0], 'id', old.id, 'product_id', null, 'user_id', old.user_id));
  return null;
end;
$$;

-- The pages of a job and its worker follow what belongs to it. The argument names the part. Definer: as above.
create function private.tg_any__emit_job_part() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.emit_part_change('job', new.job_id, tg_argv[0]);
  return null;
end;
$$;

-- The usual event of a task, story or job whose related data changed (specification: Solo stream, Backlog stream).
create function private.emit_part_change(p_kind text, p_id uuid, p_field text)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_event jsonb := jsonb_build_object('op', 'U', 'entity', p_kind, 'id', p_id, 'changed_fields', jsonb_build_array(p_field));
begin
  case p_kind
    when 'task' then
      perform private.emit('product:' || t.product_id, v_event || private.story_place(t.story_id) || jsonb_build_object('product_id', t.product_id,
        'story_id', t.story_id, 'task_status', t.status, 'task_title', t.title, 'task_sort_order', t.sort_order))
      from public.tasks t where t.id = p_id;
    when 'story' then
      perform private.emit('product:' || s.product_id, v_event || jsonb_build_object('product_id', s.product_id, 'pbi_id', s.pbi_id,
        'sprint_id', s.sprint_id, 'assignee_id', s.assignee_id, 'story_status', s.status, 'story_title', s.title,
        'story_code', s.code, 'story_sort_order', s.sort_order))
      from public.stories s where s.id = p_id;
    when 'job' then
      perform private.emit('product:' || j.product_id, v_event || jsonb_build_object('product_id', j.product_id, 'task_id', j.task_id,
        'idea_id', j.idea_id, 'kind', j.kind, 'status', j.status, 'sprint_run_id', j.sprint_run_id))
      from public.agent_jobs j where j.id = p_id;
  end case;
end;
$$;

-- On each member's topic: a notifications stream covers all products of its user (specification: Notifications stream).
create function private.emit_to_members(p_product_id uuid, p_payload jsonb)
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.emit('user:' || m.user_id, p_payload)
  from public.product_members as m
  where m.product_id = p_product_id;
end;
$$;

-- The doctor command checks that events travel from the database to a listener. Definer, because only the owner of
-- the emit triggers may send events. It can send only a probe to one user, which clients ignore. Service only.
create function operations.send_probe(p_user_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.emit('user:' || p_user_id, jsonb_build_object('op', 'I', 'entity', 'probe', 'id', p_user_id));
  return json_build_object('id', p_user_id);
end;
$$;
grant execute on function operations.send_probe to service_role;
