create function private.delete_webhook(p_webhook_id uuid)
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

grant execute on function private.delete_webhook to authenticated;

create function public.delete_webhook(p_webhook_id uuid)
returns json language plpgsql volatile set search_path = ''
as $$ begin return private.delete_webhook(p_webhook_id); end; $$;

comment on function public.delete_webhook is 'Deletes a webhook with its deliveries. Owner only.';

grant execute on function public.delete_webhook to authenticated;
