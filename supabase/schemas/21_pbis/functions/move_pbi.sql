-- Called by drag and drop, keyboard moves and tools: puts a PBI directly before or after another, in that one's
-- priority; or, with only a priority, last in it. Inserts between two floats; when none is left between them, that
-- priority is renumbered first (specification: Ordering rules 4).
create function operations.move_pbi(
  p_pbi_id uuid,
  p_before_id uuid default null,
  p_after_id uuid default null,
  p_priority integer default null
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_anchor_id uuid := coalesce(p_before_id, p_after_id);
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
  v_priority integer;
  v_place double precision;
begin
  if v_anchor_id = p_pbi_id or (p_before_id is not null and p_after_id is not null)
    or (v_anchor_id is null and p_priority is null) then
    raise exception using errcode = 'PT422', message = 'Name one other PBI to go before or after, or a priority.',
      detail = '{"issues":[{"path":"before_id","message":"Name exactly one other PBI, or a priority."}]}';
  end if;

  if v_anchor_id is null then
    update public.pbis b
    set priority = p_priority, sort_order = private.pbi_place(v_product_id, p_priority, b.id, null, false)
    where b.id = p_pbi_id;
    return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
  end if;

  select b.priority into v_priority from public.pbis b where b.id = v_anchor_id and b.product_id = v_product_id;
  if v_priority is null then
    raise exception using errcode = 'PT404', message = 'No such PBI to go before or after in this product.';
  end if;

  v_place := private.pbi_place(v_product_id, v_priority, p_pbi_id, v_anchor_id, p_before_id is not null);
  if v_place is null then
    update public.pbis b
    set sort_order = n.place
    from (
      select o.id, row_number() over (order by o.sort_order, o.created_at, o.id) as place
      from public.pbis o
      where o.product_id = v_product_id and o.priority = v_priority and o.id <> p_pbi_id
    ) n
    where b.id = n.id and b.sort_order <> n.place;
    v_place := private.pbi_place(v_product_id, v_priority, p_pbi_id, v_anchor_id, p_before_id is not null);
  end if;

  update public.pbis b set priority = v_priority, sort_order = v_place where b.id = p_pbi_id;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;

comment on function operations.move_pbi is 'Moves a PBI by float insertion (specification: Ordering rules 4).';
grant execute on function operations.move_pbi to authenticated;

-- Why: the sort_order directly before or after the anchor, or last without one. Null when no float is left in between.
-- Only reads what the caller may read.
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

grant execute on function private.pbi_place to authenticated;
