create trigger _940_limit_rows after insert on public.webhooks
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('product_id', '50', 'webhooks of this product, which is the limit. Delete some that are not needed.');
create trigger _940_limit_rows after insert on public.push_subscriptions
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('user_id', '50', 'browsers that get your messages, which is the limit. Turn messages off in one that you no longer use.');

create trigger _400_touch before update on public.webhooks for each row execute function private.tg_any__touch();

-- Into the outbox in the transaction of the change, for webhooks and members with an active device; with p_only_user
-- just that one. Viewers get only notices addressed to them, as the others ask for something they cannot do. A text
-- that only p_reader_id may read goes to their devices and webhooks. Without recipients nothing is written.
create function private.queue_notices(
  p_kind text, p_product_id uuid, p_only_user uuid, p_to_people boolean, p_title text, p_body text, p_path text,
  p_data jsonb, p_reader_id uuid default null
) returns void language plpgsql volatile set search_path = '' as $$
declare
  v_payload jsonb := jsonb_build_object('event', p_kind, 'product_id', p_product_id,
    'title', left(p_title, 200), 'body', left(p_body, 500), 'path', p_path, 'data', p_data, 'occurred_at', private.now());
begin
  if p_to_people then
    insert into public.notices (kind, product_id, user_id, payload, next_attempt_at)
    select p_kind, p_product_id, m.user_id, v_payload, private.now()
    from public.product_members m
    where m.product_id = p_product_id and m.user_id = coalesce(p_reader_id, p_only_user, m.user_id)
      and (m.role <> 'VIEWER' or m.user_id = p_only_user)
      and exists (select from public.push_subscriptions s where s.user_id = m.user_id and s.disabled_at is null);
  end if;
  insert into public.notices (kind, product_id, webhook_id, payload, next_attempt_at)
  select p_kind, p_product_id, w.id, v_payload, private.now()
  from public.webhooks w
  where w.product_id = p_product_id and w.active and w.events ? p_kind and (p_reader_id is null or w.created_by = p_reader_id);
end;
$$;

-- A product's owner decides which other systems hear of it. The secret that signs requests is returned only once.
-- Refusals: 404, 403 (not the owner, demo, archived), 429, 422. Definer: users may not read secrets.
create function private.require_webhook(p_webhook_id uuid)
returns public.webhooks language plpgsql volatile set search_path = '' as $$
declare
  v_webhook public.webhooks;
begin
  select w.* into v_webhook from public.webhooks w where w.id = p_webhook_id;
  if not found then
    perform private.refuse(404, 'No such webhook. Reload the settings: it may have been deleted.');
  end if;
  perform private.require_product_owner(v_webhook.product_id);
  return v_webhook;
end;
$$;
