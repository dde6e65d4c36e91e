-- Why: under the product's lock the link is deleted and the membership added, so that of two people at once the second
-- finds no link. A person who is already in the product leaves the link unused. p_reserved: the caller has just
-- registered with the link, which is reserved for them. Refusals: 404, 403 for demo accounts and archived products,
-- 409, 429. Definer: memberships and invitations are written by functions only.
create function operations.join_product(p_code_hash text, p_reserved boolean default false)
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
  select i.product_id into v_product_id from public.product_invitations i where i.code_hash = decode(p_code_hash, 'hex');
  if v_product_id is not null then
    perform private.lock_product(v_product_id);
    perform private.require_product_write(v_product_id, true);
    if exists (select from public.product_members m where m.product_id = v_product_id and m.user_id = auth.uid()) then
      perform private.refuse(409, 'You are already in this product.');
    end if;
    delete from public.product_invitations i
    where i.code_hash = decode(p_code_hash, 'hex') and i.expires_at > private.now()
      and (p_reserved or coalesce(i.reserved_until, '-infinity') <= private.now())
    returning i.* into v_invitation;
  end if;
  if v_invitation.id is null then
    perform private.refuse(404, 'This invitation was used or revoked, or it has expired. Ask for a new one.');
  end if;
  insert into public.product_members (product_id, user_id, role) values (v_product_id, auth.uid(), v_invitation.role);
  perform private.audit(auth.uid(), auth.uid(), 'invitation.used', jsonb_build_object('product_id', v_product_id,
    'invitation_id', v_invitation.id, 'role', v_invitation.role, 'invited_by', v_invitation.created_by));
  return json_build_object('product_id', v_product_id, 'role', v_invitation.role);
end;
$$;

comment on function operations.join_product is 'The caller joins a product by the code of a link.';
grant execute on function operations.join_product to authenticated;
