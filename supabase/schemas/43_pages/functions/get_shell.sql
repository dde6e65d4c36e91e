-- Why: the frame of every signed-in page in one read: the products to switch between, the active sprint of the current
-- one, and the caller's inbox count.
create function operations.get_shell(p_active_product_id uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(p) order by lower(p.name), p.id), '[]')
      from (
        select p.id, p.code, p.name, m.role
        from public.products p
        join public.product_members m on m.product_id = p.id and m.user_id = auth.uid()
        where p.archived_at is null
      ) p),
    'active_sprint_id', (
      select s.id from public.sprints s where s.product_id = p_active_product_id and s.status = 'ACTIVE'),
    'inbox', private.inbox_count()
  );
end;
$$;

comment on function operations.get_shell is 'The frame of every signed-in page: products, active sprint, the inbox.';
grant execute on function operations.get_shell to authenticated;
