-- Programs sign in over OAuth: registrations, codes, grants (kept with the API tokens, which can be limited to scopes and products too), and what a limited token reaches.
set local check_function_bodies = off;

DROP POLICY "ideas_select" ON "public"."ideas";

CREATE TABLE "public"."oauth_clients" ("id" text NOT NULL, "name" text NOT NULL, "redirect_uris" text[] NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(), "used_at" timestamp with time zone, CONSTRAINT "oauth_clients_id_length" CHECK (((char_length(id) >= 1) AND (char_length(id) <= 200))), CONSTRAINT "oauth_clients_name_length" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))), CONSTRAINT "oauth_clients_pkey" PRIMARY KEY (id), CONSTRAINT "oauth_clients_redirects" CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 20))));

ALTER TABLE "public"."oauth_clients" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."oauth_codes" ("code_hash" bytea NOT NULL, "user_id" uuid NOT NULL, "session_id" uuid, "client_id" text NOT NULL, "client_name" text NOT NULL, "redirect_uri" text NOT NULL, "challenge" bytea NOT NULL, "audience" text NOT NULL, "scopes" text[] NOT NULL, "product_ids" uuid[] NOT NULL, "expires_at" timestamp with time zone NOT NULL, "redeemed_at" timestamp with time zone, "token_id" uuid, "created_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "oauth_codes_audience_known" CHECK ((audience = ANY (ARRAY['/mcp'::text, '/mcp/worker'::text]))), CONSTRAINT "oauth_codes_challenge_length" CHECK ((octet_length(challenge) = 32)), CONSTRAINT "oauth_codes_client_id_length" CHECK ((char_length(client_id) <= 2000)), CONSTRAINT "oauth_codes_client_name_length" CHECK (((char_length(client_name) >= 1) AND (char_length(client_name) <= 100))), CONSTRAINT "oauth_codes_hash_length" CHECK ((octet_length(code_hash) = 32)), CONSTRAINT "oauth_codes_pkey" PRIMARY KEY (code_hash), CONSTRAINT "oauth_codes_products_bound" CHECK (((cardinality(product_ids) >= 1) AND (cardinality(product_ids) <= 1000))), CONSTRAINT "oauth_codes_redirect_length" CHECK ((char_length(redirect_uri) <= 2000)), CONSTRAINT "oauth_codes_scopes_known" CHECK (((scopes <@ '{read,plan,work}'::text[]) AND (cardinality(scopes) > 0))));

ALTER TABLE "public"."oauth_codes" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."spent_refresh_tokens" ("refresh_hash" bytea NOT NULL, "token_id" uuid NOT NULL, "spent_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "spent_refresh_tokens_hash_length" CHECK ((octet_length(refresh_hash) = 32)), CONSTRAINT "spent_refresh_tokens_pkey" PRIMARY KEY (refresh_hash));

ALTER TABLE "public"."spent_refresh_tokens" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."api_tokens" ADD COLUMN "first_used_at" timestamp with time zone;

ALTER TABLE "public"."api_tokens" ADD COLUMN "scopes" text[];

ALTER TABLE "public"."api_tokens" ADD COLUMN "product_ids" uuid[];

ALTER TABLE "public"."api_tokens" ADD COLUMN "client_id" text;

ALTER TABLE "public"."api_tokens" ADD COLUMN "audience" text;

ALTER TABLE "public"."api_tokens" ADD COLUMN "refresh_hash" bytea;

ALTER TABLE "public"."api_tokens" ADD COLUMN "refresh_expires_at" timestamp with time zone;

ALTER TYPE "private"."principal" ADD ATTRIBUTE "product_ids" uuid[] CASCADE;

ALTER TYPE "private"."principal" ADD ATTRIBUTE "scopes" text[] CASCADE;

CREATE OR REPLACE FUNCTION operations.check_queue_empty(p_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_queued integer;
  v_held integer;
  v_claimable boolean;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select count(*) filter (where j.status = 'QUEUED'), count(*) filter (where j.status <> 'QUEUED')
  into v_queued, v_held
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = v_user_id
    and private.is_open_to_token(m.product_id)
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);
  v_claimable := private.next_product(null, v_user_id, p_product_id, null, null, '{}', true, null) is not null;
  return json_build_object('empty', v_queued = 0 and v_held = 0, 'claimable', v_claimable, 'queued', v_queued, 'held', v_held,
    'reason', case when not v_claimable then private.nothing_to_claim(v_user_id, p_product_id) end);
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
    raise exception using errcode = 'PT422', message = 'Choose what the program may do.',
      detail = '{"issues":[{"path":"scope","message":"Choose at least one."}]}';
  end if;
  if v_products is null or cardinality(v_products) <> jsonb_array_length(p_product_ids) then
    raise exception using errcode = 'PT422', message = 'Choose at least one product, among those that you can use.',
      detail = '{"issues":[{"path":"product","message":"Choose at least one product."}]}';
  end if;

  insert into public.oauth_codes (code_hash, user_id, session_id, client_id, client_name, redirect_uri, challenge, audience,
    scopes, product_ids, expires_at, created_at)
  values (decode(p_code_hash, 'hex'), p_user_id, p_session_id, p_client_id, p_client_name, p_redirect_uri,
    decode(p_challenge, 'hex'), p_audience, v_scopes, v_products, v_now + interval '60 seconds', v_now);
  update public.oauth_clients set used_at = v_now where id = p_client_id;
  return json_build_object('scopes', to_json(v_scopes));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb, p_plan_first text DEFAULT 'ask'::text, p_pull_requests text DEFAULT 'none'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  perform private.require_unlimited_token();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach, plan_first, pull_requests)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first,
    coalesce(p_pull_requests, 'none')::public.pull_requests);
  return operations.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_agent_context(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_product json;
  v_member boolean;
  v_sprint_id uuid;
  v_sprint json;
  v_story_id uuid;
  v_story json;
  v_ideas json;
begin
  select row_to_json(p), exists (select from public.product_members m where m.product_id = p.id and m.user_id = v_user_id)
    and private.is_open_to_token(p.id)
  into v_product, v_member
  from private.product_shape p
  where p.id = p_product_id;

  if v_member is not true then
    perform private.require_product_access(p_product_id);
  end if;

  select x.id, row_to_json(x)
  into v_sprint_id, v_sprint
  from (
    select s.id, s.sprint_goal, s.status from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE'
  ) x;

  if v_sprint_id is not null then
    v_story_id := private.first_open_story(p_product_id, v_sprint_id);
  end if;

  if v_story_id is not null then
    select private.with_comments(row_to_json(x), v_story_id)
    into v_story
    from (
      select
        s.id, s.code, s.title, s.description, s.acceptance_criteria, s.priority, lower(s.status::text) as status,
        private.agent_tasks(s.id) as tasks
      from public.stories s
      where s.id = v_story_id
    ) x;
  end if;

  select coalesce(json_agg(row_to_json(x)), '[]')
  into v_ideas
  from (
    select
      i.id, i.code, i.title, i.description, lower(i.status::text) as status,
      to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    from (
      select o.* from public.ideas o
      where o.user_id = v_user_id and o.product_id = p_product_id and o.archived_at is null and o.status <> 'PLANNED'
      union all
      select o.* from public.idea_products l
      join public.ideas o on o.id = l.idea_id
      where l.product_id = p_product_id and o.user_id = v_user_id and o.product_id <> p_product_id
        and o.archived_at is null and o.status <> 'PLANNED'
    ) i
    order by i.created_at, i.id
    limit 50
  ) x;

  return json_build_object('product', v_product, 'active_sprint', v_sprint, 'next_story', v_story, 'open_ideas', v_ideas);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_oauth_client(p_client_id text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object('client_id', c.id, 'name', c.name, 'redirect_uris', to_json(c.redirect_uris))
    from public.oauth_clients c
    where c.id = p_client_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_agent_jobs(p_product_id uuid DEFAULT NULL::uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_state text DEFAULT NULL::text, p_limit integer DEFAULT 50, p_cursor uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state,
    array['QUEUED', 'CLAIMED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED', 'UNFINISHED']);
  v_jobs jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.job_json(j) order by j.created_at desc, j.position, j.id), '[]'), count(*),
    (array_agg(j.id order by j.created_at, j.position desc, j.id desc))[1]
  into v_jobs, v_count, v_last
  from (
    select x.*
    from public.agent_jobs x
    where x.product_id in (select private.accessible_product_ids())
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_sprint_run_id is null or x.sprint_run_id = p_sprint_run_id)
      and (v_state is null or x.status::text = v_state
        or (v_state = 'UNFINISHED' and x.status in ('QUEUED', 'CLAIMED', 'RUNNING')))
      and (p_cursor is null or exists (
        select from public.agent_jobs c
        where c.id = p_cursor
          and (x.created_at < c.created_at or (x.created_at = c.created_at and (x.position, x.id) > (c.position, c.id)))))
    order by x.created_at desc, x.position, x.id
    limit v_limit
  ) j;
  return json_build_object('jobs', v_jobs, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_agent_workers(p_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  return json_build_object('workers', (
    select coalesce(jsonb_agg(private.worker_json(w) || jsonb_build_object('current_job', (
        select private.job_json(j) from public.agent_jobs j
        where j.id = private.current_job_id(w.id) and j.product_id in (select private.accessible_product_ids())))
      order by w.last_seen_at desc, w.id), '[]')
    from public.agent_workers w
    where w.id in (
      select v.id from public.agent_workers v
      where v.last_seen_at > private.now() - interval '7 days'
        and (p_product_id is not null or v.user_id = auth.uid() or exists (
          select from public.product_members mine
          join public.product_members theirs on theirs.product_id = mine.product_id
          where mine.user_id = auth.uid() and private.is_open_to_token(mine.product_id) and theirs.user_id = v.user_id))
        and (p_product_id is null or exists (
          select from public.product_members m where m.product_id = p_product_id and m.user_id = v.user_id))
      order by v.last_seen_at desc, v.id
      limit 200)));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_api_tokens()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', t.id, 'label', t.label, 'prefix', t.prefix, 'created_at', t.created_at, 'expires_at', t.expires_at,
      'last_used_at', t.last_used_at, 'revoked_at', t.revoked_at
    ) order by t.revoked_at is not null, t.created_at desc, t.id), '[]')
    from public.api_tokens t
    where t.user_id = auth.uid() and t.client_id is null
      and (t.revoked_at is null or t.revoked_at > private.now() - interval '30 days')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_grants()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', t.id, 'label', t.label, 'client_id', t.client_id, 'audience', t.audience, 'scopes', to_json(t.scopes),
      'products', case when t.product_ids is not null then (
        select coalesce(json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name) order by lower(p.name), p.id), '[]')
        from public.products p where p.id = any (t.product_ids)) end,
      'created_at', t.created_at, 'first_used_at', t.first_used_at, 'last_used_at', t.last_used_at,
      'expires_at', coalesce(t.refresh_expires_at, t.expires_at)
    ) order by t.client_id is null, t.created_at desc, t.id), '[]')
    from public.api_tokens t
    where t.user_id = auth.uid() and t.revoked_at is null
      and (coalesce(t.refresh_expires_at, t.expires_at) is null or coalesce(t.refresh_expires_at, t.expires_at) > private.now())
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_open_user_questions(p_product_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT 50, p_cursor uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_questions jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.user_question_json(u) order by u.created_at, u.id), '[]'), count(*),
    (array_agg(u.id order by u.created_at desc, u.id desc))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.user_questions x
    join public.ideas i on i.id = x.idea_id
    where x.user_id = auth.uid() and x.status = 'PENDING' and x.job_id is not null
      and private.is_open_to_token(i.product_id)
      and (p_product_id is null or i.product_id = p_product_id)
      and (p_cursor is null or (x.created_at, x.id) > (
        select c.created_at, c.id from public.user_questions c where c.id = p_cursor and c.user_id = auth.uid()))
    order by x.created_at, x.id
    limit v_limit
  ) u;
  return json_build_object('user_questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_product_overviews(p_archived boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        p.*, m.role,
        (select count(*) from public.product_members o where o.product_id = p.id) as member_count,
        (select count(*) from public.pbis b where b.product_id = p.id) as pbi_count,
        (select count(*) from public.stories s where s.product_id = p.id) as story_count,
        (select count(*) from public.stories s where s.product_id = p.id and s.status = 'DONE') as done_story_count,
        (select count(*) from public.tasks t where t.product_id = p.id) as task_count,
        (select count(*) from public.tasks t where t.product_id = p.id and t.status = 'DONE') as done_task_count,
        (
          select row_to_json(a)
          from (
            select s.id, s.code, s.sprint_goal, s.status, s.start_date, s.end_date from private.sprint_shape s
            where s.product_id = p.id and s.status = 'active'
          ) a
        ) as active_sprint
      from private.product_detail_shape p
      join public.product_members m on m.product_id = p.id and m.user_id = (select auth.uid())
      where (p.archived_at is not null) = p_archived and private.is_open_to_token(p.id)
      order by p.name, p.id
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_questions(p_product_id uuid DEFAULT NULL::uuid, p_state text DEFAULT NULL::text, p_job_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT 50, p_cursor uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state, array['OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED']);
  v_questions jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.question_json(q) order by q.created_at desc, q.id desc), '[]'), count(*),
    (array_agg(q.id order by q.created_at, q.id))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.agent_questions x
    where x.product_id in (select private.accessible_product_ids())
      and (x.reader_id is null or x.reader_id = auth.uid() or private.is_left_to_owner(x))
      and (x.status <> 'OPEN' or x.expires_at <= v_now or x.product_id in (select private.open_product_ids()))
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_job_id is null or x.job_id = p_job_id)
      and (v_state is null or v_state = case when x.status = 'OPEN' and x.expires_at <= v_now then 'EXPIRED' else x.status::text end)
      and (p_cursor is null or (x.created_at, x.id) < (select c.created_at, c.id from public.agent_questions c where c.id = p_cursor))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) q;
  return json_build_object('questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.redeem_oauth_code(p_code_hash text, p_client_id text, p_redirect_uri text, p_challenge text, p_audience text, p_token_hash text, p_refresh_hash text, p_prefix text, p_address_key text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_code public.oauth_codes;
  v_token_id uuid;
begin
  perform private.take_rate_limit('oauth_token', p_address_key);
  if not private.is_oauth_client(p_client_id) then
    return private.oauth_refusal('invalid_client');
  end if;

  select * into v_code from public.oauth_codes c where c.code_hash = decode(p_code_hash, 'hex') for update;
  if not found or v_code.client_id <> p_client_id then
    return private.oauth_refusal('invalid_grant');
  end if;
  if v_code.redeemed_at is not null then
    perform private.end_grant(v_code.token_id, 'code used again');
    return private.oauth_refusal('invalid_grant');
  end if;
  if v_code.expires_at <= v_now or v_code.redirect_uri <> p_redirect_uri
    or v_code.challenge <> decode(p_challenge, 'hex')
    or exists (select from public.user_sessions s where s.id = v_code.session_id and s.revoked_at is not null) then
    return private.oauth_refusal('invalid_grant');
  end if;
  if v_code.audience <> coalesce(p_audience, v_code.audience) then
    return private.oauth_refusal('invalid_target');
  end if;

  insert into public.api_tokens (user_id, session_id, label, prefix, token_hash, expires_at, created_at, scopes, product_ids,
    client_id, audience, refresh_hash, refresh_expires_at)
  values (v_code.user_id, v_code.session_id, v_code.client_name, p_prefix, decode(p_token_hash, 'hex'),
    v_now + private.access_token_lifetime(), v_now, v_code.scopes, v_code.product_ids, v_code.client_id, v_code.audience,
    decode(p_refresh_hash, 'hex'), v_now + interval '30 days')
  returning id into v_token_id;
  update public.oauth_codes set redeemed_at = v_now, token_id = v_token_id where code_hash = v_code.code_hash;
  update public.oauth_clients set used_at = v_now where id = p_client_id;
  perform private.audit(v_code.user_id, v_code.user_id, 'grant.created', jsonb_build_object(
    'token_id', v_token_id, 'client', v_code.client_name, 'client_id', v_code.client_id, 'scopes', to_jsonb(v_code.scopes)));
  return private.oauth_answer(v_code.scopes);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.refresh_oauth_token(p_refresh_hash text, p_client_id text, p_audience text, p_scopes jsonb, p_token_hash text, p_new_refresh_hash text, p_address_key text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_hash bytea := decode(p_refresh_hash, 'hex');
  v_grant public.api_tokens;
begin
  perform private.take_rate_limit('oauth_token', p_address_key);
  if not private.is_oauth_client(p_client_id) then
    return private.oauth_refusal('invalid_client');
  end if;

  select * into v_grant from public.api_tokens t where t.refresh_hash = v_hash for update;
  if not found then
    perform private.end_grant(s.token_id, 'refresh token used again')
    from public.spent_refresh_tokens s where s.refresh_hash = v_hash;
    return private.oauth_refusal('invalid_grant');
  end if;
  if v_grant.revoked_at is not null or v_grant.refresh_expires_at <= v_now or v_grant.client_id <> p_client_id then
    return private.oauth_refusal('invalid_grant');
  end if;
  if v_grant.audience <> coalesce(p_audience, v_grant.audience) then
    return private.oauth_refusal('invalid_target');
  end if;
  if exists (select from jsonb_array_elements_text(p_scopes) s where s <> all (v_grant.scopes)) then
    return private.oauth_refusal('invalid_scope');
  end if;

  insert into public.spent_refresh_tokens (refresh_hash, token_id, spent_at) values (v_hash, v_grant.id, v_now);
  update public.api_tokens
  set token_hash = decode(p_token_hash, 'hex'), expires_at = v_now + private.access_token_lifetime(),
      refresh_hash = decode(p_new_refresh_hash, 'hex'), refresh_expires_at = v_now + interval '30 days'
  where id = v_grant.id;
  update public.oauth_clients set used_at = v_now where id = p_client_id;
  return private.oauth_answer(v_grant.scopes);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.register_oauth_client(p_client_id text, p_name text, p_redirect_uris jsonb, p_address_key text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.take_rate_limit('oauth_register', p_address_key);
  insert into public.oauth_clients (id, name, redirect_uris, created_at)
  values (p_client_id, p_name, array(select jsonb_array_elements_text(p_redirect_uris)), private.now());
  return json_build_object('client_id', p_client_id, 'issued_at', floor(extract(epoch from private.now()))::bigint);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_oauth_token(p_token_hash text, p_client_id text, p_address_key text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_hash bytea := decode(p_token_hash, 'hex');
begin
  perform private.take_rate_limit('oauth_token', p_address_key);
  perform private.end_grant(t.id, 'given back')
  from public.api_tokens t
  where (t.token_hash = v_hash or t.refresh_hash = v_hash)
    and t.client_id = coalesce(p_client_id, t.client_id);
  return json_build_object('ok', true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.access_token_lifetime()
 RETURNS interval
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return interval '8 hours';
end;
$function$;

CREATE OR REPLACE FUNCTION private.accessible_product_ids()
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query select m.product_id from public.product_members m where m.user_id = auth.uid() and private.is_open_to_token(m.product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.awaited_heads(p_user_id uuid, p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
  v_work jsonb;
  v_heads jsonb := '[]';
begin
  for v_product in
    select p.*
    from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null and p.dependency_release = 'merged'
    where m.user_id = p_user_id and private.is_open_to_token(m.product_id)
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
    order by p.id
  loop
    for v_work in
      select w
      from jsonb_array_elements(private.awaited_work(array(
        select a.task_id
        from public.sprint_runs r
        join public.agent_jobs j on j.sprint_run_id = r.id and j.status = 'QUEUED' and j.open_blockers > 0
        cross join lateral unnest(private.tasks_of_job(j)) as a (task_id)
        where r.product_id = v_product.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      ), 50)) w
      where w ->> 'head_sha' is not null
    loop
      v_heads := v_heads || (v_work || jsonb_build_object('product_repo_url', v_product.repo_url, 'repo_url', (
        select coalesce(nullif(t.repo_url, ''), v_product.repo_url) from public.agent_jobs j join public.tasks t on t.id = j.task_id
        where j.id = (v_work ->> 'job_id')::uuid)));
    end loop;
  end loop;
  return nullif(v_heads, '[]');
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_grant(p_token_id uuid, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_grant public.api_tokens;
begin
  update public.api_tokens set revoked_at = private.now()
  where id = p_token_id and revoked_at is null
  returning * into v_grant;
  if found then
    perform private.audit(v_grant.user_id, null, 'grant.ended',
      jsonb_build_object('token_id', p_token_id, 'client', v_grant.label, 'reason', p_reason));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.find_matches(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_code text := replace(replace(replace(trim(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_products uuid[];
  v_words text[];
  v_query tsquery;
  v_in_products tsquery;
  v_in_ideas tsquery;
  v_ranked integer := 200;
  v_most integer := greatest(v_ranked, p_offset + p_limit + 1);
  v_found json[];
begin
  select array_agg(distinct l) into v_words
  from regexp_split_to_table(lower(p_query), '[^[:alnum:]]+') w, unnest(tsvector_to_array(to_tsvector('simple', w))) l;
  select coalesce(array_agg(m.product_id), '{}') into v_products
  from public.product_members m
  where m.user_id = v_user_id and private.is_open_to_token(m.product_id) and (p_product_id is null or m.product_id = p_product_id);
  v_query := private.words_in_scopes('{""}', v_words);
  v_in_products := private.words_in_scopes(array(select private.scope_of_words(i) from unnest(v_products) i), v_words);
  v_in_ideas := private.words_in_scopes(array[private.scope_of_words(v_user_id)], v_words);

  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select m.*, row_number() over (order by m.by_code desc, m.created_at desc, m.id) as place
      from (
        (select 'pbi' as kind, b.id, b.product_id, b.code, b.title, b.description, lower(b.status::text) as status, b.created_at,
          b.code ilike v_code as by_code
        from public.pbis b
        where (p_kind is null or p_kind = 'pbi') and b.product_id = any (v_products)
          and b.id in (
            select x.id from public.pbis x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select x.id from public.pbis x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
        order by by_code desc, b.created_at desc, b.id
        limit v_most)
        union all
        (select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
          s.code ilike v_code as by_code
        from public.stories s
        where (p_kind is null or p_kind = 'story') and s.product_id = any (v_products)
          and s.id in (
            select x.id from public.stories x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select x.id from public.stories x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
        order by by_code desc, s.created_at desc, s.id
        limit v_most)
        union all
        (select 'task', t.id, t.product_id, t.code, t.title, t.description, private.task_status_word(t.status), t.created_at,
          t.code ilike v_code as by_code
        from public.tasks t
        where (p_kind is null or p_kind = 'task') and t.product_id = any (v_products)
          and t.id in (
            select x.id from public.tasks x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select x.id from public.tasks x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
        order by by_code desc, t.created_at desc, t.id
        limit v_most)
        union all
        (select 'idea', i.id, i.product_id, i.code, i.title, i.description, lower(i.status::text), i.created_at,
          i.code ilike v_code as by_code
        from public.ideas i
        where (p_kind is null or p_kind = 'idea') and (p_product_id is null or i.product_id = p_product_id)
          and i.user_id = v_user_id and private.is_open_to_token(i.product_id)
          and i.id in (
            select x.id from public.ideas x where x.code ilike v_code and x.user_id = v_user_id
            union
            select x.id from public.ideas x
            where private.scoped_words(x.user_id, x.code, x.title, x.description) @@ v_in_ideas)
        order by by_code desc, i.created_at desc, i.id
        limit v_most)
      ) m
    ) h
    join public.products p on p.id = h.product_id
    order by h.by_code desc,
      case when h.place <= v_ranked then ts_rank(to_tsvector('simple', h.code || ' ' || h.title || ' ' || left(h.description, 1000)), v_query) end
        desc nulls last,
      h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_product_access(p_product_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.product_members m where m.product_id = p_product_id and m.user_id = auth.uid()
      and private.is_open_to_token(p_product_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_oauth_client(p_client_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_client_id ~ '^https?://' or exists (select from public.oauth_clients c where c.id = p_client_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_open_to_token(p_product_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products text := coalesce(current_setting('backloom.token_products', true), '');
begin
  return v_products = '' or p_product_id = any (v_products::uuid[]);
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_product(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[], p_confined boolean, p_also_repos jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return (
    select c.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null and (p_confined or not p.requires_sandbox)
    cross join lateral (
      select j.product_id, j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = m.product_id
        and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
        and (j.phase <> 'verify' or j.author_worker_id is distinct from p_worker_id)
        and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
        and (p_kinds is null or p_kinds ? j.kind::text)
        and not exists (
          select from public.tasks t
          where t.id = j.task_id and t.repo_url <> p.repo_url and not private.is_followed(t.repo_url, p_also_repos))
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where m.user_id = p_user_id and m.role <> 'VIEWER' and private.is_open_to_token(m.product_id)
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
      and m.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_user_id uuid, p_product_id uuid, p_full_budgets uuid[] DEFAULT NULL::uuid[], p_confined boolean DEFAULT true, p_also_repos jsonb DEFAULT NULL::jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting record;
  v_closed jsonb;
begin
  select count(*) filter (where j.status = 'QUEUED') as queued,
    count(*) filter (where j.status = 'QUEUED' and r.status = 'PAUSED') as paused,
    count(*) filter (where j.status = 'QUEUED' and q.status = 'OPEN') as asked,
    count(*) filter (where j.status = 'QUEUED' and j.not_before > private.now()) as delayed,
    count(*) filter (where j.status = 'QUEUED' and not j.in_turn) as in_order,
    count(*) filter (where j.status = 'QUEUED' and j.phase = 'review') as in_review,
    count(*) filter (where j.status = 'QUEUED' and j.phase = 'verify') as to_verify,
    count(*) filter (where j.status = 'QUEUED' and j.in_turn and j.open_blockers > 0) as blocked,
    count(*) filter (where j.status = 'QUEUED' and j.in_turn and p.requires_sandbox and not p_confined) as unconfined,
    min(t.repo_url) filter (where j.status = 'QUEUED' and j.in_turn and t.repo_url <> p.repo_url
      and not private.is_followed(t.repo_url, p_also_repos)) as foreign_repo,
    count(*) filter (where j.status in ('CLAIMED', 'RUNNING')) as held
  into v_waiting
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    and private.is_open_to_token(m.product_id) and (m.workers_allowed or p_product_id is not null)
  join public.products p on p.id = j.product_id
  left join public.tasks t on t.id = j.task_id
  left join public.sprint_runs r on r.id = j.sprint_run_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('There are jobs in %s, where your workers are not allowed yet. Switch on "My workers may work here" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_waiting.held > 0 then format('; %s held by workers', v_waiting.held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.unconfined > 0 then 'sandbox'
      when v_waiting.foreign_repo is not null then 'repository'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none available now: %s waiting for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_waiting.held,
      concat(case when p_full_budgets <> '{}' then ' A budget allows no new work.' end,
        case when v_waiting.unconfined > 0 then format(' %s are in products that require a sandbox, and this worker has none: %s', v_waiting.unconfined, private.sandbox_advice()) end,
        case when v_waiting.foreign_repo is not null
          then format(' A task uses the repository %s, which this worker does not follow: %s', v_waiting.foreign_repo, private.repository_advice(v_waiting.foreign_repo)) end)))
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_user_id, p_product_id)))
      else '{}' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.oauth_answer(p_scopes text[])
 RETURNS json
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('expires_in', extract(epoch from private.access_token_lifetime())::integer, 'scope', array_to_string(p_scopes, ' '));
end;
$function$;

CREATE OR REPLACE FUNCTION private.oauth_refusal(p_error text)
 RETURNS json
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('refused', p_error);
end;
$function$;

CREATE OR REPLACE FUNCTION private.open_product_ids()
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
    select m.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id
    where m.user_id = auth.uid() and p.archived_at is null and private.is_open_to_token(m.product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.owned_product_ids()
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
    select m.product_id from public.product_members m where m.user_id = auth.uid() and m.role = 'OWNER'
      and private.is_open_to_token(m.product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.products_without_consent(p_user_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('id', x.id, 'code', x.code, 'name', x.name) order by x.name, x.id)
    from (
      select p.id, p.code, p.name
      from public.product_members m
      join public.products p on p.id = m.product_id and p.archived_at is null
      where m.user_id = p_user_id and m.role = 'MEMBER' and not m.workers_allowed and private.is_open_to_token(m.product_id)
        and exists (
          select from private.claimable_jobs j
          where j.product_id = p.id and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id))
      order by p.name, p.id
      limit 10
    ) x
  );
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
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      ('oauth_register', 20, 600),
      ('oauth_token', 120, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
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

CREATE OR REPLACE FUNCTION private.remove_stale_rows()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_counters integer;
  v_sessions integer;
  v_pairings integer;
  v_notices integer;
  v_outputs integer;
  v_diffs integer;
  v_workers integer;
  v_keys integer;
begin
  delete from public.rate_limit_counters c where c.window_start < v_now - interval '2 hours';
  get diagnostics v_counters = row_count;
  delete from public.user_sessions s where least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  get diagnostics v_sessions = row_count;
  delete from private.changes c where c.changed_at < v_now - interval '1 minute';
  delete from public.login_pairings l where l.created_at < v_now - interval '1 day';
  get diagnostics v_pairings = row_count;
  delete from public.oauth_codes c where c.created_at < v_now - interval '1 day';
  delete from public.api_tokens t
  where t.client_id is not null and least(t.revoked_at, t.refresh_expires_at) < v_now - interval '30 days';
  delete from public.oauth_clients c
  where c.created_at < v_now - interval '30 days' and coalesce(c.used_at, c.created_at) < v_now - interval '30 days'
    and not exists (
      select from public.api_tokens t
      where t.client_id = c.id and t.revoked_at is null and t.refresh_expires_at > v_now);
  delete from public.notices n where n.status <> 'PENDING' and n.created_at < v_now - interval '30 days';
  get diagnostics v_notices = row_count;
  delete from public.job_outputs o
  where (o.job_id, o.attempt, o.seq) in (
    select x.job_id, x.attempt, x.seq from public.job_outputs x
    where x.created_at < v_now - interval '14 days' order by x.created_at limit 20000);
  get diagnostics v_outputs = row_count;
  delete from public.job_diffs d
  where d.created_at < v_now - interval '14 days'
    and exists (select from public.job_diffs n where n.job_id = d.job_id and n.attempt > d.attempt);
  get diagnostics v_diffs = row_count;
  perform private.keep_usage_so_far(x.job_id, x.attempt)
  from (
    select distinct s.product_id, s.job_id, s.attempt from public.usage_so_far s
    where s.told_at < v_now - interval '1 hour' and not exists (
      select from public.agent_jobs j where j.id = s.job_id and j.attempt = s.attempt and j.status in ('CLAIMED', 'RUNNING'))
  ) x
  -- Whoever writes lines of the ledger holds a share of its product; one that is busy is looked at the next time.
  where private.try_share_product(x.product_id);
  delete from public.agent_workers w
  where w.last_seen_at < v_now - interval '30 days'
    and not exists (select from public.agent_jobs j where j.worker_id = w.id)
    and not exists (select from public.job_attempts a where a.worker_id = w.id);
  get diagnostics v_workers = row_count;
  delete from public.idempotency_keys k where k.created_at <= v_now - private.kept_call_lifetime();
  get diagnostics v_keys = row_count;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'job_diffs', v_diffs, 'agent_workers', v_workers,
    'idempotency_keys', v_keys);
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
    raise exception using errcode = 'PT404', message = 'No such idea.';
  end if;

  if v_idea.user_id is distinct from auth.uid() then
    raise exception using errcode = 'PT403', message = 'This idea belongs to somebody else. Ask them, or add your own.';
  end if;

  if not private.is_open_to_token(v_idea.product_id) then
    raise exception using errcode = 'PT403',
      message = 'This token is limited to other products. Use a token that includes the product of this idea.';
  end if;

  return v_idea.product_id;
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
    raise exception using errcode = 'PT404', message = 'No such product.';
  end if;

  if not v_member then
    raise exception using errcode = 'PT403',
      message = 'You have no access to this product. Ask its owner to add you as a member.';
  end if;

  if not private.is_open_to_token(p_product_id) then
    raise exception using errcode = 'PT403',
      message = 'This token is limited to other products. Use a token that includes this product.';
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
  -- These count as writes only because they count against a limit.
  v_reads constant text[] := '{search, list_candidates}';
  v_work constant text[] := '{claim_agent_job, heartbeat_agent_job, report_agent_job, report_job_usage, append_job_output,
    save_job_diff, report_job_conflict, report_merged, verify_sprint_task, verify_task_against_plan, update_task_execution,
    worker_heartbeat, restart_worker, add_evidence}';
  v_either constant text[] := '{update_task, set_task_status, append_story_log, ask_question, cancel_question, answer_user_question,
    pause_sprint_run, cancel_agent_job, add_comment, edit_comment, delete_comment}';
  v_allowed constant text[] := (case
    when p_function = any (v_reads) then '{read, plan, work}'
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

CREATE OR REPLACE FUNCTION private.require_unlimited_token()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if coalesce(current_setting('backloom.token_products', true), '') <> '' then
    raise exception using errcode = 'PT403',
      message = 'This token is limited to some products and cannot create another. Create the product in the browser, then use a token that includes it.';
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
    raise exception using errcode = 'PT401',
      message = 'Not signed in: the token or session is missing, unknown, expired or revoked. Sign in, or create a token in the settings.';
  end if;

  if v_used_at <= v_now - interval '1 minute' then
    perform private.touch_credential(v_principal.session_id, v_principal.token_id);
  end if;

  return v_principal;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_blocked(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_asked text := lower(substring(p_query from '(?i)(?:^|\s)blocked:(\S*)'));
  v_words text := trim(regexp_replace(p_query, '(?i)(^|\s)blocked:\S*', ' ', 'g'));
  v_pattern text := '%' || replace(replace(replace(v_words, '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_found json[];
begin
  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select 'task' as kind, t.id, t.product_id, t.code, t.title, t.description, private.task_status_word(t.status) as status, t.created_at,
        array(select b.code from private.task_blockers b where b.task_id = t.id and not b.resolved) as waits_for
      from public.tasks t
      where (p_kind is null or p_kind = 'task') and t.status <> 'DONE'
        and t.product_id in (select private.accessible_product_ids())
        and (p_product_id is null or t.product_id = p_product_id) and (t.code ilike v_pattern or t.title ilike v_pattern)
      union all
      select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
        array(select b.code from public.story_dependencies d join public.stories b on b.id = d.blocker_id
          where d.blocked_id = s.id and b.status <> 'DONE')
      from public.stories s
      where (p_kind is null or p_kind = 'story') and s.status <> 'DONE'
        and s.product_id in (select private.accessible_product_ids())
        and (p_product_id is null or s.product_id = p_product_id) and (s.code ilike v_pattern or s.title ilike v_pattern)
    ) h
    join public.products p on p.id = h.product_id
    where case when v_asked in ('', 'yes', 'true') then h.waits_for <> '{}'
      when v_asked in ('no', 'false', 'none') then h.waits_for = '{}'
      else upper(v_asked) in (select upper(c) from unnest(h.waits_for) c) end
    order by h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.touch_credential(p_session_id uuid, p_token_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.writable_product_ids()
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
    select m.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id
    where m.user_id = auth.uid() and m.role <> 'VIEWER' and p.archived_at is null and private.is_open_to_token(m.product_id);
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
$function$;

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_audience_known" CHECK ((audience = ANY (ARRAY['/mcp'::text, '/mcp/worker'::text])));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_client_id_length" CHECK ((char_length(client_id) <= 2000));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_grant_complete" CHECK (((num_nulls(client_id, audience, refresh_hash, refresh_expires_at) = ANY (ARRAY[0, 4])) AND ((client_id IS NULL) OR (num_nulls(scopes, product_ids, expires_at) = 0))));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_products_bound" CHECK (((cardinality(product_ids) >= 1) AND (cardinality(product_ids) <= 1000)));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_refresh_hash_key" UNIQUE (refresh_hash);

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_refresh_hash_length" CHECK ((octet_length(refresh_hash) = 32));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_scopes_known" CHECK (((scopes <@ '{read,plan,work}'::text[]) AND (cardinality(scopes) > 0)));

ALTER TABLE "public"."oauth_codes" ADD CONSTRAINT "oauth_codes_session_id_fkey" FOREIGN KEY (session_id) REFERENCES public.user_sessions(id) ON DELETE CASCADE;

ALTER TABLE "public"."oauth_codes" ADD CONSTRAINT "oauth_codes_token_id_fkey" FOREIGN KEY (token_id) REFERENCES public.api_tokens(id) ON DELETE CASCADE;

ALTER TABLE "public"."oauth_codes" ADD CONSTRAINT "oauth_codes_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."spent_refresh_tokens" ADD CONSTRAINT "spent_refresh_tokens_token_id_fkey" FOREIGN KEY (token_id) REFERENCES public.api_tokens(id) ON DELETE CASCADE;

CREATE INDEX api_tokens_client_id_idx ON public.api_tokens USING btree (client_id) WHERE (client_id IS NOT NULL);

CREATE INDEX oauth_clients_created_at_idx ON public.oauth_clients USING btree (created_at);

CREATE INDEX oauth_codes_created_at_idx ON public.oauth_codes USING btree (created_at);

CREATE INDEX oauth_codes_session_id_idx ON public.oauth_codes USING btree (session_id);

CREATE INDEX oauth_codes_token_id_idx ON public.oauth_codes USING btree (token_id);

CREATE INDEX oauth_codes_user_id_idx ON public.oauth_codes USING btree (user_id);

CREATE INDEX spent_refresh_tokens_token_id_idx ON public.spent_refresh_tokens USING btree (token_id);

CREATE POLICY "ideas_select" ON "public"."ideas" FOR SELECT TO "authenticated" USING (((user_id = ( SELECT auth.uid() AS uid)) AND private.is_open_to_token(product_id)));

CREATE POLICY "oauth_clients_service" ON "public"."oauth_clients" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "oauth_codes_service" ON "public"."oauth_codes" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "spent_refresh_tokens_service" ON "public"."spent_refresh_tokens" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON FUNCTION "operations"."create_oauth_code"(uuid, uuid, text, text, text, text, text, text, jsonb, jsonb) IS 'What a person allowed, under a code for 60 seconds (docs/agents.md, Signing in over OAuth). Service only.';

COMMENT ON FUNCTION "operations"."get_oauth_client"(text) IS 'A registered OAuth client, or null (docs/agents.md, Signing in over OAuth). Service only.';

COMMENT ON FUNCTION "operations"."list_grants"() IS 'Programs and tokens with access to the account of the caller (docs/agents.md, Signing in over OAuth).';

COMMENT ON FUNCTION "operations"."redeem_oauth_code"(text, text, text, text, text, text, text, text, text) IS 'A code becomes a grant and its tokens, once (docs/agents.md, Signing in over OAuth). Service only.';

COMMENT ON FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text) IS 'The next tokens of a grant; a refresh token that comes again ends it (docs/agents.md, Signing in over OAuth). Service only.';

COMMENT ON FUNCTION "operations"."register_oauth_client"(text, text, jsonb, text) IS 'A new OAuth client (docs/agents.md, Signing in over OAuth). Service only.';

COMMENT ON FUNCTION "operations"."revoke_oauth_token"(text, text, text) IS 'Ends the grant of a token (docs/agents.md, Signing in over OAuth). Service only.';

COMMENT ON FUNCTION "private"."access_token_lifetime"() IS 'How long an access token of a grant is good (docs/agents.md, Signing in over OAuth).';

COMMENT ON FUNCTION "private"."end_grant"(uuid, text) IS 'Ends a grant and says why in the audit trail (docs/agents.md, Signing in over OAuth).';

COMMENT ON FUNCTION "private"."is_oauth_client"(text) IS 'Whether a client may ask for tokens at all (docs/agents.md, Signing in over OAuth).';

COMMENT ON FUNCTION "private"."is_open_to_token"(uuid) IS 'Whether the token of this call is open to a product of its user (docs/agents.md, Signing in over OAuth).';

COMMENT ON FUNCTION "private"."oauth_answer"(text[]) IS 'What a token answer says beside the tokens (docs/agents.md, Signing in over OAuth).';

COMMENT ON FUNCTION "private"."oauth_refusal"(text) IS 'A refusal of the token endpoint, as an answer (docs/agents.md, Signing in over OAuth).';

COMMENT ON FUNCTION "private"."require_scope"(text[], text) IS 'PT403 for a write outside the scopes of a token (docs/agents.md, Signing in over OAuth).';

COMMENT ON FUNCTION "private"."require_unlimited_token"() IS 'PT403 for tokens that are limited to some products.';

COMMENT ON TABLE "public"."api_tokens" IS 'API tokens (specification: Authentication 1): one user each, stored as SHA-256, optional expiry, revocable; bound to scopes and products, or granted to a program, where it says so.';

COMMENT ON TABLE "public"."oauth_clients" IS 'Registered OAuth clients (docs/agents.md, Signing in over OAuth); removed when unused for 30 days. Service only.';

COMMENT ON TABLE "public"."oauth_codes" IS 'Authorization codes, good once for 60 seconds (docs/agents.md, Signing in over OAuth). Service only.';

COMMENT ON TABLE "public"."spent_refresh_tokens" IS 'Refresh tokens that were used, by their hash (docs/agents.md, Signing in over OAuth). Service only.';

REVOKE ALL ON FUNCTION "operations"."create_oauth_code"(uuid, uuid, text, text, text, text, text, text, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_oauth_code"(uuid, uuid, text, text, text, text, text, text, jsonb, jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."get_oauth_client"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_oauth_client"(text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."list_grants"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_grants"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."redeem_oauth_code"(text, text, text, text, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."redeem_oauth_code"(text, text, text, text, text, text, text, text, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."register_oauth_client"(text, text, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."register_oauth_client"(text, text, jsonb, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."revoke_oauth_token"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."revoke_oauth_token"(text, text, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."access_token_lifetime"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."access_token_lifetime"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."end_grant"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_grant"(uuid, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."is_oauth_client"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_oauth_client"(text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."is_open_to_token"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_open_to_token"(uuid) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."oauth_answer"(text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."oauth_answer"(text[]) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."oauth_refusal"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."oauth_refusal"(text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."require_scope"(text[], text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_scope"(text[], text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."require_unlimited_token"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_unlimited_token"() TO "authenticated", "postgres";

REVOKE ALL ("audience") ON TABLE "public"."api_tokens" FROM "authenticated";

GRANT SELECT ("audience") ON TABLE "public"."api_tokens" TO "authenticated";

REVOKE ALL ("client_id") ON TABLE "public"."api_tokens" FROM "authenticated";

GRANT SELECT ("client_id") ON TABLE "public"."api_tokens" TO "authenticated";

REVOKE ALL ("first_used_at") ON TABLE "public"."api_tokens" FROM "authenticated";

GRANT SELECT ("first_used_at") ON TABLE "public"."api_tokens" TO "authenticated";

REVOKE ALL ("product_ids") ON TABLE "public"."api_tokens" FROM "authenticated";

GRANT SELECT ("product_ids") ON TABLE "public"."api_tokens" TO "authenticated";

REVOKE ALL ("refresh_expires_at") ON TABLE "public"."api_tokens" FROM "authenticated";

GRANT SELECT ("refresh_expires_at") ON TABLE "public"."api_tokens" TO "authenticated";

REVOKE ALL ("scopes") ON TABLE "public"."api_tokens" FROM "authenticated";

GRANT SELECT ("scopes") ON TABLE "public"."api_tokens" TO "authenticated";

GRANT ALL ON TABLE "public"."oauth_clients" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."oauth_clients" TO "service_role";

GRANT ALL ON TABLE "public"."oauth_codes" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."oauth_codes" TO "service_role";

GRANT ALL ON TABLE "public"."spent_refresh_tokens" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."spent_refresh_tokens" TO "service_role";
