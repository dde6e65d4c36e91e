-- Why: one rule of what is open, put off or done, for the page and for the count in the frame of every page. A mark holds only
-- for the item as it stood when it was made.
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
