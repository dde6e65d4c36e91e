-- Why: refusals are raised in one place, the stories of both boards are read in one, and questions lose a column that nothing reads.
set local check_function_bodies = off;

ALTER TABLE "public"."agent_questions" DROP COLUMN "failed_attempt";

CREATE OR REPLACE FUNCTION operations.admin_update_user(p_user_id uuid, p_role text DEFAULT NULL::text, p_is_demo boolean DEFAULT NULL::boolean, p_must_reset_password boolean DEFAULT NULL::boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_before public.users;
  v_role public.user_role := p_role;
begin
  perform private.require_no_demo();
  perform private.require_admin();
  -- Two administrators who demote each other at the same moment must not both succeed.
  perform pg_advisory_xact_lock(hashtextextended('administrators', 0));
  select * into v_before from public.users u where u.id = p_user_id for update;
  if not found then
    perform private.refuse(404, 'No such user. Check the ID: the account may have been deleted.');
  end if;
  if v_before.role = 'ADMIN' and (v_role <> 'ADMIN' or p_is_demo)
    and not exists (select from public.users u where u.role = 'ADMIN' and not u.is_demo and u.id <> p_user_id) then
    perform private.refuse(409, 'This is the last administrator. Make someone else an administrator first.');
  end if;

  update public.users
  set role = coalesce(v_role, role),
      is_demo = coalesce(p_is_demo, is_demo),
      must_reset_password = coalesce(p_must_reset_password, must_reset_password),
      updated_at = private.now()
  where id = p_user_id;

  if (p_is_demo and not v_before.is_demo) or (p_must_reset_password and not v_before.must_reset_password) then
    perform private.end_sessions(p_user_id, null);
  end if;
  perform private.audit(p_user_id, auth.uid(), 'user.changed', jsonb_strip_nulls(jsonb_build_object(
    'role', p_role, 'is_demo', p_is_demo, 'must_reset_password', p_must_reset_password)));
  return json_build_object('id', p_user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.append_story_log(p_story_id uuid, p_type text, p_content text, p_status text DEFAULT NULL::text, p_commit_hash text DEFAULT NULL::text, p_commit_message text DEFAULT NULL::text, p_metadata jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_entry public.story_logs;
begin
  perform private.parse_choice('type', coalesce(p_type, ''), '{IMPLEMENTATION_PLAN,TEST_RESULT,COMMIT}');
  perform private.parse_choice('status', p_status, '{PASSED,FAILED}');
  if (p_type = 'TEST_RESULT') <> (p_status is not null)
    or (p_type = 'COMMIT') <> (p_commit_hash is not null) or (p_type = 'COMMIT') <> (p_commit_message is not null) then
    perform private.refuse(422, 'TEST_RESULT takes status, COMMIT takes commit_hash and commit_message, and no type takes the fields of another.',
      '{"issues":[{"path":"type","message":"The fields do not fit this type."}]}');
  end if;

  perform private.require_write('story', p_story_id);

  insert into public.story_logs (story_id, type, content, status, commit_hash, commit_message, metadata)
  values (p_story_id, p_type::public.story_log_type, p_content, p_status::public.story_log_status, p_commit_hash,
    p_commit_message, p_metadata)
  returning * into v_entry;

  return json_build_object('id', v_entry.id,
    'created_at', to_char(v_entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.claim_pairing(p_pairing_id uuid, p_desktop_token_hash text, p_user_agent text DEFAULT NULL::text, p_ip text DEFAULT NULL::text, p_previous_session_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz;
  v_pairing public.login_pairings;
  v_user public.users;
  v_session_id uuid := gen_random_uuid();
begin
  -- User, pairing, session: the order in which a password change locks them too.
  select u.* into v_user
  from public.login_pairings p
  join public.users u on u.id = p.user_id
  where p.id = p_pairing_id
  for share of u;
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  if v_pairing.desktop_token_hash is distinct from decode(p_desktop_token_hash, 'hex') then
    perform private.refuse(401, 'This pairing was started by another browser. Show a new code.');
  end if;
  if v_pairing.status in ('CONSUMED', 'CANCELLED') or v_pairing.expires_at <= v_now then
    perform private.refuse(410, 'This code was already used, declined or has expired. Show a new code.');
  end if;
  if v_pairing.status = 'PENDING' or v_user.id is distinct from v_pairing.user_id then
    perform private.refuse(409, 'The phone has not approved this yet. Keep waiting.');
  end if;

  if v_user.is_demo then
    perform private.refuse(410, 'The account that approved this can no longer sign in here. Show a new code.');
  end if;

  update public.user_sessions set revoked_at = v_now where id = p_previous_session_id and revoked_at is null;
  insert into public.user_sessions (
    id, user_id, user_agent, ip, paired, paired_expires_at, expires_at, last_seen_at, created_at)
  values (v_session_id, v_user.id, left(p_user_agent, 255), left(p_ip, 45), true,
    v_now + interval '8 hours', v_now + interval '8 hours', v_now, v_now);
  update public.login_pairings set status = 'CONSUMED', consumed_at = v_now, session_id = v_session_id
  where id = p_pairing_id;

  perform private.audit(v_user.id, v_user.id, 'pairing.claimed', jsonb_build_object(
    'pairing_id', p_pairing_id, 'session_id', v_session_id, 'user_agent', left(p_user_agent, 255)), p_ip);
  return json_build_object('session_id', v_session_id, 'user_id', v_user.id, 'is_demo', v_user.is_demo,
    'paired_expires_at', v_now + interval '8 hours');
end;
$function$;

CREATE OR REPLACE FUNCTION operations.configure_account(p_user_id uuid, p_role text DEFAULT NULL::text, p_is_demo boolean DEFAULT NULL::boolean)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.users
  set role = coalesce(p_role::public.user_role, role),
      is_demo = coalesce(p_is_demo, is_demo),
      updated_at = private.now()
  where id = p_user_id;
  if not found then
    perform private.refuse(404, 'No such user. Check the ID: the account may have been deleted.');
  end if;

  perform private.audit(p_user_id, null, 'user.configured',
    jsonb_strip_nulls(jsonb_build_object('role', p_role, 'is_demo', p_is_demo)));
  return json_build_object('id', p_user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_api_token(p_label text, p_prefix text, p_token_hash text, p_expires_days integer DEFAULT NULL::integer, p_scopes jsonb DEFAULT NULL::jsonb, p_product_ids jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_token public.api_tokens;
  v_products uuid[];
begin
  perform private.require_no_demo();
  if p_token_hash !~ '^[0-9a-f]{64}$' or char_length(p_label) not between 1 and 100
    or p_expires_days not between 1 and 3650 then
    perform private.refuse(422, 'A token needs a label of 1 to 100 characters, a SHA-256 hash and 1 to 3650 days or no end.');
  end if;
  select array_agg(p.id order by p.id) into v_products
  from public.products p
  where p.id in (select private.open_product_ids()) and p_product_ids ? p.id::text;
  if p_product_ids is not null and coalesce(cardinality(v_products), 0) <> jsonb_array_length(p_product_ids) then
    perform private.refuse(422, 'Choose among the products that you can use.',
      '{"issues":[{"path":"product","message":"Choose among the products that you can use."}]}');
  end if;
  perform private.take_rate_limit('api_token', auth.uid()::text);

  insert into public.api_tokens (user_id, session_id, label, prefix, token_hash, expires_at, created_at, scopes, product_ids)
  values (auth.uid(), private.own_session_id(), p_label, p_prefix, decode(p_token_hash, 'hex'),
    private.now() + make_interval(days => p_expires_days), private.now(),
    case when p_scopes is not null then array(select jsonb_array_elements_text(p_scopes)) end, v_products)
  returning * into v_token;
  perform private.audit(auth.uid(), auth.uid(), 'token.created',
    jsonb_build_object('token_id', v_token.id, 'label', p_label, 'expires_at', v_token.expires_at));
  return json_build_object('id', v_token.id, 'label', v_token.label, 'prefix', v_token.prefix,
    'created_at', v_token.created_at, 'expires_at', v_token.expires_at, 'last_used_at', null, 'revoked_at', null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_oauth_code(p_user_id uuid, p_session_id uuid, p_client_id text, p_client_name text, p_redirect_uri text, p_challenge text, p_code_hash text, p_audience text, p_scopes jsonb, p_product_ids jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_demo boolean := (select u.is_demo from public.users u where u.id = p_user_id);
  v_scopes text[] := array(
    select s from unnest('{read,plan,work}'::text[]) with ordinality as k (s, place)
    where p_scopes ? s and (s = 'read' or not v_demo) order by place);
  v_products uuid[];
begin
  perform private.take_rate_limit('oauth_consent', p_user_id::text);
  select array_agg(p.id order by p.id) into v_products
  from public.products p
  join public.product_members m on m.product_id = p.id and m.user_id = p_user_id
  where p.archived_at is null and p_product_ids ? p.id::text;

  if v_scopes = '{}' then
    perform private.refuse(422, 'Choose what the program may do.', '{"issues":[{"path":"scope","message":"Choose at least one."}]}');
  end if;
  if v_products is null or cardinality(v_products) <> jsonb_array_length(p_product_ids) then
    perform private.refuse(422, 'Choose at least one product, among those that you can use.',
      '{"issues":[{"path":"product","message":"Choose at least one product."}]}');
  end if;

  insert into public.oauth_codes (code_hash, user_id, session_id, client_id, client_name, redirect_uri, challenge, audience,
    scopes, product_ids, expires_at, created_at)
  values (decode(p_code_hash, 'hex'), p_user_id, p_session_id, p_client_id, p_client_name, p_redirect_uri,
    decode(p_challenge, 'hex'), p_audience, v_scopes, v_products, v_now + interval '60 seconds', v_now);
  update public.oauth_clients set used_at = v_now where id = p_client_id;
  return json_build_object('scopes', to_json(v_scopes));
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
    perform private.refuse(401, 'This account no longer exists. Sign in with another one.');
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

CREATE OR REPLACE FUNCTION operations.delete_product(p_product_id uuid, p_code text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);
  perform private.require_product_owner(p_product_id);

  if not exists (select from public.products p where p.id = p_product_id and p.code = p_code) then
    perform private.refuse(422, 'Repeat the code of the product to delete it.',
      '{"issues":[{"path":"code","message":"This is not the code of the product."}]}');
  end if;

  delete from public.products p where p.id = p_product_id;
  return json_build_object('id', p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_avatar(p_user_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_avatar json;
begin
  select json_build_object('mime', u.avatar_mime, 'hex', encode(u.avatar, 'hex'), 'updated_at', u.updated_at)
  into v_avatar
  from public.users u
  where u.id = p_user_id
    and u.avatar is not null
    and (u.id = auth.uid() or private.is_admin() or exists (
      select from public.product_members mine
      join public.product_members theirs on theirs.product_id = mine.product_id
      where mine.user_id = auth.uid() and theirs.user_id = u.id));
  if not found then
    perform private.refuse(404, 'No such picture. The user may have removed it.');
  end if;
  return v_avatar;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_next_story(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint_id uuid;
  v_story_id uuid;
begin
  perform private.require_product_access(p_product_id);

  select s.id into v_sprint_id from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE';
  if v_sprint_id is null then
    perform private.refuse(404, 'This product has no active sprint. Start one first.');
  end if;

  v_story_id := private.first_open_story(p_product_id, v_sprint_id);
  if v_story_id is null then
    perform private.refuse(404, 'The active sprint has no open story. Add stories to it, or complete it.');
  end if;

  return (
    select row_to_json(x)
    from (
      select
        s.id, s.code, s.title, s.description, s.acceptance_criteria, lower(s.status::text) as status,
        private.agent_tasks(s.id) as tasks
      from public.stories s
      where s.id = v_story_id
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_pairing_for_approval(p_user_id uuid, p_pairing_id uuid, p_mobile_secret_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id;
  perform private.require_pairing_guesses_left(v_pairing, p_user_id);
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, p_user_id);
  end if;
  if v_pairing.status = 'PENDING' and v_pairing.expires_at <= private.now() then
    perform private.refuse(410, 'This code has expired. Show a new code on the other device.');
  end if;
  return json_build_object('pairing_id', v_pairing.id, 'status', lower(v_pairing.status::text),
    'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip, 'check_code', v_pairing.check_code,
    'expires_at', v_pairing.expires_at, 'username', private.username(p_user_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_pairing_state(p_pairing_id uuid, p_desktop_token_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for share;
  if not found then
    perform private.refuse(404, 'No such pairing. Show a new code.');
  end if;
  if v_pairing.desktop_token_hash <> decode(p_desktop_token_hash, 'hex') then
    perform private.refuse(401, 'This pairing was started by another browser. Show a new code.');
  end if;
  if v_pairing.expires_at <= private.now() then
    perform private.refuse(410, 'This code has expired. Show a new code.');
  end if;
  return json_build_object('pairing_id', v_pairing.id, 'status', lower(v_pairing.status::text),
    'expires_at', v_pairing.expires_at, 'snapshot', pg_current_snapshot()::text);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_solo_board(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_sprint uuid;
begin
  perform private.require_product_access(p_product_id);
  select s.id into v_sprint from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE';

  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = v_sprint),
    'stories', private.board_stories(v_sprint, p_solo => true),
    'tasks', private.board_tasks(v_sprint),
    'labels', private.labels_of(p_product_id),
    'workers_online', private.workers_online(array[p_product_id])
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_sprint_board(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_preflight json;
  v_forecast json;
begin
  if exists (select from public.sprints s where s.id = p_sprint_id and s.status = 'ACTIVE')
    and not exists (
      select from public.sprint_runs r where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))
  then
    v_preflight := operations.preflight_sprint_run(p_sprint_id);
    if (v_preflight ->> 'ready')::boolean then
      v_forecast := operations.get_forecast(v_product, p_sprint_id);
    end if;
  end if;
  return json_build_object(
    'labels', private.labels_of(v_product),
    'views', private.saved_views_of(v_product, 'board'),
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'pr_strategy', (select p.pr_strategy from public.products p where p.id = v_product),
    'stories', private.board_stories(p_sprint_id, p_solo => false),
    'tasks', private.board_tasks(p_sprint_id),
    'run', (
      select row_to_json(r)
      from (
        select r.id, lower(r.status::text) as status, r.started_at, r.created_at, r.finished_at, r.pause_context,
          r.failure, private.run_waits(r) as waits_for, private.job_states(r.id) as job_statuses
        from public.sprint_runs r
        where r.sprint_id = p_sprint_id
        order by r.created_at desc
        limit 1
      ) r),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product and m.role <> 'VIEWER'),
    'candidates', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at,
          (select count(*) from public.tasks t where t.story_id = s.id) as task_count
        from public.stories s
        where s.product_id = v_product and s.sprint_id is null
          -- As text: as a status it would allow the index of all stories that are not done, which is then read from end to
          -- end instead of the one product's part of the index by sprint.
          and s.status::text in ('OPEN', 'FAILED')
        order by s.sort_order, s.created_at, s.id
        limit 200
      ) x),
    'preflight', v_preflight,
    'forecast', v_forecast,
    'burndown', private.get_sprint_burndown(p_sprint_id),
    'review_times', private.sprint_review_times(p_sprint_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.leave_product(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);

  delete from public.product_members m
  where m.product_id = p_product_id and m.user_id = auth.uid() and m.role <> 'OWNER';
  if not found then
    perform private.refuse(409, 'The owner stays in the product. Archive or delete it instead.');
  end if;
  return json_build_object('product_id', p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_sprint_tasks(p_sprint_id uuid, p_limit integer DEFAULT 10)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_access('sprint', p_sprint_id);
begin
  if p_limit is null or p_limit not between 1 and 50 then
    perform private.refuse(422, 'limit is an integer from 1 to 50.', '{"issues":[{"path":"limit","message":"Must be an integer from 1 to 50."}]}');
  end if;

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        t.id, t.code, t.title, t.description, t.implementation_plan, t.story_id, s.code as story_code, t.priority,
        t.sort_order, case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
      from public.stories s
      join public.tasks t on t.story_id = s.id
      where s.sprint_id = p_sprint_id and s.product_id = v_product_id
      order by s.sort_order, t.sort_order, t.created_at, t.id
      limit p_limit
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.mark_pbi_pr_merged(p_pbi_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('pbi', p_pbi_id);

  if exists (select from public.pbis b where b.id = p_pbi_id and b.pr_url is null) then
    perform private.refuse(409, 'This PBI has no pull request. Set its pr_url first.');
  end if;

  update public.pbis b set pr_merged_at = private.now() where b.id = p_pbi_id and b.pr_merged_at is null;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.move_pbi(p_pbi_id uuid, p_before_id uuid DEFAULT NULL::uuid, p_after_id uuid DEFAULT NULL::uuid, p_priority integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_anchor_id uuid := coalesce(p_before_id, p_after_id);
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
  v_priority integer;
  v_place double precision;
begin
  if v_anchor_id = p_pbi_id or (p_before_id is not null and p_after_id is not null)
    or (v_anchor_id is null and p_priority is null) then
    perform private.refuse(422, 'Name one other PBI to go before or after, or a priority.',
      '{"issues":[{"path":"before_id","message":"Name exactly one other PBI, or a priority."}]}');
  end if;

  if v_anchor_id is null then
    update public.pbis b
    set priority = p_priority, sort_order = private.pbi_place(v_product_id, p_priority, b.id, null, false)
    where b.id = p_pbi_id;
    return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
  end if;

  select b.priority into v_priority from public.pbis b where b.id = v_anchor_id and b.product_id = v_product_id;
  if v_priority is null then
    perform private.refuse(404, 'No such PBI to go before or after in this product. Reload the backlog.');
  end if;

  v_place := private.pbi_place(v_product_id, v_priority, p_pbi_id, v_anchor_id, p_before_id is not null);
  if v_place is null then
    update public.pbis b
    set sort_order = n.place
    from (
      select o.id, row_number() over (order by o.sort_order, o.created_at, o.id) as place
      from public.pbis o
      where o.product_id = v_product_id and o.priority = v_priority and o.id <> p_pbi_id
    ) n
    where b.id = n.id and b.sort_order <> n.place;
    v_place := private.pbi_place(v_product_id, v_priority, p_pbi_id, v_anchor_id, p_before_id is not null);
  end if;

  update public.pbis b set priority = v_priority, sort_order = v_place where b.id = p_pbi_id;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
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
    perform private.refuse(404, 'No such user. Check the ID: the account may have been deleted.');
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

CREATE OR REPLACE FUNCTION operations.promote_idea(p_idea_id uuid, p_product_id uuid DEFAULT NULL::uuid, p_title text DEFAULT NULL::text, p_description text DEFAULT NULL::text, p_code text DEFAULT NULL::text, p_priority integer DEFAULT 3)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := coalesce(p_product_id, private.require_idea_write(p_idea_id));
  v_idea public.ideas;
  v_pbi_id uuid := gen_random_uuid();
begin
  perform private.require_idea_write(p_idea_id);
  perform private.require_write('product', v_product_id);
  select i.* into v_idea from public.ideas i where i.id = p_idea_id for update;

  if v_idea.status = 'PLANNED' then
    perform private.refuse(409, format('Idea %s was already promoted. Continue with %s.',
      v_idea.code, coalesce((select b.code from public.pbis b where b.idea_id = p_idea_id limit 1), 'another idea')));
  end if;
  if v_idea.archived_at is not null then
    perform private.refuse(409, format('Idea %s is archived. Restore it first.', v_idea.code));
  end if;

  insert into public.pbis (id, product_id, code, title, description, priority, idea_id)
  values (v_pbi_id, v_product_id, p_code, coalesce(p_title, v_idea.title), coalesce(p_description, v_idea.description),
    coalesce(p_priority, 3), p_idea_id);
  update public.ideas i set status = 'PLANNED', pbi_id = v_pbi_id where i.id = p_idea_id;

  return json_build_object(
    'idea', (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id),
    'pbi', (select row_to_json(b) from private.pbi_shape b where b.id = v_pbi_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.remove_product_member(p_product_id uuid, p_user_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);

  if p_user_id = auth.uid() then
    perform private.refuse(409, 'The owner stays in the product. Archive or delete it instead.');
  end if;

  delete from public.product_members m where m.product_id = p_product_id and m.user_id = p_user_id;
  if not found then
    perform private.refuse(404, 'No such member. Reload the list: they may have left.');
  end if;
  return json_build_object('product_id', p_product_id, 'user_id', p_user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.resolve_account(p_identifier text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_account json;
begin
  select json_build_object('id', u.id, 'username', u.username, 'email', u.email)
  into v_account
  from public.users u
  where lower(u.username) = lower(p_identifier) or lower(u.email) = lower(p_identifier) or u.id::text = p_identifier;

  if v_account is null then
    perform private.refuse(404, format('There is no user %s. Give the username or the email address of an account.', private.one_line(p_identifier)));
  end if;
  return v_account;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.resolve_product(p_reference text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products json;
begin
  select json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'owner_id', p.owner_id) order by p.created_at)
  into v_products
  from public.products p
  join public.users u on u.id = p.owner_id
  where p.id::text = p_reference or p.code = p_reference or u.username || '/' || p.code = p_reference;

  if v_products is null then
    perform private.refuse(404, format('There is no product %s. Give its id, its code, or owner/code.', private.one_line(p_reference)));
  end if;

  if json_array_length(v_products) > 1 then
    perform private.refuse(409, format('%s products have the code %s. Give the id, or owner/code.', json_array_length(v_products), p_reference),
      jsonb_build_object('candidates', v_products));
  end if;
  return v_products -> 0;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.resolve_reference(p_kind text, p_reference text, p_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_found json[];
begin
  perform private.parse_choice('kind', coalesce(p_kind, ''), '{product,pbi,story,task,sprint,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  if p_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    if p_kind = 'idea' then
      perform private.require_own_idea(p_reference::uuid);
    else
      perform private.require_access(p_kind, p_reference::uuid);
    end if;
    v_found := private.find_reference(p_kind, null, p_reference::uuid, null);
  else
    v_found := private.find_reference(p_kind, p_reference, null, p_product_id);
    if v_found is null then
      v_found := private.find_reference(p_kind, upper(p_reference), null, p_product_id);
    end if;
  end if;

  if v_found is null then
    perform private.refuse_unknown(p_kind);
  end if;

  if cardinality(v_found) > 1 then
    perform private.refuse(422, format('%s names more than one %s. Give the id, or name the product.',
      p_reference, case p_kind when 'pbi' then 'PBI' else p_kind end),
      jsonb_build_object('candidates', to_jsonb(v_found)));
  end if;

  return v_found[1];
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_api_token(p_token_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  update public.api_tokens set revoked_at = coalesce(revoked_at, private.now())
  where id = p_token_id and user_id = auth.uid();
  if not found then
    perform private.refuse(404, 'No such token. It may already be revoked: see Settings, API tokens.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'token.revoked', jsonb_build_object('token_id', p_token_id));
  return json_build_object('id', p_token_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_pairing(p_pairing_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
begin
  perform private.require_no_demo();
  select * into v_pairing from public.login_pairings p
  where p.id = p_pairing_id and p.user_id = auth.uid() for update;
  if not found then
    perform private.refuse(404, 'You have not approved such a device.');
  end if;

  if v_pairing.status = 'APPROVED' then
    update public.login_pairings set status = 'CANCELLED' where id = p_pairing_id;
  end if;
  perform private.end_session_chain(v_pairing.session_id);
  perform private.audit(auth.uid(), auth.uid(), 'pairing.revoked', jsonb_build_object('pairing_id', p_pairing_id));
  return json_build_object('pairing_id', p_pairing_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_session(p_session_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  if not exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = auth.uid())
    or not private.end_session_chain(p_session_id) then
    perform private.refuse(404, 'No such device is signed in to your account. Reload the list.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'session.revoked', jsonb_build_object('session_id', p_session_id));
  return json_build_object('id', p_session_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_active_product(p_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_archived_at timestamptz;
begin
  perform private.require_no_demo();
  if p_product_id is not null then
    select p.archived_at into v_archived_at
    from public.products p
    join public.product_members m on m.product_id = p.id and m.user_id = auth.uid()
    where p.id = p_product_id
    for share;
    if not found then
      perform private.require_product_access(p_product_id);
    end if;
    if v_archived_at is not null then
      perform private.refuse(403, 'This product is archived. Restore it before you make it the active one.');
    end if;
  end if;

  update public.users set active_product_id = p_product_id, updated_at = private.now() where id = auth.uid();
  return json_build_object('active_product_id', p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_avatar(p_mime text DEFAULT NULL::text, p_hex text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_bytes bytea;
  v_mime text;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('avatar', auth.uid()::text);
  if p_hex is not null then
    v_bytes := decode(p_hex, 'hex');
    v_mime := case
      when substring(v_bytes from 1 for 8) = '\x89504e470d0a1a0a' then 'image/png'
      when substring(v_bytes from 1 for 3) = '\xffd8ff' then 'image/jpeg'
      when substring(v_bytes from 1 for 4) = '\x52494646' and substring(v_bytes from 9 for 4) = '\x57454250' then 'image/webp'
      when substring(v_bytes from 1 for 6) in ('\x474946383761', '\x474946383961') then 'image/gif'
    end;
    if octet_length(v_bytes) > 1048576 or v_mime is null or p_mime is distinct from v_mime then
      perform private.refuse(422, 'Use a PNG, JPEG, WebP or GIF picture of at most 1 MiB.');
    end if;
  end if;
  update public.users set avatar = v_bytes, avatar_mime = v_mime, updated_at = private.now() where id = auth.uid();
  return json_build_object('has_avatar', v_bytes is not null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.start_pairing(p_mobile_secret_hash text, p_desktop_token_hash text, p_address_key text, p_user_agent text DEFAULT NULL::text, p_ip text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_id uuid := gen_random_uuid();
begin
  perform private.take_rate_limit('pair_start', p_address_key);

  delete from public.login_pairings where id in (
    select p.id from public.login_pairings p
    where p.created_at < v_now - interval '1 day' order by p.created_at limit 100 for update skip locked);

  if (select count(*) from (
    select from public.login_pairings p where p.status = 'PENDING' and p.expires_at > v_now limit 10000) waiting) >= 10000 then
    perform private.refuse(429, 'Too many devices are waiting to sign in. Try again in a minute.', '{"retry_after":60}');
  end if;

  insert into public.login_pairings (
    id, mobile_secret_hash, desktop_token_hash, desktop_ua, desktop_ip, check_code, expires_at, created_at)
  values (
    v_id, decode(p_mobile_secret_hash, 'hex'), decode(p_desktop_token_hash, 'hex'),
    left(p_user_agent, 255), left(p_ip, 45), private.pairing_check_code(v_id), v_now + interval '5 minutes', v_now);
  return json_build_object('pairing_id', v_id, 'expires_at', v_now + interval '5 minutes');
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_profile(p_username text DEFAULT NULL::text, p_min_quota_pct integer DEFAULT NULL::integer, p_theme text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  if p_min_quota_pct not between 1 and 100 then
    perform private.refuse(422, 'The worker quota threshold is a whole number from 1 to 100.',
      '{"issues":[{"path":"min_quota_pct","message":"Enter a whole number from 1 to 100"}]}');
  end if;
  if p_username !~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$' then
    perform private.refuse(422, 'This username cannot be used. Choose another one.',
      '{"issues":[{"path":"username","message":"Use 2 to 40 letters, digits, dots, underscores or hyphens"}]}');
  end if;

  update public.users
  set username = coalesce(p_username, username),
      min_quota_pct = coalesce(p_min_quota_pct, min_quota_pct),
      theme = coalesce(p_theme::public.user_theme, theme),
      updated_at = private.now()
  where id = auth.uid();
  return operations.get_profile();
exception when unique_violation then
  perform private.refuse(422, 'This username is taken. Choose another one.', '{"issues":[{"path":"username","message":"This username is taken"}]}');
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_sprint(p_sprint_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  perform private.require_write('sprint', p_sprint_id);
  perform private.require_version('sprint', p_sprint_id, p_changes);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status in ('COMPLETED', 'CANCELLED') then
    perform private.refuse(409, format('Sprint %s is %s and can no longer be changed. Plan another one.',
      v_sprint.code, lower(v_sprint.status::text)));
  end if;

  v_sprint.sprint_goal := coalesce(p_changes ->> 'sprint_goal', v_sprint.sprint_goal);
  if p_changes ? 'start_date' then
    v_sprint.start_date := (p_changes ->> 'start_date')::date;
  end if;
  if p_changes ? 'end_date' then
    v_sprint.end_date := (p_changes ->> 'end_date')::date;
  end if;
  perform private.require_dates_in_order(v_sprint.start_date, v_sprint.end_date);

  update public.sprints s
  set sprint_goal = v_sprint.sprint_goal, start_date = v_sprint.start_date, end_date = v_sprint.end_date
  where s.id = p_sprint_id;
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_task(p_task_id uuid, p_status text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text, p_verify_only boolean DEFAULT NULL::boolean, p_verify_required text DEFAULT NULL::text, p_labels jsonb DEFAULT NULL::jsonb, p_expected_version jsonb DEFAULT NULL::jsonb, p_who jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status;
  v_label_ids uuid[];
  v_answer jsonb;
begin
  if p_status is null and p_implementation_plan is null and p_labels is null and coalesce(p_who, '{}') = '{}' then
    perform private.refuse(422, 'Give at least one of status and implementation_plan.',
      '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}');
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_labels);
  if p_expected_version is not null then
    perform private.require_version('task', p_task_id, jsonb_strip_nulls(jsonb_build_object('status', p_status,
      'implementation_plan', p_implementation_plan, 'verify_only', p_verify_only, 'verify_required', p_verify_required,
      'labels', p_labels, 'expected_version', p_expected_version)) || coalesce(p_who, '{}'));
  end if;
  v_status := private.parse_task_status(p_status);
  perform private.require_proof(p_task_id, v_status), private.require_unblocked(p_task_id, v_status, false);

  update public.tasks t
  set status = coalesce(v_status, t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      label_ids = coalesce(v_label_ids, t.label_ids),
      agent = case when p_who ? 'agent' then p_who ->> 'agent' else t.agent end,
      model = case when p_who ? 'model' then p_who ->> 'model' else t.model end,
      effort = case when p_who ? 'effort' then p_who ->> 'effort' else t.effort end,
      verify_only = coalesce(p_verify_only, t.verify_only),
      verify_required = coalesce(p_verify_required::public.verify_required, t.verify_required)
  where t.id = p_task_id
  returning jsonb_build_object(
    'id', t.id,
    'status', case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end,
    'implementation_plan', t.implementation_plan,
    'version', t.version
  ) || case when p_labels is null then '{}' else private.with_labels('{"of":0}', t.label_ids)::jsonb - 'of' end
  into v_answer;
  return v_answer || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.answer_pairing(p_pairing_id uuid, p_mobile_secret_hash text, p_status public.pairing_status)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
  v_now timestamptz;
  v_expires_at timestamptz;
begin
  -- User, then pairing: the order in which a password change locks them, which cancels what was approved before it.
  perform from public.users u where u.id = auth.uid() for share;
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  perform private.require_pairing_guesses_left(v_pairing, auth.uid());
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, auth.uid());
  end if;

  if v_pairing.status <> 'PENDING' or v_pairing.expires_at <= v_now then
    perform private.refuse(410, 'This code has expired or was already answered. Show a new code on the other device.');
  end if;

  if p_status = 'APPROVED' then
    v_expires_at := v_now + interval '5 minutes';
    update public.login_pairings
    set status = p_status, user_id = auth.uid(), approved_in = private.own_session_id(), approved_at = v_now, expires_at = v_expires_at
    where id = p_pairing_id;
  else
    update public.login_pairings set status = p_status where id = p_pairing_id;
  end if;
  perform private.audit(auth.uid(), auth.uid(), case when p_status = 'APPROVED' then 'pairing.approved' else 'pairing.declined' end,
    jsonb_build_object('pairing_id', p_pairing_id, 'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip));
  return json_strip_nulls(json_build_object('pairing_id', p_pairing_id, 'status', lower(p_status::text), 'expires_at', v_expires_at));
end;
$function$;

CREATE OR REPLACE FUNCTION private.ask_about_failure(p_job public.agent_jobs, p_reason text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_question_id uuid;
begin
  if p_job.kind <> 'TASK_IMPLEMENTATION' or not private.is_run_unfinished(p_job.sprint_run_id)
    or (select p.on_failure from public.products p where p.id = p_job.product_id) = 'stop'
  then
    return null;
  end if;
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, question, options, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id, p_job.created_by,
    left(format('%s has failed in attempt %s: %s. What should happen next?', t.code, p_job.attempt, rtrim(p_reason, E'. \n')), 4000),
    jsonb_build_array(
      jsonb_build_object('label', 'Try again', 'description', 'A new attempt begins. To tell it something, write an answer instead.'),
      jsonb_build_object('label', 'Skip it and what it blocks', 'description', 'It and the tasks it blocks return to To do; the run goes on without them.'),
      jsonb_build_object('label', 'Stop the run', 'description', 'The task fails, and with it its story, PBI, sprint and run.')), true
  from public.tasks t where t.id = p_job.task_id
  returning id into v_question_id;
  return v_question_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.board_stories(p_sprint_id uuid, p_solo boolean)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
    from (
      select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
        private.username(s.assignee_id) as assignee_name,
        (
          select count(*) from public.agent_questions q
          where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
          and (q.reader_id is null or q.reader_id = auth.uid())
        ) as open_questions
      from public.stories s
      where s.sprint_id = p_sprint_id and (not p_solo or s.assignee_id is null or s.assignee_id = auth.uid())
    ) x);
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
    perform private.refuse(404, format('There is no operation %s.', p_function));
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
    perform private.refuse(404, format('The operation %s does not take the arguments %s.', p_function, p_arguments - coalesce(v_names, '{}')));
  end if;

  p_statement := 'select operations.' || quote_ident(p_function) || '(' || p_statement || ')';
end;
$function$;

CREATE OR REPLACE FUNCTION private.change_sprint_status(p_sprint_id uuid, p_from public.sprint_status, p_to public.sprint_status)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status <> p_from then
    perform private.refuse(409, format('Sprint %s is %s; only a sprint that is %s can become %s.',
      v_sprint.code, lower(v_sprint.status::text), lower(p_from::text), lower(p_to::text)));
  end if;

  if p_to = 'ACTIVE' and exists (
    select from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE'
  ) then
    perform private.refuse(409, 'Another sprint of this product is active. Complete it first.');
  end if;

  if p_to = 'COMPLETED' then
    perform private.end_reviewed_run(r) from public.sprint_runs r
    where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  end if;

  update public.sprints s
  set status = p_to,
      started_at = case when p_to = 'ACTIVE' then private.now() else s.started_at end,
      completed_at = case when p_to = 'COMPLETED' then private.now() else s.completed_at end
  where s.id = p_sprint_id;

  if p_to in ('COMPLETED', 'CANCELLED') then
    insert into public.sprint_leftovers (sprint_id, story_id)
    select p_sprint_id, s.id from public.stories s where s.sprint_id = p_sprint_id and s.status <> 'DONE'
    on conflict do nothing;
    -- Taken back alone, that would bring stories into a sprint that is over.
    perform set_config('backloom.undoing', 'yes', true);
    update public.stories s set sprint_id = null where s.sprint_id = p_sprint_id and s.status <> 'DONE';
    perform set_config('backloom.undoing', '', true);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.parse_choice(p_field text, p_value text, p_allowed text[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if p_value is null or p_value = any (p_allowed) then
    return p_value;
  end if;

  perform private.refuse(422, format('%s must be one of: %s.', p_field, array_to_string(p_allowed, ', ')),
    jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', p_field, 'message', 'Must be one of: ' || array_to_string(p_allowed, ', ') || '.'))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_former_member(p_user_id uuid, p_arguments jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from jsonb_each_text(p_arguments) a
    cross join lateral (
      select case a.key
        when 'p_product_id' then (select p.id from public.products p where p.id = a.value::uuid)
        when 'p_pbi_id' then (select b.product_id from public.pbis b where b.id = a.value::uuid)
        when 'p_sprint_id' then (select n.product_id from public.sprints n where n.id = a.value::uuid)
        when 'p_story_id' then (select s.product_id from public.stories s where s.id = a.value::uuid)
        when 'p_task_id' then (select t.product_id from public.tasks t where t.id = a.value::uuid)
        when 'p_job_id' then (select j.product_id from public.agent_jobs j where j.id = a.value::uuid)
      end as product_id) x
    where x.product_id is not null
      and not exists (select from public.product_members m where m.product_id = x.product_id and m.user_id = p_user_id))
  then
    perform private.refuse(403, 'You have no access to this product. Ask its owner to add you as a member.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_similar(p_kind text, p_parent_id uuid, p_title text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_title text := private.normalized_title(p_title);
  v_found json;
  v_code text;
begin
  select json_build_object('kind', p_kind, 'id', x.id, 'code', x.code, 'title', x.title), x.code into v_found, v_code
  from (
    select p.id, p.code, p.title from public.pbis p
    where p_kind = 'pbi' and p.product_id = p_parent_id and p.status <> 'DONE'
    union all
    select s.id, s.code, s.title from public.stories s
    where p_kind = 'story' and s.pbi_id = p_parent_id and s.status <> 'DONE'
    union all
    select t.id, t.code, t.title from public.tasks t
    where p_kind = 'task' and t.story_id = p_parent_id and t.status <> 'DONE'
    union all
    select i.id, i.code, i.title from public.ideas i
    where p_kind = 'idea' and i.product_id = p_parent_id and i.user_id = auth.uid()
      and i.archived_at is null and i.status <> 'PLANNED'
  ) x
  where private.normalized_title(x.title) = v_title
  limit 1;
  if v_found is not null then
    perform private.refuse(409, format('%s has this title and is not done. Work with that one, or send allow_duplicate: true for another.', v_code),
      jsonb_build_object('similar_exists', v_found));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_admin()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not private.is_admin() then
    perform private.refuse(403, 'Only administrators can do this. Ask one of them.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_assignee(p_product_id uuid, p_user_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_user_id is null then
    return;
  end if;

  if not exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = p_user_id and m.role <> 'VIEWER') then
    perform private.refuse(422, 'The assignee must be the owner or a member of the product.',
      '{"issues":[{"path":"assignee_id","message":"Is not a member of the product."}]}');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_dates_in_order(p_start_date date, p_end_date date)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if p_end_date < p_start_date then
    perform private.refuse(422, 'The end date is before the start date.',
      '{"issues":[{"path":"end_date","message":"Must be on or after the start date."}]}');
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
$function$;

CREATE OR REPLACE FUNCTION private.require_no_demo()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.is_demo() then
    perform private.refuse(403, 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_no_viewer(p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'VIEWER'
  ) then
    perform private.refuse(403, 'You are a viewer of this product: you can read everything and comment, but change nothing. Ask its owner to make you a member.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_own_idea(p_idea_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_idea public.ideas;
begin
  select i.* into v_idea from public.ideas i where i.id = p_idea_id;

  if v_idea.id is null then
    perform private.refuse_unknown('idea');
  end if;

  if v_idea.user_id is distinct from auth.uid() then
    perform private.refuse(403, 'This idea belongs to someone else. Ask them, or add your own.');
  end if;

  if not private.is_open_to_token(v_idea.product_id) then
    perform private.refuse(403, 'This token is limited to other products. Use a token that includes the product of this idea.');
  end if;

  return v_idea.product_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_pairing_guesses_left(p_pairing public.login_pairings, p_user_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_until timestamptz;
begin
  select c.window_start + make_interval(secs => l.p_seconds) into v_until
  from private.rate_limit('pair_secret') l
  join public.rate_limit_counters c on c.action = 'pair_secret' and c.key = p_user_id::text and c.count >= l.p_max
  where c.window_start > v_now - make_interval(secs => l.p_seconds);

  if v_until is null and p_pairing.failed_attempts >= 5 then
    v_until := p_pairing.expires_at;
  end if;
  if v_until is null then
    return;
  end if;

  perform private.refuse(429, 'Too many wrong codes. Wait a while, then show a new code on the other device.',
    jsonb_build_object('retry_after', greatest(1, ceil(extract(epoch from v_until - v_now))::integer)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_product_access(p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_member boolean;
begin
  select exists (select from public.product_members m where m.product_id = p.id and m.user_id = auth.uid())
  into v_member
  from public.products p
  where p.id = p_product_id;

  if v_member is null then
    perform private.refuse_unknown('product');
  end if;

  if not v_member then
    perform private.refuse(403, 'You have no access to this product. Ask its owner to add you as a member.');
  end if;

  if not private.is_open_to_token(p_product_id) then
    perform private.refuse(403, 'This token is limited to other products. Use a token that includes this product.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_product_owner(p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);

  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER'
  ) then
    perform private.refuse(403, 'Only the owner of the product can do this. Ask them.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_product_write(p_product_id uuid, p_viewer_may boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_archived boolean;
  v_demo boolean;
  v_viewer boolean;
begin
  -- All in one statement: every write asks this.
  select p.archived_at is not null, u.is_demo, m.role = 'VIEWER' into v_archived, v_demo, v_viewer
  from public.products p
  left join public.users u on u.id = auth.uid()
  left join public.product_members m on m.product_id = p.id and m.user_id = u.id
  where p.id = p_product_id;

  if v_demo is distinct from false then
    perform private.require_no_demo();
  end if;
  if v_viewer and not p_viewer_may then
    perform private.require_no_viewer(p_product_id);
  end if;
  if v_archived then
    perform private.refuse(403, 'This product is archived and can only be read. Restore it to make changes.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_scope(p_scopes text[], p_function text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_work constant text[] := '{claim_agent_job, take_agent_job, heartbeat_agent_job, report_agent_job, report_job_usage, append_job_output,
    save_job_diff, report_job_conflict, report_merged, verify_sprint_task, verify_task_against_plan, update_task_execution,
    worker_heartbeat, restart_worker, add_evidence, observe_pulls, observe_issues, propose_lesson, save_job_guide}';
  v_either constant text[] := '{update_task, set_task_status, append_story_log, ask_question, cancel_question, answer_user_question,
    pause_sprint_run, cancel_agent_job, add_comment, edit_comment, delete_comment}';
  v_allowed constant text[] := (case
    when p_function = any (v_work) then '{work}'
    when p_function = any (v_either) then '{plan, work}'
    else '{plan}' end)::text[];
begin
  if not p_scopes && v_allowed then
    perform private.refuse(403, format('This token does not include the scope %s. Use a token that does, or ask its owner for one.',
      array_to_string(v_allowed, ' or ')),
      jsonb_build_object('scope', v_allowed[1]));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resolve_credential(p_credential jsonb)
 RETURNS private.principal
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
  return v_kept.answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_rate_limit(p_action text, p_key text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_max integer;
  v_window interval;
  v_count integer;
  v_start timestamptz;
  v_retry_after integer;
begin
  select l.p_max, make_interval(secs => l.p_seconds) into v_max, v_window from private.rate_limit(p_action) l;

  insert into public.rate_limit_counters as c (action, key, window_start, count)
  values (p_action, p_key, v_now, 1)
  on conflict (action, key) do update
  set window_start = case when c.window_start <= v_now - v_window then v_now else c.window_start end,
      count = case when c.window_start <= v_now - v_window then 1 else c.count + 1 end
  returning c.count, c.window_start into v_count, v_start;

  if v_count <= v_max then
    return;
  end if;

  v_retry_after := greatest(1, ceil(extract(epoch from v_start + v_window - v_now)))::integer;
  perform private.refuse(429, format('Too many requests of this kind (%s in %s seconds). Try again in %s seconds.',
    v_max, extract(epoch from v_window)::integer, v_retry_after),
    jsonb_build_object('retry_after', v_retry_after));
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__assign_code()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_scope_id uuid;
begin
  if tg_argv[0] = 'idea' then
    v_scope_id := new.user_id;
  else
    v_scope_id := new.product_id;
  end if;

  if new.code is null then
    new.code := private.next_code(v_scope_id, tg_argv[0]);
    return new;
  end if;

  if private.code_taken(v_scope_id, tg_argv[0], new.code) then
    perform private.refuse(422, format('The code %s is already in use. Choose another, or leave it out to get the next free one.', new.code),
      '{"issues":[{"path":"code","message":"This code is already in use."}]}');
  end if;

  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__keep_labels()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.label_ids := array(
    select l.id from public.labels l
    where l.product_id = new.product_id and l.id = any (new.label_ids)
    order by lower(l.name));
  if cardinality(new.label_ids) > 20 then
    perform private.refuse(422, 'At most 20 labels on one story or task.', '{"issues":[{"path":"labels","message":"At most 20 labels."}]}');
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__keep_product()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse(422, 'This cannot move to another product.',
    '{"issues":[{"path":"product_id","message":"The product cannot be changed."}]}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_ideas__guard_status()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if new.status < old.status then
    perform private.refuse(409, format('An idea only moves forward: this one is already %s.', lower(old.status::text)));
  end if;

  if new.status = 'PLANNED' and new.pbi_id is null then
    perform private.refuse(422, 'To plan an idea, promote it to a PBI.', '{"issues":[{"path":"status","message":"Promote the idea instead."}]}');
  end if;

  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_products__guard_archived()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse(403, 'This product is archived and can only be read. Restore it to make changes.');
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_products__guard_code()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.products p where p.owner_id = new.owner_id and p.code = new.code and p.id <> new.id
  ) then
    perform private.refuse(422, format('You already have a product with the code %s. Choose another code.', new.code),
      '{"issues":[{"path":"code","message":"This code is already in use."}]}');
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__copy_product()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.product_id := private.product_of('pbi', new.pbi_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    perform private.refuse(422, 'A story cannot move to a PBI of another product.',
      '{"issues":[{"path":"pbi_id","message":"Choose a PBI of the same product."}]}');
  end if;

  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__guard_sprint()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = new.sprint_id;

  if v_sprint.product_id is distinct from new.product_id then
    perform private.refuse(422, 'A sprint can only hold stories of its own product.',
      '{"issues":[{"path":"sprint_id","message":"Choose a sprint of the story''s product."}]}');
  end if;

  if new.is_template then
    perform private.refuse(409, format('%s is a template. The stories it makes join the active sprint by themselves.', new.code));
  end if;
  if new.in_triage then
    perform private.refuse(409, format('%s is in triage. Accept it before it joins a sprint.', new.code));
  end if;

  if v_sprint.status not in ('PLANNED', 'ACTIVE') then
    perform private.refuse(409, format('Sprint %s is %s. Stories can only be added to a planned or active sprint.',
      v_sprint.code, lower(v_sprint.status::text)));
  end if;

  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__copy_product()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.product_id := private.product_of('story', new.story_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    perform private.refuse(422, 'A task cannot move to a story of another product.',
      '{"issues":[{"path":"story_id","message":"Choose a story of the same product."}]}');
  end if;

  return new;
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
      perform private.refuse_former_member(v_principal.user_id, p_arguments);
      return json_build_object('answer', v_earlier, 'kept', true, 'replayed', true);
    end if;
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', v_principal.user_id, 'role', 'authenticated',
      'session_id', v_principal.session_id, 'token_id', v_principal.token_id))::text, true),
    set_config('backloom.token_products', coalesce(v_principal.product_ids::text, ''), true),
    set_config('role', 'authenticated', true);
  execute v_call.p_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true),
    set_config('backloom.token_products', '', true);
  if p_key is null then
    return v_answer;
  end if;
  if v_call.p_writes then
    perform private.keep_answer(v_principal.user_id, p_key, v_answer);
  end if;
  return json_build_object('answer', v_answer::text, 'kept', v_call.p_writes, 'replayed', false);
end;
$function$;

REVOKE ALL ON FUNCTION "private"."board_stories"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."board_stories"(uuid, boolean) TO "authenticated", "postgres";
