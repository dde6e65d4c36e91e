-- Why: stories and tasks are sorted by the trailing number of their code. Codes without one, or with one past the
-- largest safe integer, sort last (specification: Ordering rules 1).
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
