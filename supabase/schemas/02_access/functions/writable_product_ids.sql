-- Why: for policies of writes. Definer for the same reason as accessible_product_ids. Archived products are read-only,
-- and so is every product for its viewers; the messages of operations for them are in require_product_write.
create function private.writable_product_ids()
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
    where m.user_id = auth.uid() and m.role <> 'VIEWER' and p.archived_at is null and private.is_open_to_token(m.product_id);
end;
$$;

comment on function private.writable_product_ids is
  'Reachable products that are not archived and where the caller is more than a viewer (specification: Authentication 4).';

grant execute on function private.writable_product_ids to authenticated, service_role;
