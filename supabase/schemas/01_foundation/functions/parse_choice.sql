-- Why: a value that is not in the contract's list is refused with 422 and the list, on every path.
create function private.parse_choice(p_field text, p_value text, p_allowed text[])
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  if p_value is null or p_value = any (p_allowed) then
    return p_value;
  end if;

  raise exception using errcode = 'PT422',
    message = format('%s must be one of: %s.', p_field, array_to_string(p_allowed, ', ')),
    detail = json_build_object('issues', json_build_array(json_build_object(
      'path', p_field, 'message', 'Must be one of: ' || array_to_string(p_allowed, ', ') || '.')))::text;
end;
$$;

comment on function private.parse_choice is 'A word of a closed list, or PT422 (specification: Errors).';

grant execute on function private.parse_choice to authenticated;
