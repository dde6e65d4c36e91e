-- Why: the secret is generated here and returned once. Refusals: 404, 403, 422, 429. Definer: webhooks are written by
-- functions only.
create function operations.create_webhook(p_product_id uuid, p_url text, p_events jsonb default null)
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

comment on function operations.create_webhook is 'A new webhook of a product; its secret is answered once. Owner only.';
grant execute on function operations.create_webhook to authenticated;
