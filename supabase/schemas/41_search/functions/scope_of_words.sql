-- Why: what each word of a product begins with in the search indexes; ideas are their user's, so there it is the user. The first 48 bits
-- of the id are enough, because a hit is looked at again.
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
