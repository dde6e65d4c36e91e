-- Why: each word in a search index starts with its scope, so that a search reads only the caller's words: others' texts
-- cost no time and reveal nothing. The cost keeps the planner from parsing all texts anew instead of reading an index.
create function private.scoped_words(p_scope uuid, p_code text, p_title text, p_description text)
returns tsvector
language plpgsql
immutable
cost 100000
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
