create function operations.list_webhook_deliveries(p_webhook_id uuid, p_limit integer default 50, p_cursor uuid default null)
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

comment on function operations.list_webhook_deliveries is 'Delivery log of a webhook, newest first. Owner only.';
grant execute on function operations.list_webhook_deliveries to authenticated;
