-- Why: other services send work to a secret address of a product; each thing becomes one story in triage, and the inbox says what waits there.
set local check_function_bodies = off;

ALTER TABLE "public"."inbox_marks" DROP CONSTRAINT "inbox_marks_kind";

CREATE TABLE "public"."intake_hooks" ("id" uuid NOT NULL, "product_id" uuid NOT NULL, "key_hash" bytea NOT NULL, "created_by" uuid, "last_item_at" timestamp with time zone, CONSTRAINT "intake_hooks_key_hash_key" UNIQUE (key_hash), CONSTRAINT "intake_hooks_key_hash_length" CHECK ((octet_length(key_hash) = 32)), CONSTRAINT "intake_hooks_pkey" PRIMARY KEY (id), CONSTRAINT "intake_hooks_product_id_key" UNIQUE (product_id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."intake_hooks" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."settled_items" ("product_id" uuid NOT NULL, "external_id" text NOT NULL, "story_id" uuid NOT NULL, "code" text NOT NULL, "outcome" text NOT NULL, CONSTRAINT "settled_items_outcome" CHECK ((outcome = ANY (ARRAY['declined'::text, 'merged'::text]))), CONSTRAINT "settled_items_pkey" PRIMARY KEY (product_id, external_id), "settled_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."settled_items" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."pbis" ADD COLUMN "is_intake" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."stories" ADD COLUMN "external_url" text;

ALTER TABLE "public"."stories" ADD COLUMN "origin" text;

CREATE OR REPLACE FUNCTION operations.decline_story(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_triage(p_story_id);
  perform private.settle_item(p_story_id, 'declined');
  delete from public.stories s where s.id = p_story_id;
  return json_build_object('id', p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_intake_hook(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_owner(p_product_id);
  return json_build_object('hook', (
    select json_build_object('id', h.id, 'key_hash', encode(h.key_hash, 'hex'), 'created_by_name', private.username(h.created_by),
      'created_at', h.created_at, 'last_item_at', h.last_item_at)
    from public.intake_hooks h where h.product_id = p_product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_triage(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object(
    'stories', (
      select coalesce(json_agg(private.with_labels(row_to_json(x), k.label_ids)::jsonb
          || jsonb_build_object('origin', k.origin, 'external_url', k.external_url) order by k.created_at, k.id), '[]')
      from private.story_shape x
      join public.stories k on k.id = x.id
      where k.product_id = p_product_id and k.in_triage),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order, b.created_at, b.id), '[]')
      from public.pbis b where b.product_id = p_product_id),
    'targets', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title)
        order by s.sort_order, s.created_at, s.id), '[]')
      from public.stories s where s.product_id = p_product_id and not s.in_triage and s.status <> 'DONE'));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.merge_story(p_story_id uuid, p_into uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
  v_target public.stories;
  v_text text;
begin
  perform private.require_triage(p_story_id);
  perform private.require_access('story', p_into);
  select s.* into v_story from public.stories s where s.id = p_story_id;
  select s.* into v_target from public.stories s where s.id = p_into;
  if v_target.product_id <> v_story.product_id or v_target.in_triage then
    perform private.refuse(422, 'Choose a story of this product that is not in triage.',
      '{"issues":[{"path":"into","message":"Choose a story of the backlog."}]}');
  end if;
  v_text := concat_ws(E'\n\n', nullif(v_target.description, ''), format('Merged from %s: %s', v_story.code, v_story.title),
    nullif(v_story.description, ''), nullif(v_story.acceptance_criteria, ''));
  if char_length(v_text) > 100000 then
    perform private.refuse(422, format('The description of %s has no room for this text. Accept the story instead.', v_target.code));
  end if;

  update public.stories s set description = v_text where s.id = p_into;
  update public.tasks t set story_id = p_into where t.story_id = p_story_id;
  perform private.settle_item(p_story_id, 'merged');
  delete from public.stories s where s.id = p_story_id;
  return private.story_json(p_into);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.receive_item(p_key_hash text, p_title text, p_text text DEFAULT NULL::text, p_url text DEFAULT NULL::text, p_external_id text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_hook public.intake_hooks;
  v_answer json;
begin
  select h.* into v_hook from public.intake_hooks h where h.key_hash = decode(p_key_hash, 'hex');
  if not found then
    perform private.refuse(404, 'Nothing is received at this address. It was renewed or revoked: copy the one in the settings of the product.');
  end if;
  perform private.take_rate_limit('hook', v_hook.id::text);
  v_answer := private.known_item(v_hook.product_id, p_external_id);
  if v_answer is not null then
    return v_answer;
  end if;

  perform private.lock_product(v_hook.product_id);
  if exists (select from public.products p where p.id = v_hook.product_id and p.archived_at is not null) then
    perform private.refuse(403, 'This product is archived. Nothing is received until it is restored.');
  end if;
  -- Statements of their own: each sees what others committed while the lock was awaited.
  if not exists (select from public.intake_hooks h where h.id = v_hook.id) then
    perform private.refuse(404, 'Nothing is received at this address. It was renewed or revoked: copy the one in the settings of the product.');
  end if;
  v_answer := private.known_item(v_hook.product_id, p_external_id);
  if v_answer is not null then
    return v_answer;
  end if;
  perform private.take_rate_limit('hook_item', v_hook.id::text);
  update public.intake_hooks h set last_item_at = private.now() where h.id = v_hook.id;
  return private.bring_item(v_hook.product_id, 'hook', p_title, p_text, p_url, p_external_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_intake_hook(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  delete from public.intake_hooks h where h.product_id = p_product_id;
  if not found then
    perform private.refuse(404, 'This product has no hook address.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'intake_hook.revoked', jsonb_build_object('product_id', p_product_id));
  return json_build_object('product_id', p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_intake_hook(p_product_id uuid, p_id uuid, p_key_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.take_rate_limit('webhook', auth.uid()::text);
  if p_key_hash !~ '^[0-9a-f]{64}$' then
    perform private.refuse(422, 'key_hash is the SHA-256 of the key, in hexadecimal.');
  end if;
  delete from public.intake_hooks h where h.product_id = p_product_id;
  insert into public.intake_hooks (id, product_id, key_hash, created_by)
  values (p_id, p_product_id, decode(p_key_hash, 'hex'), auth.uid());
  perform private.audit(auth.uid(), auth.uid(), 'intake_hook.set', jsonb_build_object('product_id', p_product_id));
  return json_build_object('id', p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.bring_item(p_product_id uuid, p_origin text, p_title text, p_text text, p_url text, p_external_id text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_claims text := current_setting('request.jwt.claims', true);
begin
  -- The limits on what a person creates are not for what comes from outside.
  perform set_config('request.jwt.claims', '', true);
  insert into public.stories (id, pbi_id, title, description, in_triage, origin, external_id, external_url)
  values (v_id, private.intake_pbi(p_product_id), p_title, coalesce(p_text, ''), true, p_origin, p_external_id, p_url);
  perform set_config('request.jwt.claims', coalesce(v_claims, ''), true);
  return (
    select json_build_object('id', s.id, 'code', s.code, 'status', 'triage', 'is_new', true) from public.stories s where s.id = v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_item_json(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case p_kind
    when 'question' then (
      select jsonb_build_object('question', private.question_json(q)) from public.agent_questions q where q.id = p_id
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q)))
    when 'review' then (
      select jsonb_build_object('code', t.code, 'title', t.title, 'story_code', s.code, 'story_title', s.title,
        -- The job that waits for a person's verdict; without one the task was put into review by hand.
        'job_id', (
          select j.id from public.agent_jobs j
          where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review'
          limit 1))
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_id)
    when 'run' then (
      select jsonb_build_object('code', coalesce(s.code, private.run_subject(r)), 'title', coalesce(s.sprint_goal, ''), 'sprint_id', s.id,
        'failed', x.failed, 'waiting', x.waiting, 'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r
      left join public.sprints s on s.id = r.sprint_id
      cross join lateral (
        select count(*) filter (where p.status = 'FAILED') as failed, count(*) filter (where p.status in ('QUEUED', 'CANCELLED', 'PENDING')) as waiting
        from (
          select j.status::text from public.agent_jobs j where j.sprint_run_id = r.id and j.kind = 'TASK_IMPLEMENTATION'
          union all
          select e.status::text from public.task_executions e where e.sprint_run_id = r.id
        ) p
      ) x
      where r.id = p_id)
    when 'job' then (
      select jsonb_build_object('code', i.code, 'title', i.title, 'reason', j.failure_reason, 'idea_id', j.idea_id)
      from public.agent_jobs j join public.ideas i on i.id = j.idea_id where j.id = p_id)
    when 'added' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'owner_name', private.username(p.owner_id))
      from public.products p where p.id = p_id)
    when 'triage' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'waiting', x.waiting, 'newest', x.newest)
      from public.products p
      cross join lateral (
        select count(*) as waiting, (array_agg(s.title order by s.created_at desc, s.id))[1] as newest
        from public.stories s where s.product_id = p.id and s.in_triage) x
      where p.id = p_id)
    when 'mention' then (
      select jsonb_build_object('code', x.code, 'title', x.title, 'author', c.author, 'excerpt', left(c.body, 500),
        'path', private.comment_path(c))
      from public.comments c
      cross join lateral (
        select t.code, t.title from public.tasks t where t.id = c.task_id
        union all
        select s.code, s.title from public.stories s where s.id = c.story_id
        union all
        select b.code, b.title from public.pbis b where b.id = c.pbi_id) x
      where c.id = p_id)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_items()
 RETURNS TABLE(kind text, id uuid, product_id uuid, at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_since timestamptz := v_now - interval '14 days';
  v_products uuid[] := array(select private.writable_product_ids());
begin
  return query
    select 'question', q.id, q.product_id, q.created_at
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now and q.product_id = any (v_products)
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))
    union all
    select 'review', w.task_id, w.product_id, w.since
    from public.tasks_in_review w
    where w.product_id = any (v_products)
    union all
    select 'run', r.id, r.product_id, r.finished_at
    from public.sprint_runs r
    where r.status = 'FAILED' and r.product_id = any (v_products) and r.finished_at > v_since
      and not exists (select from public.sprint_runs n where n.sprint_id = r.sprint_id and n.created_at > r.created_at)
      -- A run of its own is tried again by whatever run takes up the task that failed.
      and not (r.sprint_id is null and exists (
        select from public.sprint_runs n
        where n.id in (
            select j.sprint_run_id from public.agent_jobs j where j.task_id = (r.failure ->> 'task_id')::uuid
            union all
            select e.sprint_run_id from public.task_executions e where e.task_id = (r.failure ->> 'task_id')::uuid)
          and n.created_at > r.created_at))
    union all
    -- A job of a task is told by its run; a talk about an idea is its owner's alone.
    select 'job', j.id, j.product_id, j.finished_at
    from public.agent_jobs j
    where j.status = 'FAILED' and j.finished_at > v_since and j.product_id = any (v_products) and j.idea_id is not null
      and j.created_by = auth.uid()
      and not exists (select from public.agent_jobs n where n.idea_id = j.idea_id and n.created_at > j.created_at)
    union all
    select 'added', m.product_id, m.product_id, m.created_at
    from public.product_members m
    where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and m.product_id = any (v_products)
    union all
    -- One for all that waits in a product; what comes later makes it new.
    select 'triage', s.product_id, s.product_id, max(s.created_at)
    from public.stories s
    where s.in_triage and s.product_id = any (v_products)
    group by s.product_id
    union all
    -- Whoever has written something there since has seen it.
    select 'mention', c.id, c.product_id, m.created_at
    from public.comment_mentions m
    join public.comments c on c.id = m.comment_id
    where m.user_id = auth.uid() and m.created_at > v_since and c.product_id in (select private.open_product_ids())
      and not exists (
        select from public.comments n
        where n.author_id = auth.uid() and n.created_at > m.created_at
          and (n.pbi_id = c.pbi_id or n.story_id = c.story_id or n.task_id = c.task_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.intake_pbi(p_product_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid;
begin
  select b.id into v_id from public.pbis b where b.product_id = p_product_id and b.is_intake;
  if v_id is null then
    insert into public.pbis (product_id, title, description, is_intake)
    values (p_product_id, 'Intake', 'Items of other services begin here. Accepting one in Triage can move it to another PBI.', true)
    returning id into v_id;
  end if;
  return v_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_taken_up(p_story public.stories)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select p_story.sprint_id is not null or exists (
    select from public.tasks t join public.agent_jobs j on j.task_id = t.id
    where t.story_id = p_story.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING'));
$function$;

CREATE OR REPLACE FUNCTION private.known_item(p_product_id uuid, p_external_id text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object('id', x.id, 'code', x.code, 'status', x.status, 'is_new', false)
    from (
      select s.id, s.code, lower(s.status::text) as status, 1 as place
      from public.stories s where s.product_id = p_product_id and s.external_id = p_external_id
      union all
      select i.story_id, i.code, i.outcome, 2
      from public.settled_items i where i.product_id = p_product_id and i.external_id = p_external_id
    ) x
    order by x.place
    limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_fields(p_kind text, p_row jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then p_row - '{id,product_id,sort_order,created_at,updated_at}'::text[]
    when 'story' then p_row - '{id,product_id,status,sort_order,created_at,updated_at}'::text[]
    when 'pbi' then jsonb_build_object('is_blocked', p_row ->> 'status' = 'BLOCKED')
      || (p_row - '{id,product_id,status,pr_url,pr_merged_at,idea_id,is_intake,created_at,updated_at}'::text[])
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

CREATE OR REPLACE FUNCTION private.restore_fields(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now jsonb;
  v_task public.tasks;
  v_story public.stories;
  v_pbi public.pbis;
begin
  if p_change.kind = 'job' then
    return private.restore_unmerged(p_change);
  end if;

  case p_change.kind
    when 'task' then
      select t.* into v_task from public.tasks t where t.id = p_change.thing_id;
      v_now := private.own_fields('task', to_jsonb(v_task));
    when 'story' then
      select s.* into v_story from public.stories s where s.id = p_change.thing_id;
      v_now := private.own_fields('story', to_jsonb(v_story));
    else
      select b.* into v_pbi from public.pbis b where b.id = p_change.thing_id;
      v_now := private.own_fields('pbi', to_jsonb(v_pbi));
  end case;
  if v_now is null or v_now ->> 'code' is null then
    return 'was deleted since';
  end if;
  if exists (select from jsonb_each(p_change.after) a where a.value is distinct from v_now -> a.key)
    -- What was accepted and has joined a sprint or a run since is no longer a suggestion.
    or p_change.kind = 'story' and p_change.before ->> 'in_triage' = 'true' and private.is_taken_up(v_story) then
    return 'was changed since';
  end if;

  case p_change.kind
    when 'task' then
      v_task := jsonb_populate_record(v_task, p_change.before);
      update public.tasks t
      set (story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only, verify_required,
          requires_opus, estimated_minutes, label_ids) =
        (v_task.story_id, v_task.code, v_task.title, v_task.description, v_task.implementation_plan, v_task.priority,
          v_task.status, v_task.repo_url, v_task.verify_only, v_task.verify_required, v_task.requires_opus,
          v_task.estimated_minutes, v_task.label_ids)
      where t.id = p_change.thing_id;
    when 'story' then
      v_story := jsonb_populate_record(v_story, p_change.before);
      update public.stories s
      set (pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids, in_triage) =
        (v_story.pbi_id, v_story.code, v_story.title, v_story.description, v_story.acceptance_criteria, v_story.priority,
          v_story.sprint_id, v_story.assignee_id, v_story.label_ids, v_story.in_triage)
      where s.id = p_change.thing_id;
    else
      v_pbi := jsonb_populate_record(v_pbi, p_change.before);
      -- READY lifts a block; what the stories call for is put.
      v_pbi.status := case p_change.before ->> 'is_blocked' when 'true' then 'BLOCKED' when 'false' then 'READY'
        else v_pbi.status::text end::public.pbi_status;
      update public.pbis b
      set (code, title, description, priority, sort_order, status) =
        (v_pbi.code, v_pbi.title, v_pbi.description, v_pbi.priority, v_pbi.sort_order, v_pbi.status)
      where b.id = p_change.thing_id;
  end case;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_item(p_story_id uuid, p_outcome text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.settled_items (product_id, external_id, story_id, code, outcome)
  select s.product_id, s.external_id, s.id, s.code, p_outcome
  from public.stories s
  where s.id = p_story_id and s.in_triage and s.external_id is not null and s.origin is not null
    and s.product_id in (select private.writable_product_ids())
  on conflict (product_id, external_id) do update
  set story_id = excluded.story_id, code = excluded.code, outcome = excluded.outcome, settled_at = private.now();
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__tell_inbox()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_row public.stories := coalesce(new, old);
begin
  perform private.emit_to_members(v_row.product_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', v_row.product_id, 'product_id', v_row.product_id));
  return null;
end;
$function$;

ALTER TABLE "public"."inbox_marks" ADD CONSTRAINT "inbox_marks_kind" CHECK ((item_kind = ANY (ARRAY['question'::text, 'review'::text, 'run'::text, 'job'::text, 'added'::text, 'mention'::text, 'triage'::text])));

ALTER TABLE "public"."intake_hooks" ADD CONSTRAINT "intake_hooks_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."intake_hooks" ADD CONSTRAINT "intake_hooks_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."settled_items" ADD CONSTRAINT "settled_items_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_external_url_form" CHECK (((external_url ~* '^https?://'::text) AND (char_length(external_url) <= 2000)));

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_origin" CHECK ((origin = ANY (ARRAY['hook'::text, 'forge'::text])));

CREATE INDEX intake_hooks_created_by_idx ON public.intake_hooks USING btree (created_by);

CREATE UNIQUE INDEX pbis_intake_key ON public.pbis USING btree (product_id) WHERE is_intake;

CREATE TRIGGER _890_tell_inbox AFTER INSERT ON public.stories FOR EACH ROW WHEN (new.in_triage) EXECUTE FUNCTION private.tg_stories__tell_inbox();

CREATE TRIGGER _891_tell_inbox AFTER UPDATE OF in_triage ON public.stories FOR EACH ROW WHEN ((new.in_triage <> old.in_triage)) EXECUTE FUNCTION private.tg_stories__tell_inbox();

CREATE TRIGGER _892_tell_inbox AFTER DELETE ON public.stories FOR EACH ROW WHEN (old.in_triage) EXECUTE FUNCTION private.tg_stories__tell_inbox();

CREATE POLICY "intake_hooks_select" ON "public"."intake_hooks" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.owned_product_ids() AS owned_product_ids)));

CREATE POLICY "settled_items_service" ON "public"."settled_items" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON COLUMN "public"."intake_hooks"."key_hash" IS 'SHA-256 of the key in the address.';

COMMENT ON COLUMN "public"."pbis"."is_intake" IS 'Items from outside begin here; one a product.';

COMMENT ON COLUMN "public"."stories"."external_id" IS 'What it was in the file that it was imported from, or at the service that sent it, so that the same thing comes once.';

COMMENT ON COLUMN "public"."stories"."external_url" IS 'Where it stands at the service that sent it.';

COMMENT ON COLUMN "public"."stories"."origin" IS 'What brought it from outside: the hook address, or the issues of a code host. Null for what people, tokens and imports make.';

COMMENT ON FUNCTION "operations"."get_intake_hook"(uuid) IS 'The hook address of a product, without its key; null when it has none. Owner only.';

COMMENT ON FUNCTION "operations"."receive_item"(text, text, text, text, text) IS 'One item of another service, into the triage of the product behind the key. Service only.';

COMMENT ON FUNCTION "operations"."revoke_intake_hook"(uuid) IS 'Ends the hook address of a product at once. Owner only.';

COMMENT ON FUNCTION "operations"."set_intake_hook"(uuid, uuid, text) IS 'A new address for items of other services, in place of the one before. Owner only.';

COMMENT ON FUNCTION "private"."bring_item"(uuid, text, text, text, text, text) IS 'A new item from outside, in triage.';

COMMENT ON FUNCTION "private"."intake_pbi"(uuid) IS 'The PBI of items from outside, made when it is first needed.';

COMMENT ON FUNCTION "private"."is_taken_up"(public.stories) IS 'Whether a story is in a sprint, or given to agents.';

COMMENT ON FUNCTION "private"."known_item"(uuid, text) IS 'What an external id has become in a product; null when it is new.';

COMMENT ON FUNCTION "private"."settle_item"(uuid, text) IS 'Remembers an item from outside that leaves triage.';

COMMENT ON FUNCTION "private"."tg_stories__tell_inbox"() IS 'Tells the members of a product that what waits in triage has changed.';

COMMENT ON TABLE "public"."intake_hooks" IS 'The address at which a product takes items of other services, one a product.';

COMMENT ON TABLE "public"."settled_items" IS 'Items from outside that are gone from triage, by their external id.';

REVOKE ALL ON FUNCTION "operations"."get_intake_hook"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_intake_hook"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."receive_item"(text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."receive_item"(text, text, text, text, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."revoke_intake_hook"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."revoke_intake_hook"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."set_intake_hook"(uuid, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."set_intake_hook"(uuid, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."bring_item"(uuid, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."bring_item"(uuid, text, text, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."intake_pbi"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."intake_pbi"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_taken_up"(public.stories) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_taken_up"(public.stories) TO "postgres";

REVOKE ALL ON FUNCTION "private"."known_item"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."known_item"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_item"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_item"(uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."tg_stories__tell_inbox"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_stories__tell_inbox"() TO "postgres";

GRANT SELECT ("created_by") ON TABLE "public"."intake_hooks" TO "authenticated";

GRANT SELECT ("id") ON TABLE "public"."intake_hooks" TO "authenticated";

GRANT SELECT ("last_item_at") ON TABLE "public"."intake_hooks" TO "authenticated";

GRANT SELECT ("product_id") ON TABLE "public"."intake_hooks" TO "authenticated";

GRANT ALL ON TABLE "public"."intake_hooks" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."intake_hooks" TO "service_role";

GRANT ALL ON TABLE "public"."settled_items" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."settled_items" TO "service_role";

GRANT SELECT ("created_at") ON TABLE "public"."intake_hooks" TO "authenticated";
