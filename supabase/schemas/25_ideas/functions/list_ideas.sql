-- Called by the ideas page and tools: the caller's ideas, oldest first, in pages. The cursor is the id of the last one
-- of the previous page.
create function operations.list_ideas(
  p_product_id uuid default null,
  p_archived boolean default false,
  p_limit integer default 100,
  p_cursor uuid default null
)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 100), 1), 200);
  v_items json;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  select coalesce(json_agg(row_to_json(i) order by x.created_at, x.id), '[]'), count(*),
    (array_agg(x.id order by x.created_at desc, x.id desc))[1]
  into v_items, v_count, v_last
  from (
    select k.id, k.created_at
    from public.ideas k
    left join public.ideas c on c.id = p_cursor
    where k.user_id = (select auth.uid()) and (k.archived_at is not null) = p_archived
      and (
        p_product_id is null or k.product_id = p_product_id
        or exists (select from public.idea_products l where l.idea_id = k.id and l.product_id = p_product_id)
      )
      and (p_cursor is null or (k.created_at, k.id) > (c.created_at, c.id))
    order by k.created_at, k.id
    limit v_limit
  ) x
  join private.idea_shape i on i.id = x.id;

  return json_build_object('items', v_items, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

comment on function operations.list_ideas is 'Ideas of the caller, oldest first (specification: Idea).';
grant execute on function operations.list_ideas to authenticated;
