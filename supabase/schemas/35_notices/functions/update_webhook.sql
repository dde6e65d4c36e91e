create function operations.update_webhook(p_webhook_id uuid, p_url text default null, p_events jsonb default null, p_active boolean default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_webhook public.webhooks := private.require_webhook(p_webhook_id);
begin
  perform private.require_product_write(v_webhook.product_id);
  update public.webhooks w
  set url = coalesce(p_url, w.url), events = private.check_webhook(p_url, coalesce(p_events, w.events)),
      active = coalesce(p_active, w.active)
  where w.id = p_webhook_id
  returning w.* into v_webhook;
  return private.webhook_json(v_webhook);
end;
$$;

comment on function operations.update_webhook is 'Changes address, events or activity of a webhook. Owner only.';
grant execute on function operations.update_webhook to authenticated;
