-- Why: viewers read what members read, comment, and change nothing; the owner gives and takes the role.
set local check_function_bodies = off;

DROP POLICY "product_members_delete" ON "public"."product_members";

DROP FUNCTION "operations"."enrol_member"(uuid, uuid);

DROP FUNCTION "private"."require_product_write"(uuid);

CREATE OR REPLACE FUNCTION operations.ask_question(p_question text, p_story_id uuid DEFAULT NULL::uuid, p_idea_id uuid DEFAULT NULL::uuid, p_task_id uuid DEFAULT NULL::uuid, p_options jsonb DEFAULT NULL::jsonb, p_recommended_option integer DEFAULT NULL::integer, p_assignee_id uuid DEFAULT NULL::uuid, p_expires_in_seconds integer DEFAULT NULL::integer, p_on_expiry text DEFAULT NULL::text, p_escalate_to uuid DEFAULT NULL::uuid, p_park boolean DEFAULT false, p_job_id uuid DEFAULT NULL::uuid, p_attempt integer DEFAULT NULL::integer, p_kind text DEFAULT NULL::text, p_reach text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_target record;
  v_on_expiry text := coalesce(private.require_choice('on_expiry', p_on_expiry, array['STOP', 'RECOMMENDED', 'ESCALATE']), 'STOP');
  v_kind public.question_kind := lower(coalesce(private.require_choice('kind', p_kind, array['QUESTION', 'PERMISSION']), 'QUESTION'))::public.question_kind;
  v_reader_id uuid := case when p_idea_id is not null or v_kind = 'permission' then auth.uid() end;
  v_options jsonb;
  v_job public.agent_jobs;
  v_question public.agent_questions;
begin
  v_target := private.question_target(p_story_id, p_idea_id, p_task_id);
  perform private.lock_product(v_target.p_product);
  perform private.require_product_write(v_target.p_product);
  perform private.take_rate_limit('question', auth.uid()::text);
  v_options := private.check_question(p_question, p_options, p_recommended_option, p_expires_in_seconds, v_on_expiry,
    p_escalate_to, v_target.p_product);
  if p_assignee_id is not null and not exists (
    select from public.product_members m where m.product_id = v_target.p_product and m.user_id = p_assignee_id and m.role <> 'VIEWER'
  ) then
    perform private.refuse(422, 'assignee_id must be a member of the product.');
  end if;
  perform private.check_private_question(v_kind, v_reader_id, p_assignee_id, p_escalate_to, v_on_expiry, p_reach);
  if p_park and p_job_id is null then
    perform private.refuse(422, 'park needs the job_id and attempt that wait for the answer.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.product_id <> v_target.p_product then
      perform private.refuse(422, 'The question must be about the product of the job.');
    end if;
  end if;

  insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
    kind, reader_id, reach, question, options, recommended_option, expires_at, on_expiry, escalate_to, park)
  values (v_target.p_product, v_target.p_story, p_idea_id, p_task_id, p_assignee_id, v_job.id, v_job.sprint_run_id, auth.uid(),
    v_kind, v_reader_id, p_reach, p_question, v_options, p_recommended_option,
    private.now() + make_interval(secs => coalesce(p_expires_in_seconds, 604800)),
    v_on_expiry::public.question_expiry, p_escalate_to, coalesce(p_park, false))
  returning * into v_question;
  if v_question.park then
    perform private.park_job(v_job, v_question.id);
  end if;
  return private.question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.claim_agent_job(p_worker text, p_product_id uuid DEFAULT NULL::uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_kinds jsonb DEFAULT NULL::jsonb, p_hostname text DEFAULT NULL::text, p_version text DEFAULT NULL::text, p_quota_pct integer DEFAULT NULL::integer, p_confinement text DEFAULT NULL::text, p_also_repos jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
  v_locked uuid[];
  v_tried uuid[] := '{}';
  v_product_id uuid;
  v_job public.agent_jobs;
  v_rooms private.budget_room[];
  v_full_budgets uuid[];
  v_confinement public.confinement := coalesce(p_confinement, 'none');
  v_also_repos jsonb := coalesce(p_also_repos, '[]');
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_confinement, v_also_repos);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_worker.id, v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried,
      v_confinement <> 'none', v_also_repos);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_rooms := private.weigh_budgets(v_product_id, v_worker.id, v_tried = '{}');
    v_full_budgets := case when v_rooms is not null then private.full_budgets(v_rooms) end;
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets,
      v_confinement, v_also_repos);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_confinement, v_also_repos);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', 
      private.nothing_to_claim(v_user_id, p_product_id, v_full_budgets, v_confinement <> 'none', v_also_repos));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.enrol_member(p_product_id uuid, p_user_id uuid, p_role text DEFAULT 'MEMBER'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.product_members (product_id, user_id, role)
  values (p_product_id, p_user_id,
    (case upper(p_role) when 'VIEWER' then 'VIEWER' else 'MEMBER' end)::public.member_role)
  on conflict (product_id, user_id) do nothing;

  return json_build_object('product_id', p_product_id, 'user_id', p_user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_dashboard()
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
        where q.status = 'OPEN' and q.expires_at > private.now() and q.product_id in (select private.writable_product_ids())
          and (q.reader_id is null or q.reader_id = auth.uid())
        order by q.created_at
        limit 5
      ) q),
    'reviews', (
      select coalesce(json_agg(row_to_json(t) order by t.changed_at desc), '[]')
      from (
        select t.id, t.code, t.title, p.name as product_name, t.updated_at as changed_at
        from public.tasks_in_review w
        join public.tasks t on t.id = w.task_id
        join public.products p on p.id = w.product_id
        where w.product_id in (select private.writable_product_ids())
        order by t.updated_at desc
        limit 5
      ) t),
    'costs_today', (
      select coalesce(json_agg(json_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
      from (
        select e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = any (v_products) and e.created_at >= v_today and e.cost is not null and not e.subscription
        group by e.currency
      ) s),
    'done_today', (
      select count(distinct c.task_id) from public.task_status_changes c
      where c.product_id = any (v_products) and c.changed_at >= v_today and c.to_status = 'DONE'
        -- Null is what an import brought as done already.
        and c.from_status <> 'DONE'),
    'workers_online', private.workers_online(v_products)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_notifications_state()
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
      and q.product_id in (select private.open_product_ids())
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_shell(p_active_product_id uuid DEFAULT NULL::uuid)
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
        select p.id, p.code, p.name, m.role
        from public.products p
        join public.product_members m on m.product_id = p.id and m.user_id = auth.uid()
        where p.archived_at is null
      ) p),
    'active_sprint_id', (
      select s.id from public.sprints s where s.product_id = p_active_product_id and s.status = 'ACTIVE'),
    'inbox', private.inbox_count()
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
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
            and (q.reader_id is null or q.reader_id = auth.uid())
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
    'budgets', operations.get_budgets(v_product, null, p_sprint_id),
    'preflight', v_preflight,
    'forecast', v_forecast,
    'burndown', private.get_sprint_burndown(p_sprint_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_story_page(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  perform private.require_access('story', p_story_id);
  select s.* into v_story from public.stories s where s.id = p_story_id;

  return json_build_object(
    'story', private.story_json(p_story_id),
    'labels', private.labels_of(v_story.product_id),
    'assignee_name', private.username(v_story.assignee_id),
    'dependencies', operations.list_dependencies('story', p_story_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_story.product_id),
    'pbi', (
      select json_build_object('id', b.id, 'code', b.code, 'title', b.title)
      from public.pbis b where b.id = v_story.pbi_id),
    'sprint', (
      select json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
      from public.sprints s where s.id = v_story.sprint_id),
    'sprints', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
        order by s.created_at desc), '[]')
      from public.sprints s where s.product_id = v_story.product_id and s.status in ('PLANNED', 'ACTIVE')),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order), '[]')
      from public.pbis b where b.product_id = v_story.product_id),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_story.product_id and m.role <> 'VIEWER'),
    'tasks', (
      select coalesce(json_agg(private.with_labels(row_to_json(t), (select k.label_ids from public.tasks k where k.id = t.id)) order by t.sort_order, t.created_at, t.id), '[]')
      from (
        select x.*, (
          select json_build_object('job_id', j.id, 'additions', j.additions, 'deletions', j.deletions)
          from public.agent_jobs j
          where j.task_id = x.id and j.kind = 'TASK_IMPLEMENTATION' and j.additions is not null
          order by j.created_at desc limit 1
        ) as changes
        from private.task_shape x where x.story_id = p_story_id
      ) t),
    'begins_from', private.beginnings(array[p_story_id]),
    'fresh_starts', private.fresh_starts_of(p_story_id),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.story_id = p_story_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'logs', (
      select coalesce(json_agg(row_to_json(l) order by l.created_at desc, l.id), '[]')
      from (
        select * from private.story_log_shape l
        where l.story_id = p_story_id
        order by l.created_at desc
        limit 100
      ) l)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer DEFAULT NULL::integer, p_usage jsonb DEFAULT NULL::jsonb)
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
  v_spent_up text;
begin
  perform private.require_no_viewer(private.require_job(p_job_id));
  perform private.require_writer();
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;

  perform private.lock_for_budget(p_job_id, p_attempt, p_usage);
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
      'reason', json_build_object('code', v_state, 'message', private.attempt_words(v_job, p_attempt, v_state)));
  end if;

  v_spent_up := private.heed_budget(v_job, p_usage);
  if v_spent_up is not null then
    return json_build_object('action', 'stop', 'status', 'queued', 'lease_until', null,
      'reason', json_build_object('code', 'budget', 'message', v_spent_up));
  end if;
  select r.pause_context into v_pause from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status = 'PAUSED';
  perform private.touch_worker(v_job.worker_id, null, null, p_quota_pct);
  return json_build_object(
    'action', case when v_pause is null then 'continue' else 'pause' end,
    'status', lower(v_job.status::text),
    'lease_until', v_job.lease_until,
    'reason', case when v_pause is not null then json_build_object('code', 'paused',
      'message', format('The run is paused (%s).', replace(v_pause ->> 'reason', '_', ' '))) end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_product(p_owner_id uuid, p_document jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_product jsonb := p_document -> 'product';
  v_product_id uuid;
  v_pbis jsonb;
begin
  insert into public.products
    (owner_id, code, name, description, repo_url, definition_of_done, auto_pr, pull_requests, pr_strategy, done_requires, dependency_release, plan_first,
      requires_sandbox, may_reach, created_at)
  values (
    p_owner_id, v_product ->> 'code', v_product ->> 'name', v_product ->> 'description', v_product ->> 'repo_url',
    v_product ->> 'definition_of_done', (v_product ->> 'auto_pr')::boolean,
    coalesce(v_product ->> 'pull_requests', 'none')::public.pull_requests,
    (v_product ->> 'pr_strategy')::public.pr_strategy, (v_product ->> 'done_requires')::public.done_requires,
    coalesce(v_product ->> 'dependency_release', 'done')::public.dependency_release,
    coalesce(v_product ->> 'plan_first', 'ask')::public.plan_first,
    coalesce((v_product ->> 'requires_sandbox')::boolean, false), coalesce(v_product -> 'may_reach', '[]'),
    coalesce((v_product ->> 'created_at')::timestamptz, private.now()))
  returning id into v_product_id;

  perform private.lock_product(v_product_id);

  insert into public.product_members (product_id, user_id, role)
  select distinct v_product_id, u.id, (case m ->> 'role' when 'VIEWER' then 'VIEWER' else 'MEMBER' end)::public.member_role
  from jsonb_array_elements(p_document -> 'members') m
  join public.users u on lower(u.username) = lower(m ->> 'username')
  where u.id <> p_owner_id;

  insert into public.code_counters (scope_id, kind, last_number)
  select v_product_id, c.key, c.value::bigint
  from jsonb_each_text(p_document -> 'counters') c
  where c.key in ('pbi', 'story', 'task', 'sprint');

  insert into public.labels (product_id, name, color)
  select v_product_id, l ->> 'name', lower(l ->> 'color')
  from jsonb_array_elements(p_document -> 'labels') l
  on conflict do nothing;

  insert into public.saved_views (product_id, created_by, page, name, look)
  select v_product_id, p_owner_id, v ->> 'page', v ->> 'name', v -> 'look'
  from jsonb_array_elements(p_document -> 'views') v
  on conflict do nothing;

  insert into public.sprints
    (product_id, code, sprint_goal, status, start_date, end_date, started_at, completed_at, created_at)
  select v_product_id, s ->> 'code', s ->> 'sprint_goal', (s ->> 'status')::public.sprint_status,
    (s ->> 'start_date')::date, (s ->> 'end_date')::date, (s ->> 'started_at')::timestamptz,
    (s ->> 'completed_at')::timestamptz, coalesce((s ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_document -> 'sprints') s;

  select jsonb_agg(e.pbi || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_pbis
  from jsonb_array_elements(p_document -> 'pbis') with ordinality e (pbi, place);

  insert into public.pbis
    (id, product_id, code, title, description, priority, sort_order, status, pr_url, pr_merged_at, created_at)
  select (e.pbi ->> 'id')::uuid, v_product_id, e.pbi ->> 'code', e.pbi ->> 'title', e.pbi ->> 'description',
    (e.pbi ->> 'priority')::integer, (e.pbi ->> 'sort_order')::double precision,
    (e.pbi ->> 'status')::public.pbi_status, e.pbi ->> 'pr_url', (e.pbi ->> 'pr_merged_at')::timestamptz,
    coalesce((e.pbi ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_pbis) with ordinality e (pbi, place)
  order by e.place;

  perform private.import_comments(v_product_id, 'pbi', v_pbis);

  return json_build_object(
    'id', v_product_id,
    'code', v_product ->> 'code',
    'pbi_codes', (
      select coalesce(json_agg(b.code order by e.place), '[]')
      from jsonb_array_elements(v_pbis) with ordinality e (pbi, place)
      join public.pbis b on b.id = (e.pbi ->> 'id')::uuid),
    'unknown_users', (
      select coalesce(json_agg(distinct m ->> 'username'), '[]')
      from jsonb_array_elements(p_document -> 'members') m
      where not exists (select from public.users u where lower(u.username) = lower(m ->> 'username'))));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_stories(p_product_id uuid, p_owner_id uuid, p_stories jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_stories jsonb;
  v_tasks jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.story || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_stories
  from jsonb_array_elements(p_stories) with ordinality e (story, place);

  insert into public.stories
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id, e.story ->> 'code', e.story ->> 'title',
    e.story ->> 'description', e.story ->> 'acceptance_criteria', (e.story ->> 'priority')::integer, s.id, m.user_id,
    private.label_ids_named(p_product_id, e.story -> 'labels'),
    coalesce((e.story ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
  left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
  left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
  left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id and m.role <> 'VIEWER'
  order by e.place;

  select jsonb_agg(
    t.task || jsonb_build_object('id', gen_random_uuid(), 'story_id', e.story -> 'id') order by e.place, t.place)
  into v_tasks
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'tasks') with ordinality t (task, place);

  insert into public.tasks
    (id, product_id, story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only,
     verify_required, requires_opus, estimated_minutes, label_ids, created_at)
  select (e.task ->> 'id')::uuid, p_product_id, (e.task ->> 'story_id')::uuid, e.task ->> 'code', e.task ->> 'title',
    e.task ->> 'description', e.task ->> 'implementation_plan', (e.task ->> 'priority')::integer,
    (e.task ->> 'status')::public.task_status, e.task ->> 'repo_url', (e.task ->> 'verify_only')::boolean,
    (e.task ->> 'verify_required')::public.verify_required, (e.task ->> 'requires_opus')::boolean,
    (e.task ->> 'estimated_minutes')::integer, private.label_ids_named(p_product_id, e.task -> 'labels'),
    coalesce((e.task ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_tasks) with ordinality e (task, place)
  order by e.place;

  insert into public.story_logs
    (story_id, product_id, type, content, status, commit_hash, commit_message, metadata, user_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, (l ->> 'type')::public.story_log_type, l ->> 'content',
    (l ->> 'status')::public.story_log_status, l ->> 'commit_hash', l ->> 'commit_message',
    nullif(l -> 'metadata', 'null'), coalesce(u.id, p_owner_id),
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements(e.story -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  perform private.import_proof(p_product_id, v_stories);
  perform private.import_reviews(p_product_id, v_tasks);
  perform private.import_comments(p_product_id, 'story', v_stories);
  perform private.import_comments(p_product_id, 'task', v_tasks);

  return json_build_object(
    'story_codes', (
      select coalesce(json_agg(s.code order by e.place), '[]')
      from jsonb_array_elements(v_stories) with ordinality e (story, place)
      join public.stories s on s.id = (e.story ->> 'id')::uuid),
    'task_codes', (
      select coalesce(json_agg(t.code order by e.place), '[]')
      from jsonb_array_elements(v_tasks) with ordinality e (task, place)
      join public.tasks t on t.id = (e.task ->> 'id')::uuid));
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
    raise exception using errcode = 'PT409', message = 'The owner stays in the product. Archive or delete it instead.';
  end if;
  return json_build_object('product_id', p_product_id);
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
    where x.product_id in (select m.product_id from public.product_members m where m.user_id = auth.uid())
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

CREATE OR REPLACE FUNCTION operations.mark_inbox_item(p_kind text, p_item_id uuid, p_mark text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_mark text := lower(private.require_choice('mark', p_mark, array['DONE', 'LATER', 'OPEN']));
  v_until timestamptz := coalesce(p_until, date_trunc('day', v_now at time zone 'UTC') at time zone 'UTC' + interval '31 hours');
  v_item record;
begin
  select i.product_id, i.at into v_item from private.inbox_items() i where i.kind = p_kind and i.id = p_item_id;
  if not found then
    perform private.refuse(404, 'Somebody has already dealt with this.');
  end if;
  perform private.require_no_demo();
  perform private.take_rate_limit('inbox', auth.uid()::text);
  if v_mark = 'later' and not v_until between v_now and v_now + interval '31 days' then
    perform private.refuse(422, 'Choose a time in the future, at most a month away.');
  end if;

  delete from public.inbox_marks m
  where m.user_id = auth.uid()
    and (m.marked_at < v_now - interval '90 days' or m.item_kind = p_kind and m.item_id = p_item_id);
  if v_mark <> 'open' then
    insert into public.inbox_marks (user_id, item_kind, item_id, item_at, later_until)
    values (auth.uid(), p_kind, p_item_id, v_item.at, case when v_mark = 'later' then v_until end);
  end if;
  perform private.emit('user:' || auth.uid(), jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_item_id, 'product_id', null));
  return json_build_object('kind', p_kind, 'id', p_item_id, 'state', v_mark, 'later_until', case when v_mark = 'later' then v_until end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_member_role(p_product_id uuid, p_user_id uuid, p_role text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_role public.member_role;
  v_before public.member_role;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  v_role := private.require_choice('role', coalesce(p_role, ''), array['MEMBER', 'VIEWER']);
  perform private.take_rate_limit('member', auth.uid()::text);

  select m.role into v_before from public.product_members m
  where m.product_id = p_product_id and m.user_id = p_user_id
  for update;
  if not found then
    perform private.refuse(404, 'No such member.');
  end if;
  if v_before = 'OWNER' then
    perform private.refuse(409, 'The owner stays the owner of the product. Archive or delete it instead.');
  end if;

  if v_role = 'VIEWER' then
    update public.stories s set assignee_id = null where s.product_id = p_product_id and s.assignee_id = p_user_id;
  end if;
  update public.product_members m
  set role = v_role, workers_allowed = m.workers_allowed and v_role = 'MEMBER',
    workers_decided_at = case when v_role = 'MEMBER' then m.workers_decided_at end
  where m.product_id = p_product_id and m.user_id = p_user_id and m.role <> v_role;
  if found then
    perform private.audit(p_user_id, auth.uid(), 'member.role',
      jsonb_build_object('product_id', p_product_id, 'from', v_before, 'to', v_role));
  end if;
  return json_build_object('user_id', p_user_id, 'username', private.username(p_user_id), 'role', v_role);
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_question(p_question text, p_options jsonb, p_recommended_option integer, p_expires_in_seconds integer, p_on_expiry text, p_escalate_to uuid, p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_options jsonb;
begin
  if coalesce(char_length(p_question), 0) not between 1 and 4000 or p_question !~ '\S' then
    perform private.refuse(422, 'question takes 1 to 4000 characters.');
  end if;
  if jsonb_typeof(coalesce(p_options, '[]')) <> 'array' or jsonb_array_length(coalesce(p_options, '[]')) > 8 then
    perform private.refuse(422, 'options must be a list of at most 8, each { label, description? }.');
  end if;
  select coalesce(jsonb_agg(case jsonb_typeof(o.value)
      when 'string' then jsonb_build_object('label', o.value)
      else jsonb_strip_nulls(jsonb_build_object('label', o.value -> 'label', 'description', o.value -> 'description')) end
    order by o.ordinality), '[]')
  into v_options
  from jsonb_array_elements(coalesce(p_options, '[]')) with ordinality o;
  if exists (
    select from jsonb_array_elements(v_options) o
    where coalesce(char_length(o ->> 'label'), 0) not between 1 and 200 or coalesce(char_length(o ->> 'description'), 0) > 1000
  ) then
    perform private.refuse(422, 'Each option needs a label of 1 to 200 characters; its description takes at most 1000.');
  end if;
  if p_recommended_option not between 0 and jsonb_array_length(v_options) - 1 then
    perform private.refuse(422, 'recommended_option is the index of an option, from 0.');
  end if;
  if p_expires_in_seconds not between 60 and 2592000 then
    perform private.refuse(422, 'A question expires after 1 minute at the earliest and 30 days at the latest (expires_in_seconds 60 to 2592000).');
  end if;
  if p_on_expiry = 'RECOMMENDED' and p_recommended_option is null then
    perform private.refuse(422, 'on_expiry RECOMMENDED needs a recommended_option.');
  end if;
  if (p_on_expiry = 'ESCALATE') <> (p_escalate_to is not null) then
    perform private.refuse(422, 'on_expiry ESCALATE and escalate_to belong together.');
  end if;
  if p_escalate_to is not null and not exists (
    select from public.product_members m where m.product_id = p_product_id and m.user_id = p_escalate_to and m.role <> 'VIEWER'
  ) then
    perform private.refuse(422, 'escalate_to must be a member of the product.');
  end if;
  return v_options;
end;
$function$;

CREATE OR REPLACE FUNCTION private.cost_insights(p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_since timestamptz := private.now() - interval '90 days';
begin
  return jsonb_build_object(
    'by_day_model', (
      select coalesce(jsonb_agg(to_jsonb(d) order by d.date, d.model_id, d.currency), '[]')
      from (
        select (e.created_at at time zone 'UTC')::date as date, e.model_id, e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = p_product_id and e.cost is not null and not e.subscription
        group by 1, 2, 3
      ) d),
    'by_product', (
      select coalesce(jsonb_agg(to_jsonb(x) order by lower(x.name), x.product_id), '[]')
      from (
        select p.id as product_id, p.code, p.name,
          (
            select coalesce(jsonb_agg(jsonb_build_object('currency', c.currency, 'cost', c.cost) order by c.currency), '[]')
            from (
              select e.currency, round(sum(e.cost), 6) as cost from public.usage_events e
              where e.product_id = p.id and e.cost is not null and not e.subscription
              group by e.currency
            ) c
          ) as costs
        from public.products p
        where p.id in (select private.open_product_ids())
      ) x
      where x.costs <> '[]'),
    'cycle_times', (
      select coalesce(jsonb_agg(to_jsonb(c) order by c.finished_at), '[]')
      from (
        select t.id as task_id, t.code, t.title, s.started_at, f.finished_at
        from (
          select h.task_id, max(h.changed_at) as finished_at
          from public.task_status_changes h
          where h.product_id = p_product_id and h.to_status = 'DONE' and h.from_status is distinct from h.to_status and h.changed_at >= v_since
          group by h.task_id
          order by 2 desc
          limit 200
        ) f
        join public.tasks t on t.id = f.task_id and t.status = 'DONE'
        cross join lateral (
          select min(h.changed_at) as started_at from public.task_status_changes h
          where h.task_id = f.task_id and h.to_status = 'IN_PROGRESS'
        ) s
        where s.started_at < f.finished_at
      ) c)
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
    where m.user_id = auth.uid() and (p.archived_at is not null or m.role = 'VIEWER');
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

CREATE OR REPLACE FUNCTION private.is_left_to_owner(p_question public.agent_questions)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select p_question.kind = 'permission'
    and p_question.product_id in (select private.owned_product_ids())
    and not exists (
      select from public.product_members m where m.product_id = p_question.product_id and m.user_id = p_question.reader_id and m.role <> 'VIEWER');
$function$;

CREATE OR REPLACE FUNCTION private.member_named(p_product_id uuid, p_name text)
 RETURNS uuid
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select m.user_id
  from public.product_members m
  join public.users u on u.id = m.user_id
  where m.product_id = p_product_id and m.role <> 'VIEWER' and lower(p_name) in (lower(u.username), lower(u.email))
  limit 1;
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
    where m.user_id = p_user_id and m.role <> 'VIEWER'
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
      and m.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
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
    where m.user_id = auth.uid() and p.archived_at is null;
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
      where m.user_id = p_user_id and m.role = 'MEMBER' and not m.workers_allowed
        and exists (
          select from private.claimable_jobs j
          where j.product_id = p.id and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id))
      order by p.name, p.id
      limit 10
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.queue_notices(p_kind text, p_product_id uuid, p_only_user uuid, p_to_people boolean, p_title text, p_body text, p_path text, p_data jsonb, p_reader_id uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_payload jsonb := jsonb_build_object('event', p_kind, 'product_id', p_product_id,
    'title', left(p_title, 200), 'body', left(p_body, 500), 'path', p_path, 'data', p_data, 'occurred_at', private.now());
begin
  if p_to_people then
    insert into public.notices (kind, product_id, user_id, payload, next_attempt_at)
    select p_kind, p_product_id, m.user_id, v_payload, private.now()
    from public.product_members m
    where m.product_id = p_product_id and m.user_id = coalesce(p_reader_id, p_only_user, m.user_id)
      and (m.role <> 'VIEWER' or m.user_id = p_only_user)
      and exists (select from public.push_subscriptions s where s.user_id = m.user_id and s.disabled_at is null);
  end if;
  insert into public.notices (kind, product_id, webhook_id, payload, next_attempt_at)
  select p_kind, p_product_id, w.id, v_payload, private.now()
  from public.webhooks w
  where w.product_id = p_product_id and w.active and w.events ? p_kind and (p_reader_id is null or w.created_by = p_reader_id);
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
    raise exception using errcode = 'PT422', message = 'The assignee must be the owner or a member of the product.',
      detail = '{"issues":[{"path":"assignee_id","message":"Is not a member of the product."}]}';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_commenter(p_kind text, p_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_access(p_kind, p_id);
begin
  perform private.share_product(v_product_id);
  perform private.require_product_write(v_product_id, true);
  return v_product_id;
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
    raise exception using errcode = 'PT403',
      message = 'You are a viewer of this product: you can read everything and comment, but change nothing. Ask its owner to make you a member.';
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
    raise exception using errcode = 'PT403',
      message = 'This product is archived and can only be read. Restore it to make changes.';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_questions__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_event jsonb := private.change_event(tg_op, 'question', to_jsonb(old), to_jsonb(new));
  v_row public.agent_questions := coalesce(new, old);
  v_status text;
begin
  if v_event is null then
    return null;
  end if;

  v_status := lower(v_row.status::text);
  if tg_op = 'DELETE' then
    if old.status <> 'OPEN' then
      return null;
    end if;
    v_status := 'cancelled';
    v_event := v_event || '{"op": "U"}';
  end if;

  v_event := v_event || jsonb_build_object(
    'story_id', v_row.story_id,
    'idea_id', v_row.idea_id,
    'task_id', v_row.task_id,
    'assignee_id', v_row.assignee_id,
    'status', v_status
  );
  if v_row.reader_id is null then
    perform private.emit_to_members(v_row.product_id, v_event);
  elsif exists (select from public.product_members m where m.product_id = v_row.product_id and m.user_id = v_row.reader_id
      and (m.role <> 'VIEWER' or v_row.kind <> 'permission')) then
    perform private.emit('user:' || v_row.reader_id, v_event);
  elsif v_row.kind = 'permission' then
    perform private.emit('user:' || (select p.owner_id from public.products p where p.id = v_row.product_id), v_event);
  end if;
  return null;
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
  v_confined integer;
  v_following integer;
  v_able integer;
  v_place record;
begin
  select p.requires_sandbox, regexp_replace(t.repo_url, '://[^/?#]*@', '://') as repo_url, u.username as written_by
  into v_place
  from public.products p
  left join public.tasks t on t.id = p_job.task_id and t.repo_url <> p.repo_url
  left join public.users u on u.id = t.repo_url_by
  where p.id = p_job.product_id;
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed),
    count(*) filter (where m.workers_allowed and x.is_confined),
    count(*) filter (where m.workers_allowed and x.is_following),
    count(*) filter (where m.workers_allowed and x.is_confined and x.is_following)
  into v_online, v_with_quota, v_without_consent, v_confined, v_following, v_able
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id and m.role <> 'VIEWER'
  cross join lateral (
    select not v_place.requires_sandbox or w.confinement <> 'none' as is_confined,
      v_place.repo_url is null or private.is_followed(v_place.repo_url, w.also_repos) as is_following) x
  where private.is_online(w.last_seen_at, w.stopped_at)
    and (p_job.kind <> 'PLAN_CHAT' or w.user_id = p_job.created_by)
    and (p_job.phase <> 'verify' or w.id is distinct from p_job.author_worker_id);

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and must be reviewed by a worker other than %s. Start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online but not allowed here yet. Each of them can switch on "My workers may work here" on the members page, or name the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one: the Connect page has the command.',
      'command', 'node backloom-worker.mjs --url <address> --token <token> --repo <folder> --agent <agent>'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want to keep (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  if v_able > 0 then
    return '[]';
  end if;
  return case when v_following > 0 or v_confined = 0 then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product requires a sandbox, and no online worker that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task has its own repository, %s%s, and no online worker follows it: %s', v_place.repo_url,
        ' (written by ' || v_place.written_by || ')', private.repository_advice(v_place.repo_url)),
      'repo_url', v_place.repo_url, 'written_by', v_place.written_by))
      else '[]' end;
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
    where private.is_online(w.last_seen_at, w.stopped_at) and exists (
      select from public.product_members m where m.user_id = w.user_id and m.role <> 'VIEWER' and m.product_id = any (p_product_ids)));
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
    where m.user_id = auth.uid() and m.role <> 'VIEWER' and p.archived_at is null;
end;
$function$;

ALTER TABLE "public"."product_members" ADD CONSTRAINT "product_members_viewer_workers" CHECK (((role <> 'VIEWER'::public.member_role) OR (NOT workers_allowed)));

CREATE POLICY "product_members_delete" ON "public"."product_members" FOR DELETE TO "authenticated" USING (((role <> 'OWNER'::public.member_role) AND ((user_id = ( SELECT auth.uid() AS uid)) OR ((product_id IN ( SELECT private.owned_product_ids() AS owned_product_ids)) AND (product_id IN ( SELECT private.writable_product_ids() AS writable_product_ids))))));

COMMENT ON FUNCTION "operations"."enrol_member"(uuid, uuid, text) IS 'Makes a user a member or viewer of a product, for the operator (specification: Authentication 4). Service only.';

COMMENT ON FUNCTION "operations"."list_product_members"(uuid) IS 'Owner, members and viewers of a product (specification: Authentication 4).';

COMMENT ON FUNCTION "operations"."set_member_role"(uuid, uuid, text) IS 'Makes a member a viewer or a viewer a member, owner only (specification: Authentication 4).';

COMMENT ON FUNCTION "private"."frozen_product_ids"() IS 'Reachable products that are archived or that the caller only views (specification: Authentication 4).';

COMMENT ON FUNCTION "private"."open_product_ids"() IS 'Reachable products that are not archived (specification: Authentication 4).';

COMMENT ON FUNCTION "private"."require_no_viewer"(uuid) IS 'PT403 for viewers of a product (specification: Authentication 4).';

COMMENT ON FUNCTION "private"."require_product_write"(uuid, boolean) IS 'PT403 for demo accounts, viewers and archived products (specification: Authentication 3, 4).';

COMMENT ON FUNCTION "private"."writable_product_ids"() IS 'Reachable products that are not archived and where the caller is more than a viewer (specification: Authentication 4).';

COMMENT ON TABLE "public"."product_members" IS 'Owner, members and viewers of each product (specification: Authentication 4).';

REVOKE ALL ON FUNCTION "operations"."enrol_member"(uuid, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."enrol_member"(uuid, uuid, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."set_member_role"(uuid, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."set_member_role"(uuid, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."open_product_ids"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."open_product_ids"() TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."require_no_viewer"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_no_viewer"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_product_write"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_product_write"(uuid, boolean) TO "authenticated", "postgres";
