-- Called by the members page: owner first, then by name.
create function operations.list_product_members(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        m.user_id, private.username(m.user_id) as username, m.role, m.workers_allowed,
        to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
      from public.product_members m
      where m.product_id = p_product_id
      order by m.role, lower(private.username(m.user_id))
    ) x
  );
end;
$$;

comment on function operations.list_product_members is 'Owner, members and viewers of a product (specification: Authentication 4).';
grant execute on function operations.list_product_members to authenticated;
