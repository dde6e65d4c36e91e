-- Why: whoever searches looks through their own words alone, so that what others wrote costs them no time and tells them nothing.
-- Each word in a search index begins with its scope.
create function private.scoped_words(p_scope uuid, p_code text, p_title text, p_description text)
returns tsvector
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_scope text := private.scope_of_words(p_scope);
begin
  return array_to_tsvector(array(
    select v_scope || left(w, 300)
    from unnest(tsvector_to_array(to_tsvector('simple', p_code || ' ' || p_title || ' ' || left(p_description, 20000)))) w));
end;
$$;

comment on function private.scoped_words is 'The words of an item for its search index, each with its product or user.';

grant execute on function private.scoped_words to authenticated, service_role;
