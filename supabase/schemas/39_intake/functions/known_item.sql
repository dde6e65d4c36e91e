-- Why: an item that came before is answered with its story, or with what a person did with it. Null for a new one.
-- Definer: the sender of items may not read the settled ones.
create function private.known_item(p_product_id uuid, p_external_id text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  return (
    select json_build_object('id', x.id, 'code', x.code, 'status', x.status, 'is_new', false)
    from (
      select s.id, s.code, lower(s.status::text) as status, 1 as place
      from public.stories s where s.product_id = p_product_id and s.external_id = p_external_id
      union all
      select i.story_id, i.code, i.outcome, 2
      from public.settled_items i where i.product_id = p_product_id and i.external_id = p_external_id
    ) x
    order by x.place
    limit 1);
end;
$$;

comment on function private.known_item is 'What an external id has become in a product; null when it is new.';
