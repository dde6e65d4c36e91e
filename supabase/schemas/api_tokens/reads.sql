-- Why: the token page, without tokens or hashes. Row level security shows only the caller's. Revoked tokens stay listed
-- for 30 days, so that their owner sees what became of them (specification: Authentication 1).
create function operations.list_api_tokens() returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', t.id, 'label', t.label, 'prefix', t.prefix, 'created_at', t.created_at, 'expires_at', t.expires_at,
      'last_used_at', t.last_used_at, 'revoked_at', t.revoked_at, 'scopes', to_json(t.scopes),
      'products', case when t.product_ids is not null then (
        select coalesce(json_agg(p.code order by p.code), '[]') from public.products p where p.id = any (t.product_ids)) end
    ) order by t.revoked_at is not null, t.created_at desc, t.id), '[]')
    from public.api_tokens t
    where t.user_id = auth.uid() and t.client_id is null
      and (t.revoked_at is null or t.revoked_at > private.now() - interval '30 days')
  );
end;
$$;
grant execute on function operations.list_api_tokens to authenticated;
