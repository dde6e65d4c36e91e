-- Why: a link lets the first person who uses it into the product. The app generates the code and shows it once; only
-- its SHA-256 is stored. Expired links are deleted here. Refusals: 404, 403, 409 for too many open ones, 422, 429.
-- Definer: invitations are written by functions only.
create function operations.create_invitation(p_product_id uuid, p_role text, p_code_hash text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_role public.member_role;
  v_invitation public.product_invitations;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  v_role := private.require_choice('role', coalesce(p_role, ''), array['MEMBER', 'VIEWER']);
  perform private.take_rate_limit('member', auth.uid()::text);
  if p_code_hash !~ '^[0-9a-f]{64}$' then
    perform private.refuse(422, 'code_hash is the SHA-256 of the code, in hexadecimal.');
  end if;
  delete from public.product_invitations i where i.product_id = p_product_id and i.expires_at <= private.now();
  if (select count(*) from public.product_invitations i where i.product_id = p_product_id and i.code_hash is not null) >= 50 then
    perform private.refuse(409, 'The product has 50 open invitations. Revoke one that is no longer needed.');
  end if;
  insert into public.product_invitations (product_id, role, code_hash, created_by)
  values (p_product_id, v_role, decode(p_code_hash, 'hex'), auth.uid())
  returning * into v_invitation;
  perform private.audit(auth.uid(), auth.uid(), 'invitation.created',
    jsonb_build_object('product_id', p_product_id, 'invitation_id', v_invitation.id, 'role', v_role));
  return json_build_object('id', v_invitation.id, 'role', v_role, 'expires_at', v_invitation.expires_at);
end;
$$;

comment on function operations.create_invitation is 'An invitation to a product by link, owner only.';
grant execute on function operations.create_invitation to authenticated;
