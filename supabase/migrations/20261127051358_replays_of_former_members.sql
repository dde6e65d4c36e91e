-- Why: no call is repeated for someone who has left its product, whichever item it named.
set local check_function_bodies = off;

DROP FUNCTION "private"."keep_answer"(uuid, text, json);

DROP FUNCTION "private"."refuse_former_member"(uuid, jsonb);

ALTER TABLE "public"."idempotency_keys" ADD COLUMN "product_id" uuid;

CREATE OR REPLACE FUNCTION private.keep_answer(p_user_id uuid, p_key text, p_answer json, p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if json_typeof(p_answer) = 'object' and p_answer -> 'refused' is not null then
    delete from public.idempotency_keys k where k.user_id = p_user_id and k.key = p_key;
  else
    update public.idempotency_keys k set answer = p_answer::text, product_id = p_product_id where k.user_id = p_user_id and k.key = p_key;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_idempotency_key(p_user_id uuid, p_key text, p_fingerprint bytea)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_timeout text := current_setting('lock_timeout');
  v_is_new boolean;
  v_kept public.idempotency_keys;
begin
  begin
    -- Shorter than any other lock is waited for: the call that holds the key may itself be waiting for one.
    perform set_config('lock_timeout', '1500ms', true);
    insert into public.idempotency_keys as k (user_id, key, fingerprint, created_at)
    values (p_user_id, p_key, p_fingerprint, private.now())
    on conflict (user_id, key) do update
    set fingerprint = excluded.fingerprint, answer = null, product_id = null, created_at = excluded.created_at
    where k.created_at <= private.now() - private.kept_call_lifetime()
    returning true into v_is_new;
  exception when lock_not_available then
    perform private.refuse(409, 'The same request is still running. Send it again in a second to get its answer.',
      jsonb_build_object('retry_after', 1));
  end;
  perform set_config('lock_timeout', v_timeout, true);
  if v_is_new then
    perform private.require_keys_left(p_user_id);
    return null;
  end if;

  select k.* into v_kept from public.idempotency_keys k where k.user_id = p_user_id and k.key = p_key;
  if v_kept.fingerprint <> p_fingerprint then
    perform private.refuse(422, 'This idempotency key was used for another request. Send the same request again, or take a new key for a new one.',
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'idempotency_key', 'message', 'Was used for another request.'))));
  end if;
  -- Anyone who has left its product reads nothing of it any more.
  if exists (select from public.products p where p.id = v_kept.product_id)
    and not exists (select from public.product_members m where m.product_id = v_kept.product_id and m.user_id = p_user_id)
  then
    perform private.refuse(403, 'You have no access to this product. Ask its owner to add you as a member.');
  end if;
  return v_kept.answer;
end;
$function$;

CREATE OR REPLACE FUNCTION public.call_as(p_credential jsonb, p_function text, p_arguments jsonb DEFAULT '{}'::jsonb, p_key text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
  v_caller text := current_setting('role');
  v_claims text := coalesce(current_setting('request.jwt.claims', true), '');
  v_call record := private.build_call('authenticated', p_function, p_arguments);
  v_earlier text;
  v_answer json;
begin
  if v_call.p_writes and v_principal.is_demo then
    perform private.refuse(403, 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.');
  end if;

  if v_call.p_writes and v_principal.scopes is not null then
    perform private.require_scope(v_principal.scopes, p_function);
  end if;

  if v_call.p_writes and p_key is not null then
    v_earlier := private.take_idempotency_key(v_principal.user_id, p_key,
      sha256(convert_to(p_function || p_arguments::text || coalesce(v_principal.product_ids::text, ''), 'UTF8')));
    if v_earlier is not null then
      return json_build_object('answer', v_earlier, 'kept', true, 'replayed', true);
    end if;
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', v_principal.user_id, 'role', 'authenticated',
      'session_id', v_principal.session_id, 'token_id', v_principal.token_id,
      'undoable', nullif(v_principal.session_id is not null and private.is_undoable(p_function), false)))::text, true),
    set_config('backloom.token_products', coalesce(v_principal.product_ids::text, ''), true),
    set_config('role', 'authenticated', true);
  execute v_call.p_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true),
    set_config('backloom.token_products', '', true);
  if p_key is null then
    return v_answer;
  end if;
  if v_call.p_writes then
    perform private.keep_answer(v_principal.user_id, p_key, v_answer,
      coalesce(nullif(current_setting('backloom.locked_product', true), ''), p_arguments ->> 'p_product_id')::uuid);
  end if;
  return json_build_object('answer', v_answer::text, 'kept', v_call.p_writes, 'replayed', false);
end;
$function$;

REVOKE ALL ON FUNCTION "private"."keep_answer"(uuid, text, json, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_answer"(uuid, text, json, uuid) TO "postgres", "service_role";
