-- Refusals: 404, 403, 404 when there is no hook. Definer: hooks are written by functions only.
create function operations.revoke_intake_hook(p_product_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  delete from public.intake_hooks h where h.product_id = p_product_id;
  if not found then
    perform private.refuse(404, 'This product has no hook address.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'intake_hook.revoked', jsonb_build_object('product_id', p_product_id));
  return json_build_object('product_id', p_product_id);
end;
$$;

comment on function operations.revoke_intake_hook is 'Ends the hook address of a product at once. Owner only.';
grant execute on function operations.revoke_intake_hook to authenticated;
