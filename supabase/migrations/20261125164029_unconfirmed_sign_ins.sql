-- Why: accounts whose provider gives no refresh token sign in there again in time or end; whoever has left a product hears nothing of it
-- any more; a message to an agent whose attempt failed before it read it is undelivered; demo accounts search again.
set local check_function_bodies = off;

DROP FUNCTION "operations"."claim_identity_checks"(text, integer);

CREATE OR REPLACE FUNCTION operations.claim_identity_checks(p_issuer text, p_limit integer DEFAULT 20, p_recheck_hours integer DEFAULT 168)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_claimed json;
begin
  perform private.end_access(e.account) from (
    select distinct i.account from public.account_identities i
    where i.issuer = p_issuer and i.ended_at > private.now() - interval '1 day'
      and not exists (select from public.account_identities o where o.account = i.account and o.ended_at is null)
      and (exists (select from public.api_tokens t where t.user_id = i.account and t.revoked_at is null)
        or exists (select from public.user_sessions s where s.user_id = i.account and s.revoked_at is null))) e;

  perform private.end_unconfirmed(p_issuer, make_interval(hours => p_recheck_hours));

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
      'Your sign-in at the provider has ended. Sign in through the provider again, or ask an administrator to reset your password.');
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

CREATE OR REPLACE FUNCTION operations.take_due_notices(p_limit integer DEFAULT 50, p_lease_seconds integer DEFAULT 60)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_notices json;
begin
  update public.notices n
  set status = 'FAILED', last_error = coalesce(n.last_error, 'Given up: ten attempts ended without a word from the sender.')
  where n.id in (
    select d.id from public.notices d
    where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts >= 10
    order by d.next_attempt_at, d.id
    limit 500
    for update skip locked
  );

    with taken as (
      update public.notices n
      set attempts = n.attempts + 1, next_attempt_at = v_now + make_interval(secs => greatest(coalesce(p_lease_seconds, 60), 5))
      where n.id in (
        select d.id from public.notices d
        where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts < 10
        order by d.next_attempt_at, d.id
        limit least(greatest(coalesce(p_limit, 50), 1), 500)
        for update skip locked
      )
      returning n.*
    )
    select json_build_object('notices', coalesce(json_agg(json_build_object(
      'id', t.id, 'kind', t.kind, 'attempts', t.attempts, 'payload', t.payload, 'created_at', t.created_at,
      'webhook', (select json_build_object('id', w.id, 'url', w.url, 'secret', w.secret, 'active', w.active)
        from public.webhooks w where w.id = t.webhook_id),
      'user_id', t.user_id,
      'subscriptions', (select coalesce(json_agg(json_build_object('id', s.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh,
          'auth', s.auth) order by s.created_at), '[]')
        from public.push_subscriptions s
        left join public.user_sessions u on u.id = s.session_id
        where s.user_id = t.user_id and s.disabled_at is null
          and (s.session_id is null or (u.revoked_at is null and u.expires_at > v_now))
          and (t.product_id is null or exists (
            select from public.product_members m where m.product_id = t.product_id and m.user_id = t.user_id)))
    ) order by t.created_at, t.id), '[]'))
    into v_notices
    from taken t;
  return v_notices;
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
  -- A volatile function writes (specification: Authentication 3), but for two that read and count against a limit.
  select p.proargnames, p.proargtypes::oid[], p.provolatile = 'v' and p.proname not in ('search', 'list_candidates')
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

CREATE OR REPLACE FUNCTION private.end_unconfirmed(p_issuer text, p_within interval)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_identity public.account_identities;
begin
  -- The user first, as everywhere: one whose sign-in is under way is looked at next time.
  for v_identity in
    select i.* from public.users u
    join public.account_identities i on i.account = u.id
    where i.issuer = p_issuer and i.ended_at is null and i.refresh_token is null and i.checked_at <= private.now() - p_within / 2
    order by u.id
    for update of u skip locked
  loop
    if v_identity.checked_at > private.now() - p_within then
      perform private.end_sessions(v_identity.account)
      where exists (select from public.user_sessions s where s.user_id = v_identity.account and s.revoked_at is null
        and s.created_at <= v_identity.checked_at + p_within / 2);
      continue;
    end if;
    update public.account_identities i set ended_at = private.now()
    where i.issuer = v_identity.issuer and i.subject = v_identity.subject and i.checked_at = v_identity.checked_at;
    if found then
      perform private.audit(v_identity.account, null, 'identity.ended',
        private.end_access(v_identity.account) || jsonb_build_object('issuer', p_issuer, 'not_confirmed', true));
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_scope(p_scopes text[], p_function text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_work constant text[] := '{claim_agent_job, heartbeat_agent_job, report_agent_job, report_job_usage, append_job_output,
    save_job_diff, report_job_conflict, report_merged, verify_sprint_task, verify_task_against_plan, update_task_execution,
    worker_heartbeat, restart_worker, add_evidence, observe_pulls, observe_issues}';
  v_either constant text[] := '{update_task, set_task_status, append_story_log, ask_question, cancel_question, answer_user_question,
    pause_sprint_run, cancel_agent_job, add_comment, edit_comment, delete_comment}';
  v_allowed constant text[] := (case
    when p_function = any (v_work) then '{work}'
    when p_function = any (v_either) then '{plan, work}'
    else '{plan}' end)::text[];
begin
  if not p_scopes && v_allowed then
    raise exception using errcode = 'PT403',
      message = format('This token does not include the scope %s. Use a token that does, or ask its owner for one.',
        array_to_string(v_allowed, ' or ')),
      detail = json_build_object('scope', v_allowed[1])::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__settle_messages()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.status in ('DONE', 'SKIPPED', 'QUEUED') then
    update public.agent_messages m
    set state = 'acted_on', attempt = coalesce(m.attempt, new.attempt), seen_at = coalesce(m.seen_at, private.now())
    where m.job_id = new.id and (m.state = 'seen' or (m.state = 'sent' and old.phase = 'implement' and m.sent_at <= (
      select a.started_at from public.job_attempts a where a.job_id = new.id and a.attempt = new.attempt)));
  end if;
  if new.status in ('DONE', 'SKIPPED', 'FAILED', 'CANCELLED') then
    update public.agent_messages m
    set state = 'undelivered', reason = format('The job %s before its agent saw this.',
      case new.status when 'FAILED' then 'failed' when 'CANCELLED' then 'was cancelled' else 'was done' end)
    where m.job_id = new.id and m.state = 'sent';
  end if;
  return null;
end;
$function$;

COMMENT ON FUNCTION "operations"."claim_identity_checks"(text, integer, integer) IS 'Accounts to ask the provider about, each for one process. Service only.';

COMMENT ON FUNCTION "private"."end_unconfirmed"(text, interval) IS 'Ends what accounts have that did not sign in again at a provider that cannot be asked.';

REVOKE ALL ON FUNCTION "operations"."claim_identity_checks"(text, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."claim_identity_checks"(text, integer, integer) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."end_unconfirmed"(text, interval) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_unconfirmed"(text, interval) TO "postgres", "service_role";
