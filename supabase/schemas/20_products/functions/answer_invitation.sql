-- Why: the invited person decides. Under the product's lock the invitation is deleted and, if accepted, the membership
-- added. A person who joined another way meanwhile keeps that role. Refusals: 404 for others' and expired invitations,
-- 403 for demo accounts and archived products, 429. Definer: memberships and invitations are written by functions only.
create function operations.answer_invitation(p_invitation_id uuid, p_accept boolean)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid;
  v_invitation public.product_invitations;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('join', auth.uid()::text);
  select i.product_id into v_product_id from public.product_invitations i
  where i.id = p_invitation_id and i.invited_user_id = auth.uid();
  if v_product_id is not null then
    perform private.lock_product(v_product_id);
    if p_accept then
      perform private.require_product_write(v_product_id, true);
    end if;
    delete from public.product_invitations i
    where i.id = p_invitation_id and i.invited_user_id = auth.uid() and i.expires_at > private.now()
    returning i.* into v_invitation;
  end if;
  if v_invitation.id is null then
    perform private.refuse(404, 'This invitation was revoked, or it has expired. Ask for a new one.');
  end if;
  if p_accept then
    insert into public.product_members (product_id, user_id, role) values (v_product_id, auth.uid(), v_invitation.role)
    on conflict (product_id, user_id) do nothing;
  end if;
  perform private.audit(auth.uid(), auth.uid(), case when p_accept then 'invitation.accepted' else 'invitation.declined' end,
    jsonb_build_object('product_id', v_product_id, 'invitation_id', v_invitation.id, 'role', v_invitation.role, 'invited_by', v_invitation.created_by));
  perform private.tell_invited(auth.uid(), v_invitation.id);
  return json_build_object('product_id', v_product_id, 'accepted', p_accept);
end;
$$;

comment on function operations.answer_invitation is 'Accepts or declines an invitation of the caller.';
grant execute on function operations.answer_invitation to authenticated;
