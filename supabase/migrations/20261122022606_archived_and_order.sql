-- Why: an archived product is read-only on every way, one order, one count and one rule for open questions on all pages, stories move together. No rows move.
set local check_function_bodies = off;

DROP POLICY "idea_products_delete" ON "public"."idea_products";

DROP POLICY "idea_products_insert" ON "public"."idea_products";

DROP POLICY "ideas_delete" ON "public"."ideas";

DROP POLICY "ideas_update" ON "public"."ideas";

DROP POLICY "product_members_delete" ON "public"."product_members";

DROP FUNCTION "private"."list_open_user_questions"(uuid);

DROP FUNCTION "public"."list_open_user_questions"(uuid);

CREATE OR REPLACE FUNCTION private.board_tasks(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(row_to_json(t) order by t.story_sort_order, t.story_created_at, t.story_id, t.sort_order, t.created_at, t.id), '[]')
    from (
      select t.id, t.created_at, s.created_at as story_created_at, t.code, t.title, t.story_id, t.sort_order, t.priority,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.implementation_plan is not null and t.implementation_plan <> '' as has_plan,
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id,
        j.id as job_id, lower(j.status::text) as job_status, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        w.name as worker_name,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
        ) as open_questions
      from public.stories s
      join public.tasks t on t.story_id = s.id
      left join lateral (
        select j.id, j.status, j.started_at, j.updated_at, j.worker_id
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers w on w.id = j.worker_id
      where s.sprint_id = p_sprint_id
    ) t
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.frozen_product_ids()
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
    where m.user_id = auth.uid() and p.archived_at is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_notifications_state()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object('questions', (
    select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now
      and q.product_id in (select private.writable_product_ids())));
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_solo_state(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object(
    'sprint_id', (select s.id from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE'),
    'jobs', (
      select coalesce(json_agg(json_build_object('id', j.id, 'task_id', j.task_id, 'kind', j.kind, 'status', j.status,
        'sprint_run_id', j.sprint_run_id) order by j.created_at, j.position, j.id), '[]')
      from public.agent_jobs j
      where j.product_id = p_product_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')),
    'workers', json_build_object('count', private.workers_online(array[p_product_id])));
end;
$function$;

CREATE OR REPLACE FUNCTION private.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_state text;
  v_pause jsonb;
begin
  perform private.require_job(p_job_id);
  perform private.require_writer();
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;

  update public.agent_jobs j
  set lease_until = v_now + private.lease()
  from public.agent_workers w, public.products p
  where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING')
    and w.id = j.worker_id and w.user_id = auth.uid() and p.id = j.product_id and p.archived_at is null
  returning j.* into v_job;

  if v_job.id is null then
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
    v_state := private.attempt_state(v_job, p_attempt);
    if v_job.status in ('CLAIMED', 'RUNNING') and exists (
      select from public.products p where p.id = v_job.product_id and p.archived_at is not null
    ) then
      v_state := 'archived';
    end if;
    return json_build_object('action', 'stop', 'status', lower(v_job.status::text), 'lease_until', null,
      'reason', json_build_object('code', v_state, 'message', case v_state
        when 'cancelled' then 'The job was cancelled' || coalesce(': ' || v_job.failure_reason, '.')
        when 'finished' then format('The job is already %s.', lower(v_job.status::text))
        when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
        when 'parked' then 'The job waits for the answer to a question.'
        when 'requeued' then 'The job went back to the queue until the rate limit ends.'
        else format('Attempt %s no longer holds this job.', coalesce(p_attempt::text, '?')) end));
  end if;

  select r.pause_context into v_pause from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status = 'PAUSED';
  perform private.touch_worker(v_job.worker_id, null, null, p_quota_pct, null);
  return json_build_object(
    'action', case when v_pause is null then 'continue' else 'pause' end,
    'status', lower(v_job.status::text),
    'lease_until', v_job.lease_until,
    'reason', case when v_pause is not null then json_build_object('code', 'paused',
      'message', format('The run is paused (%s).', replace(v_pause ->> 'reason', '_', ' '))) end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_online(p_worker public.agent_workers)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select p_worker.stopped_at is null and p_worker.last_seen_at > private.now() - interval '2 minutes';
$function$;

CREATE OR REPLACE FUNCTION private.list_open_user_questions(p_product_id uuid, p_limit integer, p_cursor uuid)
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
      and (p_product_id is null or i.product_id = p_product_id)
      and (p_cursor is null or (x.created_at, x.id) > (
        select c.created_at, c.id from public.user_questions c where c.id = p_cursor and c.user_id = auth.uid()))
    order by x.created_at, x.id
    limit v_limit
  ) u;
  return json_build_object('user_questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_questions(p_product_id uuid, p_state text, p_job_id uuid, p_limit integer, p_cursor uuid)
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
    where x.product_id in (select m.product_id from public.product_members m where m.user_id = auth.uid())
      and (x.status <> 'OPEN' or x.expires_at <= v_now or x.product_id in (select private.writable_product_ids()))
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

CREATE OR REPLACE FUNCTION private.require_idea_write(p_idea_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_own_idea(p_idea_id);
begin
  if v_product_id in (select private.accessible_product_ids()) then
    perform private.require_product_write(v_product_id);
  else
    perform private.require_no_demo();
  end if;
  return v_product_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resume_sprint(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_previous public.sprint_runs;
  v_other text;
  v_blockers jsonb;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product has one active sprint.', v_other));
  end if;

  -- Stories and PBIs follow their tasks out of failed.
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;

  if not exists (select from private.sprint_scope(p_sprint_id)) then
    return null;
  end if;

  select p.* into v_product from public.products p where p.id = v_product_id;
  v_blockers := private.run_blockers(v_sprint, v_product);
  if v_blockers <> '[]' then
    perform private.refuse(409, private.blockers_sentence(v_blockers), jsonb_build_object('blockers', v_blockers));
  end if;

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous);
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_json(p_worker public.agent_workers)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_minimum integer := (select u.min_quota_pct from public.users u where u.id = p_worker.user_id);
  v_online boolean := private.is_online(p_worker);
begin
  return to_jsonb(p_worker) || jsonb_build_object(
    'username', private.username(p_worker.user_id),
    'online', v_online,
    'min_quota_pct', v_minimum,
    'quota_ok', coalesce(p_worker.last_quota_pct >= v_minimum, true));
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
begin
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed)
  into v_online, v_with_quota, v_without_consent
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id
  where private.is_online(w)
    and (p_job.kind <> 'PLAN_CHAT' or w.user_id = p_job.created_by);

  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online and may not work here yet: each of them switches on "My workers may work here" on the members page, or names the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one with: npm run worker -- --url <address> --token <token> --repo <folder> --exec "<command>"'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want kept (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  return '[]';
end;
$function$;

CREATE OR REPLACE FUNCTION private.workers_online(p_product_ids uuid[])
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(*) from public.agent_workers w
    where private.is_online(w) and exists (
      select from public.product_members m where m.user_id = w.user_id and m.product_id = any (p_product_ids)));
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_dashboard()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(
    select p.id from public.products p
    where p.archived_at is null and p.id in (select private.accessible_product_ids()));
  v_today timestamptz := date_trunc('day', private.now() at time zone 'UTC') at time zone 'UTC';
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(x) order by lower(x.name), x.id), '[]')
      from (
        select p.id, p.code, p.name, p.description, p.owner_id = auth.uid() as is_owner,
          (select count(*) from public.stories s where s.product_id = p.id and s.status = 'OPEN') as open_stories,
          (
            select row_to_json(a)
            from (
              select s.id, s.code, s.sprint_goal, s.end_date,
                (
                  select coalesce(json_agg(t.status order by st.sort_order, st.created_at, st.id, t.sort_order, t.created_at, t.id), '[]')
                  from public.tasks t join public.stories st on st.id = t.story_id
                  where st.sprint_id = s.id) as task_statuses
              from public.sprints s where s.product_id = p.id and s.status = 'ACTIVE'
            ) a
          ) as active_sprint,
          (
            select row_to_json(r)
            from (
              select r.id, lower(r.status::text) as status, r.started_at, r.created_at,
                (
                  select coalesce(json_agg(j.status order by j.position, j.id), '[]')
                  from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
              from public.sprint_runs r
              where r.product_id = p.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
              order by r.created_at desc
              limit 1
            ) r
          ) as run
        from public.products p
        where p.id = any (v_products)
      ) x),
    'added_to', (
      select coalesce(json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name,
        'owner_username', private.username(p.owner_id)) order by m.created_at, p.id), '[]')
      from public.product_members m
      join public.products p on p.id = m.product_id
      where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and p.id = any (v_products)),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at), '[]')
      from (
        select q.* from public.agent_questions q
        where q.status = 'OPEN' and q.expires_at > private.now() and q.product_id = any (v_products)
        order by q.created_at
        limit 5
      ) q),
    'reviews', (
      select coalesce(json_agg(row_to_json(t) order by t.changed_at desc), '[]')
      from (
        select t.id, t.code, t.title, p.name as product_name, t.updated_at as changed_at
        from public.tasks t join public.products p on p.id = t.product_id
        where t.status = 'REVIEW' and t.product_id = any (v_products)
        order by t.updated_at desc
        limit 5
      ) t),
    'costs_today', (
      select coalesce(json_agg(json_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
      from (
        select e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = any (v_products) and e.created_at >= v_today and e.cost is not null
        group by e.currency
      ) s),
    'done_today', (
      select count(distinct c.task_id) from public.task_status_changes c
      where c.product_id = any (v_products) and c.changed_at >= v_today and c.to_status = 'DONE'),
    'workers_online', private.workers_online(v_products)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_shell(p_active_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(p) order by lower(p.name), p.id), '[]')
      from (
        select p.id, p.code, p.name
        from public.products p
        where p.archived_at is null and p.id in (select private.accessible_product_ids())
      ) p),
    'active_sprint_id', (
      select s.id from public.sprints s where s.product_id = p_active_product_id and s.status = 'ACTIVE'),
    'open_questions', (
      select count(*)
      from public.agent_questions q
      where q.status = 'OPEN' and q.expires_at > private.now()
        and q.product_id in (select private.writable_product_ids()))
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_solo_board(p_product_id uuid)
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
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
          ) as open_questions
        from public.stories s
        where s.sprint_id = v_sprint and (s.assignee_id is null or s.assignee_id = auth.uid())
      ) x),
    'tasks', private.board_tasks(v_sprint),
    'workers_online', private.workers_online(array[p_product_id])
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_sprint_board(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
begin
  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'pr_strategy', (select p.pr_strategy from public.products p where p.id = v_product),
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
          ) as open_questions
        from public.stories s where s.sprint_id = p_sprint_id
      ) x),
    'tasks', private.board_tasks(p_sprint_id),
    'run', (
      select row_to_json(r)
      from (
        select r.id, lower(r.status::text) as status, r.started_at, r.created_at, r.finished_at, r.pause_context,
          r.failure,
          (
            select coalesce(json_agg(j.status order by j.position, j.id), '[]')
            from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
        from public.sprint_runs r
        where r.sprint_id = p_sprint_id
        order by r.created_at desc
        limit 1
      ) r),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product),
    'candidates', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at,
          (select count(*) from public.tasks t where t.story_id = s.id) as task_count
        from public.stories s
        where s.product_id = v_product and s.sprint_id is null and s.status in ('OPEN', 'FAILED')
        order by s.sort_order, s.created_at, s.id
        limit 200
      ) x),
    'preflight', private.preflight_sprint_run(p_sprint_id),
    'burndown', private.get_sprint_burndown(p_sprint_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_task_page(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
begin
  perform private.require_access('task', p_task_id);
  select t.* into v_task from public.tasks t where t.id = p_task_id;

  return json_build_object(
    'task', (select row_to_json(t) from private.task_detail_shape t where t.id = p_task_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null)
      from public.products p where p.id = v_task.product_id),
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'sprint_id', s.sprint_id)
      from public.stories s where s.id = v_task.story_id),
    'stories', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title) order by s.sort_order, s.created_at, s.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at
        from public.stories s
        where s.product_id = v_task.product_id and (s.status in ('OPEN', 'IN_SPRINT') or s.id = v_task.story_id)
        order by s.sort_order, s.created_at, s.id
        limit 300
      ) s),
    'jobs', (
      select coalesce(json_agg(private.job_json(j) order by j.created_at desc), '[]')
      from public.agent_jobs j where j.task_id = p_task_id),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.task_id = p_task_id),
    'history', (
      select coalesce(json_agg(row_to_json(c) order by c.changed_at desc, c.id desc), '[]')
      from (
        select c.id, lower(c.to_status::text) as to_status, c.changed_at
        from public.task_status_changes c
        where c.task_id = p_task_id
        order by c.changed_at desc, c.id desc
        limit 20
      ) c)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_open_user_questions(p_product_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT 50, p_cursor uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_open_user_questions(p_product_id, p_limit, p_cursor);
end;
$function$;

CREATE OR REPLACE FUNCTION public.move_stories(p_story_ids jsonb, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[] := array(select i.id::uuid from jsonb_array_elements_text(p_story_ids) with ordinality i (id, place) order by i.place);
  v_story_id uuid;
  v_product_id uuid;
begin
  if cardinality(v_story_ids) not between 1 and 500 then
    perform private.refuse(422, 'Choose 1 to 500 stories.');
  end if;
  v_product_id := private.require_access('story', v_story_ids[1]);
  foreach v_story_id in array v_story_ids loop
    if private.require_access('story', v_story_id) <> v_product_id then
      perform private.refuse(422, 'Move stories of one product at a time.');
    end if;
    begin
      if p_sprint_id is null then
        perform public.remove_story_from_sprint(v_story_id);
      else
        perform public.add_story_to_sprint(p_sprint_id, v_story_id);
      end if;
    exception when others then
      if sqlstate not like 'PT%' then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s No story has moved.', (select s.code from public.stories s where s.id = v_story_id), sqlerrm);
    end;
  end loop;
  return json_build_object('moved', cardinality(v_story_ids));
end;
$function$;

CREATE OR REPLACE FUNCTION public.unlink_idea_product(p_idea_id uuid, p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_idea_write(p_idea_id);
  if p_product_id in (select private.accessible_product_ids()) then
    perform private.require_product_write(p_product_id);
  end if;
  delete from public.idea_products l where l.idea_id = p_idea_id and l.product_id = p_product_id;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$function$;

CREATE POLICY "idea_products_delete" ON "public"."idea_products" FOR DELETE TO "authenticated" USING (((idea_id IN ( SELECT i.id
   FROM public.ideas i
  WHERE ((i.user_id = ( SELECT auth.uid() AS uid)) AND (NOT (i.product_id IN ( SELECT private.frozen_product_ids() AS frozen_product_ids)))))) AND (NOT (product_id IN ( SELECT private.frozen_product_ids() AS frozen_product_ids)))));

CREATE POLICY "idea_products_insert" ON "public"."idea_products" FOR INSERT TO "authenticated" WITH CHECK (((idea_id IN ( SELECT i.id
   FROM public.ideas i
  WHERE ((i.user_id = ( SELECT auth.uid() AS uid)) AND (NOT (i.product_id IN ( SELECT private.frozen_product_ids() AS frozen_product_ids)))))) AND (product_id IN ( SELECT private.writable_product_ids() AS writable_product_ids))));

CREATE POLICY "ideas_delete" ON "public"."ideas" FOR DELETE TO "authenticated" USING (((user_id = ( SELECT auth.uid() AS uid)) AND (NOT (product_id IN ( SELECT private.frozen_product_ids() AS frozen_product_ids)))));

CREATE POLICY "ideas_update" ON "public"."ideas" FOR UPDATE TO "authenticated" USING (((user_id = ( SELECT auth.uid() AS uid)) AND (NOT (product_id IN ( SELECT private.frozen_product_ids() AS frozen_product_ids))))) WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND ((product_id IN ( SELECT private.writable_product_ids() AS writable_product_ids)) OR (product_id = private.require_own_idea(id)))));

CREATE POLICY "product_members_delete" ON "public"."product_members" FOR DELETE TO "authenticated" USING (((role = 'MEMBER'::public.member_role) AND ((user_id = ( SELECT auth.uid() AS uid)) OR ((product_id IN ( SELECT private.owned_product_ids() AS owned_product_ids)) AND (product_id IN ( SELECT private.writable_product_ids() AS writable_product_ids))))));

COMMENT ON FUNCTION "private"."frozen_product_ids"() IS 'Reachable products that are archived (specification: Authentication 4).';

COMMENT ON FUNCTION "private"."is_online"(public.agent_workers) IS 'Seen in two minutes and not stopped (specification: Agent worker).';

COMMENT ON FUNCTION "private"."workers_online"(uuid[]) IS 'How many workers of members are online (specification: Solo stream, workers).';

COMMENT ON FUNCTION "public"."list_open_user_questions"(uuid, integer, uuid) IS 'The caller''s pending user questions (specification: User question).';

COMMENT ON FUNCTION "public"."move_stories"(jsonb, uuid) IS 'Moves stories into a sprint or out of theirs, atomically (specification: States and transitions, Story).';

COMMENT ON FUNCTION "public"."resume_sprint"(uuid) IS 'FAILED sprint to ACTIVE with a new run, or null when nothing is left to run (specification: States and transitions, Task and Sprint).';

REVOKE ALL ON FUNCTION "private"."frozen_product_ids"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."frozen_product_ids"() TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."is_online"(public.agent_workers) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_online"(public.agent_workers) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."list_open_user_questions"(uuid, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_open_user_questions"(uuid, integer, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."workers_online"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."workers_online"(uuid[]) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_open_user_questions"(uuid, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_open_user_questions"(uuid, integer, uuid) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."move_stories"(jsonb, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."move_stories"(jsonb, uuid) TO "authenticated", "postgres", "service_role";
