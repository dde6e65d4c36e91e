-- Why: a session of our own prepares the calls of operations, and says with act_as whose call comes behind it: nothing is planned anew each time.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.act_as(p_credential jsonb, p_function text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.become_user(p_principal private.principal, p_writes boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.build_call(p_function text, p_arguments jsonb, OUT p_statement text, OUT p_writes boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.call_as(p_credential jsonb, p_function text, p_arguments jsonb DEFAULT '{}'::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE VIEW "private"."operations" WITH (security_invoker=true) AS  SELECT proname AS name,
    proargnames AS parameter_names,
    (proargtypes)::oid[] AS parameter_types,
    (provolatile = 'v'::"char") AS writes
   FROM pg_proc p
  WHERE ((pronamespace = ('public'::regnamespace)::oid) AND (prokind = 'f'::"char") AND (proargmodes IS NULL) AND has_function_privilege('authenticated'::name, oid, 'execute'::text));

COMMENT ON FUNCTION "private"."act_as"(jsonb, text) IS 'Makes the rest of the transaction the call of one operation by the user behind a credential (specification: Authentication).';

COMMENT ON FUNCTION "private"."become_user"(private.principal, boolean) IS 'Takes on a user''s role and claims, unless a demo account would write (specification: Authentication 3).';

COMMENT ON VIEW "private"."operations" IS 'The functions of public that users may call; a volatile one writes (specification: Authentication 3).';

REVOKE ALL ON FUNCTION "private"."act_as"(jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."act_as"(jsonb, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."become_user"(private.principal, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."become_user"(private.principal, boolean) TO "postgres", "service_role";

GRANT ALL ON TABLE "private"."operations" TO "postgres";

GRANT SELECT ON TABLE "private"."operations" TO "service_role";
