-- Why: the devices page: device, place, time, whether paired, whether current. Row level security shows only the
-- caller's.
create function operations.list_sessions()
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', s.id, 'user_agent', s.user_agent, 'ip', s.ip, 'paired', s.paired,
      'paired_expires_at', s.paired_expires_at, 'expires_at', s.expires_at, 'last_seen_at', s.last_seen_at,
      'created_at', s.created_at, 'is_current', s.id is not distinct from private.current_session_id()
    ) order by s.last_seen_at desc, s.id), '[]')
    from public.user_sessions s
    where s.user_id = auth.uid()
      and s.revoked_at is null
      and s.expires_at > private.now()
      and (s.paired_expires_at is null or s.paired_expires_at > private.now())
  );
end;
$$;

comment on function operations.list_sessions is 'The live sessions of the caller (specification: Authentication).';
grant execute on function operations.list_sessions to authenticated;
