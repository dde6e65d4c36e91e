-- Why: creates or replaces the address; the previous key stops working at once. The app generates the key; only its
-- SHA-256 is stored. Refusals: 404, 403 (not the owner, demo, archived), 422, 429. Definer: hooks are written by
-- functions only.
create function operations.set_intake_hook(p_product_id uuid, p_id uuid, p_key_hash text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.take_rate_limit('webhook', auth.uid()::text);
  if p_key_hash !~ '^[0-9a-f]{64}$' then
    perform private.refuse(422, 'key_hash is the SHA-256 of the key, in hexadecimal.');
  end if;
  delete from public.intake_hooks h where h.product_id = p_product_id;
  insert into public.intake_hooks (id, product_id, key_hash, created_by)
  values (p_id, p_product_id, decode(p_key_hash, 'hex'), auth.uid());
  perform private.audit(auth.uid(), auth.uid(), 'intake_hook.set', jsonb_build_object('product_id', p_product_id));
  return json_build_object('id', p_id);
end;
$$;

comment on function operations.set_intake_hook is 'A new address for items of other services, in place of the one before. Owner only.';
grant execute on function operations.set_intake_hook to authenticated;
