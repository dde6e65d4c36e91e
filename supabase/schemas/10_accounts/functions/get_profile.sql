-- Why: the profile page. Definer: e-mail and flags are not readable by users in general; it reads only the caller's
-- row.
create function operations.get_profile()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select json_build_object('id', u.id, 'username', u.username, 'email', u.email, 'role', u.role,
      'is_demo', u.is_demo, 'must_reset_password', u.must_reset_password, 'min_quota_pct', u.min_quota_pct,
      'active_product_id', u.active_product_id, 'theme', u.theme, 'has_avatar', u.avatar is not null,
      'created_at', u.created_at)
    from public.users u where u.id = auth.uid()
  );
end;
$$;

comment on function operations.get_profile is 'The profile of the caller (specification: Other records, User).';
grant execute on function operations.get_profile to authenticated;
