-- Why: one form of a webhook, without its secret, with the result of its last delivery.
create function private.webhook_json(p_webhook public.webhooks)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return to_jsonb(p_webhook) - 'secret' || jsonb_build_object(
    'created_by_name', private.username(p_webhook.created_by),
    'last_delivery', (
      select jsonb_build_object('kind', n.kind, 'status', lower(n.status::text), 'response_status', n.response_status,
        'last_error', n.last_error, 'created_at', n.created_at, 'delivered_at', n.delivered_at)
      from public.notices n where n.webhook_id = p_webhook.id order by n.created_at desc, n.id desc limit 1));
end;
$$;

comment on function private.webhook_json is 'A webhook as it is shown.';
