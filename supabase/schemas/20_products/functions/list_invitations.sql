-- Called by the members page: open invitations, newest first; owner only.
create function operations.list_invitations(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_owner(p_product_id);
  return json_build_object('invitations', (
    select coalesce(json_agg(json_build_object('id', i.id, 'role', i.role, 'person', private.username(i.invited_user_id), 'invited_by', private.username(i.created_by),
      'created_at', i.created_at, 'expires_at', i.expires_at) order by i.created_at desc, i.id), '[]')
    from public.product_invitations i
    where i.product_id = p_product_id and i.expires_at > private.now()));
end;
$$;

comment on function operations.list_invitations is 'Open invitations to a product, owner only.';
grant execute on function operations.list_invitations to authenticated;
