create function operations.ping_webhook(p_webhook_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_webhook public.webhooks := private.require_webhook(p_webhook_id);
  v_id uuid;
begin
  perform private.require_product_write(v_webhook.product_id);
  perform private.take_rate_limit('webhook', auth.uid()::text);
  insert into public.notices (kind, product_id, webhook_id, payload, next_attempt_at)
  values ('ping', v_webhook.product_id, v_webhook.id, jsonb_build_object('event', 'ping', 'product_id', v_webhook.product_id,
    'title', 'Ping', 'body', 'Backloom can reach this address.', 'path', '/', 'data', '{}'::jsonb, 'occurred_at', private.now()),
    private.now())
  returning id into v_id;
  return json_build_object('id', v_id);
end;
$$;

comment on function operations.ping_webhook is 'Sends a test request. Owner only.';
grant execute on function operations.ping_webhook to authenticated;
