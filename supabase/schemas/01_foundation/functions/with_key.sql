-- Why: an answer of the contract without the thing is as it was before there was any; with it, it has one more key, at its end.
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
