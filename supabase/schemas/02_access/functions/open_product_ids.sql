-- Why: for data that is hidden while a product is archived. Viewers read it like other members. Definer for the same
-- reason as accessible_product_ids.
create function private.open_product_ids()
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
    where m.user_id = auth.uid() and p.archived_at is null and private.is_open_to_token(m.product_id);
end;
$$;

comment on function private.open_product_ids is 'Reachable products that are not archived (specification: Authentication 4).';

grant execute on function private.open_product_ids to authenticated, service_role;
