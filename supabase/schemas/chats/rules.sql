-- A pairing needs someone who may answer: it ends with the last membership that lets them, and for demo accounts. Of a product that they
-- left, messages change no more: that would say how its questions ended. Definer: no one writes chats directly.
create function private.tg_any__end_chats()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_user_id uuid := coalesce(to_jsonb(old) ->> 'user_id', to_jsonb(old) ->> 'id')::uuid;
begin
  delete from public.chats c where c.user_id = v_user_id and not private.may_chat(v_user_id);
  delete from public.chat_messages m using public.chats c, public.agent_questions q
  where c.user_id = v_user_id and m.chat_id = c.id and q.id = m.question_id and q.product_id = (to_jsonb(old) ->> 'product_id')::uuid;
  return null;
end;
$$;
create trigger _530_end_chats after delete on public.product_members for each row execute function private.tg_any__end_chats();
create trigger _531_end_chats after update of role on public.product_members for each row
  when (new.role = 'VIEWER') execute function private.tg_any__end_chats();
create trigger _530_end_chats after update of is_demo on public.users for each row
  when (new.is_demo) execute function private.tg_any__end_chats();

-- Whether there is a product in which this person could answer anything.
create function private.may_chat(p_user_id uuid)
returns boolean language sql stable set search_path = '' as $$
  select exists (
    select from public.product_members m join public.users u on u.id = m.user_id and not u.is_demo
    where m.user_id = p_user_id and m.role <> 'VIEWER');
$$;

-- Who answers now, and by what: a chat says so before it calls, everything else is the web. The audit trail keeps all of it.
create function private.answer_source()
returns jsonb language sql stable set search_path = '' as $$
  select coalesce(nullif(current_setting('backloom.answer_source', true), '')::jsonb, '{"via": "web"}');
$$;
