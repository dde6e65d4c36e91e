-- Why: the prefix of a product's words in the search indexes; for ideas, of their user's. The first 48 bits of the id
-- are enough, because hits are checked again.
create function private.scope_of_words(p_scope uuid) returns text language sql immutable set search_path = '' as $$
  select left(p_scope::text, 13) || ' ';
$$;
grant execute on function private.scope_of_words to authenticated, service_role;

-- Why: each word in a search index starts with its scope, so that a search reads only the caller's words: others' texts
-- cost no time and reveal nothing. The cost keeps the planner from parsing all texts again instead of reading an index.
create function private.scoped_words(p_scope uuid, p_code text, p_title text, p_description text)
returns tsvector language plpgsql immutable cost 100000 set search_path = '' as $$
declare
  v_scope text := private.scope_of_words(p_scope);
begin
  return array_to_tsvector(array(
    select v_scope || left(w, 300)
    from unnest(tsvector_to_array(to_tsvector('simple', p_code || ' ' || p_title || ' ' || left(p_description, 20000)))) w));
end;
$$;
grant execute on function private.scoped_words to authenticated, service_role;
