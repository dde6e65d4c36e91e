-- Why: a product's owner decides which other systems hear of it. The secret that signs requests is returned only once.
-- Refusals: 404, 403 (not the owner, demo, archived), 429, 422. Definer: users may not read secrets.
create function private.require_webhook(p_webhook_id uuid)
returns public.webhooks
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_webhook public.webhooks;
begin
  select w.* into v_webhook from public.webhooks w where w.id = p_webhook_id;
  if not found then
    perform private.refuse(404, 'No such webhook.');
  end if;
  perform private.require_product_owner(v_webhook.product_id);
  return v_webhook;
end;
$$;

comment on function private.require_webhook is 'A webhook of a product that the caller owns; PT404, PT403.';
