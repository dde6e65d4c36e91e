-- Why: whether a job may be claimed is written once, and claims, reasons, runs and metrics read it.
set local check_function_bodies = off;

DROP VIEW "private"."claimable_jobs";

DROP FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[], boolean, jsonb);

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
      private.nothing_to_claim(v_user_id, p_product_id, v_worker.id, v_full_budgets, v_confinement <> 'none', v_also_repos));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.gate_reasons(p_job public.agent_jobs, p_gate text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
begin
  case p_gate
  when 'review' then
    return private.review_reasons(p_job);
  when 'paused' then
    select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
    return jsonb_build_array(jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can continue.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id));
  when 'question' then
    select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
    return jsonb_build_array(jsonb_build_object('code', 'question',
      'message', case
        when v_question.expires_at <= private.now() then 'The question it is waiting for was not answered in time'
        when v_question.kind = 'permission' then format('It is waiting for a permission that only %s can give', private.username(v_question.reader_id))
        else 'It is waiting for the answer to a question' end
        || case when private.may_read_talk(p_job) and (v_question.reader_id is null or v_question.reader_id = auth.uid())
          then ': ' || left(v_question.question, 300) else '.' end,
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at));
  when 'not_before' then
    return jsonb_build_array(jsonb_build_object('code', 'not_before',
      'message', format(case p_job.failure_class when 'rate_limited' then 'It is rate-limited until %s.'
        else 'Its last attempt failed; it can be tried again at %s.' end, private.time_text(p_job.not_before)),
      'not_before', p_job.not_before));
  when 'dependency' then
    return private.job_dependency_reasons(p_job);
  when 'order' then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.in_turn desc, j.position limit 1;
    return jsonb_build_array(jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id));
  when 'archived' then
    return jsonb_build_array(jsonb_build_object('code', 'archived', 'message', 'The product is archived.'));
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_end_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_worker record;
begin
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        private.time_text(p_job.lease_until), p_job.attempt,
        case when p_job.lease_until <= private.now() then '; the lease has expired, so the job returns to the queue within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;
  return jsonb_build_array(jsonb_build_object(
    'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
      then 'budget' else 'finished' end,
    'message', format('The job is %s%s', lower(p_job.status::text),
      coalesce(': ' || case when private.may_read_talk(p_job) then p_job.failure_reason end, '.')),
    'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_metrics()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_answer json;
begin
  with queued as materialized (
    select g.id, g.product_id, g.claim_rank, g.created_at, g.position, g.gates[1] as reason from private.job_gates g
  ), first_of_product as (
    select distinct on (q.product_id) q.product_id, q.id from queued q where q.reason is null
    order by q.product_id, q.claim_rank, q.created_at, q.position, q.id
    limit 200
  ), reason_of_product as (
    select f.product_id, (
      select e.reason ->> 'code' from public.agent_jobs j
      cross join lateral jsonb_array_elements(private.job_reasons(j)) as e (reason)
      where j.id = f.id and coalesce((e.reason ->> 'blocking')::boolean, true)
      limit 1) as reason
    from first_of_product f
  ), known as (
    select coalesce(q.reason, p.reason, 'ready') as reason, q.created_at
    from queued q left join reason_of_product p on p.product_id = q.product_id
  )
  select json_build_object(
    'queued', (select coalesce(json_object_agg(x.reason, x.n), '{}')
      from (select k.reason, count(*) as n from known k group by 1) x),
    'oldest_ready_seconds', (select extract(epoch from v_now - min(k.created_at)) from known k where k.reason = 'ready'),
    'held', count(*),
    'longest_wait_seconds', extract(epoch from max(j.claimed_at - j.created_at)))
  into v_answer
  from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING');
  return v_answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_gates text[];
  v_reasons jsonb;
begin
  if p_job.status <> 'QUEUED' then
    return private.job_end_reasons(p_job);
  end if;
  select g.gates into v_gates from private.job_gates g where g.id = p_job.id;
  if 'review' = any (v_gates) then
    return private.gate_reasons(p_job, 'review');
  end if;
  select coalesce(jsonb_agg(r.reason order by g.place, r.place), '[]') into v_reasons
  from unnest(v_gates) with ordinality g (gate, place)
  cross join lateral jsonb_array_elements(private.gate_reasons(p_job, g.gate)) with ordinality r (reason, place);
  v_reasons := v_reasons || private.budget_reasons(p_job) || private.pbi_reasons(p_job) || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    return jsonb_build_array(jsonb_build_object('code', 'ready',
      'message', 'Ready. The next free worker takes it. A worker that was started with --product takes jobs of that product only.'));
  end if;
  return v_reasons;
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
    select w.product_id
    from private.worker_products(p_user_id, p_product_id) as w (product_id)
    cross join lateral (
      select j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = w.product_id
        and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
        and (p_kinds is null or p_kinds ? j.kind::text)
        and private.worker_gates(j.job, p_user_id, p_worker_id, p_confined, p_also_repos) = '{}'
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where w.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_user_id uuid, p_product_id uuid, p_worker_id uuid DEFAULT NULL::uuid, p_full_budgets uuid[] DEFAULT NULL::uuid[], p_confined boolean DEFAULT true, p_also_repos jsonb DEFAULT NULL::jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(select private.worker_products(p_user_id, p_product_id));
  v_waiting record;
  v_held integer;
  v_closed jsonb;
begin
  select count(*) filter (where not x.archived) as queued, count(*) filter (where x.archived) as archived,
    count(*) filter (where 'paused' = any (x.gates)) as paused,
    count(*) filter (where 'question' = any (x.gates)) as asked,
    count(*) filter (where 'not_before' = any (x.gates)) as delayed,
    count(*) filter (where 'not_before' = any (x.gates) and g.failure_class is distinct from 'rate_limited') as failed,
    count(*) filter (where 'order' = any (x.gates)) as in_order,
    count(*) filter (where 'review' = any (x.gates)) as in_review,
    count(*) filter (where 'needs_other_worker' = any (x.gates)) as to_verify,
    count(*) filter (where 'dependency' = any (x.gates) and 'order' <> all (x.gates)) as blocked,
    count(*) filter (where 'sandbox' = any (x.gates)) as unconfined,
    min(g.own_repo) filter (where 'repository' = any (x.gates)) as foreign_repo
  into v_waiting
  from private.job_gates g
  cross join lateral (select private.worker_gates(g, p_user_id, p_worker_id, p_confined, p_also_repos) as own) w
  cross join lateral (select 'archived' = any (g.gates) as archived,
    case when 'archived' = any (g.gates) then '{}' else g.gates || w.own end as gates) x
  where g.product_id = any (v_products) and 'conversation' <> all (w.own);
  select count(*) into v_held from public.agent_jobs j
  where j.product_id = any (v_products) and j.status in ('CLAIMED', 'RUNNING')
    and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('There are jobs in %s, where your workers are not allowed yet. Press "Allow my workers" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 and v_waiting.archived > 0 then
    return jsonb_build_object('code', 'archived', 'message', format('%s queued, all in archived products: %s', v_waiting.archived,
      'their work rests until an owner takes the product out of the archive.'));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_held > 0 then format('; %s held by workers', v_held) else '' end));
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
    'message', format('%s queued, none available now: %s waiting for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed - v_waiting.failed,
      case when v_waiting.failed > 0 then format(', %s for another try', v_waiting.failed) else '' end,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_held,
      concat(case when p_full_budgets <> '{}' then ' A budget allows no new work.' end,
        case when v_waiting.unconfined > 0 then format(' %s are in products that require a sandbox, and this worker has none: %s', v_waiting.unconfined, private.sandbox_advice()) end,
        case when v_waiting.foreign_repo is not null
          then format(' A task uses the repository %s, which this worker does not follow: %s', v_waiting.foreign_repo, private.repository_advice(v_waiting.foreign_repo)) end)))
    || case when v_held + v_waiting.delayed + v_waiting.to_verify + v_waiting.blocked = 0
        and v_waiting.paused + v_waiting.asked + v_waiting.in_review > 0
      then jsonb_build_object('waits_for_person', true) else '{}' end
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_user_id, p_product_id)))
      else '{}' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pbi_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('code', 'blocked', 'blocking', false,
      'message', format('PBI %s was blocked after the run started; the job can still be claimed.', b.code), 'pbi_id', b.id)), '[]')
    from public.tasks t join public.stories s on s.id = t.story_id join public.pbis b on b.id = s.pbi_id
    where t.id = p_job.task_id and b.status = 'BLOCKED');
end;
$function$;

CREATE OR REPLACE FUNCTION private.requeue_expired_leases(p_product_id uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_count integer := 0;
begin
  for v_job in
    select j.* from public.agent_jobs j
    where j.product_id = p_product_id and j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
    order by j.lease_until, j.id
    for update skip locked
  loop
    if private.requeue_lost_job(v_job, format('The lease of attempt %s expired at %s without a report from worker %s.',
        v_job.attempt, private.time_text(v_job.lease_until),
        coalesce((select w.name from public.agent_workers w where w.id = v_job.worker_id), 'unknown'))) is not null then
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if (select p.done_requires = 'ci' from public.products p where p.id = p_job.product_id) then
    return jsonb_build_array(jsonb_build_object('code', 'ci', 'message', coalesce((
        select format('The work is done and waiting for CI of pull request #%s.', p.number) from public.pulls p
        where p.product_id = p_job.product_id and p.branch = p_job.branch and p.state = 'open' order by p.number desc limit 1),
        'The work is done and waiting for CI, but no pull request of its branch is known. Start a worker with --pr, or approve the work yourself.'),
      'task_id', p_job.task_id));
  end if;
  return jsonb_build_array(jsonb_build_object('code', 'review',
    'message', 'The work is done and waiting for a person to review it.', 'task_id', p_job.task_id));
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
    count(*) filter (where j.status <> 'QUEUED' or not g.gates && '{review,question,dependency,order}') as moving
  into v
  from public.agent_jobs j
  join public.products p on p.id = j.product_id
  left join private.job_gates g on g.id = j.id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  return case when v.moving = 0 and v.reviews + v.answers > 0 then jsonb_build_object('reviews', v.reviews, 'answers', v.answers) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_job(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[], p_confinement public.confinement, p_also_repos jsonb)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
begin
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_worker_id, confinement = p_confinement, claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, stopped_by_budget_id = null, failure_class = null,
      parked_question_id = null,
      -- A verifier looks at the criteria; how the work meets the plan was found before.
      verify_result = case when x.phase = 'verify' then x.verify_result end,
      plan_snapshot = coalesce(
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t where t.id = x.task_id))
  where x.id = (
    select j.id
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
      and private.worker_gates(j.job, p_user_id, p_worker_id, p_confinement <> 'none', p_also_repos) = '{}'
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
  returning x.* into v_job;
  -- What an earlier attempt found of a task that it did not finish says nothing about this one.
  if v_job.kind = 'SPRINT_IMPLEMENTATION' then
    update public.task_executions e
    set verify_result = null
    where e.sprint_run_id = v_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and e.verify_result is not null;
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.time_text(p_time timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_products(p_user_id uuid, p_product_id uuid)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select m.product_id from public.product_members m
    where m.user_id = p_user_id and m.role <> 'VIEWER' and private.is_open_to_token(m.product_id)
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_gates private.job_gates;
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
  v_confined integer;
  v_following integer;
  v_able integer;
  v_repo_url text;
  v_written_by text;
begin
  select g.* into v_gates from private.job_gates g where g.id = p_job.id;
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed),
    count(*) filter (where m.workers_allowed and 'sandbox' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and 'repository' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and x.gates = '{}')
  into v_online, v_with_quota, v_without_consent, v_confined, v_following, v_able
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id and m.role <> 'VIEWER'
  cross join lateral (select private.worker_gates(v_gates, w.user_id, w.id, w.confinement <> 'none', w.also_repos) as gates) x
  where private.is_online(w.last_seen_at, w.stopped_at) and not x.gates && '{conversation,needs_other_worker}';

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and must be reviewed by a worker other than %s. Start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online but not allowed here yet. Each of them can press "Allow my workers" on the members page, or name the product to the worker.',
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
  v_repo_url := regexp_replace(v_gates.own_repo, '://[^/?#]*@', '://');
  v_written_by := (select u.username from public.tasks t join public.users u on u.id = t.repo_url_by where t.id = p_job.task_id);
  return case when v_following > 0 or v_confined = 0 then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product requires a sandbox, and no online worker that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task has its own repository, %s%s, and no online worker follows it: %s', v_repo_url,
        ' (written by ' || v_written_by || ')', private.repository_advice(v_repo_url)),
      'repo_url', v_repo_url, 'written_by', v_written_by))
      else '[]' end;
end;
$function$;

CREATE VIEW "private"."job_gates" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    task_id,
    created_by,
    author_worker_id,
    phase,
    claim_rank,
    created_at,
    "position",
    in_turn,
    open_blockers,
    failure_class,
    ( SELECT p.requires_sandbox
           FROM public.products p
          WHERE (p.id = j.product_id)) AS needs_sandbox,
    ( SELECT t.repo_url
           FROM (public.tasks t
             JOIN public.products p ON ((p.id = j.product_id)))
          WHERE ((t.id = j.task_id) AND (t.repo_url <> p.repo_url))) AS own_repo,
    array_remove(ARRAY[
        CASE
            WHEN (phase = 'review'::public.job_phase) THEN 'review'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT (r.status <> ALL (ARRAY['QUEUED'::public.sprint_run_status, 'RUNNING'::public.sprint_run_status]))
               FROM public.sprint_runs r
              WHERE (r.id = j.sprint_run_id)) THEN 'paused'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT ((q.status = 'OPEN'::public.agent_question_status) AND ((q.on_expiry <> 'RECOMMENDED'::public.question_expiry) OR (q.expires_at > private.now())))
               FROM public.agent_questions q
              WHERE (q.id = j.parked_question_id)) THEN 'question'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (not_before > private.now()) THEN 'not_before'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (open_blockers > 0) THEN 'dependency'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (NOT in_turn) THEN 'order'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT (p.archived_at IS NOT NULL)
               FROM public.products p
              WHERE (p.id = j.product_id)) THEN 'archived'::text
            ELSE NULL::text
        END], NULL::text) AS gates
   FROM public.agent_jobs j
  WHERE (status = 'QUEUED'::public.agent_job_status);

CREATE OR REPLACE FUNCTION private.worker_gates(p_job private.job_gates, p_user_id uuid, p_worker_id uuid, p_is_confined boolean, p_also_repos jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array_remove(array[
    case when p_job.kind = 'PLAN_CHAT' and p_job.created_by is distinct from p_user_id then 'conversation' end,
    case when p_job.phase = 'verify' and p_job.author_worker_id = p_worker_id then 'needs_other_worker' end,
    case when p_job.needs_sandbox and not p_is_confined then 'sandbox' end,
    case when p_job.own_repo is not null and not private.is_followed(p_job.own_repo, p_also_repos) then 'repository' end
  ], null);
end;
$function$;

CREATE VIEW "private"."claimable_jobs" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    task_id,
    created_by,
    author_worker_id,
    phase,
    claim_rank,
    created_at,
    "position",
    in_turn,
    open_blockers,
    failure_class,
    needs_sandbox,
    own_repo,
    gates,
    g.*::private.job_gates AS job
   FROM private.job_gates g
  WHERE (in_turn AND (open_blockers = 0) AND (gates = '{}'::text[]));

REVOKE ALL ON FUNCTION "private"."gate_reasons"(public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."gate_reasons"(public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_end_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_end_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid, uuid[], boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid, uuid[], boolean, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pbi_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pbi_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."time_text"(timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."time_text"(timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."worker_gates"(private.job_gates, uuid, uuid, boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_gates"(private.job_gates, uuid, uuid, boolean, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."worker_products"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_products"(uuid, uuid) TO "postgres";

GRANT ALL ON TABLE "private"."claimable_jobs" TO "postgres";

GRANT ALL ON TABLE "private"."job_gates" TO "postgres";
