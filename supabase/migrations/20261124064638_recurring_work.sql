-- Why: a story can be a template that makes a story by a cron line, once a slot, however many processes look.
set local check_function_bodies = off;

DROP TRIGGER "_301_derive_status" ON "public"."stories";

DROP TRIGGER "_890_tell_inbox" ON "public"."stories";

CREATE TABLE "public"."recurrence_slots" ("story_id" uuid NOT NULL, "slot" timestamp with time zone NOT NULL, "outcome" text NOT NULL, "fired_story_id" uuid, CONSTRAINT "recurrence_slots_outcome" CHECK ((outcome = ANY (ARRAY['fired'::text, 'open'::text, 'budget'::text, 'missed'::text]))), CONSTRAINT "recurrence_slots_pkey" PRIMARY KEY (story_id, slot), "decided_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."recurrence_slots" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."recurrences" ("story_id" uuid NOT NULL, "product_id" uuid NOT NULL, "cron" text NOT NULL, "zone" text NOT NULL, "missed" text NOT NULL, "next_at" timestamp with time zone, "created_by" uuid, CONSTRAINT "recurrences_cron_length" CHECK (((char_length(cron) >= 9) AND (char_length(cron) <= 200))), CONSTRAINT "recurrences_missed" CHECK ((missed = ANY (ARRAY['once'::text, 'skip'::text]))), CONSTRAINT "recurrences_pkey" PRIMARY KEY (story_id), CONSTRAINT "recurrences_zone_length" CHECK (((char_length(zone) >= 1) AND (char_length(zone) <= 100))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."recurrences" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."stories" ADD COLUMN "is_template" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."stories" ADD COLUMN "template_id" uuid;

ALTER TYPE "public"."story_status" ADD VALUE 'TEMPLATE' AFTER 'TRIAGE';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.delete_recurrence(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('story', p_story_id);
  delete from public.recurrences r where r.story_id = p_story_id;
  if not found then
    perform private.refuse(404, 'This story does not recur.');
  end if;
  perform set_config('backloom.undoing', 'yes', true);
  update public.stories s set is_template = false, in_triage = false where s.id = p_story_id;
  perform set_config('backloom.undoing', '', true);
  return json_build_object('story_id', p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.fire_recurrence(p_story_id uuid, p_due_at timestamp with time zone, p_slot timestamp with time zone, p_is_late boolean, p_next_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_recurrence public.recurrences;
  v_outcome text;
  v_fired_id uuid;
begin
  perform private.lock_product((select r.product_id from public.recurrences r where r.story_id = p_story_id));
  update public.recurrences r set next_at = p_next_at
  where r.story_id = p_story_id and r.next_at = p_due_at
  returning r.* into v_recurrence;
  if not found then
    return json_build_object('outcome', 'taken');
  end if;

  v_outcome := case
    when p_is_late and v_recurrence.missed = 'skip' then 'missed'
    when private.has_open_copy(p_story_id) then 'open'
    when private.is_product_budget_reached(v_recurrence.product_id) then 'budget'
    else 'fired'
  end;
  insert into public.recurrence_slots (story_id, slot, outcome) values (p_story_id, p_slot, v_outcome)
  on conflict (story_id, slot) do nothing;
  if not found then
    return json_build_object('outcome', 'taken');
  end if;
  delete from public.recurrence_slots s where s.story_id = p_story_id and s.slot < private.now() - interval '90 days';
  if v_outcome = 'fired' then
    v_fired_id := private.copy_template(p_story_id);
    update public.recurrence_slots s set fired_story_id = v_fired_id where s.story_id = p_story_id and s.slot = p_slot;
  end if;
  return json_build_object('outcome', v_outcome, 'story_id', v_fired_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_backlog_tree(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform private.require_product_access(p_product_id);

  return json_build_object(
    'views', private.saved_views_of(p_product_id, 'backlog'),
    'labels', private.labels_of(p_product_id),
    'sprints', (
      select coalesce(json_agg(json_build_object(
        'id', s.id, 'code', s.code, 'status', lower(s.status::text), 'sprint_goal', s.sprint_goal)
        order by s.status desc, s.created_at), '[]')
      from public.sprints s
      where s.product_id = p_product_id and s.status in ('PLANNED', 'ACTIVE', 'FAILED')),
    'pbis', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select b.id, b.code, b.title, b.priority, lower(b.status::text) as status, b.pr_url
        from public.pbis b
        where b.product_id = p_product_id
        order by b.priority, b.sort_order, b.created_at, b.id
      ) x),
    'stories', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select s.id, s.pbi_id, s.code, s.title, s.priority, lower(s.status::text) as status, s.sprint_id, s.assignee_id, s.label_ids
        from public.stories s
        where s.product_id = p_product_id and (not s.in_triage or s.is_template)
        order by s.sort_order, s.created_at, s.id
      ) x),
    'tasks', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select t.id, t.story_id, t.code, t.title, t.label_ids,
          case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
        from public.tasks t
        where t.product_id = p_product_id
        order by t.sort_order, t.created_at, t.id
      ) x)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_product(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);

  return (
    select row_to_json(x)
    from (
      select
        p.*, private.username(p.owner_id) as owner_username, m.role,
        (
          select row_to_json(a)
          from (
            select s.id, s.code, s.sprint_goal, s.status, s.start_date, s.end_date from private.sprint_shape s
            where s.product_id = p.id and s.status = 'active'
          ) a
        ) as active_sprint,
        (select count(*) from public.stories s where s.product_id = p.id and s.in_triage and not s.is_template) as triage_count
      from private.product_detail_shape p
      join public.product_members m on m.product_id = p.id and m.user_id = (select auth.uid())
      where p.id = p_product_id
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_recurrence(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('story', p_story_id);
  return json_build_object(
    'recurrence', private.recurrence_json(p_story_id),
    'template', (
      select json_build_object('id', t.id, 'code', t.code, 'title', t.title)
      from public.stories s join public.stories t on t.id = s.template_id
      where s.id = p_story_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_due_recurrences()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object('now', v_now, 'due', (
    select coalesce(json_agg(json_build_object('story_id', x.story_id, 'cron', x.cron, 'zone', x.zone, 'due_at', x.next_at)), '[]')
    from (
      select r.* from public.recurrences r
      join public.products p on p.id = r.product_id and p.archived_at is null
      where r.next_at <= v_now
      order by r.next_at, r.story_id
      limit 200
    ) x));
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
      where k.product_id = p_product_id and k.in_triage and not k.is_template),
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

CREATE OR REPLACE FUNCTION operations.set_recurrence(p_story_id uuid, p_cron text, p_zone text, p_missed text, p_next_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_missed text := lower(private.require_choice('missed', p_missed, array['ONCE', 'SKIP']));
  v_story public.stories;
begin
  perform private.take_rate_limit('change', auth.uid()::text);
  if private.is_token() and (select p.agent_items = 'triage' from public.products p where p.id = v_product_id) then
    perform private.refuse(403, 'Only people schedule recurring work in this product, because what agents create waits in triage. Ask one of its members.');
  end if;
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not v_story.is_template then
    perform private.require_set_aside(v_story);
    -- Taken back alone, this would leave a template without a schedule.
    perform set_config('backloom.undoing', 'yes', true);
    update public.stories s set is_template = true, in_triage = true, sprint_id = null where s.id = p_story_id;
    perform set_config('backloom.undoing', '', true);
  end if;
  insert into public.recurrences as r (story_id, product_id, cron, zone, missed, next_at, created_by)
  values (p_story_id, v_product_id, p_cron, p_zone, v_missed, p_next_at, auth.uid())
  on conflict (story_id) do update
  set cron = excluded.cron, zone = excluded.zone, missed = excluded.missed, next_at = excluded.next_at, created_by = excluded.created_by,
    updated_at = private.now();
  return json_build_object('recurrence', private.recurrence_json(p_story_id), 'template', null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.sweep(p_full boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := private.products_past_due();
  v_product_id uuid;
  v_taken_back integer := 0;
  v_questions integer;
  v_removed jsonb;
begin
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    v_taken_back := v_taken_back + private.requeue_expired_leases(v_product_id);
  end loop;
  v_questions := private.write_down_expired(true, v_products);
  foreach v_product_id in array v_products loop
    perform private.settle_budgets(v_product_id);
  end loop;

  if (coalesce(p_full, false) or extract(second from v_now) < 5)
    and pg_try_advisory_xact_lock(hashtextextended('backloom:sweep', 0)) then
    v_removed := private.remove_stale_rows();
  end if;
  return json_build_object('taken_back', v_taken_back, 'expired_questions', v_questions, 'removed', v_removed,
    'due_recurrences', (select count(*) from public.recurrences r join public.products p on p.id = r.product_id and p.archived_at is null where r.next_at <= v_now), 'ran_at', v_now);
end;
$function$;

CREATE OR REPLACE FUNCTION private.copy_template(p_template_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_copies jsonb;
begin
  insert into public.stories (id, pbi_id, title, description, acceptance_criteria, priority, assignee_id, label_ids, template_id, sprint_id)
  select v_id, s.pbi_id, s.title, s.description, s.acceptance_criteria, s.priority, s.assignee_id, s.label_ids, s.id,
    (select p.id from public.sprints p where p.product_id = s.product_id and p.status = 'ACTIVE')
  from public.stories s where s.id = p_template_id;

  v_copies := (
    select coalesce(jsonb_object_agg(t.id, gen_random_uuid()), '{}') from public.tasks t where t.story_id = p_template_id);
  insert into public.tasks (id, story_id, title, description, implementation_plan, priority, repo_url, verify_only, verify_required,
    requires_opus, estimated_minutes, label_ids)
  select (v_copies ->> t.id::text)::uuid, v_id, t.title, t.description, t.implementation_plan, t.priority, t.repo_url, t.verify_only, t.verify_required,
    t.requires_opus, t.estimated_minutes, t.label_ids
  from public.tasks t
  where t.story_id = p_template_id
  order by t.sort_order, t.created_at, t.id;
  -- The repository of a task counts for whoever named it, and here that was not the service.
  update public.tasks c set repo_url_by = t.repo_url_by
  from public.tasks t
  where t.story_id = p_template_id and t.repo_url_by is not null and c.id = (v_copies ->> t.id::text)::uuid;
  insert into public.task_dependencies (blocked_id, blocker_id, product_id, created_by)
  select (v_copies ->> d.blocked_id::text)::uuid, coalesce((v_copies ->> d.blocker_id::text)::uuid, d.blocker_id), d.product_id, d.created_by
  from public.task_dependencies d
  where v_copies ? d.blocked_id::text;
  insert into public.budgets (product_id, scope, task_id, unit, amount, created_by)
  select b.product_id, 'task', (v_copies ->> b.task_id::text)::uuid, b.unit, b.amount, b.created_by
  from public.budgets b
  where v_copies ? b.task_id::text;
  return v_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_stories(p_pbi_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', s.code, 'title', s.title, 'description', s.description, 'acceptance_criteria', s.acceptance_criteria,
      'priority', s.priority, 'status', case when s.status = 'TEMPLATE' then 'TRIAGE' else s.status end,
      'sprint', (select sp.code from public.sprints sp where sp.id = s.sprint_id),
      'assignee', (select u.username from public.users u where u.id = s.assignee_id),
      'labels', private.label_names(s.label_ids),
      'created_at', private.export_time(s.created_at),
      'blocked_by', private.export_blocked_by('story', s.id),
      'tasks', private.export_tasks(s.id),
      'log', private.export_log(s.id),
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = s.id),
      'evidence', private.export_evidence(s.id),
      'waivers', private.export_waivers(s.id),
      'comments', private.export_comments(s.id)
    ) order by s.sort_order, s.created_at, s.code), '[]')
    from public.stories s
    where s.pbi_id = p_pbi_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_open_copy(p_story_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select exists (select from public.stories s where s.template_id = p_story_id and s.status <> 'DONE');
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
        from public.stories s where s.product_id = p.id and s.in_triage and not s.is_template) x
      where p.id = p_id)
    when 'invitation' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'invited_by', private.username(i.created_by), 'role', i.role)
      from public.product_invitations i join public.products p on p.id = i.product_id where i.id = p_id)
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
    where s.in_triage and not s.is_template and s.product_id = any (v_products)
    group by s.product_id
    union all
    -- Of products that are not yet in reach.
    select 'invitation', i.id, i.product_id, i.created_at
    from public.product_invitations i
    join public.products p on p.id = i.product_id and p.archived_at is null
    where i.invited_user_id = auth.uid() and i.expires_at > v_now
      and not exists (select from public.product_members m where m.product_id = i.product_id and m.user_id = auth.uid())
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

CREATE OR REPLACE FUNCTION private.is_product_budget_reached(p_product_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.budgets b
    where b.product_id = p_product_id and b.scope = 'product'
      and (private.is_budget_reached(b) or private.budget_spent(b) >= b.amount));
end;
$function$;

CREATE OR REPLACE FUNCTION private.lost_with(p_kind text, p_row jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case
    when p_kind = 'story' and p_row ->> 'is_template' = 'true' then 'a schedule'
    when p_kind = 'task' and exists (select from public.agent_jobs j where j.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.task_executions e where e.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.agent_questions q where q.task_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'story' and exists (select from public.story_logs l where l.story_id = (p_row ->> 'id')::uuid) then 'a log'
    when p_kind = 'story' and (exists (select from public.evidence e where e.story_id = (p_row ->> 'id')::uuid)
      or exists (select from public.waivers w where w.story_id = (p_row ->> 'id')::uuid)) then 'evidence'
    when p_kind = 'story' and exists (select from public.agent_questions q where q.story_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'task' and exists (select from public.task_dependencies d
      where (p_row ->> 'id')::uuid in (d.blocked_id, d.blocker_id)) then 'dependencies'
    when p_kind = 'story' and exists (select from public.story_dependencies d
      where (p_row ->> 'id')::uuid in (d.blocked_id, d.blocker_id)) then 'dependencies'
    when p_kind = 'task' and exists (select from public.budgets b where b.task_id = (p_row ->> 'id')::uuid) then 'a budget'
    when p_kind = 'pbi' and p_row ->> 'idea_id' is not null then 'a link to its idea'
  end;
$function$;

CREATE OR REPLACE FUNCTION private.own_fields(p_kind text, p_row jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then p_row - '{id,product_id,sort_order,created_at,updated_at,version,field_versions}'::text[]
    when 'story' then p_row - '{id,product_id,status,sort_order,is_template,template_id,created_at,updated_at,version,field_versions}'::text[]
    when 'pbi' then jsonb_build_object('is_blocked', p_row ->> 'status' = 'BLOCKED')
      || (p_row - '{id,product_id,status,pr_url,pr_merged_at,idea_id,is_intake,created_at,updated_at,version,field_versions}'::text[])
  end;
$function$;

CREATE OR REPLACE FUNCTION private.recurrence_json(p_story_id uuid)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select json_build_object('story_id', r.story_id, 'cron', r.cron, 'zone', r.zone, 'missed', r.missed, 'next_at', r.next_at,
    'created_by_name', private.username(r.created_by),
    'last', (
      select json_build_object('slot', s.slot, 'outcome', s.outcome, 'story_id', f.id, 'story_code', f.code)
      from public.recurrence_slots s left join public.stories f on f.id = s.fired_story_id
      where s.story_id = r.story_id
      order by s.slot desc
      limit 1))
  from public.recurrences r
  where r.story_id = p_story_id;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_triage(p_story_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = any (p_story_ids) and s.in_triage order by s.sort_order limit 1;
  if v_story.is_template then
    perform private.refuse(409, format('%s is a template. Give the stories it makes to agents.', v_story.code));
  end if;
  if found then
    perform private.refuse(409, format('%s is in triage. Accept it before you give it to agents.', v_story.code));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_set_aside(p_story public.stories)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting text;
begin
  if p_story.in_triage then
    perform private.refuse(409, format('%s is in triage. Accept it before it recurs.', p_story.code));
  end if;
  if exists (select from public.tasks t where t.story_id = p_story.id and t.status in ('IN_PROGRESS', 'REVIEW'))
    or exists (
      select from public.tasks t join public.agent_jobs j on j.task_id = t.id
      where t.story_id = p_story.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) then
    perform private.refuse(409, format('%s is being worked on. Wait until it is done, or make another story the template.', p_story.code));
  end if;
  select min(x.code) into v_waiting from (
    select s.code from public.story_dependencies d join public.stories s on s.id = d.blocked_id where d.blocker_id = p_story.id
    union all
    select b.code from public.task_dependencies d
    join public.tasks a on a.id = d.blocker_id and a.story_id = p_story.id
    join public.tasks b on b.id = d.blocked_id and b.story_id <> p_story.id
  ) x;
  if v_waiting is not null then
    perform private.refuse(409, format('%s is waiting for %s, which would never be done as a template. Remove that dependency first.',
      v_waiting, p_story.code));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_triage(p_story_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  perform private.require_write('story', p_story_id);
  if private.is_token() then
    perform private.refuse(403, 'Only people accept, merge and decline: sign in. An API token can only suggest.');
  end if;
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not v_story.in_triage or v_story.is_template then
    perform private.refuse(409, format('%s is not in triage any more. Reload the page to see what happened.', v_story.code));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__derive_status()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.is_template then
    new.status := 'TEMPLATE';
  elsif new.in_triage then
    new.status := 'TRIAGE';
  else
    new.status := private.derived_story_status(new.id, new.sprint_id);
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
    raise exception using errcode = 'PT422', message = 'A sprint can only hold stories of its own product.',
      detail = '{"issues":[{"path":"sprint_id","message":"Choose a sprint of the story''s product."}]}';
  end if;

  if new.is_template then
    raise exception using errcode = 'PT409', message = format('%s is a template. The stories it makes join the active sprint by themselves.', new.code);
  end if;
  if new.in_triage then
    raise exception using errcode = 'PT409', message = format('%s is in triage. Accept it before it joins a sprint.', new.code);
  end if;

  if v_sprint.status not in ('PLANNED', 'ACTIVE') then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s. Stories can only be added to a planned or active sprint.', v_sprint.code, lower(v_sprint.status::text));
  end if;

  return new;
end;
$function$;

ALTER TABLE "public"."recurrence_slots" ADD CONSTRAINT "recurrence_slots_fired_story_id_fkey" FOREIGN KEY (fired_story_id) REFERENCES public.stories(id) ON DELETE SET NULL;

ALTER TABLE "public"."recurrences" ADD CONSTRAINT "recurrences_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."recurrence_slots" ADD CONSTRAINT "recurrence_slots_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.recurrences(story_id) ON DELETE CASCADE;

ALTER TABLE "public"."recurrences" ADD CONSTRAINT "recurrences_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."recurrences" ADD CONSTRAINT "recurrences_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_template_id_fkey" FOREIGN KEY (template_id) REFERENCES public.stories(id) ON DELETE SET NULL;

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_template_set_aside" CHECK ((in_triage OR (NOT is_template)));

CREATE INDEX recurrence_slots_fired_idx ON public.recurrence_slots USING btree (fired_story_id) WHERE (fired_story_id IS NOT NULL);

CREATE INDEX recurrences_created_by_idx ON public.recurrences USING btree (created_by);

CREATE INDEX recurrences_next_at_idx ON public.recurrences USING btree (next_at) WHERE (next_at IS NOT NULL);

CREATE INDEX recurrences_product_id_idx ON public.recurrences USING btree (product_id);

CREATE INDEX stories_template_idx ON public.stories USING btree (template_id) WHERE (template_id IS NOT NULL);

CREATE TRIGGER _301_derive_status BEFORE UPDATE ON public.stories FOR EACH ROW WHEN (((new.status <> old.status) OR (new.sprint_id IS DISTINCT FROM old.sprint_id) OR (new.in_triage <> old.in_triage) OR (new.is_template <> old.is_template))) EXECUTE FUNCTION private.tg_stories__derive_status();

CREATE TRIGGER _890_tell_inbox AFTER INSERT ON public.stories FOR EACH ROW WHEN ((new.in_triage AND (NOT new.is_template))) EXECUTE FUNCTION private.tg_stories__tell_inbox();

CREATE POLICY "recurrence_slots_select" ON "public"."recurrence_slots" FOR SELECT TO "authenticated" USING ((story_id IN ( SELECT r.story_id
   FROM public.recurrences r)));

CREATE POLICY "recurrences_select" ON "public"."recurrences" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON COLUMN "public"."stories"."is_template" IS 'It recurs (39_recurrences) and is never worked on itself: set aside like what waits in triage, with the status TEMPLATE.';

COMMENT ON COLUMN "public"."stories"."template_id" IS 'The template that made it.';

COMMENT ON FUNCTION "operations"."delete_recurrence"(uuid) IS 'Stops a story from recurring.';

COMMENT ON FUNCTION "operations"."fire_recurrence"(uuid, timestamp with time zone, timestamp with time zone, boolean, timestamp with time zone) IS 'Decides one slot of a template, once. Service only.';

COMMENT ON FUNCTION "operations"."get_recurrence"(uuid) IS 'How a story recurs, and the template that it comes from.';

COMMENT ON FUNCTION "operations"."list_due_recurrences"() IS 'Templates whose next slot has come. Service only.';

COMMENT ON FUNCTION "operations"."set_recurrence"(uuid, text, text, text, timestamp with time zone) IS 'Makes a story a template with a schedule, or changes its schedule.';

COMMENT ON FUNCTION "private"."copy_template"(uuid) IS 'A new story as its template says.';

COMMENT ON FUNCTION "private"."has_open_copy"(uuid) IS 'Whether a story of a template is not done.';

COMMENT ON FUNCTION "private"."is_product_budget_reached"(uuid) IS 'Whether a budget of the product itself is used up in its window.';

COMMENT ON FUNCTION "private"."recurrence_json"(uuid) IS 'How a template story recurs.';

COMMENT ON FUNCTION "private"."require_set_aside"(public.stories) IS 'PT409 for a story that cannot become a template.';

COMMENT ON TABLE "public"."recurrence_slots" IS 'What became of the slots of a template: a story, or why there is none.';

COMMENT ON TABLE "public"."recurrences" IS 'When template stories make their next story.';

REVOKE ALL ON FUNCTION "operations"."delete_recurrence"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."delete_recurrence"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."fire_recurrence"(uuid, timestamp with time zone, timestamp with time zone, boolean, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."fire_recurrence"(uuid, timestamp with time zone, timestamp with time zone, boolean, timestamp with time zone) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."get_recurrence"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_recurrence"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_due_recurrences"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_due_recurrences"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."set_recurrence"(uuid, text, text, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."set_recurrence"(uuid, text, text, text, timestamp with time zone) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."copy_template"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."copy_template"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_open_copy"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."has_open_copy"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_product_budget_reached"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_product_budget_reached"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."recurrence_json"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."recurrence_json"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_set_aside"(public.stories) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_set_aside"(public.stories) TO "postgres";

GRANT SELECT ON TABLE "public"."recurrence_slots" TO "authenticated";

GRANT ALL ON TABLE "public"."recurrence_slots" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."recurrence_slots" TO "service_role";

GRANT SELECT ON TABLE "public"."recurrences" TO "authenticated";

GRANT ALL ON TABLE "public"."recurrences" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."recurrences" TO "service_role";
