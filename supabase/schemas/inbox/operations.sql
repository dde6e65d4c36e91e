-- Why: archiving or snoozing does not change the item itself: a question stays open for others, a task stays in review.
-- "done" holds until the item needs the person again, "later" until a time (by default tomorrow morning). Marks older
-- than 90 days are deleted.
-- Refusals: 404 for what does not wait for the caller, 403 for demo accounts, 422. Definer: no one writes marks
-- directly.
create function operations.mark_inbox_item(p_kind text, p_item_id uuid, p_mark text, p_until timestamptz default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_mark text := lower(private.require_choice('mark', p_mark, array['DONE', 'LATER', 'OPEN']));
  v_until timestamptz := coalesce(p_until, date_trunc('day', v_now at time zone 'UTC') at time zone 'UTC' + interval '31 hours');
  v_item record;
begin
  select i.product_id, i.at into v_item from private.inbox_items() i where i.kind = p_kind and i.id = p_item_id;
  if not found then
    perform private.refuse(404, 'Someone has already dealt with this. Reload the inbox.');
  end if;
  perform private.require_no_demo();
  perform private.take_rate_limit('inbox', auth.uid()::text);
  if v_mark = 'later' and not v_until between v_now and v_now + interval '31 days' then
    perform private.refuse(422, 'Choose a time in the future, at most a month away.');
  end if;

  delete from public.inbox_marks m
  where m.user_id = auth.uid()
    and (m.marked_at < v_now - interval '90 days' or m.item_kind = p_kind and m.item_id = p_item_id);
  if v_mark <> 'open' then
    insert into public.inbox_marks (user_id, item_kind, item_id, item_at, later_until)
    values (auth.uid(), p_kind, p_item_id, v_item.at, case when v_mark = 'later' then v_until end);
  end if;
  perform private.emit('user:' || auth.uid(), jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_item_id, 'product_id', null));
  return json_build_object('kind', p_kind, 'id', p_item_id, 'state', v_mark, 'later_until', case when v_mark = 'later' then v_until end);
end;
$$;
grant execute on function operations.mark_inbox_item to authenticated;
