-- Why: whose address an account has, and who else is connected to it, is asked before it is linked; a reset by an administrator disconnects it.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.find_identity_account(p_issuer text, p_subject text, p_verified_email text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_linked uuid;
  v_can_be_checked boolean;
  v_same_address uuid;
  v_is_connected boolean;
begin
  select i.account, i.refresh_token is not null into v_linked, v_can_be_checked from public.account_identities i where i.issuer = p_issuer and i.subject = p_subject;
  if v_linked is null then
    select u.id, exists (select from public.account_identities i where i.account = u.id and i.issuer = p_issuer)
    into v_same_address, v_is_connected
    from public.users u where lower(u.email) = lower(p_verified_email) and not u.is_demo
    order by u.created_at limit 1;
  end if;
  return json_build_object('linked', v_linked, 'can_be_checked', coalesce(v_can_be_checked, false),
    'same_address', v_same_address, 'is_connected_otherwise', coalesce(v_is_connected, false),
    'is_address_confirmed', private.is_address_confirmed(v_same_address));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.link_identity(p_issuer text, p_subject text, p_account uuid, p_by_address boolean DEFAULT false, p_ip text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_user public.users;
  v_other uuid;
  v_is_taken_over boolean;
begin
  select * into v_user from public.users u where u.id = p_account for update;
  if v_user.id is null then
    perform private.refuse(404, 'This account no longer exists.');
  end if;
  if v_user.is_demo then
    perform private.refuse(403, 'A demo account cannot be connected. Sign in with an account of your own first.');
  end if;
  if exists (select from public.account_identities i where i.account = p_account and i.issuer = p_issuer and i.subject <> p_subject) then
    perform private.refuse(409, 'This account is connected to another account at the provider. Sign in there with that one.');
  end if;
  insert into public.account_identities (issuer, subject, account) values (p_issuer, p_subject, p_account)
  on conflict (issuer, subject) do nothing;
  select i.account into v_other from public.account_identities i where i.issuer = p_issuer and i.subject = p_subject;
  if v_other is distinct from p_account then
    perform private.refuse(409, 'This account at the provider is connected to another account here. Sign out, then sign in through the provider.');
  end if;

  v_is_taken_over := p_by_address and not private.is_address_confirmed(p_account);
  if v_is_taken_over then
    perform private.end_access(p_account);
  end if;
  perform private.audit(p_account, p_account, 'identity.linked', jsonb_build_object('issuer', p_issuer, 'by_address', p_by_address,
    'access_ended', v_is_taken_over), p_ip);
  return json_build_object('account', p_account);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.password_changed(p_user_id uuid, p_keep_session_id uuid DEFAULT NULL::uuid, p_must_reset boolean DEFAULT false, p_actor_id uuid DEFAULT NULL::uuid, p_ip text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_ended integer;
begin
  update public.users set must_reset_password = p_must_reset, updated_at = private.now() where id = p_user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such user.';
  end if;

  if p_must_reset then
    delete from public.account_identities i where i.account = p_user_id;
  end if;
  v_ended := private.end_sessions(p_user_id, p_keep_session_id);
  perform private.audit(p_user_id, coalesce(p_actor_id, p_user_id),
    case when p_must_reset then 'password.reset' else 'password.changed' end,
    jsonb_build_object('sessions_ended', v_ended), p_ip);
  return json_build_object('sessions_ended', v_ended);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_address_confirmed(p_account uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from auth.users a where a.id = p_account and a.confirmation_sent_at is not null and a.email_confirmed_at is not null)
    or exists (select from public.audit_events e where e.user_id = p_account and e.kind = 'user.configured');
end;
$function$;

COMMENT ON FUNCTION "private"."is_address_confirmed"(uuid) IS 'Whether the address of an account is surely that of its person.';

REVOKE ALL ON FUNCTION "private"."is_address_confirmed"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_address_confirmed"(uuid) TO "postgres", "service_role";
