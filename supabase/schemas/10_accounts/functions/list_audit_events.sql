-- Why: people see the events of their account, administrators see all (row level security decides). Newest first, 50
-- per page; p_before is the created_at of the last row of the previous page.
create function operations.list_audit_events(p_all boolean default false, p_before timestamptz default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_all then
    perform private.require_admin();
  end if;

  return (
    select coalesce(json_agg(json_build_object(
      'id', e.id, 'kind', e.kind, 'user_id', e.user_id, 'username', private.username(e.user_id),
      'actor_id', e.actor_id, 'actor_name', private.username(e.actor_id),
      'detail', e.detail, 'ip', e.ip, 'created_at', e.created_at) order by e.created_at desc, e.id), '[]')
    from (
      select * from public.audit_events a
      where (p_all or a.user_id = auth.uid()) and (p_before is null or a.created_at < p_before)
      order by a.created_at desc, a.id
      limit 50
    ) e
  );
end;
$$;

comment on function operations.list_audit_events is 'The audit trail: one''s own, or all for administrators.';
grant execute on function operations.list_audit_events to authenticated;
