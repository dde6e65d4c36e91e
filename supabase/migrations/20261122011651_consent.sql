-- Why: workers take jobs only where their user owns the product, allowed it, or names it; owners go on as before, members are
-- asked once. What is said about a private idea is its user's alone.
set local check_function_bodies = off;

DROP POLICY "agent_jobs_select" ON "public"."agent_jobs";

ALTER TABLE "public"."product_members" ADD COLUMN "workers_allowed" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."product_members" ADD COLUMN "workers_decided_at" timestamp with time zone;

CREATE OR REPLACE FUNCTION private.allow_my_workers(p_product_id uuid, p_allowed boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);

  update public.product_members m
  set workers_allowed = p_allowed, workers_decided_at = private.now()
  where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'MEMBER';
  if not found then
    perform private.refuse(409, 'This product is yours: your workers always may work here. Stop a worker to keep it from its jobs.');
  end if;
  return json_build_object('product_id', p_product_id, 'workers_allowed', p_allowed);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job(p_job_id);
  return (
    select private.job_json(j) || jsonb_build_object('questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = j.id and private.may_read_talk(j)))
    from public.agent_jobs j where j.id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_json(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task record;
begin
  select t.code, t.title, t.status, t.story_id, s.code as story_code, s.title as story_title
  into v_task
  from public.tasks t
  join public.stories s on s.id = t.story_id
  where t.id = p_job.task_id;

  if not private.may_read_talk(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
  end if;
  return to_jsonb(p_job) - 'lane_id' - 'claim_rank' - 'earlier_usage' || jsonb_build_object(
    'status', lower(p_job.status::text),
    'task_code', v_task.code,
    'task_title', v_task.title,
    'task_status', case v_task.status when 'TO_DO' then 'todo' else lower(v_task.status::text) end,
    'story_id', v_task.story_id,
    'story_code', v_task.story_code,
    'story_title', v_task.story_title,
    'idea_code', (select i.code from public.ideas i where i.id = p_job.idea_id and private.may_read_talk(p_job)),
    'product_code', (select p.code from public.products p where p.id = p_job.product_id),
    'worker_name', (select w.name from public.agent_workers w where w.id = p_job.worker_id),
    'cost', private.job_cost(p_job)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_reasons jsonb := '[]';
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
  v_worker record;
  v_pbi record;
begin
  if not private.may_read_talk(p_job) then
    p_job.failure_reason := null;
  end if;
  if p_job.status in ('DONE', 'SKIPPED', 'CANCELLED', 'FAILED') then
    return jsonb_build_array(jsonb_build_object(
      'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
        then 'budget' else 'finished' end,
      'message', format('The job is %s%s', lower(p_job.status::text), coalesce(': ' || p_job.failure_reason, '.')),
      'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        to_char(p_job.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), p_job.attempt,
        case when p_job.lease_until <= v_now then '; the lease has run out and the job is taken back within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.status = 'PAUSED' then
    v_reasons := v_reasons || jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can go on.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id);
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
  if v_question.status = 'OPEN' and not (v_question.on_expiry = 'RECOMMENDED' and v_question.expires_at <= v_now) then
    v_reasons := v_reasons || jsonb_build_object('code', 'question',
      'message', format(case when v_question.expires_at <= v_now then 'The question that it waits for was not answered in time: %s'
        else 'It waits for the answer to a question: %s' end, case when private.may_read_talk(p_job) then left(v_question.question, 300) else 'of its own.' end),
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at);
  end if;
  if p_job.not_before > v_now then
    v_reasons := v_reasons || jsonb_build_object('code', 'not_before',
      'message', format('A rate limit holds it back until %s.', to_char(p_job.not_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      'not_before', p_job.not_before);
  end if;
  if not p_job.in_turn then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.position limit 1;
    v_reasons := v_reasons || jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id);
  end if;
  select b.id, b.code into v_pbi
  from public.tasks t join public.stories s on s.id = t.story_id join public.pbis b on b.id = s.pbi_id
  where t.id = p_job.task_id and b.status = 'BLOCKED';
  if found then
    v_reasons := v_reasons || jsonb_build_object('code', 'blocked', 'blocking', false,
      'message', format('PBI %s was blocked after the run began; the job is still given out.', v_pbi.code), 'pbi_id', v_pbi.id);
  end if;
  if exists (select from public.products p where p.id = p_job.product_id and p.archived_at is not null) then
    v_reasons := v_reasons || jsonb_build_object('code', 'archived', 'message', 'The product is archived.');
  end if;
  v_reasons := v_reasons || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    v_reasons := jsonb_build_array(jsonb_build_object('code', 'ready', 'message', 'Ready: the next free worker takes it.'));
  end if;
  return v_reasons;
end;
$function$;

CREATE OR REPLACE FUNCTION private.may_read_talk(p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_job.kind <> 'PLAN_CHAT' or coalesce(p_job.created_by = auth.uid(), false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_product(p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[])
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
    join public.products p on p.id = m.product_id and p.archived_at is null
    cross join lateral (
      select j.product_id, j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = m.product_id
        and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
        and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
        and (p_kinds is null or p_kinds ? j.kind::text)
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where m.user_id = p_user_id
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
      and m.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_user_id uuid, p_product_id uuid)
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
    count(*) filter (where j.status in ('CLAIMED', 'RUNNING')) as held
  into v_waiting
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    and (m.workers_allowed or p_product_id is not null)
  left join public.sprint_runs r on r.id = j.sprint_run_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('Jobs wait in %s, where your workers may not work yet. Switch on "My workers may work here" on the members page of the product, or name it as product_id.',
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
      else 'order' end,
    'message', format('%s queued, none claimable now: %s wait for their turn, %s for an answer, %s for a paused run, %s for a rate limit; %s held by workers.',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed, v_waiting.held));
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
      where m.user_id = p_user_id and not m.workers_allowed
        and exists (
          select from private.claimable_jobs j
          where j.product_id = p.id and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id))
      order by p.name, p.id
      limit 10
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_products__add_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.product_members (product_id, user_id, role, workers_allowed)
  values (new.id, new.owner_id, 'OWNER', true)
  on conflict (product_id, user_id) do update set role = 'OWNER', workers_allowed = true;
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
begin
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed)
  into v_online, v_with_quota, v_without_consent
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id
  where w.stopped_at is null and w.last_seen_at > private.now() - interval '2 minutes'
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

CREATE OR REPLACE FUNCTION public.allow_my_workers(p_product_id uuid, p_allowed boolean)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.allow_my_workers(p_product_id, p_allowed);
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
                  select coalesce(json_agg(t.status order by st.sort_order, t.sort_order), '[]')
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
    'cost_today', (
      select sum(private.job_cost(j)) from public.agent_jobs j
      where j.product_id = any (v_products) and j.updated_at >= v_today and j.model_id is not null),
    'done_today', (
      select count(distinct c.task_id) from public.task_status_changes c
      where c.product_id = any (v_products) and c.changed_at >= v_today and c.to_status = 'DONE'),
    'workers_online', (
      select count(*) from public.agent_workers w
      where w.stopped_at is null and w.last_seen_at > private.now() - interval '3 minutes')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_product_members(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        m.user_id, private.username(m.user_id) as username, m.role, m.workers_allowed,
        to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
      from public.product_members m
      where m.product_id = p_product_id
      order by m.role, lower(private.username(m.user_id))
    ) x
  );
end;
$function$;

update public.product_members m set workers_allowed = true where m.role = 'OWNER';

ALTER TABLE "public"."product_members" ADD CONSTRAINT "product_members_owner_workers" CHECK (((role <> 'OWNER'::public.member_role) OR workers_allowed));

CREATE POLICY "agent_jobs_select" ON "public"."agent_jobs" FOR SELECT TO "authenticated" USING (((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)) AND ((kind <> 'PLAN_CHAT'::public.agent_job_kind) OR (created_by = ( SELECT auth.uid() AS uid)))));

COMMENT ON COLUMN "public"."product_members"."workers_allowed" IS 'Whether this person''s workers may take the jobs of the product.';

COMMENT ON COLUMN "public"."product_members"."workers_decided_at" IS 'When the person last said so; null while nobody has been asked.';

COMMENT ON FUNCTION "private"."may_read_talk"(public.agent_jobs) IS 'Whether the caller may read what a job says (specification: Idea; User question).';

COMMENT ON FUNCTION "private"."products_without_consent"(uuid) IS 'Products whose jobs wait for a word of this member (specification: Agent job; claiming).';

COMMENT ON FUNCTION "public"."allow_my_workers"(uuid, boolean) IS 'Whether the caller''s workers take jobs of this product unasked (specification: Agent job; Authentication 4).';

REVOKE ALL ON FUNCTION "private"."allow_my_workers"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."allow_my_workers"(uuid, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."may_read_talk"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."may_read_talk"(public.agent_jobs) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."products_without_consent"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."products_without_consent"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."allow_my_workers"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."allow_my_workers"(uuid, boolean) TO "authenticated", "postgres", "service_role";
