-- Why: a refused start says in words what is in the way: the first three in full, then how many more.
create function private.blockers_sentence(p_blockers jsonb)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return 'The run cannot start. '
    || (
      select string_agg(b.value ->> 'message', ' ' order by b.ordinality)
      from jsonb_array_elements(p_blockers) with ordinality b
      where b.ordinality <= 3
    )
    || case when jsonb_array_length(p_blockers) > 3
      then format(' And %s more.', jsonb_array_length(p_blockers) - 3) else '' end;
end;
$$;

comment on function private.blockers_sentence is 'Blockers in words (specification: Starting a sprint run 1).';
