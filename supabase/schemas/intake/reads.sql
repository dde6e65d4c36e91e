-- With the hash, so that the app can check whether its derived key is the current one. Definer: no grant includes it.
create function operations.get_intake_hook(p_product_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_product_owner(p_product_id);
  return json_build_object('hook', (
    select json_build_object('id', h.id, 'key_hash', encode(h.key_hash, 'hex'), 'created_by_name', private.username(h.created_by),
      'created_at', h.created_at, 'last_item_at', h.last_item_at)
    from public.intake_hooks h where h.product_id = p_product_id));
end;
$$;
grant execute on function operations.get_intake_hook to authenticated;

-- Empty for an archived product, which takes no issues.
create function operations.get_issue_label(p_product_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);
  return (
    select json_build_object('label', case when p.archived_at is null then p.forge_issue_label else '' end)
    from public.products p where p.id = p_product_id);
end;
$$;
grant execute on function operations.get_issue_label to authenticated;
