-- Why: the settings show the address. The hash is included, so that the app can check whether its derived key is still
-- the current one. Definer: no grant includes the hash.
create function operations.get_intake_hook(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_product_owner(p_product_id);
  return json_build_object('hook', (
    select json_build_object('id', h.id, 'key_hash', encode(h.key_hash, 'hex'), 'created_by_name', private.username(h.created_by),
      'created_at', h.created_at, 'last_item_at', h.last_item_at)
    from public.intake_hooks h where h.product_id = p_product_id));
end;
$$;

comment on function operations.get_intake_hook is 'The hook address of a product, without its key; null when it has none. Owner only.';
grant execute on function operations.get_intake_hook to authenticated;
