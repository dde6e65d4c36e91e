-- The caller's devices (specification: Push subscription).
create function operations.list_push_subscriptions()
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  return json_build_object('subscriptions', (
    select coalesce(json_agg(json_build_object('id', s.id, 'user_agent', s.user_agent, 'host', substring(s.endpoint from '^https?://([^/]+)'),
      'endpoint', s.endpoint, 'last_error', s.last_error, 'disabled_at', s.disabled_at, 'created_at', s.created_at)
      order by s.created_at), '[]')
    from public.push_subscriptions s
    left join public.user_sessions u on u.id = s.session_id
    where s.user_id = auth.uid()
      and (s.session_id is null or (u.revoked_at is null and u.expires_at > private.now()))));
end;
$$;
grant execute on function operations.list_push_subscriptions to authenticated;

-- Delivery log of a webhook, newest first. Owner only.
create function operations.list_webhook_deliveries(
  p_webhook_id uuid, p_limit integer default 50, p_cursor text default null
) returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
begin
  perform private.require_webhook(p_webhook_id);
  return (select private.page_json('deliveries',
    array_agg(to_jsonb(n) - 'user_id' || jsonb_build_object('status', lower(n.status::text)) order by n.created_at desc, n.id desc),
    array_agg(private.cursor_of(n.id, private.microseconds(n.created_at)) order by n.created_at desc, n.id desc), v_limit)
  from (
    select x.* from public.notices x
    where x.webhook_id = p_webhook_id
      and (p_cursor is null or (x.created_at, x.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) n);
end;
$$;
grant execute on function operations.list_webhook_deliveries to authenticated;

-- Webhooks of a product. Owner only.
create function operations.list_webhooks(p_product_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_product_owner(p_product_id);
  return json_build_object('webhooks', (
    select coalesce(jsonb_agg(private.webhook_json(w) order by w.created_at, w.id), '[]')
    from public.webhooks w where w.product_id = p_product_id));
end;
$$;
grant execute on function operations.list_webhooks to authenticated;

-- One form of a webhook, without its secret, with the result of its last delivery.
create function private.webhook_json(p_webhook public.webhooks)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return to_jsonb(p_webhook) - 'secret' || jsonb_build_object(
    'created_by_name', private.username(p_webhook.created_by),
    'last_delivery', (
      select jsonb_build_object('kind', n.kind, 'status', lower(n.status::text), 'response_status', n.response_status,
        'last_error', n.last_error, 'created_at', n.created_at, 'delivered_at', n.delivered_at)
      from public.notices n where n.webhook_id = p_webhook.id order by n.created_at desc, n.id desc limit 1));
end;
$$;
