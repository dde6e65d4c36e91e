-- Why: one rule of open, snoozed and archived, for the page and for the count in every page's frame. A mark holds only
-- for the item as it was then.
create function private.inbox_state(p_at timestamptz, p_mark public.inbox_marks)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return case
    when p_mark.item_at is null or p_mark.item_at < p_at then 'open'
    when p_mark.later_until is null then 'done'
    when p_mark.later_until > private.now() then 'later'
    else 'open'
  end;
end;
$$;

comment on function private.inbox_state is 'open, later or done: how an item of the inbox stands for the owner of the mark.';

grant execute on function private.inbox_state to authenticated;
