-- Called by the product pages, the settings and tools: all fields, the caller's role, the active sprint and the number
-- of stories in triage.
create function operations.get_product(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);

  return (
    select row_to_json(x)
    from (
      select
        p.*, private.username(p.owner_id) as owner_username, m.role,
        (
          select row_to_json(a)
          from (
            select s.id, s.code, s.sprint_goal, s.status, s.start_date, s.end_date from private.sprint_shape s
            where s.product_id = p.id and s.status = 'active'
          ) a
        ) as active_sprint,
        (select count(*) from public.stories s where s.product_id = p.id and s.in_triage and not s.is_template) as triage_count
      from private.product_detail_shape p
      join public.product_members m on m.product_id = p.id and m.user_id = (select auth.uid())
      where p.id = p_product_id
    ) x
  );
end;
$$;

comment on function operations.get_product is
  'One product with all fields and the role of the caller (specification: Product).';
grant execute on function operations.get_product to authenticated;
