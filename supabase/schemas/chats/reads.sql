-- The caller's chats, for the settings. Refusals: 403 for tokens. Definer: chats hold hashes of codes.
create function operations.list_chats()
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_session('Chats are connected and changed by a person: sign in and open Settings. A token cannot.');
  return json_build_object(
    'chats', (select coalesce(jsonb_agg(private.chat_json(c) order by c.created_at, c.id), '[]') from public.chats c where c.user_id = auth.uid()),
    'bots', (select coalesce(jsonb_object_agg(x.service, x.bot_name), '{}') from public.chat_connections x where x.bot_name is not null),
    'unreachable', (select coalesce(jsonb_agg(x.service), '[]') from public.chat_connections x where x.state <> 'on' or x.held_until <= private.now()));
end;
$$;
grant execute on function operations.list_chats to authenticated;

-- The state and last error of each service, for administrators.
create function operations.list_chat_connections()
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_admin();
  return json_build_object('connections', (
    select coalesce(jsonb_agg(to_jsonb(x) - 'holder' || jsonb_build_object(
      'state', case when x.held_until <= private.now() then 'off' else x.state end,
      'paired', (select count(*) from public.chats c where c.service = x.service and c.confirmed_at is not null)) order by x.service), '[]')
    from public.chat_connections x));
end;
$$;
grant execute on function operations.list_chat_connections to authenticated;

-- One form of a chat for its person.
create function private.chat_json(p_chat public.chats)
returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object('id', p_chat.id, 'service', p_chat.service, 'name', p_chat.account_name,
    'account', case when p_chat.account_id is not null then jsonb_build_object('id', p_chat.account_id, 'name', p_chat.account_name) end,
    'confirmed', p_chat.confirmed_at is not null, 'since', coalesce(p_chat.confirmed_at, p_chat.created_at), 'products', p_chat.products,
    'quiet_from', to_char(p_chat.quiet_from, 'HH24:MI'), 'quiet_to', to_char(p_chat.quiet_to, 'HH24:MI'), 'time_zone', p_chat.time_zone,
    'bundle', p_chat.bundle, 'titles', p_chat.titles, 'last_error', p_chat.last_error);
$$;

-- Which open questions are to be said in which chats of a service, and were not yet: those that hold work and that the person has neither snoozed nor archived.
create function private.waiting_for_chats(p_service text)
returns table (chat_id uuid, question_id uuid) language sql stable set search_path = '' as $$
  select c.id, q.id
  from public.chats c
  join public.product_members m on m.user_id = c.user_id
  join public.products p on p.id = m.product_id
  join public.agent_questions q on q.product_id = m.product_id and q.status = 'OPEN'
    and q.expires_at > private.now() and q.created_at > private.now() - interval '1 day'
  left join public.stories s on s.id = q.story_id
  left join public.product_members a on a.product_id = q.product_id and a.user_id = coalesce(q.assignee_id, s.assignee_id) and a.role <> 'VIEWER'
  left join public.inbox_marks k on k.user_id = c.user_id and k.item_kind = 'question' and k.item_id = q.id
  where c.service = p_service and c.confirmed_at is not null and private.may_hear(c, q.product_id)
    and case when q.reader_id is not null then q.reader_id = c.user_id
      else a.user_id is not distinct from c.user_id
        or p.owner_id = c.user_id and (a.user_id is null or q.created_at <= private.now() - interval '15 minutes') end
    and private.inbox_state(q.created_at, k) = 'open'
    and not exists (select from public.chat_messages o where o.question_id = q.id and o.chat_id = c.id)
    and private.inbox_rank('question', q.id, private.question_asks(q)) < 4;
$$;

-- Whether the person of a chat may answer in this product now, and wants to hear of it there.
create function private.may_hear(p_chat public.chats, p_product_id uuid)
returns boolean language sql stable set search_path = '' as $$
  select (p_chat.products is null or p_product_id = any (p_chat.products)) and exists (
    select from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null
    join public.users u on u.id = m.user_id and not u.is_demo
    where m.product_id = p_product_id and m.user_id = p_chat.user_id and m.role <> 'VIEWER');
$$;

-- Whether it is within the quiet hours of a chat, which may go past midnight.
create function private.is_quiet(p_chat public.chats, p_at timestamptz)
returns boolean language sql stable set search_path = '' as $$
  select coalesce(case when p_chat.quiet_from <= p_chat.quiet_to then t.now >= p_chat.quiet_from and t.now < p_chat.quiet_to
    else t.now >= p_chat.quiet_from or t.now < p_chat.quiet_to end, false)
  from (select (p_at at time zone p_chat.time_zone)::time as now) t;
$$;
