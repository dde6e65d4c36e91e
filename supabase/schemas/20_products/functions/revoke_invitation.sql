-- Why: ends an invitation that went to the wrong person at once. Refusals: 404, 403. Definer: invitations are written
-- by functions only.
create function operations.revoke_invitation(p_invitation_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_invitation public.product_invitations;
begin
  select i.* into v_invitation from public.product_invitations i where i.id = p_invitation_id;
  if not found then
    perform private.refuse(404, 'No such invitation. It was used or revoked, or it has expired.');
  end if;
  perform private.require_write('product', v_invitation.product_id);
  perform private.require_product_owner(v_invitation.product_id);
  delete from public.product_invitations i where i.id = p_invitation_id;
  perform private.audit(auth.uid(), auth.uid(), 'invitation.revoked',
    jsonb_build_object('product_id', v_invitation.product_id, 'invitation_id', p_invitation_id));
  if v_invitation.invited_user_id is not null then
    perform private.tell_invited(v_invitation.invited_user_id, p_invitation_id);
  end if;
  return json_build_object('id', p_invitation_id);
end;
$$;

comment on function operations.revoke_invitation is 'Ends an open invitation, owner only.';
grant execute on function operations.revoke_invitation to authenticated;
