-- Why: the operations of the webhooks page, each the invoker's door to its definer body in `private`.
create function public.create_webhook(p_product_id uuid, p_url text, p_events jsonb default null)
returns json language plpgsql volatile set search_path = ''
as $$ begin return private.create_webhook(p_product_id, p_url, p_events); end; $$;

create function public.update_webhook(p_webhook_id uuid, p_url text default null, p_events jsonb default null, p_active boolean default null)
returns json language plpgsql volatile set search_path = ''
as $$ begin return private.update_webhook(p_webhook_id, p_url, p_events, p_active); end; $$;

create function public.delete_webhook(p_webhook_id uuid)
returns json language plpgsql volatile set search_path = ''
as $$ begin return private.delete_webhook(p_webhook_id); end; $$;

create function public.ping_webhook(p_webhook_id uuid)
returns json language plpgsql volatile set search_path = ''
as $$ begin return private.ping_webhook(p_webhook_id); end; $$;

create function public.list_webhooks(p_product_id uuid)
returns json language plpgsql stable set search_path = ''
as $$ begin return private.list_webhooks(p_product_id); end; $$;

create function public.list_webhook_deliveries(p_webhook_id uuid, p_limit integer default 50, p_cursor uuid default null)
returns json language plpgsql stable set search_path = ''
as $$ begin return private.list_webhook_deliveries(p_webhook_id, p_limit, p_cursor); end; $$;

comment on function public.create_webhook(uuid, text, jsonb) is 'A new webhook of a product; its secret is answered once. Owner only.';
comment on function public.update_webhook(uuid, text, jsonb, boolean) is 'Changes address, events or activity of a webhook. Owner only.';
comment on function public.delete_webhook(uuid) is 'Deletes a webhook with its deliveries. Owner only.';
comment on function public.ping_webhook(uuid) is 'Sends a test request. Owner only.';
comment on function public.list_webhooks(uuid) is 'Webhooks of a product. Owner only.';
comment on function public.list_webhook_deliveries(uuid, integer, uuid) is 'Delivery log of a webhook, newest first. Owner only.';

grant execute on function public.create_webhook(uuid, text, jsonb), public.update_webhook(uuid, text, jsonb, boolean),
  public.delete_webhook(uuid), public.ping_webhook(uuid), public.list_webhooks(uuid),
  public.list_webhook_deliveries(uuid, integer, uuid) to authenticated;
