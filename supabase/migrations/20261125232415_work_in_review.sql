-- Why: work that waits for a review is never done again: one function decides which tasks a start takes, and reviews
-- outlive their run and sprint. Runs say what they wait for; a retry begins as its run did; imports ask for a person.
set local check_function_bodies = off;

DROP FUNCTION "operations"."resume_sprint"(uuid, boolean);

DROP FUNCTION "private"."branch_head"(private.works);

DROP FUNCTION "private"."jobs_of_story"(uuid);

DROP FUNCTION "private"."lock_work"(uuid);

DROP FUNCTION "private"."unmerged_work"(uuid);

DROP VIEW "private"."works";

CREATE OR REPLACE FUNCTION operations.cancel_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  if v_job.status = 'CANCELLED' then
    return private.job_json(v_job);
  end if;
  if v_job.status in ('CLAIMED', 'RUNNING') and v_job.kind <> 'PLAN_CHAT' then
    perform private.refuse(409, 'This job is held by a worker. Cancel its run to stop it; pausing lets it finish.');
  end if;
  if v_job.status = 'QUEUED' and v_job.phase = 'review' then
    perform private.refuse(409, 'The work of this job is done and waits for a review. Approve it, or request changes.');
  end if;
  if v_job.status not in ('QUEUED', 'CLAIMED', 'RUNNING') then
    perform private.refuse(409, format('Only a queued job can be cancelled; this one is %s.', lower(v_job.status::text)));
  end if;

  perform private.close_question(v_job.parked_question_id);
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = 'The job was cancelled.'
  where j.id = p_job_id;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return private.job_json(v_job);
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
              select r.id, lower(r.status::text) as status, r.started_at, r.created_at, private.run_waits(r) as waits_for, private.job_states(r.id) as job_statuses
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
    'budgets', operations.get_budgets(v_product, null, p_sprint_id),
    'preflight', v_preflight,
    'forecast', v_forecast,
    'burndown', private.get_sprint_burndown(p_sprint_id)
  );
end;
$function$;

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
      v_product_id := (operations.create_product(p_code, p_name, p_done_requires => 'person', p_agent_items => 'triage') ->> 'id')::uuid;
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

CREATE OR REPLACE FUNCTION operations.make_story_tasks(p_product_id uuid, p_story_ids jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_made integer;
begin
  perform private.require_write('product', p_product_id);
  insert into public.tasks (story_id, title, description, priority)
  select s.id, s.title, s.description, s.priority
  from public.stories s
  where s.product_id = p_product_id and s.id in (select x::uuid from jsonb_array_elements_text(p_story_ids) x)
    and s.status <> 'DONE' and not s.is_template and not exists (select from public.tasks t where t.story_id = s.id)
  order by s.sort_order, s.created_at, s.id;
  get diagnostics v_made = row_count;
  return json_build_object('made', v_made);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.preflight_sprint_run(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_task_ids uuid[] := private.sprint_task_ids(p_sprint_id);
  v_tasks integer := cardinality(v_task_ids);
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_sprint.product_id;
  v_blockers := private.run_blockers(v_sprint, v_product, v_task_ids,
    array(select s.id from public.stories s where s.sprint_id = p_sprint_id), private.plans_first(v_product, null), false);
  return json_build_object(
    'sprint_id', p_sprint_id,
    'sprint_code', v_sprint.code,
    'pr_strategy', v_product.pr_strategy,
    'plan_first', v_product.plan_first,
    'ready', v_blockers = '[]',
    'tasks_total', v_tasks,
    'jobs_total', case when v_product.pr_strategy = 'SPRINT_BATCH' then least(1, v_tasks) else v_tasks end,
    'stories_without_tasks', (
      select count(*) from public.stories s
      where s.sprint_id = p_sprint_id and s.status <> 'DONE' and not exists (select from public.tasks t where t.story_id = s.id)),
    'blockers', v_blockers,
    'begins_from', private.run_begins_from(p_sprint_id, v_product.pr_strategy),
    'warnings', private.budget_warnings(v_sprint));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.resume_sprint(p_sprint_id uuid, p_skip_failed boolean DEFAULT false, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false)
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
  v_failed uuid[];
  v_task_ids uuid[];
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product can have only one active sprint.', v_other));
  end if;

  v_failed := array(
    select t.id from public.tasks t join public.stories s on s.id = t.story_id
    where p_skip_failed and s.sprint_id = p_sprint_id and t.status = 'FAILED');
  -- Stories and PBIs follow their tasks out of failed. Taken back alone, that would fail the run that starts here.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;
  perform set_config('backloom.undoing', '', true);

  v_task_ids := array(select i from unnest(private.sprint_task_ids(p_sprint_id)) i where i <> all (v_failed));
  if v_task_ids = '{}' then
    return null;
  end if;

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  select p.* into v_product from public.products p where p.id = v_product_id;
  select * into v_scope from private.settle_scope(v_sprint, v_product, v_task_ids, coalesce(p_plan_first, nullif(v_previous.plan_first, false)),
    p_use_description, p_skip_failed or p_leave_out or exists (
      select from unnest(v_task_ids) i where i not in (select x.task_id from private.run_tasks(v_previous.id) x)));
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous, v_scope.task_ids, v_scope.plan_first);
  return private.run_json(v_run, false) || jsonb_build_object('left_out', v_scope.left_out);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.start_run(p_task_ids jsonb DEFAULT NULL::jsonb, p_story_id uuid DEFAULT NULL::uuid, p_strategy text DEFAULT NULL::text, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false, p_stop_at jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
  v_product_id uuid;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  if p_story_id is not null then
    v_product_id := private.require_write('story', p_story_id);
  end if;
  if (p_story_id is null) = (p_task_ids is null) then
    perform private.refuse(422, 'Name task_ids or story_id, one of them.');
  end if;
  if p_story_id is null then
    v_task_ids := private.task_ids_of(p_task_ids);
    v_product_id := private.require_write('task', v_task_ids[1]);
    perform private.require_one_product(v_task_ids, v_product_id);
  else
    v_task_ids := private.tasks_to_start(array(select t.id from public.tasks t where t.story_id = p_story_id));
  end if;
  perform private.refuse_triage(array(
    select distinct t.story_id from public.tasks t where t.id = any (v_task_ids)
    union select p_story_id where p_story_id is not null));
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.pr_strategy := coalesce(private.require_choice('strategy', p_strategy, array['SPRINT', 'STORY', 'SPRINT_BATCH']), 'STORY');

  -- Stories and PBIs follow their tasks out of failed; what is refused below takes this back. Taken back alone, it would fail the run.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  where t.id = any (v_task_ids) and t.status = 'FAILED'
    and t.id not in (select h.task_id from private.held_by_runs(v_product_id, false) h);
  perform set_config('backloom.undoing', '', true);

  select * into v_scope from private.settle_scope(null, v_product, v_task_ids, p_plan_first, p_use_description, p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(null, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  return json_build_object('run', private.run_json(v_run, false), 'left_out', v_scope.left_out);
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
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s; only a sprint that is %s can become %s.', v_sprint.code,
        lower(v_sprint.status::text), lower(p_from::text), lower(p_to::text));
  end if;

  if p_to = 'ACTIVE' and exists (
    select from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE'
  ) then
    raise exception using errcode = 'PT409', message = 'Another sprint of this product is active. Complete it first.';
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

CREATE OR REPLACE FUNCTION private.dependency_blockers(p_sprint_id uuid, p_task_ids uuid[], p_story_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', case when e.failed then 'dependency_failed' else 'dependency_outside' end,
      'message', format('%s is blocked by %s, which %s.', e.code, e.blocker_code,
        case when e.failed then 'failed' when e.is_empty then 'has no task'
          when e.is_of_sprint or p_sprint_id is null then 'is neither done nor in this run' else 'is neither done nor in this sprint' end),
      'task_id', e.task_id, 'task_code', e.task_code, 'story_id', e.story_id, 'story_code', e.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', e.kind, 'id', e.id, 'code', e.code, 'blocker_id', e.blocker_id, 'blocker_code', e.blocker_code,
        'joining_story_id', case when e.may_join then e.joining_story_id end, 'joining_story_code', case when e.may_join then e.joining_story_code end)
    ) order by e.sort_order, e.code, e.blocker_code), '[]')
    from (
      select 'task' as kind, t.id, t.code, t.sort_order, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        b.id as blocker_id, b.code as blocker_code, b.status = 'FAILED' as failed, false as is_empty, bs.sprint_id = p_sprint_id as is_of_sprint,
        bs.id as joining_story_id, bs.code as joining_story_code,
        p_sprint_id is not null and bs.sprint_id is null and b.status <> 'FAILED' as may_join
      from unnest(p_task_ids) i (id)
      cross join lateral (select k.* from public.tasks k where k.id = i.id offset 0) t
      join public.stories s on s.id = t.story_id
      join public.task_dependencies d on d.blocked_id = t.id
      join public.tasks b on b.id = d.blocker_id and b.status <> 'DONE' and b.id <> all (p_task_ids)
      join public.stories bs on bs.id = b.story_id
      where b.status <> 'REVIEW' or bs.sprint_id is distinct from p_sprint_id
      union all
      select 'story', s.id, s.code, s.sort_order, null, null, s.id, s.code, b.id, b.code,
        b.status = 'FAILED', b.id = any (p_story_ids) and v.tasks = 0, b.sprint_id = p_sprint_id,
        b.id, b.code, p_sprint_id is not null and b.sprint_id is null and b.status <> 'FAILED' and v.tasks > 0
      from public.stories s
      join public.story_dependencies d on d.blocked_id = s.id
      join public.stories b on b.id = d.blocker_id and b.status <> 'DONE'
      cross join lateral (
        select count(*) as tasks, count(*) filter (where i.status = 'REVIEW') as in_review,
          count(*) filter (where i.status <> 'DONE' and i.id <> all (p_task_ids) and (i.status <> 'REVIEW' or b.sprint_id is distinct from p_sprint_id)) as left_out
        from public.tasks i where i.story_id = b.id) v
      where s.id = any (p_story_ids) and s.status <> 'DONE'
        and (v.tasks = 0 or v.left_out > 0 or (b.id <> all (p_story_ids) and v.in_review = 0))
        and exists (select from public.tasks t where t.story_id = s.id and t.id = any (p_task_ids))
    ) e
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_reviewed_run(p_run public.sprint_runs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_run.status = 'PAUSED' or exists (
    select from public.agent_jobs j
    where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (j.status <> 'QUEUED' or j.phase <> 'review'))
  then
    perform private.refuse(409, 'A run of this sprint is not finished. Let it finish, or cancel it first.');
  end if;
  perform private.end_run(p_run, 'DONE', null, null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_run(p_run public.sprint_runs, p_status public.sprint_run_status, p_reason text, p_failure jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.sprint_runs r
  set status = p_status, pause_context = null, finished_at = private.now(), failure = p_failure
  where r.id = p_run.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');

  perform private.close_question(p_run.pause_question_id);
  if p_status = 'DONE' then
    return;
  end if;

  perform private.close_question(j.parked_question_id)
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.parked_question_id is not null;

  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = p_reason
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (j.status <> 'QUEUED' or j.phase <> 'review');

  update public.task_executions e
  set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_run.id and e.status = 'RUNNING';
end;
$function$;

CREATE OR REPLACE FUNCTION private.ended_before_review(p_job public.agent_jobs)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'review' then
    return null;
  end if;
  return (
    select max(a.ended_at) from public.job_attempts a
    where a.job_id = p_job.id
      and exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.status in ('DONE', 'FAILED', 'CANCELLED')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_run_unfinished(p_sprint_run_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.sprint_runs r where r.id = p_sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_states(p_sprint_run_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(case when j.status = 'QUEUED' and j.phase = 'review' then 'REVIEW' else j.status::text end order by j.position, j.id), '[]')
    from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.reject_after_run(p_job public.agent_jobs)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  perform private.reopen_tasks(p_job, private.stories_to_finish(p_job));
  update public.tasks t set status = 'TO_DO'
  where t.status = 'IN_PROGRESS' and (t.id = p_job.task_id or t.id in (
    select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id and e.status = 'PENDING'));
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = 'Changes were requested after the run had ended. The next run makes them.'
  where j.id = p_job.id
  returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reject_review(p_job_id uuid)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_busy boolean;
begin
  perform private.require_review(v_job);
  if not private.is_run_unfinished(v_job.sprint_run_id) then
    return private.reject_after_run(v_job);
  end if;
  v_busy := private.is_lane_held(v_job.sprint_run_id, v_job.lane_id);
  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = v_job.sprint_run_id and j.lane_id = v_job.lane_id and j.id <> v_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  update public.agent_jobs j
  set phase = 'implement', claim_rank = 0, in_turn = not v_busy, verify_result = null
  where j.id = p_job_id
  returning j.* into v_job;
  perform private.reopen_tasks(v_job, private.stories_to_finish(v_job));
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reopen_job(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_is_held boolean := private.is_lane_held(p_job.sprint_run_id, p_job.lane_id);
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(409, 'This batch is over. Create a task for further changes.');
  end if;
  if p_job.status not in ('DONE', 'SKIPPED') then
    return;
  end if;
  if not private.is_run_unfinished(p_job.sprint_run_id) then
    update public.tasks t set status = 'TO_DO' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.id <> p_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  update public.agent_jobs j
  set status = 'QUEUED', phase = 'implement', claim_rank = 0, in_turn = not v_is_held, verify_result = null,
      retry_count = 0, failure_class = null, failure_reason = null, parked_question_id = null, not_before = null
  where j.id = p_job.id;
  update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
end;
$function$;

CREATE OR REPLACE FUNCTION private.resume_batch_run(p_run public.sprint_runs)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  perform private.end_run(p_run, 'CANCELLED', 'The run was resumed as a new one.', null);

  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, started_by)
  values (p_run.sprint_id, p_run.product_id, p_run.pr_strategy, p_run.branch, p_run.id, p_run.plan_first, auth.uid())
  returning * into v_run;

  insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
  select v_run.id, e.task_id, e.position,
    case when t.implementation_plan ~ '\S' then t.implementation_plan else e.plan_snapshot end, t.verify_required
  from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED') and e.task_id = any (private.tasks_to_start(array[e.task_id]));
  -- What was at work keeps its place in the old run; here it is to do again, and comes after what it waits for by now.
  perform private.order_runs(v_run.product_id);
  perform private.create_batch_job(v_run);
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_blockers(p_sprint public.sprints, p_product public.products, p_task_ids uuid[], p_story_ids uuid[], p_plan_first boolean, p_use_description boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return (
    with scope as materialized (select * from private.tasks_in_order(p_task_ids))
    select coalesce(jsonb_agg(jsonb_build_object('type', b.type, 'message', b.message,
      'task_id', b.task_id, 'task_code', b.task_code, 'story_id', b.story_id, 'story_code', b.story_code,
      'pbi_id', b.pbi_id, 'pbi_code', b.pbi_code, 'question_id', b.question_id, 'sprint_run_id', b.run_id)
      order by b.rank, b.place), '[]')
    from (
      select 1 as rank, 0 as place, 'sprint_not_active' as type,
        format('Sprint %s is %s. Start the sprint first.', p_sprint.code, lower(p_sprint.status::text)) as message,
        null::uuid as task_id, null as task_code, null::uuid as story_id, null as story_code,
        null::uuid as pbi_id, null as pbi_code, null::uuid as question_id, null::uuid as run_id
      where p_sprint.status <> 'ACTIVE'
      union all
      select 2, 0, case when r.are_open then 'only_reviews' else 'no_tasks' end,
        case when r.are_open then 'There is nothing to start: what is left waits for a review.'
          when p_sprint.id is null then 'There are no unfinished tasks.'
          else format('Sprint %s has no unfinished tasks.', p_sprint.code) end,
        null, null, null, null, null, null, null, null
      from (select exists (select from public.tasks t where t.story_id = any (p_story_ids) and t.status = 'REVIEW') as are_open) r
      where not exists (select from scope)
      union all
      select 3, 0, 'run_unfinished',
        format('A run of sprint %s is %s. Wait for it, resume it or cancel it.', p_sprint.code, lower(r.status::text)),
        null, null, null, null, null, null, null, r.id
      from public.sprint_runs r
      where r.sprint_id = p_sprint.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      union all
      select 3, sc.place, case when p_sprint.id is null then 'run_unfinished' else 'task_in_run' end,
        format('Task %s is in a run of %s that is %s. Wait for that run, resume it or cancel it.', sc.task_code, h.subject, h.status),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, h.run_id
      from private.held_by_runs(p_product.id, p_sprint.id is not null) h
      join scope sc on sc.task_id = h.task_id
      union all
      select 3, sc.place, case t.status when 'DONE' then 'task_done' else 'task_in_review' end,
        format(case t.status when 'DONE' then 'Task %s is done. Open it again, or leave it out.'
          else 'Task %s waits for a review. Review it, or leave it out.' end, sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.status from public.tasks k where k.id = sc.task_id offset 0) t
      where sc.task_id <> all (private.tasks_to_start(array[sc.task_id]))
      union all
      select 4, sc.place, 'task_no_plan', format('Task %s has no implementation plan.', sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      -- Each by its key: how long the list is cannot be foreseen, and a plan for many would read all tasks of all products.
      cross join lateral (
        select k.implementation_plan, k.description, k.status from public.tasks k where k.id = sc.task_id offset 0) t
      where not p_plan_first and coalesce(t.implementation_plan, '') !~ '\S' and t.status not in ('DONE', 'REVIEW')
        and not (p_use_description and t.description ~ '\S')
      union all
      select 5, row_number() over (order by q.created_at, q.id)::integer, 'open_question',
        case when q.reader_id is null or q.reader_id = auth.uid() then format('Story %s has an open question: %s', s.code, left(q.question, 200))
          else format('Story %s waits for a permission that only %s can give.', s.code, private.username(q.reader_id)) end,
        q.task_id, t.code, s.id, s.code, s.pbi_id, null, q.id, null
      from public.stories s
      join public.agent_questions q on q.story_id = s.id
      left join public.tasks t on t.id = q.task_id
      where s.id = any (p_story_ids) and s.status <> 'DONE' and q.status = 'OPEN' and q.expires_at > v_now
        -- What is asked about a task that a run of its own leaves alone says nothing about the others.
        and (p_sprint.id is not null or q.task_id is null or q.task_id = any (p_task_ids))
      union all
      select distinct on (b.id) case b.status when 'BLOCKED' then 6 else 7 end, 0,
        case b.status when 'BLOCKED' then 'pbi_blocked' else 'pbi_failed' end,
        format('PBI %s is %s.', b.code, lower(b.status::text)),
        null::uuid, null, s.id, s.code, b.id, b.code, null::uuid, null::uuid
      from public.stories s
      cross join lateral (select k.id, k.code, k.status from public.pbis k where k.id = s.pbi_id offset 0) b
      where s.id = any (p_story_ids) and s.status <> 'DONE' and b.status in ('BLOCKED', 'FAILED')
      union all
      select 8, sc.place, 'task_cross_repo',
        format('Task %s belongs to %s, and a batch run only works in the product''s repository.', sc.task_code, t.repo_url),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.repo_url from public.tasks k where k.id = sc.task_id offset 0) t
      where p_product.pr_strategy = 'SPRINT_BATCH'
        and btrim(coalesce(t.repo_url, '')) not in ('', btrim(p_product.repo_url))
    ) b
  ) || private.dependency_blockers(p_sprint.id, p_task_ids, p_story_ids)
    || private.deadlock_blockers(p_product, p_task_ids, p_story_ids);
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_json(p_run public.sprint_runs, p_with_jobs boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_totals jsonb;
  v_run jsonb;
  v_costs jsonb := private.costs_of(p_run.product_id, p_run.id);
begin
  select jsonb_build_object(
    'jobs_total', count(*),
    'counts', jsonb_build_object(
      'queued', count(*) filter (where j.status = 'QUEUED'),
      'claimed', count(*) filter (where j.status = 'CLAIMED'),
      'running', count(*) filter (where j.status = 'RUNNING'),
      'done', count(*) filter (where j.status = 'DONE'),
      'failed', count(*) filter (where j.status = 'FAILED'),
      'cancelled', count(*) filter (where j.status = 'CANCELLED'),
      'skipped', count(*) filter (where j.status = 'SKIPPED')),
    'input_tokens', sum(j.input_tokens),
    'output_tokens', sum(j.output_tokens),
    'cache_read_tokens', sum(j.cache_read_tokens),
    'cache_write_tokens', sum(j.cache_write_tokens),
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end)
  into v_totals
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id;

  v_run := to_jsonb(p_run) || v_totals || jsonb_build_object(
    'status', lower(p_run.status::text),
    'sprint_code', (select s.code from public.sprints s where s.id = p_run.sprint_id),
    'subject', private.run_subject(p_run),
    'waits_for', private.run_waits(p_run),
    'started_by_name', private.username(p_run.started_by));
  if not p_with_jobs then
    return v_run;
  end if;

  return v_run || jsonb_build_object(
    'jobs', (
      select coalesce(jsonb_agg(private.job_json(j) order by j.position, j.id), '[]')
      from public.agent_jobs j where j.sprint_run_id = p_run.id),
    'executions', (
      select coalesce(jsonb_agg(private.execution_json(e) order by e.position), '[]')
      from public.task_executions e where e.sprint_run_id = p_run.id),
    'overlaps', private.run_overlaps(p_run),
    'pause_question', (
      select private.question_json(q) from public.agent_questions q where q.id = p_run.pause_question_id
        and (q.reader_id is null or q.reader_id = auth.uid())));
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_waits(p_run public.sprint_runs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v record;
begin
  if p_run.status not in ('QUEUED', 'RUNNING') then
    return null;
  end if;
  select count(*) filter (where j.phase = 'review' and p.done_requires <> 'ci') as reviews,
    count(*) filter (where q.status = 'OPEN') as answers,
    count(*) filter (where j.status <> 'QUEUED' or (j.phase <> 'review' and j.in_turn and j.open_blockers = 0 and q.status is distinct from 'OPEN')) as moving
  into v
  from public.agent_jobs j
  join public.products p on p.id = j.product_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  return case when v.moving = 0 and v.reviews + v.answers > 0 then jsonb_build_object('reviews', v.reviews, 'answers', v.answers) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sprint_task_ids(p_sprint_id uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.tasks_to_start(array(
    select t.id
    from public.stories s
    -- Story by story: a plan for many stories would read all tasks of all products.
    cross join lateral (select k.id from public.tasks k where k.story_id = s.id offset 0) t
    where s.sprint_id = p_sprint_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.tasks_to_start(p_task_ids uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select t.id
    from unnest(p_task_ids) i (id)
    -- Task by task: a plan for many would read all tasks of all products.
    cross join lateral (select k.id, k.status from public.tasks k where k.id = i.id offset 0) t
    where t.status not in ('DONE', 'REVIEW'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__advance_lane()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not private.is_run_unfinished(old.sprint_run_id) then
    return null;
  end if;

  if private.bring_next_in_turn(old.sprint_run_id, old.lane_id) then
    return null;
  end if;
  perform private.lock_part('run', old.sprint_run_id);
  perform private.complete_run(old.sprint_run_id);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unlanded_work(p_story_ids uuid[], p_except_run_id uuid DEFAULT NULL::uuid)
 RETURNS TABLE(story_id uuid, story_code text, task_id uuid, task_code text, job_id uuid, judged boolean, branch text, base_sha text, head_sha text, commits integer, repo_url text, finished_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    with work as materialized (
      select s.id as story_id, s.code as story_code, t.id as task_id, t.code as task_code, w.*, coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url,
        w.merged_at is not null or coalesce(b.pr_merged_at >= w.finished_at, false) as landed
      from unnest(p_story_ids) k (id)
      join public.stories s on s.id = k.id
      join public.products p on p.id = s.product_id
      join public.pbis b on b.id = s.pbi_id
      cross join lateral (select x.id, x.code, x.repo_url from public.tasks x where x.story_id = s.id offset 0) t
      cross join lateral (
        select a.id as job_id, a.status = 'DONE' as judged, a.branch, a.base_sha, a.head_sha, a.commits, a.merged_at,
          coalesce(a.pushed_at, a.ended_at) as pushed_at, a.ended_at as finished_at
        from private.works a
        where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.sprint_run_id is distinct from p_except_run_id
          and a.ended_at is not null and a.head_sha is distinct from a.base_sha and (a.was_handed_in or a.pushed_at is not null)
        union all
        select a.id, true, a.branch, null, case a.status when 'DONE' then a.head_sha else e.head_sha end, a.commits, a.merged_at,
          e.finished_at, a.ended_at
        from (
          select x.* from public.task_executions x
          where x.task_id = t.id and x.status = 'DONE' and x.sprint_run_id is distinct from p_except_run_id offset 0) e
        cross join lateral (
          select j.* from private.works j
          where j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.ended_at is not null offset 0) a
      ) w
      where w.head_sha is not null and w.branch is not null
    ), standing as (
      select w.*
      from work w
      where not w.landed
        and not exists (select from work l where l.landed and l.story_id = w.story_id and l.repo_url = w.repo_url and l.finished_at >= w.finished_at)
        and not exists (select from public.fresh_starts f where f.story_id = w.story_id and f.created_at >= w.finished_at)
    ), heads as (
      (select distinct on (h.story_id, h.repo_url, h.branch) h.* from standing h
        order by h.story_id, h.repo_url, h.branch, h.pushed_at desc, h.finished_at desc, h.task_code desc)
      union
      (select distinct on (h.story_id, h.repo_url, h.branch) h.* from standing h
        order by h.story_id, h.repo_url, h.branch, h.finished_at desc, h.pushed_at desc, h.task_code desc)
    )
    select h.story_id, h.story_code, h.task_id, h.task_code, h.job_id, h.judged, h.branch, h.base_sha, h.head_sha,
      h.commits, h.repo_url, h.finished_at
    from heads h;
end;
$function$;

CREATE VIEW "private"."works" WITH (security_invoker=true) AS  SELECT j.id,
    j.product_id,
    j.task_id,
    j.kind,
    j.status,
    j.sprint_run_id,
    j.branch,
    j.base_sha,
    j.head_sha,
        CASE
            WHEN ((j.evidence ->> 'commits'::text) ~ '^\d{1,6}$'::text) THEN ((j.evidence ->> 'commits'::text))::integer
            ELSE NULL::integer
        END AS commits,
    j.pushed_at,
    j.merged_at,
    j.finished_at,
    j.created_at,
    COALESCE(j.finished_at, private.ended_before_review(j.*)) AS ended_at,
    ((j.status = 'DONE'::public.agent_job_status) OR (j.phase = 'review'::public.job_phase)) AS was_handed_in
   FROM public.agent_jobs j
  WHERE (j.kind <> 'PLAN_CHAT'::public.agent_job_kind)
UNION ALL
 SELECT p.id,
    p.product_id,
    p.task_id,
    p.kind,
    p.status,
    p.sprint_run_id,
    p.branch,
    p.base_sha,
    p.head_sha,
    p.commits,
    p.pushed_at,
    p.merged_at,
    p.finished_at,
    p.created_at,
    p.finished_at AS ended_at,
    (p.status = 'DONE'::public.agent_job_status) AS was_handed_in
   FROM public.past_jobs p;

CREATE OR REPLACE FUNCTION private.branch_head(p_job private.works)
 RETURNS private.works
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job private.works;
begin
  if p_job.status in ('DONE', 'SKIPPED') and p_job.head_sha is not null then
    return p_job;
  end if;
  select j.* into v_job from private.works j
  where j.sprint_run_id = p_job.sprint_run_id and j.branch = p_job.branch and j.status in ('DONE', 'SKIPPED')
    and j.head_sha is not null and j.finished_at <= p_job.finished_at
  order by j.finished_at desc, j.id limit 1;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.jobs_of_story(p_story_id uuid)
 RETURNS SETOF private.works
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.* from public.tasks t join private.works j on j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION'
    where t.story_id = p_story_id
    union all
    select j.* from (
      select distinct e.sprint_run_id from public.tasks t join public.task_executions e on e.task_id = t.id
      where t.story_id = p_story_id
    ) r
    join private.works j on j.sprint_run_id = r.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION';
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_work(p_job_id uuid)
 RETURNS private.works
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_work private.works;
begin
  select w.* into v_work from private.works w where w.id = p_job_id;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  perform private.require_product_access(v_work.product_id);
  perform private.lock_product(v_work.product_id);
  perform private.require_product_write(v_work.product_id);
  select w.* into v_work from private.works w where w.id = p_job_id;
  return v_work;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unmerged_work(p_task_id uuid)
 RETURNS private.works
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job private.works;
  v_batch private.works;
begin
  select j.* into v_job from private.works j
  where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  select j.* into v_batch
  from public.task_executions e
  join private.works j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
  where e.task_id = p_task_id and e.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  if v_job.id is null or v_batch.created_at > v_job.created_at then
    v_job := v_batch;
  end if;
  if v_job.merged_at is not null
    or (v_job.status in ('DONE', 'SKIPPED') and (v_job.head_sha is null or v_job.head_sha = v_job.base_sha)) then
    return null;
  end if;
  return v_job;
end;
$function$;

COMMENT ON FUNCTION "operations"."make_story_tasks"(uuid, jsonb) IS 'One task of each open story without any (docs/users.md).';

COMMENT ON FUNCTION "operations"."resume_sprint"(uuid, boolean, boolean, boolean, boolean) IS 'FAILED sprint to ACTIVE with a new run, or null when nothing is left to run (specification: States and transitions, Task and Sprint).';

COMMENT ON FUNCTION "private"."branch_head"(private.works) IS 'The job with the head that the work of a finished job ends at.';

COMMENT ON FUNCTION "private"."end_reviewed_run"(public.sprint_runs) IS 'Ends the run of a completed sprint of which only reviews are open (docs/users.md).';

COMMENT ON FUNCTION "private"."ended_before_review"(public.agent_jobs) IS 'When work ended that still waits for its review after its run (docs/review.md).';

COMMENT ON FUNCTION "private"."is_run_unfinished"(uuid) IS 'Whether a run has not ended (specification: Sprint run).';

COMMENT ON FUNCTION "private"."job_states"(uuid) IS 'The states of a run''s jobs as people see them.';

COMMENT ON FUNCTION "private"."jobs_of_story"(uuid) IS 'The jobs that implemented tasks of a story, batches included.';

COMMENT ON FUNCTION "private"."lock_work"(uuid) IS 'The work of a job under the product lock, for a change.';

COMMENT ON FUNCTION "private"."reject_after_run"(public.agent_jobs) IS 'A review of work whose run has ended requests changes (docs/review.md).';

COMMENT ON FUNCTION "private"."run_waits"(public.sprint_runs) IS 'What a run waits for from people, when for nothing else (docs/users.md).';

COMMENT ON FUNCTION "private"."sprint_task_ids"(uuid) IS 'The tasks that a run of a sprint takes (specification: Starting a sprint run 2).';

COMMENT ON FUNCTION "private"."tasks_to_start"(uuid[]) IS 'The tasks that a start takes (specification: Starting a sprint run 2).';

COMMENT ON FUNCTION "private"."unmerged_work"(uuid) IS 'The job of a done task whose work is not known to be on the main branch, or null.';

COMMENT ON VIEW "private"."works" IS 'The work of all jobs, deleted ones included (docs/worker.md).';

REVOKE ALL ON FUNCTION "operations"."make_story_tasks"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."make_story_tasks"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."resume_sprint"(uuid, boolean, boolean, boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."resume_sprint"(uuid, boolean, boolean, boolean, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."branch_head"(private.works) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."branch_head"(private.works) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_reviewed_run"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_reviewed_run"(public.sprint_runs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."ended_before_review"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ended_before_review"(public.agent_jobs) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."is_run_unfinished"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_run_unfinished"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_states"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_states"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."jobs_of_story"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."jobs_of_story"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_work"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lock_work"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reject_after_run"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reject_after_run"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_waits"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_waits"(public.sprint_runs) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."tasks_to_start"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tasks_to_start"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."unmerged_work"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unmerged_work"(uuid) TO "authenticated", "postgres";

GRANT SELECT ON TABLE "private"."works" TO "authenticated";

GRANT ALL ON TABLE "private"."works" TO "postgres";
