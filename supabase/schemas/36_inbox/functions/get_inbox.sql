-- Why: one page for everything that waits for a person: newest first, at most a hundred, with how many of each kind are open.
-- Definer: what items say is read for those in reach only (private.inbox_items).
create function private.get_inbox(p_state text, p_kinds jsonb)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_state text := lower(private.require_choice('state', p_state, array['OPEN', 'LATER', 'DONE']));
begin
  return (
    with item as materialized (
      select i.kind, i.id, i.product_id, i.at, m.later_until, private.inbox_state(i.at, m) as state
      from private.inbox_items() i
      left join public.inbox_marks m on m.user_id = auth.uid() and m.item_kind = i.kind and m.item_id = i.id
    ), shown as (
      select i.* from item i
      where i.state = v_state and (p_kinds is null or p_kinds ? i.kind)
      order by i.at desc, i.id
      limit 100
    )
    select json_build_object(
      'items', (
        select coalesce(json_agg(
          jsonb_build_object('kind', s.kind, 'id', s.id, 'product_id', s.product_id, 'product_name', p.name, 'at', s.at,
            'state', s.state, 'later_until', case when s.state = 'later' then s.later_until end)
          || private.inbox_item_json(s.kind, s.id) order by s.at desc, s.id), '[]')
        from shown s join public.products p on p.id = s.product_id),
      'counts', (
        select coalesce(json_object_agg(c.kind, c.count), '{}')
        from (select i.kind, count(*) from item i where i.state = 'open' group by i.kind) c),
      'later', (select count(*) from item i where i.state = 'later'))
  );
end;
$$;

grant execute on function private.get_inbox to authenticated;

create function public.get_inbox(p_state text default 'OPEN', p_kinds jsonb default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_inbox(p_state, p_kinds);
end;
$$;

comment on function public.get_inbox is 'What waits for the caller over all products: open, put off or done.';

grant execute on function public.get_inbox to authenticated;
