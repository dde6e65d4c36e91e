create function operations.delete_webhook(p_webhook_id uuid)
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
  delete from public.webhooks w where w.id = p_webhook_id;
  return json_build_object('id', p_webhook_id, 'deleted', true);
end;
$$;

comment on function operations.delete_webhook is 'Deletes a webhook with its deliveries. Owner only.';
grant execute on function operations.delete_webhook to authenticated;
