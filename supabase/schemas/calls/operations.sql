-- Pages and streams need the caller before a call: the principal, or PT401 (specification: Authentication).
create function public.authenticate(p_credential jsonb)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
begin
  return row_to_json(v_principal);
end;
$$;
grant execute on function public.authenticate to service_role;

-- One request is one round trip. In one statement the credential is resolved, the transaction takes the role and
-- claims of its user, and the operation runs as that user under row level security. Invoker, because only an invoker
-- can change the role. Refusals in this order: PT401 credential, PT404 unknown operation, PT403 a demo account
-- calling an operation that writes (specification: Authentication 3) or a token without the scope, then those of the
-- operation. With p_key a writing call happens once: `answer` is the operation's answer as text, `kept` whether it is
-- stored under the key, `replayed` whether it comes from an earlier call. A token limited to some products replays
-- only its own calls.
create function public.call_as(
  p_credential jsonb, p_function text, p_arguments jsonb default '{}', p_key text default null
) returns json language plpgsql volatile set search_path = '' as $$
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

  if v_call.p_writes and not v_principal.scopes && v_call.p_scopes then
    perform private.refuse(403, format('This token does not include the scope %s. Use a token that does, or ask its owner for one.',
      array_to_string(v_call.p_scopes, ' or ')), jsonb_build_object('scope', v_call.p_scopes[1]));
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
  -- A counted wrong guess is returned, but is a refusal: its key goes.
  if v_call.p_writes and json_typeof(v_answer) = 'object' and v_answer -> 'refused' is not null then
    delete from public.idempotency_keys k where k.user_id = v_principal.user_id and k.key = p_key;
  elsif v_call.p_writes then
    update public.idempotency_keys k set answer = v_answer::text,
      product_id = coalesce(nullif(current_setting('backloom.locked_product', true), ''), p_arguments ->> 'p_product_id')::uuid
    where k.user_id = v_principal.user_id and k.key = p_key;
  end if;
  return json_build_object('answer', v_answer::text, 'kept', v_call.p_writes, 'replayed', false);
end;
$$;
grant execute on function public.call_as to service_role;

-- The same call with the same key runs once and gets the same result each time. The key is taken before the operation
-- and committed with it: a refused or failed call keeps nothing, and of concurrent callers the first works while the
-- others wait for its answer. Returns null when the key is new, otherwise the result of the call with this key. Still
-- running: PT409; used for another call: PT422; about a product that the caller has left: PT403.
create function private.take_idempotency_key(p_user_id uuid, p_key text, p_fingerprint bytea)
returns text language plpgsql volatile set search_path = '' as $$
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
$$;
grant execute on function private.take_idempotency_key to service_role;

-- New keys are limited, by their rows: a counter's lock would make a user's writes wait (specification: Limits).
create function private.require_keys_left(p_user_id uuid)
returns void language plpgsql stable set search_path = '' as $$
declare
  v_max integer;
  v_seconds integer;
  v_since timestamptz;
begin
  select l.p_max, l.p_seconds into v_max, v_seconds from private.rate_limit('idempotency_key') l;
  v_since := private.now() - make_interval(secs => v_seconds);
  if (select count(*) from (
    select from public.idempotency_keys k
    where k.user_id = p_user_id and k.created_at > v_since
    limit v_max + 1) k) <= v_max then
    return;
  end if;
  perform private.refuse(429, format('Too many idempotency keys (%s in %s seconds). Try again in a minute.', v_max, v_seconds),
    jsonb_build_object('retry_after', v_seconds));
end;
$$;
grant execute on function private.require_keys_left to service_role;

-- The service's own calls, before there is a user (sign-in, limits) or without one (schedules, the outbox), use one
-- entry point as users' calls do. Unknown operation, or one for users: PT404; then those of the operation.
create function public.call_service(p_function text, p_arguments jsonb default '{}')
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_answer json;
begin
  execute (private.build_call('service_role', p_function, p_arguments)).p_statement into v_answer using p_arguments;
  return v_answer;
end;
$$;
grant execute on function public.call_service to service_role;

-- Builds the SQL that calls an operation from its name and JSON arguments.
-- Safe by construction: the function is one of `operations` that the role may execute, names are quoted, types come
-- from the catalog, and the values stay in the single parameter $1.
-- Unknown operation or argument: PT404, like the Data API.
-- The comment on an operation declares who may call it. A volatile one writes, and demo accounts may not (specification:
-- Authentication 3), unless it says `reads`: such a one only counts against a limit. A limited token needs the scope
-- that it names (`scope work`, `scope plan or work`), or else `plan`.
create function private.build_call(
  p_role text, p_function text, p_arguments jsonb, out p_statement text, out p_writes boolean, out p_scopes text[])
language plpgsql
stable
set search_path = ''
as $$
declare
  v_names text[];
  v_types oid[];
  v_type text;
  v_separator text := '';
  v_comment text;
begin
  select p.proargnames, p.proargtypes::oid[], p.provolatile = 'v', coalesce(d.description, '')
  into v_names, v_types, p_writes, v_comment
  from pg_catalog.pg_proc p
  left join pg_catalog.pg_description d on d.objoid = p.oid and d.classoid = 'pg_catalog.pg_proc'::regclass and d.objsubid = 0
  where p.proname = p_function and p.pronamespace = 'operations'::regnamespace
    and has_function_privilege(p_role, p.oid, 'execute');

  if not found then
    perform private.refuse(404, format('There is no operation %s.', p_function));
  end if;
  p_writes := p_writes and v_comment <> 'reads';
  p_scopes := string_to_array(coalesce(substring(v_comment from '^scope (.*)$'), 'plan'), ' or ');

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
    perform private.refuse(404, format('The operation %s does not take the arguments %s.', p_function,
      (select string_agg(k, ', ' order by k) from jsonb_object_keys(p_arguments - coalesce(v_names, '{}')) k)));
  end if;

  p_statement := 'select operations.' || quote_ident(p_function) || '(' || p_statement || ')';
end;
$$;
grant execute on function private.build_call to service_role;

-- The one place that decides whom a credential belongs to. Everything is read from the database on each request:
-- revocation, expiry, the end of a paired session, role, demo flag. Only the id is taken from the cookie. Unknown,
-- expired or revoked: PT401 (specification: Authentication).
create function private.resolve_credential(p_credential jsonb)
returns private.principal language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_used_at timestamptz := v_now;
  v_principal private.principal;
begin
  if p_credential ? 'token_hash' then
    select u.id, u.username, u.email, u.role, u.is_demo, u.must_reset_password, u.min_quota_pct,
           u.active_product_id, u.theme, u.avatar is not null, null, false, null, t.id, t.scopes, t.product_ids,
           coalesce(t.last_used_at, '-infinity')
    into v_principal.user_id, v_principal.username, v_principal.email, v_principal.role,
         v_principal.is_demo, v_principal.must_reset_password, v_principal.min_quota_pct,
         v_principal.active_product_id, v_principal.theme, v_principal.has_avatar, v_principal.session_id, v_principal.paired,
         v_principal.paired_expires_at, v_principal.token_id, v_principal.scopes, v_principal.product_ids, v_used_at
    from public.api_tokens t
    join public.users u on u.id = t.user_id
    where t.token_hash = decode(p_credential ->> 'token_hash', 'hex')
      -- The token of a grant is good at the one address that it was asked for, and nowhere else.
      and (t.audience is null or t.audience = p_credential ->> 'audience')
      and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > v_now);
  elsif p_credential ? 'session_id' then
    select u.id, u.username, u.email, u.role, u.is_demo, u.must_reset_password, u.min_quota_pct,
           u.active_product_id, u.theme, u.avatar is not null, s.id, s.paired, s.paired_expires_at, null, s.last_seen_at
    into v_principal.user_id, v_principal.username, v_principal.email, v_principal.role,
         v_principal.is_demo, v_principal.must_reset_password, v_principal.min_quota_pct,
         v_principal.active_product_id, v_principal.theme, v_principal.has_avatar, v_principal.session_id, v_principal.paired,
         v_principal.paired_expires_at, v_principal.token_id, v_used_at
    from public.user_sessions s
    join public.users u on u.id = s.user_id
    where s.id = (p_credential ->> 'session_id')::uuid
      and s.revoked_at is null
      and s.expires_at > v_now
      and (s.paired_expires_at is null or s.paired_expires_at > v_now);
  else
    select u.id, u.username, u.email, u.role, u.is_demo, u.must_reset_password, u.min_quota_pct,
           u.active_product_id, u.theme, u.avatar is not null, false
    into v_principal.user_id, v_principal.username, v_principal.email, v_principal.role,
         v_principal.is_demo, v_principal.must_reset_password, v_principal.min_quota_pct,
         v_principal.active_product_id, v_principal.theme, v_principal.has_avatar, v_principal.paired
    from public.users u
    where u.id = (p_credential ->> 'user_id')::uuid;
  end if;

  if v_principal.user_id is null then
    perform private.refuse(401, 'Not signed in: the token or session is missing, unknown, expired or revoked. Sign in, or create a token in the settings.');
  end if;

  if v_used_at <= v_now - interval '1 minute' then
    perform private.touch_credential(v_principal.session_id, v_principal.token_id);
  end if;

  return v_principal;
end;
$$;
grant execute on function private.resolve_credential to service_role;

-- Shows on the devices and tokens pages when a credential was last used, and extends normal sessions to 30 days after
-- their last use. A paired session keeps its deadline (specification: Authentication 5). Concurrent requests with one
-- credential never wait here: a locked row is left to the request that holds it.
create function private.touch_credential(p_session_id uuid, p_token_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_session_id is not null then
    update public.user_sessions
    set last_seen_at = private.now(),
        expires_at = case when paired then expires_at else private.now() + interval '30 days' end
    where id in (select id from public.user_sessions where id = p_session_id for update skip locked);
    return;
  end if;

  update public.api_tokens
  set last_used_at = private.now(), first_used_at = coalesce(first_used_at, private.now())
  where id in (select id from public.api_tokens where id = p_token_id for update skip locked);
end;
$$;
grant execute on function private.touch_credential to service_role;

-- How long an idempotency key is remembered.
create function private.kept_call_lifetime() returns interval language sql immutable set search_path = '' as $$
  select interval '24 hours';
$$;
grant execute on function private.kept_call_lifetime to service_role;
