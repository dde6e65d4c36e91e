-- The last safeguard for open streams. Every few seconds a process asks once, for all its readers, whose session,
-- token or membership is gone. Normally change events have ended those streams long before. Takes an array of [user,
-- session or null, token or null, product or null]; returns the positions of those without access.
create function operations.find_lost_viewers(p_viewers jsonb)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(v.position order by v.position), '[]')
    from (
      select e.ordinality - 1 as position, (e.value ->> 0)::uuid as user_id, (e.value ->> 1)::uuid as session_id,
        (e.value ->> 2)::uuid as token_id, (e.value ->> 3)::uuid as product_id
      from jsonb_array_elements(p_viewers) with ordinality as e
    ) as v
    where (v.session_id is not null
        and not exists (select 1 from public.user_sessions as s where s.id = v.session_id and s.revoked_at is null))
      or (v.token_id is not null
        and not exists (select 1 from public.api_tokens as t where t.id = v.token_id and t.revoked_at is null))
      or (v.product_id is not null and not exists (
        select 1 from public.product_members as m join public.products as p on p.id = m.product_id
        where m.product_id = v.product_id and m.user_id = v.user_id and p.archived_at is null)));
end;
$$;
grant execute on function operations.find_lost_viewers to service_role;

-- The first state of the notifications stream: the open questions of all the caller's products, with all fields
-- (specification: Notifications stream). Questions of an archived product are left out until it is restored, because no
-- one can answer them. Definer: the query itself limits the products.
create function operations.get_notifications_state()
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object('questions', (
    select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now
      and q.product_id in (select private.open_product_ids())
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))));
end;
$$;
grant execute on function operations.get_notifications_state to authenticated;

-- The first state of the solo stream: the active sprint, the product's unfinished jobs, and how many workers that
-- reach it are online. Job statuses in database form (specification: Solo stream). Definer: access is checked first.
create function operations.get_solo_state(p_product_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object(
    'sprint_id', (select s.id from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE'),
    'jobs', (
      select coalesce(json_agg(json_build_object('id', j.id, 'task_id', j.task_id, 'kind', j.kind, 'status', j.status,
        'sprint_run_id', j.sprint_run_id) order by j.created_at, j.position, j.id), '[]')
      from public.agent_jobs j
      where j.product_id = p_product_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')),
    'workers', json_build_object('count', private.workers_online(array[p_product_id])));
end;
$$;
grant execute on function operations.get_solo_state to authenticated;

-- Realtime silently drops messages above its rate, and those sent while it is not replicating. Every few seconds a
-- process lists what was sent on its topics and compares it with what it received. The number of its first event
-- identifies a message. Looks back one minute, because a message has the time at which its transaction began.
create function operations.list_sent_messages(p_topics jsonb)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_array(s.topic, s.event -> 'seq', s.event -> 'xid')), '[]')
    from (
      select m.topic, m.payload -> 'events' -> 0 as event
      from realtime.messages as m
      where m.inserted_at > localtimestamp - interval '1 minute'
        and m.topic = any (array(select jsonb_array_elements_text(p_topics)))
        and m.extension = 'broadcast' and m.private is true and m.event = 'change'
      order by m.inserted_at desc limit 5000
    ) as s
    where s.event ? 'seq');
end;
$$;
grant execute on function operations.list_sent_messages to service_role;

-- The backlog stream's first state and reader, on connect and on every resync (specification: Backlog stream).
create function operations.read_backlog_stream(p_product_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_stream_product(p_product_id);
  return json_build_object('viewer', private.stream_viewer(), 'product_id', p_product_id);
end;
$$;
grant execute on function operations.read_backlog_stream to authenticated;

-- The first state of the notifications stream (open questions of all the caller's products) and its reader, in one
-- statement. Called on connect and on every resync (specification: Notifications stream).
create function operations.read_notifications_stream() returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('viewer', private.stream_viewer(), 'notifications', operations.get_notifications_state());
end;
$$;
grant execute on function operations.read_notifications_stream to authenticated;

-- The solo stream's first state and reader, on connect and every resync (specification: Solo stream).
create function operations.read_solo_stream(p_product_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_stream_product(p_product_id);
  return json_build_object('viewer', private.stream_viewer(), 'solo', operations.get_solo_state(p_product_id));
end;
$$;
grant execute on function operations.read_solo_stream to authenticated;

-- Every change event starts the same way. Null when the update changed nothing. A caller that knows the changed
-- fields passes them instead of both rows as JSON; p_new then needs only id and product.
create function private.change_event(
  p_operation text, p_entity text, p_old jsonb, p_new jsonb, p_changed_fields jsonb default null
) returns jsonb language plpgsql immutable set search_path = '' as $$
declare
  v_row jsonb := coalesce(p_new, p_old);
  v_event jsonb := jsonb_build_object(
    'op', left(p_operation, 1), 'entity', p_entity, 'id', v_row -> 'id', 'product_id', v_row -> 'product_id'
  );
  v_changed jsonb;
begin
  if p_operation <> 'UPDATE' then
    return v_event;
  end if;

  v_changed := coalesce(p_changed_fields, private.changed_fields(p_old, p_new));
  if v_changed = '[]' then
    return null;
  end if;
  return v_event || jsonb_build_object('changed_fields', v_changed);
end;
$$;

-- An update event names exactly the columns that changed; an update that changes nothing sends no event. The row's
-- own times and versions do not count as changes (specification: Solo stream, changed_fields).
create function private.changed_fields(p_old jsonb, p_new jsonb)
returns jsonb language plpgsql immutable set search_path = '' as $$
begin
  return to_jsonb(array(
    select f.key
    from jsonb_each(p_new) as f
    where f.value is distinct from p_old -> f.key and f.key not in ('updated_at', 'version', 'field_versions', 'plan_decision', 'observed_at')
    order by f.key
  ));
end;
$$;

-- A product's streams are open to its members while it is not archived (specification: Solo stream, Backlog stream).
create function private.require_stream_product(p_product_id uuid)
returns void language plpgsql stable set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);
  if exists (select 1 from public.products as p where p.id = p_product_id and p.archived_at is not null) then
    raise exception using
      errcode = 'PT403',
      message = 'This product is archived, so nothing changes in it. Read it through the other endpoints.';
  end if;
end;
$$;
grant execute on function private.require_stream_product to authenticated;

-- A task has no sprint and no assignee; the solo filter needs those of its story. When a story is deleted with its
-- tasks, its row is gone before theirs, so its place comes from what the trigger tg_stories__remember_place stored for
-- this transaction (specification: Solo stream, server filter).
create function private.story_place(p_story_id uuid) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_place jsonb;
begin
  select jsonb_build_object('pbi_id', s.pbi_id, 'sprint_id', s.sprint_id, 'assignee_id', s.assignee_id)
  into v_place
  from public.stories as s
  where s.id = p_story_id;
  if found then
    return v_place;
  end if;

  return coalesce(
    nullif(current_setting('backloom.deleted_stories', true), '')::jsonb -> p_story_id::text,
    '{"pbi_id": null, "sprint_id": null, "assignee_id": null}'
  );
end;
$$;

-- An open stream must end with the session or token that opened it. Checking on every event costs too much, so the
-- stream gets its reader and the end time once, and hears of an earlier end through the user's topic. The snapshot says
-- which transactions this state includes: their events are not sent again. Definer: users may not read sessions and
-- tokens. Reads only the caller's row, named by the claims (specification: Events; Authentication 5).
create function private.stream_viewer() returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_claims jsonb := coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;
  v_user_id uuid := v_claims ->> 'sub';
  v_session_id uuid := v_claims ->> 'session_id';
  v_token_id uuid := v_claims ->> 'token_id';
begin
  return json_build_object(
    'snapshot', pg_current_snapshot()::text, 'user_id', v_user_id, 'session_id', v_session_id, 'token_id', v_token_id,
    'expires_at', least((
      select least(s.expires_at, s.paired_expires_at) from public.user_sessions as s
      where s.id = v_session_id and s.user_id = v_user_id),
      (select t.expires_at from public.api_tokens as t where t.id = v_token_id and t.user_id = v_user_id)));
end;
$$;
grant execute on function private.stream_viewer to authenticated;
