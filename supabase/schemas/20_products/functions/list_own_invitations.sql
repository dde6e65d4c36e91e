-- Called by the invitations page: open invitations of the caller, newest first. Definer: the caller cannot see these
-- products yet.
create function operations.list_own_invitations()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return json_build_object('invitations', (
    select coalesce(json_agg(json_build_object('id', i.id, 'product_name', p.name, 'role', i.role,
      'invited_by', private.username(i.created_by), 'created_at', i.created_at, 'expires_at', i.expires_at) order by i.created_at desc, i.id), '[]')
    from public.product_invitations i
    join public.products p on p.id = i.product_id and p.archived_at is null
    where i.invited_user_id = auth.uid() and i.expires_at > private.now()));
end;
$$;

comment on function operations.list_own_invitations is 'Invitations that wait for the caller.';
grant execute on function operations.list_own_invitations to authenticated;
