-- Why: policies of what belongs to one user and not to the product: only a product that they reach and may not change (archived,
-- or theirs to view) holds it still, one that they have left does not. Definer for the same reason as accessible_product_ids.
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
