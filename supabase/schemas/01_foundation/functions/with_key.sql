-- Why: appends an optional key to an answer. Without a value the answer stays byte for byte as it was before the key
-- existed.
create function private.with_key(p_answer json, p_key text, p_value json)
returns json
language sql
immutable
set search_path = ''
as $$
  select case when p_value is null then p_answer
    else (left(p_answer::text, -1) || ',' || to_json(p_key) || ':' || p_value || '}')::json end;
$$;

comment on function private.with_key is 'An answer with one more key, or as it is when there is no value.';
grant execute on function private.with_key to authenticated, service_role;
