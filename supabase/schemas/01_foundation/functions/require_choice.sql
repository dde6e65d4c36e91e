-- Why: turns a value from outside, in any case, into one of the contract's words, or refuses with a 422 that lists
-- them. Null stays null.
create function private.require_choice(p_field text, p_value text, p_choices text[])
returns text
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_value is null or upper(p_value) = any (p_choices) then
    return upper(p_value);
  end if;
  perform private.refuse(422, format('%s must be one of %s.', p_field, lower(array_to_string(p_choices, ', '))),
    jsonb_build_object('issues', jsonb_build_array(
      jsonb_build_object('path', p_field, 'message', format('Not one of %s', lower(array_to_string(p_choices, ', '))))
    )));
  return null;
end;
$$;

comment on function private.require_choice is 'One of the given words, or PT422 (specification: Errors).';
