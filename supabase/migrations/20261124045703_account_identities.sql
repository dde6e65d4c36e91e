-- Why: people sign in with the account of their company; who that is there is kept, and what tells when it ends.
set local check_function_bodies = off;

CREATE TABLE "public"."account_identities" ("issuer" text NOT NULL, "subject" text NOT NULL, "account" uuid NOT NULL, "refresh_token" text, "asked_until" timestamp with time zone, "ended_at" timestamp with time zone, CONSTRAINT "account_identities_issuer_length" CHECK (((char_length(issuer) >= 1) AND (char_length(issuer) <= 2000))), CONSTRAINT "account_identities_pkey" PRIMARY KEY (issuer, subject), CONSTRAINT "account_identities_refresh_token_length" CHECK ((char_length(refresh_token) <= 20000)), CONSTRAINT "account_identities_subject_length" CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255))), "checked_at" timestamp with time zone NOT NULL DEFAULT private.now(), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."account_identities" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION operations.account_identity(p_issuer text, p_account uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('connected_at', (
    select i.created_at from public.account_identities i where i.issuer = p_issuer and i.account = p_account limit 1));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.claim_identity_checks(p_issuer text, p_limit integer DEFAULT 20)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_claimed json;
begin
  with due as (
    select i.issuer, i.subject from public.account_identities i
    where i.issuer = p_issuer and i.ended_at is null and i.refresh_token is not null
      and i.checked_at <= private.now() - interval '20 minutes' and coalesce(i.asked_until, '-infinity') <= private.now()
    order by i.checked_at limit p_limit for update skip locked
  ), claimed as (
    update public.account_identities i set asked_until = private.now() + interval '4 minutes'
    from due where i.issuer = due.issuer and i.subject = due.subject
    returning i.issuer, i.subject, i.refresh_token
  )
  select coalesce(json_agg(claimed), '[]') into v_claimed from claimed;
  return v_claimed;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_session(p_user_id uuid, p_user_agent text DEFAULT NULL::text, p_ip text DEFAULT NULL::text, p_previous_session_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_user public.users;
  v_session public.user_sessions;
begin
  select * into v_user from public.users u where u.id = p_user_id for share;
  if not found then
    raise exception using errcode = 'PT401', message = 'This account no longer exists. Sign in with another one.';
  end if;

  if exists (select from public.account_identities i where i.account = p_user_id and i.ended_at is not null)
    and not exists (select from public.account_identities i where i.account = p_user_id and i.ended_at is null) then
    perform private.refuse(403,
      'Your account at the sign-in provider has ended. Sign in through the provider again, or ask an administrator to reset your password.');
  end if;

  delete from public.user_sessions s
  where s.user_id = p_user_id and least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  update public.user_sessions set revoked_at = v_now
  where id = p_previous_session_id and revoked_at is null;

  insert into public.user_sessions (user_id, user_agent, ip, expires_at, last_seen_at, created_at)
  values (p_user_id, left(p_user_agent, 255), left(p_ip, 45), v_now + interval '30 days', v_now, v_now)
  returning * into v_session;
  -- The same browser and the same person: it goes on being told.
  update public.push_subscriptions set session_id = v_session.id
  where session_id = p_previous_session_id and user_id = p_user_id;

  perform private.audit(p_user_id, p_user_id, 'session.started',
    jsonb_build_object('session_id', v_session.id, 'user_agent', v_session.user_agent), p_ip);
  return json_build_object('session_id', v_session.id, 'user_id', v_user.id, 'is_demo', v_user.is_demo,
    'must_reset_password', v_user.must_reset_password, 'theme', v_user.theme);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.end_identity(p_issuer text, p_subject text, p_tried text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_account uuid;
  v_ended jsonb;
begin
  -- The user first, as everywhere: a sign-in that is under way waits, and finds the identity ended.
  perform from public.users u
  where u.id = (select i.account from public.account_identities i where i.issuer = p_issuer and i.subject = p_subject) for update;
  update public.account_identities i set ended_at = private.now(), refresh_token = null, asked_until = null
  where i.issuer = p_issuer and i.subject = p_subject and i.refresh_token = p_tried and i.ended_at is null
  returning i.account into v_account;
  if v_account is not null then
    v_ended := private.end_access(v_account);
    perform private.audit(v_account, null, 'identity.ended', v_ended || jsonb_build_object('issuer', p_issuer));
  end if;
  return json_build_object('ended', v_account is not null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.find_identity_account(p_issuer text, p_subject text, p_verified_email text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_linked uuid;
  v_can_be_checked boolean;
begin
  select i.account, i.refresh_token is not null into v_linked, v_can_be_checked from public.account_identities i where i.issuer = p_issuer and i.subject = p_subject;
  return json_build_object('linked', v_linked, 'can_be_checked', coalesce(v_can_be_checked, false), 'same_address', (
    select u.id from public.users u where v_linked is null and lower(u.email) = lower(p_verified_email) order by u.created_at limit 1));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.keep_identity(p_issuer text, p_subject text, p_refresh_token text DEFAULT NULL::text, p_tried text DEFAULT NULL::text, p_is_admin boolean DEFAULT NULL::boolean)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_account uuid;
begin
  update public.account_identities i
  set refresh_token = coalesce(p_refresh_token, i.refresh_token), checked_at = private.now(), asked_until = null,
    ended_at = case when p_tried is null then null else i.ended_at end
  where i.issuer = p_issuer and i.subject = p_subject and (p_tried is null or i.refresh_token = p_tried)
  returning i.account into v_account;
  if v_account is not null and p_is_admin is not null then
    perform private.set_role_by_claim(v_account, p_is_admin);
  end if;
  return json_build_object('kept', v_account is not null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.link_identity(p_issuer text, p_subject text, p_account uuid, p_by_address boolean DEFAULT false, p_ip text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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

  v_is_taken_over := p_by_address
    and not exists (select from auth.users a where a.id = p_account and a.confirmation_sent_at is not null and a.email_confirmed_at is not null)
    and not exists (select from public.audit_events e where e.user_id = p_account and e.kind = 'user.configured');
  if v_is_taken_over then
    perform private.end_access(p_account);
  end if;
  perform private.audit(p_account, p_account, 'identity.linked', jsonb_build_object('issuer', p_issuer, 'by_address', p_by_address,
    'access_ended', v_is_taken_over), p_ip);
  return json_build_object('is_taken_over', v_is_taken_over);
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
    delete from public.account_identities i where i.account = p_user_id and i.ended_at is not null;
  end if;
  v_ended := private.end_sessions(p_user_id, p_keep_session_id);
  perform private.audit(p_user_id, coalesce(p_actor_id, p_user_id),
    case when p_must_reset then 'password.reset' else 'password.changed' end,
    jsonb_build_object('sessions_ended', v_ended), p_ip);
  return json_build_object('sessions_ended', v_ended);
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_access(p_account uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_sessions integer := private.end_sessions(p_account);
  v_tokens integer;
begin
  update public.api_tokens t set revoked_at = private.now() where t.user_id = p_account and t.revoked_at is null;
  get diagnostics v_tokens = row_count;
  delete from public.push_subscriptions s where s.user_id = p_account;
  return jsonb_build_object('sessions_ended', v_sessions, 'tokens_ended', v_tokens);
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
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      ('pulls_observed', 120, 60),
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

CREATE OR REPLACE FUNCTION private.set_role_by_claim(p_account uuid, p_is_admin boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_role public.user_role := case when p_is_admin then 'ADMIN' else 'DEVELOPER' end;
begin
  -- Two administrators who lose the role at the same moment must not both lose it.
  perform pg_advisory_xact_lock(hashtextextended('administrators', 0));
  update public.users u set role = v_role, updated_at = private.now()
  where u.id = p_account and u.role <> v_role and not u.is_demo
    and (p_is_admin or exists (select from public.users o where o.role = 'ADMIN' and not o.is_demo and o.id <> p_account));
  if found then
    perform private.audit(p_account, null, 'user.changed', jsonb_build_object('role', v_role, 'by', 'OIDC_ADMIN_CLAIM'));
  end if;
end;
$function$;

ALTER TABLE "public"."account_identities" ADD CONSTRAINT "account_identities_account_fkey" FOREIGN KEY (account) REFERENCES public.users(id) ON DELETE CASCADE;

CREATE INDEX account_identities_account_idx ON public.account_identities USING btree (account);

CREATE POLICY "account_identities_service" ON "public"."account_identities" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON COLUMN "public"."account_identities"."ended_at" IS 'When the provider refused to renew the sign-in: the account signs in no more until it signs in there again.';

COMMENT ON FUNCTION "operations"."account_identity"(text, uuid) IS 'When an account was connected to the provider, if it was. Service only.';

COMMENT ON FUNCTION "operations"."claim_identity_checks"(text, integer) IS 'Accounts to ask the provider about, each for one process. Service only.';

COMMENT ON FUNCTION "operations"."end_identity"(text, text, text) IS 'Ends all access of an account that ended at the provider. Service only.';

COMMENT ON FUNCTION "operations"."find_identity_account"(text, text, text) IS 'The account behind a sign-in at the provider, if any. Service only.';

COMMENT ON FUNCTION "operations"."keep_identity"(text, text, text, text, boolean) IS 'Notes that the account at the provider exists, and its role. Service only.';

COMMENT ON FUNCTION "operations"."link_identity"(text, text, uuid, boolean, text) IS 'Links an account of the provider with an account here. Service only.';

COMMENT ON FUNCTION "private"."end_access"(uuid) IS 'Ends all sessions, tokens and grants of an account.';

COMMENT ON FUNCTION "private"."set_role_by_claim"(uuid, boolean) IS 'Gives or takes the role ADMIN as the provider says.';

COMMENT ON TABLE "public"."account_identities" IS 'Accounts of the sign-in provider and whose they are here. Service only.';

REVOKE ALL ON FUNCTION "operations"."account_identity"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."account_identity"(text, uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."claim_identity_checks"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."claim_identity_checks"(text, integer) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."end_identity"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."end_identity"(text, text, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."find_identity_account"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."find_identity_account"(text, text, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."keep_identity"(text, text, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."keep_identity"(text, text, text, text, boolean) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."link_identity"(text, text, uuid, boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."link_identity"(text, text, uuid, boolean, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."end_access"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_access"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."set_role_by_claim"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_role_by_claim"(uuid, boolean) TO "postgres", "service_role";

GRANT ALL ON TABLE "public"."account_identities" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."account_identities" TO "service_role";

CREATE INDEX account_identities_checked_at_idx ON public.account_identities USING btree (checked_at) WHERE (ended_at IS NULL);
