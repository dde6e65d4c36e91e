-- Begins to pair an account of a chat service: the code is typed to the bot from that account within ten minutes. A pairing
-- under way begins again. Refusals: 403 for tokens, demo accounts and viewers, 409 when paired or, as the caller says, without a bot, 429. Definer: no one writes chats directly.
create function operations.create_chat(p_service text, p_is_set_up boolean, p_time_zone text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id uuid := private.require_chat_person();
  v_random bytea := sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));
  v_code text;
  v_chat public.chats;
begin
  if not private.may_chat(v_user_id) then
    perform private.refuse(403, 'You can only look at your products. Someone who may answer questions can connect a chat.');
  end if;
  if not p_is_set_up then
    perform private.refuse(409, format('%s is not set up here. Ask an administrator.', initcap(p_service)));
  end if;
  perform private.take_rate_limit('chat', v_user_id::text);
  select string_agg(substr('23456789ABCDEFGHJKMNPQRSTUVWXYZ', get_byte(v_random, n) % 31 + 1, 1), '' order by n) into v_code
  from generate_series(0, 7) n;
  v_code := format('BL-%s-%s', left(v_code, 4), right(v_code, 4));
  delete from public.chats c where c.user_id = v_user_id and c.service = p_service and c.confirmed_at is null;
  insert into public.chats (user_id, service, code_hash, code_expires_at, time_zone)
  values (v_user_id, p_service, sha256(convert_to(v_code, 'UTF8')), private.now() + interval '10 minutes',
    coalesce((select z.name from pg_catalog.pg_timezone_names z where z.name = p_time_zone), 'UTC'))
  on conflict (user_id, service) do nothing
  returning * into v_chat;
  if v_chat.id is null then
    perform private.refuse(409, 'An account of this service is already connected. Remove it first.');
  end if;
  return json_build_object('id', v_chat.id, 'code', v_code, 'expires_at', v_chat.code_expires_at);
end;
$$;
grant execute on function operations.create_chat to authenticated;

-- The other side of a pairing: the person says in the browser that the account which typed the code is theirs. Refusals:
-- 403, 404, 409 before the code was typed, or for an account that another person has paired. Definer: no one writes chats directly.
create function operations.confirm_chat(p_chat_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_chat public.chats := private.require_chat(p_chat_id);
begin
  if v_chat.account_id is null then
    perform private.refuse(409, 'The code was not typed yet. Send it to the bot, then confirm here.');
  end if;
  if v_chat.confirmed_at is null then
    if v_chat.code_expires_at < private.now() - interval '10 minutes' then
      perform private.refuse(409, 'This took too long. Connect again with a new code.');
    end if;
    if exists (select from public.chats c where c.service = v_chat.service and c.account_id = v_chat.account_id and c.confirmed_at is not null) then
      perform private.refuse(409, 'This account is connected to another person here. Remove it there first.');
    end if;
    update public.chats c set confirmed_at = private.now() where c.id = p_chat_id returning c.* into v_chat;
    perform private.audit(v_chat.user_id, v_chat.user_id, 'chat.paired',
      jsonb_build_object('service', v_chat.service, 'account_id', v_chat.account_id, 'account_name', v_chat.account_name));
  end if;
  return private.chat_json(v_chat);
end;
$$;
grant execute on function operations.confirm_chat to authenticated;

-- Changes what a person hears in a chat; a field that is not sent stays. Refusals: 403, 404, 422. Definer: no one writes chats directly.
create function operations.update_chat(p_chat_id uuid, p_fields jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_chat public.chats := private.require_chat(p_chat_id);
begin
  v_chat := jsonb_populate_record(v_chat, p_fields - array['id', 'user_id', 'service', 'code_hash', 'code_expires_at', 'account_id',
    'account_name', 'room', 'confirmed_at', 'last_sent_at', 'last_error', 'created_at']);
  if (v_chat.quiet_from is null) <> (v_chat.quiet_to is null) then
    perform private.refuse(422, 'quiet_from and quiet_to belong together.');
  end if;
  if not exists (select from pg_catalog.pg_timezone_names z where z.name = v_chat.time_zone) then
    perform private.refuse(422, 'time_zone must be a name such as Europe/Vienna.');
  end if;
  if exists (select from unnest(v_chat.products) p (id) where p.id not in (select private.accessible_product_ids())) then
    perform private.refuse(422, 'products must list products that you are a member of.');
  end if;
  update public.chats c set products = v_chat.products, quiet_from = v_chat.quiet_from, quiet_to = v_chat.quiet_to,
    time_zone = v_chat.time_zone, bundle = v_chat.bundle, titles = v_chat.titles
  where c.id = p_chat_id;
  return private.chat_json(v_chat);
end;
$$;
grant execute on function operations.update_chat to authenticated;

-- Ends a pairing; nothing more is sent, and presses no longer count. Refusals: 403, 404. Definer: no one writes chats directly.
create function operations.delete_chat(p_chat_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_chat public.chats := private.require_chat(p_chat_id);
begin
  delete from public.chats c where c.id = p_chat_id;
  if v_chat.confirmed_at is not null then
    perform private.audit(v_chat.user_id, v_chat.user_id, 'chat.removed',
      jsonb_build_object('service', v_chat.service, 'account_id', v_chat.account_id, 'account_name', v_chat.account_name));
  end if;
  return json_build_object('id', p_chat_id, 'deleted', true);
end;
$$;
grant execute on function operations.delete_chat to authenticated;

-- A chat is opened by the person at a browser: a token would let a program answer as a person.
create function private.require_chat_person() returns uuid language plpgsql stable set search_path = '' as $$
begin
  perform private.require_session('Chats are connected and changed by a person: sign in and open Settings. A token cannot.');
  return private.require_writer();
end;
$$;

-- The caller's own chat, locked: 403, 404.
create function private.require_chat(p_chat_id uuid) returns public.chats language plpgsql volatile set search_path = '' as $$
declare
  v_user_id uuid := private.require_chat_person();
  v_chat public.chats;
begin
  select c.* into v_chat from public.chats c where c.id = p_chat_id and c.user_id = v_user_id for update;
  if not found then
    perform private.refuse(404, 'You have no such chat. Reload the list.');
  end if;
  return v_chat;
end;
$$;

-- What someone pressed or wrote to a bot, dealt with once: the event is noted in the same transaction. Answers take the inbox's own
-- operations, as the person and with their rights of now; what these refuse is said to them. Service only, and no definer: it takes on the person's role.
create function operations.hear_chat(
  p_service text, p_event_id text, p_account_id text, p_account_name text, p_room text default null, p_ref text default null,
  p_option text default null, p_text text default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_chat public.chats;
  v_reply text;
  v_is_known boolean := true;
begin
  insert into public.chat_events (service, event_id) values (p_service, p_event_id) on conflict do nothing;
  if not found then
    return (select e.reply from public.chat_events e where e.service = p_service and e.event_id = p_event_id);
  end if;
  select c.* into v_chat from public.chats c
  where c.service = p_service and c.account_id = p_account_id order by c.confirmed_at limit 1;
  begin
    if p_text ~* '^(/start )?BL-[0-9A-Z]{4}-[0-9A-Z]{4}$' then
      v_reply := private.type_chat_code(p_service, p_account_id, p_account_name, p_room, upper(right(p_text, 12)));
    elsif v_chat.confirmed_at is not null then
      v_reply := private.answer_in_chat(v_chat, p_event_id, p_ref, p_option, p_text);
    elsif v_chat.id is not null then
      v_reply := 'Almost done: confirm in your browser that this account is yours.';
    else
      v_is_known := false;
      perform private.take_rate_limit('chat_stranger', p_service || ':' || p_account_id);
      v_reply := 'This bot answers people who connected this account in the settings of their Backloom. It knows nothing else.';
    end if;
  exception when others then
    if sqlstate not like 'PT%' then
      raise;
    end if;
    v_reply := case when v_is_known then sqlerrm end;
  end;
  update public.chat_events e set reply = jsonb_build_object('text', v_reply, 'is_known', v_is_known)
  where e.service = p_service and e.event_id = p_event_id;
  return json_build_object('text', v_reply, 'is_known', v_is_known);
end;
$$;
grant execute on function operations.hear_chat to service_role;

-- A code counts once, and five wrong ones of an account end its tries for ten minutes. Definer: the page of the person hears of it.
create function private.type_chat_code(p_service text, p_account_id text, p_account_name text, p_room text, p_code text)
returns text language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id uuid;
begin
  perform private.take_rate_limit('chat_code', p_service || ':' || p_account_id);
  update public.chats c set code_hash = null, account_id = p_account_id, account_name = p_account_name, room = p_room
  where c.service = p_service and c.code_hash = sha256(convert_to(p_code, 'UTF8')) and c.code_expires_at > private.now()
  returning c.user_id into v_user_id;
  if v_user_id is null then
    return 'This code is unknown or no longer good. Show a new one in your browser.';
  end if;
  perform private.emit('user:' || v_user_id, jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', v_user_id, 'product_id', null));
  return 'Now confirm in your browser that this account is yours.';
end;
$$;
grant execute on function private.type_chat_code to service_role;

-- One press or reply: the message and the key of its buttons say which question it is about, never the text.
create function private.answer_in_chat(p_chat public.chats, p_event_id text, p_ref text, p_option text, p_text text)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_credential jsonb := jsonb_build_object('user_id', p_chat.user_id);
  v_messages public.chat_messages[] := array(
    select m from public.chat_messages m
    where m.chat_id = p_chat.id and case when p_option is null then m.ref = p_ref else m.key = left(p_option, 12) end);
  v_message public.chat_messages := v_messages[1];
  v_question public.agent_questions;
  v_choice text;
begin
  -- A reply can be faster than the note that its message was sent: it comes again.
  if cardinality(v_messages) = 0 and p_option is null and p_ref is not null and exists (
    select from public.chat_messages m where m.chat_id = p_chat.id and m.state = 'queued' and m.attempts > 0 and m.next_attempt_at > private.now())
  then
    raise exception 'The message of this reply is being noted.' using errcode = 'serialization_failure';
  end if;
  if cardinality(v_messages) = 0 or p_option is not null and p_option !~ ('^' || v_message.key || '[0-7s]$') then
    return case when p_ref is null then 'Reply to the message of a question to answer it.'
      else 'This message is no longer current. Open the inbox in Backloom.' end;
  end if;
  if cardinality(v_messages) > 1 then
    return 'This message is about several questions. Open its link to answer them.';
  end if;
  select q.* into v_question from public.agent_questions q where q.id = v_message.question_id;
  v_choice := substr(p_option, 13);
  if v_choice = 's' then
    perform public.call_as(v_credential, 'mark_inbox_item', jsonb_build_object('p_kind', 'question', 'p_item_id', v_question.id,
      'p_mark', 'LATER', 'p_until', private.now() + interval '1 hour'));
    update public.chat_messages m set state = 'snoozed', snoozed_until = private.now() + interval '1 hour', next_attempt_at = private.now()
    where m.id = v_message.id;
    return 'Snoozed for an hour.';
  end if;
  if not private.is_answered_in_chat(v_question.id) then
    return 'Open the link to decide this in Backloom.';
  end if;
  perform set_config('backloom.answer_source',
    jsonb_build_object('via', p_chat.service, 'event_id', p_event_id, 'account_id', p_chat.account_id)::text, true);
  begin
    perform public.call_as(v_credential, 'answer_question', jsonb_strip_nulls(jsonb_build_object(
      'p_question_id', v_question.id, 'p_option', v_choice::integer, 'p_answer', p_text)));
  exception when sqlstate 'PT409' then
    select q.* into v_question from public.agent_questions q where q.id = v_message.question_id;
    if v_question.status <> 'ANSWERED' then
      raise;
    end if;
    return format('Already answered by %s: %s', coalesce(private.username(v_question.answered_by), 'someone'), left(v_question.answer, 150));
  end;
  perform set_config('backloom.answer_source', '', true);
  return format('Answered: %s', left(coalesce(v_question.options -> v_choice::integer ->> 'label', p_text), 150));
end;
$$;
grant execute on function private.answer_in_chat to service_role;

-- Approvals are given in the browser, where there is to see what is approved: plans, permissions and paused runs. Definer: the service asks.
create function private.is_answered_in_chat(p_question_id uuid)
returns boolean language sql stable security definer set search_path = '' as $$
  select private.question_asks(q) in ('question', 'failure') from public.agent_questions q where q.id = p_question_id;
$$;
grant execute on function private.is_answered_in_chat to service_role;

-- One process of several holds the connection of a service: the one that asks first, or once the holder was silent for 20 seconds. It says how
-- the connection is with each call. Returns whether the caller holds it. Service only.
create function operations.hold_chat(
  p_service text, p_holder uuid, p_state text, p_reason text default null, p_bot_name text default null, p_error text default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_until timestamptz := case when p_state = 'off' then v_now else v_now + interval '20 seconds' end;
begin
  insert into public.chat_connections as c (service, holder, held_until, state, reason, bot_name)
  values (p_service, p_holder, v_until, p_state, left(p_reason, 500), left(p_bot_name, 255))
  on conflict (service) do update
  set holder = p_holder, held_until = v_until, state = p_state, reason = excluded.reason, bot_name = coalesce(excluded.bot_name, c.bot_name),
      last_error = coalesce(left(p_error, 500), c.last_error), last_error_at = case when p_error is null then c.last_error_at else v_now end
  where c.holder = p_holder or (c.held_until <= v_now and p_state <> 'off');
  return to_json(found);
end;
$$;
grant execute on function operations.hold_chat to service_role;

-- What the holder of a service sends now. First it is found who is to be asked what, from the questions that wait: the assignee where
-- one may answer, otherwise the owner, and the owner too after 15 minutes; for a day. Then at most one message a chat is taken, the oldest question
-- first, or the edit of one whose question was closed or snoozed. One that is to be tried again holds up those after it. A taken one is due again after
-- a minute unless noted. Service only. Definer: reads everyone's questions.
create function operations.take_chat_work(p_service text, p_sends integer default 20, p_edits integer default 20)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_work jsonb;
begin
  delete from public.chat_events e where e.created_at < v_now - interval '7 days';
  if not exists (select from public.chats c where c.service = p_service and c.confirmed_at is not null) then
    return '[]';
  end if;
  -- Due at this look: the column's default is a little later than v_now, so that each would wait for the next one.
  insert into public.chat_messages (chat_id, question_id, next_attempt_at)
  select w.chat_id, w.question_id, v_now from private.waiting_for_chats(p_service) w
  on conflict (question_id, chat_id) do nothing;
  -- Closed or a day old before it was sent: left out.
  delete from public.chat_messages m using public.agent_questions q
  where m.question_id = q.id and m.state = 'queued' and (m.attempts = 0 or m.next_attempt_at <= v_now)
    and (q.status <> 'OPEN' or q.expires_at <= v_now or q.created_at < v_now - interval '1 day');

  with due as (
    select m.id, m.chat_id, m.ref, q.created_at, m.state <> 'queued' as is_edit,
      row_number() over (partition by m.chat_id, m.state = 'queued' order by q.created_at, m.id) as place,
      c.bundle or count(*) filter (where m.state = 'queued') over (partition by m.chat_id) > 3 as is_list
    from public.chat_messages m
    join public.chats c on c.id = m.chat_id and c.service = p_service and c.confirmed_at is not null
    join public.agent_questions q on q.id = m.question_id
    where m.state <> 'closed' and m.next_attempt_at <= v_now
      and (m.state <> 'sent' or q.status <> 'OPEN' or q.expires_at <= v_now)
      and (m.state <> 'queued' or (not private.is_quiet(c, v_now) and private.may_hear(c, q.product_id)
        and (not c.bundle or c.last_sent_at is null or c.last_sent_at <= v_now - interval '15 minutes')
        and not exists (select from public.chat_messages e
          where e.chat_id = m.chat_id and e.state = 'queued' and e.attempts > 0 and e.next_attempt_at > v_now)))
  ), groups as (
    select distinct on (d.chat_id) d.chat_id, d.is_edit, d.ref, array_agg(d.id) as ids, min(d.created_at) as since
    from due d where d.is_edit or d.is_list or d.place = 1
    group by d.chat_id, d.is_edit, d.ref order by d.chat_id, d.is_edit, min(d.created_at)
  ), chosen as (
    select g.* from (select g.*, row_number() over (partition by g.is_edit order by g.since, g.chat_id) as place from groups g) g
    where g.place <= case when g.is_edit then p_edits else p_sends end
  ), taken as (
    update public.chat_messages m set attempts = m.attempts + 1, next_attempt_at = v_now + interval '1 minute'
    where m.id in (select unnest(g.ids) from chosen g)
    returning m.id
  )
  select coalesce(jsonb_agg(jsonb_build_object('chat_id', g.chat_id, 'room', c.room, 'titles', c.titles, 'time_zone', c.time_zone,
    'ids', g.ids, 'ref', g.ref, 'total', n.total, 'questions', n.questions) order by g.is_edit, g.place), '[]')
  into v_work
  from chosen g join public.chats c on c.id = g.chat_id
  cross join lateral (
    select max(x.total) as total, jsonb_agg(private.question_json(x.q)
      || jsonb_build_object('key', x.key, 'snoozed_until', x.snoozed_until) order by x.place) as questions
    from (
      select q, m.key, case when m.state = 'snoozed' then m.snoozed_until end as snoozed_until,
        count(*) over () as total, row_number() over (order by q.created_at, q.id) as place
      from public.chat_messages m join public.agent_questions q on q.id = m.question_id
      where m.chat_id = g.chat_id and (m.id = any (g.ids) or m.ref = g.ref)) x
    where x.place <= 20) n
  where (select count(*) from taken) > 0;
  return v_work;
end;
$$;
grant execute on function operations.take_chat_work to service_role;

-- How a message went: sent or edited, or to be tried again with growing pauses, or given up, which the person sees in their settings. Service only.
create function operations.note_chat_work(
  p_ids jsonb, p_ref text default null, p_error text default null, p_retry_seconds integer default null, p_give_up boolean default false
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_ids uuid[] := array(select jsonb_array_elements_text(p_ids)::uuid);
begin
  if p_error is null then
    update public.chats c set last_sent_at = v_now, last_error = null
    where c.id in (select m.chat_id from public.chat_messages m where m.id = any (v_ids) and m.state = 'queued');
    update public.chat_messages m
    set state = case m.state when 'queued' then 'sent' when 'snoozed' then 'queued' else 'closed' end,
        ref = case m.state when 'queued' then p_ref when 'sent' then m.ref end, attempts = 0, sent_at = v_now,
        next_attempt_at = case m.state when 'snoozed' then m.snoozed_until else v_now end
    where m.id = any (v_ids);
  else
    update public.chats c set last_error = left(p_error, 500)
    where p_give_up and c.id in (select m.chat_id from public.chat_messages m where m.id = any (v_ids));
    update public.chat_messages m
    set state = case when p_give_up or (m.attempts >= 10 and p_retry_seconds is null) then 'closed' else m.state end,
        attempts = case when p_retry_seconds is null then m.attempts else 1 end,
        next_attempt_at = v_now + coalesce(make_interval(secs => p_retry_seconds),
          least(interval '1 hour', interval '5 seconds' * power(2, greatest(m.attempts - 1, 0))))
    where m.id = any (v_ids);
  end if;
  return json_build_object('noted', found);
end;
$$;
grant execute on function operations.note_chat_work to service_role;
