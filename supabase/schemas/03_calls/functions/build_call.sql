-- Why: builds the SQL that calls an operation from its name and JSON arguments.
-- Safe by construction: the function is one of `operations` that the role may execute, names are quoted, types come
-- from the catalog, and the values stay in the single parameter $1.
-- Unknown operation or argument: PT404, like the Data API.
create function private.build_call(
  p_role text, p_function text, p_arguments jsonb, out p_statement text, out p_writes boolean)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_names text[];
  v_types oid[];
  v_type text;
  v_separator text := '';
begin
  -- A volatile function writes (specification: Authentication 3), but for three that read and count against a limit.
  select p.proargnames, p.proargtypes::oid[], p.provolatile = 'v' and p.proname not in ('search', 'list_candidates', 'read_file')
  into v_names, v_types, p_writes
  from pg_catalog.pg_proc p
  where p.proname = p_function and p.pronamespace = 'operations'::regnamespace
    and has_function_privilege(p_role, p.oid, 'execute');

  if not found then
    raise exception using errcode = 'PT404', message = format('There is no operation %s.', p_function);
  end if;

  p_statement := '';
  for i in 1 .. coalesce(cardinality(v_names), 0) loop
    continue when not p_arguments ? v_names[i];
    v_type := format_type(v_types[i - 1], null);
    p_statement := p_statement
      || v_separator || quote_ident(v_names[i]) || ' => '
      || case
           when v_type in ('jsonb', 'json') then 'nullif($1 -> ' || quote_literal(v_names[i]) || ', ''null''::jsonb)::' || v_type
           else '($1 ->> ' || quote_literal(v_names[i]) || ')::' || v_type
         end;
    v_separator := ', ';
  end loop;

  if p_arguments - coalesce(v_names, '{}') <> '{}' then
    raise exception using errcode = 'PT404',
      message = format('The operation %s does not take the arguments %s.', p_function,
        p_arguments - coalesce(v_names, '{}'));
  end if;

  p_statement := 'select operations.' || quote_ident(p_function) || '(' || p_statement || ')';
end;
$$;

comment on function private.build_call is
  'The SQL of one operation call with named arguments, and whether it writes. Used by call_as and call_service.';

grant execute on function private.build_call to service_role;
