-- Called by the members page: the owner makes a member a viewer, or a viewer a member. A new viewer loses assigned
-- stories and consent for their workers, so that nothing waits for somebody who cannot do it. Refusals: 404, 403, 409
-- for the owner, 422. Definer: nobody writes roles directly.
create function operations.set_member_role(p_product_id uuid, p_user_id uuid, p_role text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_role public.member_role;
  v_before public.member_role;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  v_role := private.require_choice('role', coalesce(p_role, ''), array['MEMBER', 'VIEWER']);
  perform private.take_rate_limit('member', auth.uid()::text);

  select m.role into v_before from public.product_members m
  where m.product_id = p_product_id and m.user_id = p_user_id
  for update;
  if not found then
    perform private.refuse(404, 'No such member.');
  end if;
  if v_before = 'OWNER' then
    perform private.refuse(409, 'The owner stays the owner of the product. Archive or delete it instead.');
  end if;

  if v_role = 'VIEWER' then
    update public.stories s set assignee_id = null where s.product_id = p_product_id and s.assignee_id = p_user_id;
  end if;
  update public.product_members m
  set role = v_role, workers_allowed = m.workers_allowed and v_role = 'MEMBER',
    workers_decided_at = case when v_role = 'MEMBER' then m.workers_decided_at end
  where m.product_id = p_product_id and m.user_id = p_user_id and m.role <> v_role;
  if found then
    perform private.audit(p_user_id, auth.uid(), 'member.role',
      jsonb_build_object('product_id', p_product_id, 'from', v_before, 'to', v_role));
  end if;
  return json_build_object('user_id', p_user_id, 'username', private.username(p_user_id), 'role', v_role);
end;
$$;

comment on function operations.set_member_role is
  'Makes a member a viewer or a viewer a member, owner only (specification: Authentication 4).';
grant execute on function operations.set_member_role to authenticated;
