-- Why: the prefix of a product's words in the search indexes; for ideas, of their user's. The first 48 bits of the id
-- are enough, because hits are checked again.
create function private.scope_of_words(p_scope uuid)
returns text
language sql
immutable
set search_path = ''
as $$
  select left(p_scope::text, 13) || ' ';
$$;

comment on function private.scope_of_words is 'What every word of a product, or of a user''s ideas, begins with in the search indexes.';

grant execute on function private.scope_of_words to authenticated, service_role;
