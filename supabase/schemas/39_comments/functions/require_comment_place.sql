-- The kinds of items that can have comments, or 422 with the list.
create function private.require_comment_place(p_kind text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return private.parse_choice('kind', coalesce(p_kind, ''), '{pbi,story,task}');
end;
$$;

comment on function private.require_comment_place is 'pbi, story or task, or PT422.';
grant execute on function private.require_comment_place to authenticated;
