-- Why: the number in every page's frame, in the tab's title and its icon.
create function private.inbox_count()
returns integer
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select count(*)
    from private.inbox_items() i
    left join public.inbox_marks m on m.user_id = auth.uid() and m.item_kind = i.kind and m.item_id = i.id
    where private.inbox_state(i.at, m) = 'open');
end;
$$;

comment on function private.inbox_count is 'How many things wait for the caller and are neither done nor put off.';

grant execute on function private.inbox_count to authenticated;
