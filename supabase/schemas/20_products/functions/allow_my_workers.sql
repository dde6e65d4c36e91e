-- Why: being added to a product must not let others run code on a member's machine, so each member allows it for
-- themselves. The owner's workers are always allowed. Refusals: 404, 403, 409 for the owner.
-- Definer: nobody writes membership rows directly; this writes only the caller's own.
create function operations.allow_my_workers(p_product_id uuid, p_allowed boolean)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_write('product', p_product_id);

  update public.product_members m
  set workers_allowed = p_allowed, workers_decided_at = private.now()
  where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'MEMBER';
  if not found then
    perform private.refuse(409, 'You own this product, so your workers are always allowed here. Stop a worker to keep it from taking jobs.');
  end if;
  return json_build_object('product_id', p_product_id, 'workers_allowed', p_allowed);
end;
$$;

comment on function operations.allow_my_workers is
  'Whether the caller''s workers take jobs of this product unasked (specification: Agent job; Authentication 4).';
grant execute on function operations.allow_my_workers to authenticated;
