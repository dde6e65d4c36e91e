create function operations.list_push_subscriptions()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return json_build_object('subscriptions', (
    select coalesce(json_agg(json_build_object('id', s.id, 'user_agent', s.user_agent, 'host', substring(s.endpoint from '^https?://([^/]+)'),
      'endpoint', s.endpoint, 'last_error', s.last_error, 'disabled_at', s.disabled_at, 'created_at', s.created_at)
      order by s.created_at), '[]')
    from public.push_subscriptions s
    left join public.user_sessions u on u.id = s.session_id
    where s.user_id = auth.uid()
      and (s.session_id is null or (u.revoked_at is null and u.expires_at > private.now()))));
end;
$$;

comment on function operations.list_push_subscriptions is 'The caller''s devices (specification: Push subscription).';
grant execute on function operations.list_push_subscriptions to authenticated;
