-- Why: a link shown on a page must be http or https, never a script. Null stays null.
create function private.require_link(p_field text, p_value text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_value !~ '^https?://[^[:space:]]+$' or char_length(p_value) > 2000 then
    perform private.refuse(422, format('%s must be an http or https address of at most 2000 characters.', p_field),
      jsonb_build_object('issues', jsonb_build_array(
        jsonb_build_object('path', p_field, 'message', 'Must be an http or https address.'))));
  end if;
end;
$$;

comment on function private.require_link is 'PT422 for a link that is no web address (specification: Errors).';
