-- Why: one request is one round trip. The credential is resolved, the role and the claims of its user are taken on
-- for this transaction, and the operation runs as that user under row level security, all in one statement.
-- Called by the app with the secret key (service_role only); invoker, because only an invoker can change the role.
-- Refusals in this order: PT401 credential, PT404 unknown operation, PT403 a demo account calling a volatile
-- operation (specification: Authentication 3) or a token without its scope, then whatever the operation refuses. With p_key a
-- writing call happens once: `answer` is then what the operation answered, as text, `kept` says that the key stands for this
-- call, `replayed` that it did so before. A token that is limited to some products replays its own calls alone.
create function public.call_as(p_credential jsonb, p_function text, p_arguments jsonb default '{}', p_key text default null)
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
  v_earlier text;
  v_answer json;
begin
  select c.p_statement, c.p_writes into v_statement, v_writes
  from private.build_call('authenticated', p_function, p_arguments) c;

  if v_writes and v_principal.is_demo then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;

  if v_writes and v_principal.scopes is not null then
    perform private.require_scope(v_principal.scopes, p_function);
  end if;

  if v_writes and p_key is not null then
    v_earlier := private.take_idempotency_key(v_principal.user_id, p_key,
      sha256(convert_to(p_function || p_arguments::text || coalesce(v_principal.product_ids::text, ''), 'UTF8')));
    if v_earlier is not null then
      return json_build_object('answer', v_earlier, 'kept', true, 'replayed', true);
    end if;
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', v_principal.user_id, 'role', 'authenticated',
      'session_id', v_principal.session_id, 'token_id', v_principal.token_id))::text, true),
    set_config('backloom.token_products', coalesce(v_principal.product_ids::text, ''), true),
    set_config('role', 'authenticated', true);
  execute v_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true),
    set_config('backloom.token_products', '', true);
  if p_key is null then
    return v_answer;
  end if;
  if v_writes then
    perform private.keep_answer(v_principal.user_id, p_key, v_answer);
  end if;
  return json_build_object('answer', v_answer::text, 'kept', v_writes, 'replayed', false);
end;
$$;

comment on function public.call_as is
  'Runs one operation as the user behind a credential (specification: Authentication). Service only.';
grant execute on function public.call_as to service_role;
