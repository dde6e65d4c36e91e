-- Why: the administration page. Definer: e-mail addresses and flags are not readable by users in general; it refuses
-- everybody but administrators. Ordered by name, 100 per page after p_after.
create function operations.admin_list_users(p_after text default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  return (
    select coalesce(json_agg(json_build_object(
      'id', u.id, 'username', u.username, 'email', u.email, 'role', u.role, 'is_demo', u.is_demo,
      'must_reset_password', u.must_reset_password, 'created_at', u.created_at,
      'last_seen_at', (select max(s.last_seen_at) from public.user_sessions s where s.user_id = u.id)
    ) order by lower(u.username)), '[]')
    from (
      select * from public.users x
      where p_after is null or lower(x.username) > lower(p_after)
      order by lower(x.username)
      limit 100
    ) u
  );
end;
$$;

comment on function operations.admin_list_users is 'All users, 100 a page; administrators only.';
grant execute on function operations.admin_list_users to authenticated;
