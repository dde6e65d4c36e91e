-- Why: what a request costs follows from what is allowed, not from what somebody sends: files are read in parts, new entries of the search
-- indexes are found by the index, and new idempotency keys are limited. Files kept so far stay compressed where they are.
set local check_function_bodies = off;

DROP FUNCTION "operations"."read_file"(uuid, boolean);

CREATE OR REPLACE FUNCTION operations.import_backlog(p_pbis jsonb, p_product_id uuid DEFAULT NULL::uuid, p_name text DEFAULT NULL::text, p_code text DEFAULT NULL::text, p_preview boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := p_product_id;
  v_report jsonb;
begin
  if p_product_id is null then
    perform private.require_no_demo();
  else
    perform private.require_write('product', p_product_id);
  end if;
  begin
    if v_product_id is null then
      v_product_id := (operations.create_product(p_code, p_name) ->> 'id')::uuid;
      perform private.lock_product(v_product_id);
    end if;
    v_report := private.import_rows(v_product_id, p_pbis) || jsonb_build_object('product', (
      select jsonb_build_object('id', case when p_product_id is not null or not coalesce(p_preview, false) then p.id end,
        'code', p.code, 'name', p.name)
      from public.products p where p.id = v_product_id));
    if p_preview then
      raise exception using errcode = 'IMPRV';
    end if;
  exception when sqlstate 'IMPRV' then
    -- The rows are gone again; what was counted stays.
  end;
  return v_report;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.read_file(p_file_id uuid, p_from integer DEFAULT 0, p_length integer DEFAULT 0)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_file public.files;
begin
  select f.* into v_file from public.files f
  where f.id = p_file_id and f.product_id in (select private.accessible_product_ids());
  if v_file.id is null then
    perform private.refuse(404, 'No such file.');
  end if;
  if p_length > 0 then
    perform private.take_rate_limit('file_read', auth.uid()::text);
  end if;
  return json_build_object('name', v_file.name, 'type', v_file.type, 'size', v_file.size, 'content', (
    select encode(substring(c.content from p_from + 1 for least(p_length, 1048576)), 'base64')
    from public.file_contents c where c.file_id = p_file_id and p_length > 0));
end;
$function$;

CREATE OR REPLACE FUNCTION private.build_call(p_role text, p_function text, p_arguments jsonb, OUT p_statement text, OUT p_writes boolean)
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
$function$;

CREATE OR REPLACE FUNCTION private.rate_limit(p_action text, OUT p_max integer, OUT p_seconds integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also the failed tries of an account, or of a browser it was signed in on)
      ('login', 10, 60),
      ('provider_sign_in', 60, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      ('oauth_register', 20, 600),
      ('oauth_token', 120, 60),
      ('hook_address', 3000, 60),
      ('open_door', 600, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('join', 20, 60),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('dependency', 120, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('oauth_consent', 100, 600),
      ('client_document', 60, 60),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('saved_view', 60, 60),
      ('label', 60, 60),
      ('comment', 60, 60),
      ('file', 60, 60),
      ('file_read', 600, 60),
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      ('pulls_observed', 120, 60),
      ('issues_observed', 120, 60),
      ('issue_notes', 120, 60),
      ('landings', 300, 60),
      ('idempotency_key', 600, 60),
      -- per hook address: what is sent, and what is new
      ('hook', 3000, 60),
      ('hook_item', 300, 3600),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60),
      ('job_merged', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_keys_left(p_user_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_max integer;
  v_seconds integer;
begin
  select l.p_max, l.p_seconds into v_max, v_seconds from private.rate_limit('idempotency_key') l;
  if (select count(*) from (
    select from public.idempotency_keys k
    where k.user_id = p_user_id and k.created_at > private.now() - make_interval(secs => v_seconds)
    limit v_max + 1) k) <= v_max then
    return;
  end if;
  raise exception using errcode = 'PT429',
    message = format('Too many idempotency keys (%s in %s seconds). Try again in a minute.', v_max, v_seconds),
    detail = json_build_object('retry_after', v_seconds)::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.scoped_words(p_scope uuid, p_code text, p_title text, p_description text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE COST 100000
 SET search_path TO ''
AS $function$
declare
  v_scope text := private.scope_of_words(p_scope);
begin
  return array_to_tsvector(array(
    select v_scope || left(w, 300)
    from unnest(tsvector_to_array(to_tsvector('simple', p_code || ' ' || p_title || ' ' || left(p_description, 20000)))) w));
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
    set fingerprint = excluded.fingerprint, answer = null, created_at = excluded.created_at
    where k.created_at <= private.now() - private.kept_call_lifetime()
    returning true into v_is_new;
  exception when lock_not_available then
    raise exception using errcode = 'PT409',
      message = 'The same request is still running. Send it again in a second to get its answer.',
      detail = json_build_object('retry_after', 1)::text;
  end;
  perform set_config('lock_timeout', v_timeout, true);
  if v_is_new then
    perform private.require_keys_left(p_user_id);
    return null;
  end if;

  select k.* into v_kept from public.idempotency_keys k where k.user_id = p_user_id and k.key = p_key;
  if v_kept.fingerprint <> p_fingerprint then
    raise exception using errcode = 'PT422',
      message = 'This idempotency key was used for another request. Send the same request again, or take a new key for a new one.',
      detail = json_build_object('issues', json_build_array(
        json_build_object('path', 'idempotency_key', 'message', 'Was used for another request.')))::text;
  end if;
  return v_kept.answer;
end;
$function$;

CREATE INDEX idempotency_keys_user_idx ON public.idempotency_keys USING btree (user_id, created_at);

COMMENT ON FUNCTION "operations"."read_file"(uuid, integer, integer) IS 'A file with a part of its content in base64 (at most 1 MB), null where none was asked for.';

COMMENT ON FUNCTION "private"."require_keys_left"(uuid) IS 'PT429 beyond the new idempotency keys of a user (specification: Limits).';

REVOKE ALL ON FUNCTION "operations"."read_file"(uuid, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."read_file"(uuid, integer, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_keys_left"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."rate_limit"(text) TO "service_role";

GRANT EXECUTE ON FUNCTION "private"."require_keys_left"(uuid) TO "postgres", "service_role";

alter index public.ideas_search_idx set (fastupdate = off);
select gin_clean_pending_list('public.ideas_search_idx');

alter index public.pbis_search_idx set (fastupdate = off);
select gin_clean_pending_list('public.pbis_search_idx');

alter index public.stories_search_idx set (fastupdate = off);
select gin_clean_pending_list('public.stories_search_idx');

alter index public.tasks_search_idx set (fastupdate = off);
select gin_clean_pending_list('public.tasks_search_idx');

alter table public.file_contents alter column content set storage external;
