-- Why: text from outside is data in a prompt: each of its lines is marked, so that none can end the quotation.
create function private.quoted(p_text text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return regexp_replace(regexp_replace(coalesce(p_text, ''), '\r\n?|[\u0085\u2028\u2029]', E'\n', 'g'), '^', '    | ', 'gn');
end;
$$;

comment on function private.quoted is 'A text from outside, each line marked as quoted.';
