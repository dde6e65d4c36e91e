-- Why: the Data API puts a refusal's sentence into the HTTP status line, where a line break ends the response. Any text
-- from a caller passes through here before it becomes part of such a sentence.
create function private.one_line(p_text text)
returns text
language sql
immutable
set search_path = ''
as $$
  select left(regexp_replace(p_text, '[[:cntrl:]]+', ' ', 'g'), 200);
$$;

comment on function private.one_line is 'A text of the caller as part of a sentence: one line, at most 200 characters.';

grant execute on function private.one_line to service_role;
