-- Why: the holder of a link sees who invites them to what before they sign in or register. Called by the join and
-- registration pages with the secret key; knowing the code is enough to see this. 404 for an invalid code. Service
-- only.
create function operations.find_invitation(p_code_hash text)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_invitation json;
begin
  select json_build_object('role', i.role, 'product_name', p.name, 'invited_by', u.username, 'expires_at', i.expires_at)
  into v_invitation
  from public.product_invitations i
  join public.products p on p.id = i.product_id and p.archived_at is null
  join public.users u on u.id = i.created_by
  where i.code_hash = decode(p_code_hash, 'hex') and i.expires_at > private.now();
  if v_invitation is null then
    perform private.refuse(404, 'This invitation was used or revoked, or it has expired. Ask for a new one.');
  end if;
  return v_invitation;
end;
$$;

comment on function operations.find_invitation is 'What a link invites to. Service only.';
grant execute on function operations.find_invitation to service_role;
