-- /authorize looks up the program. Null for an unknown id, or one removed because no one used it. Service only.
create function operations.get_oauth_client(p_client_id text)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select json_build_object('client_id', c.id, 'name', c.name, 'redirect_uris', to_json(c.redirect_uris))
    from public.oauth_clients c
    where c.id = p_client_id);
end;
$$;
grant execute on function operations.get_oauth_client to service_role;

-- The devices page: which programs can access what, since when, and until when. Includes API tokens, which give
-- access too; only those still valid. Row level security shows only the caller's (docs/oauth.md).
create function operations.list_grants() returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', t.id, 'label', t.label, 'client_id', t.client_id, 'audience', t.audience, 'scopes', to_json(t.scopes),
      'products', case when t.product_ids is not null then (
        select coalesce(json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name) order by lower(p.name), p.id), '[]')
        from public.products p where p.id = any (t.product_ids)) end,
      'created_at', t.created_at, 'first_used_at', t.first_used_at, 'last_used_at', t.last_used_at,
      'expires_at', coalesce(t.refresh_expires_at, t.expires_at)
    ) order by t.client_id is null, t.created_at desc, t.id), '[]')
    from public.api_tokens t
    where t.user_id = auth.uid() and t.revoked_at is null
      and (coalesce(t.refresh_expires_at, t.expires_at) is null or coalesce(t.refresh_expires_at, t.expires_at) > private.now())
  );
end;
$$;
grant execute on function operations.list_grants to authenticated;
