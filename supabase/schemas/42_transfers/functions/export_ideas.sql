-- Why: the ideas of all users for one product, with their logs and further products (docs/export-format.md).
create function private.export_ideas(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', i.code, 'username', u.username, 'title', i.title, 'description', i.description,
      'status', i.status, 'archived_at', private.export_time(i.archived_at),
      'pbi', (select b.code from public.pbis b where b.id = i.pbi_id and b.product_id = p_product_id),
      'linked_products', (
        select coalesce(json_agg(p.code order by p.code), '[]')
        from public.idea_products ip
        join public.products p on p.id = ip.product_id
        where ip.idea_id = i.id
      ),
      'created_at', private.export_time(i.created_at),
      'log', (
        select coalesce(json_agg(json_build_object(
          'kind', l.kind, 'content', l.content,
          'username', (select lu.username from public.users lu where lu.id = l.user_id),
          'created_at', private.export_time(l.created_at)
        ) order by l.created_at, l.kind, l.content, l.id), '[]')
        from public.idea_logs l
        where l.idea_id = i.id
      )
    ) order by u.username, i.code), '[]')
    from public.ideas i
    join public.users u on u.id = i.user_id
    where i.product_id = p_product_id
  );
end;
$$;

comment on function private.export_ideas is 'Ideas of a product for the export file. Used by export_product only.';

grant execute on function private.export_ideas to service_role;
