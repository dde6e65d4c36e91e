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
