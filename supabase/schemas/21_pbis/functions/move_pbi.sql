-- Called by drag and drop, keyboard moves and tools: puts a PBI directly before or directly after another, in that one's
-- priority; or, with a priority alone, last in it. Float insertion; when no float is left between two, that priority is
-- numbered anew first (specification: Ordering rules 4).
create function public.move_pbi(
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

comment on function public.move_pbi is 'Moves a PBI by float insertion (specification: Ordering rules 4).';
grant execute on function public.move_pbi to authenticated;
