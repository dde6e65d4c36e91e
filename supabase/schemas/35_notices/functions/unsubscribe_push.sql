create function operations.unsubscribe_push(p_id uuid default null, p_endpoint text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_removed integer;
begin
  delete from public.push_subscriptions s
  where s.user_id = private.require_writer() and (s.id = p_id or s.endpoint = p_endpoint);
  get diagnostics v_removed = row_count;
  return json_build_object('removed', v_removed);
end;
$$;

comment on function operations.unsubscribe_push is 'Removes a device of the caller (specification: Push subscription).';
grant execute on function operations.unsubscribe_push to authenticated;
