-- Why: the owner of a product decides which other systems hear of it. The secret that signs requests is answered once.
-- Refusals: 404, 403 (not the owner, demo, archived), 429, 422. Definer: secrets are nobody's to read.
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

comment on function private.require_webhook(uuid) is 'A webhook of a product that the caller owns; PT404, PT403.';

create function private.create_webhook(p_product_id uuid, p_url text, p_events jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_webhook public.webhooks;
begin
  perform private.require_product_owner(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.take_rate_limit('webhook', auth.uid()::text);
  if p_url is null then
    perform private.refuse(422, 'url must be an https address of at most 2000 characters.');
  end if;
  insert into public.webhooks (product_id, url, secret, events, created_by)
  values (p_product_id, p_url,
    'whsec_' || encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'base64'),
    private.check_webhook(p_url, p_events), auth.uid())
  returning * into v_webhook;
  return private.webhook_json(v_webhook) || jsonb_build_object('secret', v_webhook.secret);
end;
$$;

create function private.update_webhook(p_webhook_id uuid, p_url text, p_events jsonb, p_active boolean)
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

create function private.ping_webhook(p_webhook_id uuid)
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

create function private.list_webhooks(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_product_owner(p_product_id);
  return json_build_object('webhooks', (
    select coalesce(jsonb_agg(private.webhook_json(w) order by w.created_at, w.id), '[]')
    from public.webhooks w where w.product_id = p_product_id));
end;
$$;

create function private.list_webhook_deliveries(p_webhook_id uuid, p_limit integer, p_cursor uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_deliveries jsonb;
  v_count integer;
  v_last uuid;
begin
  perform private.require_webhook(p_webhook_id);
  select coalesce(jsonb_agg(to_jsonb(n) - 'user_id' || jsonb_build_object('status', lower(n.status::text)) order by n.created_at desc, n.id desc), '[]'),
    count(*), (array_agg(n.id order by n.created_at, n.id))[1]
  into v_deliveries, v_count, v_last
  from (
    select x.* from public.notices x
    where x.webhook_id = p_webhook_id
      and (p_cursor is null or (x.created_at, x.id) < (select c.created_at, c.id from public.notices c where c.id = p_cursor))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) n;
  return json_build_object('deliveries', v_deliveries, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

grant execute on function private.create_webhook(uuid, text, jsonb), private.update_webhook(uuid, text, jsonb, boolean),
  private.delete_webhook(uuid), private.ping_webhook(uuid), private.list_webhooks(uuid),
  private.list_webhook_deliveries(uuid, integer, uuid) to authenticated;
