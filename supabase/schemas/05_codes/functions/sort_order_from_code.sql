-- Why: the order of stories and tasks is the trailing number of their code; without one, or past the largest safe integer,
-- they sort last (specification: Ordering rules 1).
create function private.sort_order_from_code(p_code text)
returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return coalesce(
    least(substring(p_code from '[0-9]+$')::numeric, 9007199254740991)::bigint,
    9007199254740991
  );
end;
$$;

comment on function private.sort_order_from_code is
  'The trailing number of a code, at most 9007199254740991 (specification: Ordering rules 1).';

grant execute on function private.sort_order_from_code to authenticated, service_role;
