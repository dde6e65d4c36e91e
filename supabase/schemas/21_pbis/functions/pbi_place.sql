-- Why: the sort_order with which a PBI stands directly before or after its anchor, or last without one. Null when no float
-- is left in between. Only reads what the caller may read.
create function private.pbi_place(p_product_id uuid, p_priority integer, p_moved_id uuid, p_anchor_id uuid, p_before boolean)
returns double precision
language plpgsql
stable
set search_path = ''
as $$
declare
  v_lower double precision;
  v_upper double precision;
  v_place double precision;
begin
  if p_anchor_id is null then
    return (
      select coalesce(max(b.sort_order), 0) + 1 from public.pbis b
      where b.product_id = p_product_id and b.priority = p_priority and b.id <> p_moved_id
    );
  end if;

  select case when p_before then x.previous else x.place end, case when p_before then x.place else x.next end
  into v_lower, v_upper
  from (
    select b.id, b.sort_order as place, lag(b.sort_order) over w as previous, lead(b.sort_order) over w as next
    from public.pbis b
    where b.product_id = p_product_id and b.priority = p_priority and b.id <> p_moved_id
    window w as (order by b.sort_order, b.created_at, b.id)
  ) x
  where x.id = p_anchor_id;

  v_place := coalesce((v_lower + v_upper) / 2, v_lower + 1, v_upper - 1);
  if v_place <= v_lower or v_place >= v_upper then
    return null;
  end if;
  return v_place;
end;
$$;

comment on function private.pbi_place is 'The float between two PBIs (specification: Ordering rules 4).';

grant execute on function private.pbi_place to authenticated, service_role;
