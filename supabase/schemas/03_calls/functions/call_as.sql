-- Why: one request is one round trip. The credential is resolved, the role and the claims of its user are taken on
-- for this transaction, and the operation runs as that user under row level security, all in one statement.
-- Called by the app with the secret key (service_role only); invoker, because only an invoker can change the role.
-- Refusals in this order: PT401 credential, PT404 unknown operation, PT403 a demo account calling a volatile
-- operation (specification: Authentication 3), then whatever the operation refuses.
create function public.call_as(p_credential jsonb, p_function text, p_arguments jsonb default '{}')
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
  v_caller text := current_setting('role');
  v_claims text := coalesce(current_setting('request.jwt.claims', true), '');
  v_statement text;
  v_writes boolean;
  v_answer json;
begin
  select c.p_statement, c.p_writes into v_statement, v_writes
  from private.build_call(p_function, p_arguments) c;

  perform private.become_user(v_principal, v_writes);
  execute v_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true);
  return v_answer;
end;
$$;

comment on function public.call_as is
  'Runs one operation as the user behind a credential (specification: Authentication). Service only.';
grant execute on function public.call_as to service_role;

-- Why: the one place where a call stops being the service's and becomes a user's: role and claims for the rest of the
-- transaction, or until the caller takes them back. Invoker, because only an invoker can change the role.
-- Called by public.call_as and private.act_as. A demo account that calls what writes: PT403.
create function private.become_user(p_principal private.principal, p_writes boolean)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_writes and p_principal.is_demo then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', p_principal.user_id, 'role', 'authenticated',
      'session_id', p_principal.session_id, 'token_id', p_principal.token_id))::text, true),
    set_config('role', 'authenticated', true);
end;
$$;

comment on function private.become_user is
  'Takes on a user''s role and claims, unless a demo account would write (specification: Authentication 3).';

grant execute on function private.become_user to service_role;

-- Why: call_as has to write and plan the call of the operation each time. A session of our own has prepared the call, so
-- it sends this first and the call behind it, in one message and so in one transaction, with the same refusals in the
-- same order: PT401 credential, PT404 unknown operation, PT403 a demo account calling a volatile operation.
-- Called by the app with the secret key only.
create function private.act_as(p_credential jsonb, p_function text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
  v_writes boolean;
begin
  select o.writes into v_writes from private.operations o where o.name = p_function;

  if not found then
    raise exception using errcode = 'PT404', message = format('There is no operation %s.', p_function);
  end if;

  perform private.become_user(v_principal, v_writes);
end;
$$;

comment on function private.act_as is
  'Makes the rest of the transaction the call of one operation by the user behind a credential (specification: Authentication).';

grant execute on function private.act_as to service_role;

-- Why: call_as receives the name of an operation and its arguments as JSON; this makes the SQL that calls it.
-- Safe by construction: the function is one of `public` that signed-in users may execute, names are quoted,
-- types come from the catalogue, and the values stay in the single parameter $1.
-- No such operation, or an argument that it does not have: PT404, as the Data API answers.
create function private.build_call(p_function text, p_arguments jsonb, out p_statement text, out p_writes boolean)
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
  select o.parameter_names, o.parameter_types, o.writes
  into v_names, v_types, p_writes
  from private.operations o
  where o.name = p_function;

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

  p_statement := 'select public.' || quote_ident(p_function) || '(' || p_statement || ')';
end;
$$;

comment on function private.build_call is
  'The SQL of one operation call with named arguments, and whether it writes. Used by call_as only.';

grant execute on function private.build_call to service_role;
