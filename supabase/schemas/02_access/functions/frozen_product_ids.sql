-- Why: for policies of rows that belong to a user, not to a product. Such a row is frozen only while the caller reaches
-- its product but may not change it (archived, or as a viewer). A product the caller has left freezes nothing. Definer
-- for the same reason as accessible_product_ids.
create function private.frozen_product_ids()
returns setof uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return query
    select m.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id
    where m.user_id = auth.uid() and (p.archived_at is not null or m.role = 'VIEWER');
end;
$$;

comment on function private.frozen_product_ids is 'Reachable products that are archived or that the caller only views (specification: Authentication 4).';

grant execute on function private.frozen_product_ids to authenticated, service_role;
