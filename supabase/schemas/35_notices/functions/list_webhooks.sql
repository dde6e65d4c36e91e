create function operations.list_webhooks(p_product_id uuid)
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

comment on function operations.list_webhooks is 'Webhooks of a product. Owner only.';
grant execute on function operations.list_webhooks to authenticated;
