-- Why: a comment has text, and is short enough to read.
create function private.require_comment_body(p_body text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if coalesce(p_body, '') !~ '\S' or char_length(p_body) > 10000 then
    perform private.refuse(422, 'A comment has 1 to 10,000 characters. Put longer texts into the description.',
      '{"issues":[{"path":"body","message":"Must have 1 to 10,000 characters."}]}');
  end if;
end;
$$;

comment on function private.require_comment_body is 'PT422 for a comment that is empty or too long.';
