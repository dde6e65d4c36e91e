-- Why: a product may ask for confined workers and name hosts that its jobs may reach; attempts say what confined them; jobs in a repository that
-- a task names go only to workers whose person named it too.
set local check_function_bodies = off;

DROP VIEW "private"."claimable_jobs";

DROP VIEW "private"."product_detail_shape";

DROP FUNCTION "private"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer);

DROP FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[]);

DROP FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[]);

DROP FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[]);

DROP FUNCTION "private"."touch_worker"(uuid, text, text, integer);

DROP FUNCTION "private"."worker_heartbeat"(text, text, text, integer, boolean, jsonb);

DROP FUNCTION "public"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer);

DROP FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text, text);

DROP FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean, jsonb);

ALTER TABLE "public"."agent_workers" ADD COLUMN "also_repos" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."products" ADD COLUMN "requires_sandbox" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."products" ADD COLUMN "may_reach" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."tasks" ADD COLUMN "repo_url_by" uuid;

CREATE TYPE "public"."confinement" AS ENUM ('bwrap', 'docker', 'command', 'none');

ALTER TABLE "public"."agent_jobs" ADD COLUMN "confinement" public.confinement NOT NULL DEFAULT 'none'::public.confinement;

ALTER TABLE "public"."agent_workers" ADD COLUMN "confinement" public.confinement NOT NULL DEFAULT 'none'::public.confinement;

ALTER TABLE "public"."job_attempts" ADD COLUMN "confinement" public.confinement NOT NULL DEFAULT 'none'::public.confinement;

CREATE OR REPLACE FUNCTION private.act_on_reach_answer(p_question public.agent_questions, p_option integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_question.reach is null
    or (p_question.options -> p_option ->> 'label') is distinct from 'Allow for this product'
  then
    return;
  end if;
  update public.products p
  set may_reach = p.may_reach || to_jsonb(p_question.reach)
  where p.id = p_question.product_id and p.owner_id = auth.uid()
    and not p.may_reach ? p_question.reach and jsonb_array_length(p.may_reach) < 100;
end;
$function$;

CREATE OR REPLACE FUNCTION private.answer_question(p_question_id uuid, p_answer text, p_option integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions := private.lock_question(p_question_id);
  v_status public.agent_question_status := private.question_status(v_question);
  v_answer text;
begin
  perform private.take_rate_limit('answer', auth.uid()::text);
  if p_option not between 0 and jsonb_array_length(v_question.options) - 1 then
    perform private.refuse(422, 'option is the index of one of the options, from 0.');
  end if;
  v_answer := concat_ws(': ', v_question.options -> p_option ->> 'label', nullif(btrim(p_answer), ''));
  if v_answer = '' or char_length(v_answer) > 4000 then
    perform private.refuse(422, 'Answer with an option, a text of at most 4000 characters, or both.');
  end if;
  if v_status <> 'OPEN' then
    perform private.refuse(409, case v_status
      when 'ANSWERED' then format('This question was already answered by %s.', coalesce(private.username(v_question.answered_by), 'somebody'))
      when 'CANCELLED' then 'This question was cancelled; the agent does not wait for it any more.'
      else 'This question has expired.' end);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answer = v_answer, answered_by = auth.uid(), answered_at = private.now()
  where q.id = p_question_id
  returning q.* into v_question;
  perform private.unpark_job(v_question);
  perform private.act_on_budget_answer(v_question, p_option);
  perform private.act_on_reach_answer(v_question, p_option);
  return private.question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION private.are_hosts(p_hosts jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_typeof(p_hosts) = 'array' and jsonb_array_length(p_hosts) <= 100 and not exists (
    select from jsonb_array_elements(p_hosts) h where jsonb_typeof(h) <> 'string' or not private.is_host(h #>> '{}'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempts_json(p_job_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'worker_id', a.worker_id, 'worker_name', a.worker_name,
      'confinement', a.confinement,
      'started_at', a.started_at, 'ended_at', a.ended_at, 'outcome', a.outcome, 'head_sha', a.head_sha,
      'session_id', a.session_id, 'kept_ref', a.kept_ref, 'last_seq', a.last_seq, 'output_bytes', a.output_bytes, 'usage', private.attempt_usage_json(a.job_id, a.attempt))
      order by a.attempt), '[]')
    from public.job_attempts a
    where a.job_id = p_job_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.changed_job_fields(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_rest public.agent_jobs := p_new;
begin
  v_rest.attempt := p_old.attempt;
  v_rest.claimed_at := p_old.claimed_at;
  v_rest.confinement := p_old.confinement;
  v_rest.finished_at := p_old.finished_at;
  v_rest.head_sha := p_old.head_sha;
  v_rest.lease_until := p_old.lease_until;
  v_rest.plan_snapshot := p_old.plan_snapshot;
  v_rest.started_at := p_old.started_at;
  v_rest.status := p_old.status;
  v_rest.summary := p_old.summary;
  v_rest.updated_at := p_old.updated_at;
  v_rest.verify_result := p_old.verify_result;
  v_rest.worker_id := p_old.worker_id;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return to_jsonb(array_remove(array[
    case when p_new.attempt is distinct from p_old.attempt then 'attempt' end,
    case when p_new.claimed_at is distinct from p_old.claimed_at then 'claimed_at' end,
    case when p_new.confinement is distinct from p_old.confinement then 'confinement' end,
    case when p_new.finished_at is distinct from p_old.finished_at then 'finished_at' end,
    case when p_new.head_sha is distinct from p_old.head_sha then 'head_sha' end,
    case when p_new.lease_until is distinct from p_old.lease_until then 'lease_until' end,
    case when p_new.plan_snapshot is distinct from p_old.plan_snapshot then 'plan_snapshot' end,
    case when p_new.started_at is distinct from p_old.started_at then 'started_at' end,
    case when p_new.status is distinct from p_old.status then 'status' end,
    case when p_new.summary is distinct from p_old.summary then 'summary' end,
    case when p_new.verify_result is distinct from p_old.verify_result then 'verify_result' end,
    case when p_new.worker_id is distinct from p_old.worker_id then 'worker_id' end
  ], null));
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_queue_empty(p_product_id uuid)
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
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);
  v_claimable := private.next_product(null, v_user_id, p_product_id, null, null, '{}', true, null) is not null;
  return json_build_object('empty', v_queued = 0 and v_held = 0, 'claimable', v_claimable, 'queued', v_queued, 'held', v_held,
    'reason', case when not v_claimable then private.nothing_to_claim(v_user_id, p_product_id) end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_agent_job(p_worker text, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_hostname text, p_version text, p_quota_pct integer, p_confinement public.confinement, p_also_repos jsonb)
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
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, p_confinement, p_also_repos);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_worker.id, v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried,
      p_confinement <> 'none', p_also_repos);
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
      p_confinement, p_also_repos);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, p_confinement, p_also_repos);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', 
      private.nothing_to_claim(v_user_id, p_product_id, v_full_budgets, p_confinement <> 'none', p_also_repos));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.ensure_worker(p_user_id uuid, p_name text)
 RETURNS public.agent_workers
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_worker public.agent_workers;
begin
  if coalesce(char_length(p_name), 0) not between 1 and 100 then
    perform private.refuse(422, 'worker takes a name of 1 to 100 characters. Keep the same name across restarts.');
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  if found then
    return v_worker;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('new worker:' || p_user_id::text, 0));
  if (select count(*) from public.agent_workers w where w.user_id = p_user_id) >= 50
    and not exists (select from public.agent_workers w where w.user_id = p_user_id and w.name = p_name) then
    update public.agent_workers w
    set name = p_name, hostname = null, version = null, last_seen_at = private.now(), last_quota_pct = null,
        last_quota_check_at = null, stopped_at = null, agents = null, confinement = 'none', also_repos = '[]', created_at = private.now()
    where w.id = (
      select u.id from public.agent_workers u
      where u.user_id = p_user_id
        and not exists (select from public.agent_jobs j where j.worker_id = u.id and j.status in ('CLAIMED', 'RUNNING'))
      order by exists (select from public.agent_jobs j where j.worker_id = u.id), u.last_seen_at, u.id
      limit 1
      for update skip locked
    );
    if not found then
      perform private.refuse(409, 'All 50 of your workers hold jobs. Use one of their names, or let one finish first.');
    end if;
  else
    insert into public.agent_workers (user_id, name) values (p_user_id, p_name)
    on conflict (user_id, name) do nothing;
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  return v_worker;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_followed(p_address text, p_named jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_named is null or p_named ? p_address or exists (
    select from jsonb_array_elements_text(p_named) n
    where n like '%/' and starts_with(p_address, n) and p_address !~* '(^|[/:\\])\.{1,2}([/\\]|$)|%2e|%2f|%5c');
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_is_task boolean := p_job.kind = 'TASK_IMPLEMENTATION';
  v record;
begin
  select
    json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
      'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pr_strategy', p.pr_strategy) as product,
    case when r.id is not null then json_build_object('id', r.id, 'status', lower(r.status::text), 'branch', r.branch,
      'pr_strategy', r.pr_strategy, 'previous_run_id', r.previous_run_id,
      'sprint_id', n.id, 'sprint_code', n.code, 'sprint_goal', n.sprint_goal) end as run,
    case when v_is_task then json_build_object('id', t.id, 'code', t.code,
      'title', t.title, 'description', t.description, 'status', private.task_status_word(t.status),
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes) end as task,
    case when v_is_task then json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
      'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title) end as story,
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, p.may_reach, p.done_requires, p.dependency_release, r.sprint_id,
    not v_is_task or concat(s.acceptance_criteria, p.definition_of_done) ~ '\S' as has_criteria,
    p_job.phase <> 'verify' and (p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.agent_jobs j where j.task_id = p_job.task_id and j.id <> p_job.id)) as has_past,
    p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id) as has_blockers,
    exists (select from public.job_reviews w where w.product_id = p_job.product_id) as has_reviews,
    exists (select from public.job_conflicts c where c.job_id = p_job.id) as has_conflicts
  into v
  from public.products p
  left join public.sprint_runs r on r.id = p_job.sprint_run_id
  left join public.sprints n on n.id = r.sprint_id
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.pbis b on b.id = s.pbi_id
  where p.id = p_job.product_id;

  return json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'previous_failure', case when v.has_past then private.previous_failure(p_job) end,
    'earlier_jobs', case when v.has_past then private.earlier_jobs(p_job, v.sprint_id) else '[]' end,
    'earlier_attempts', case when v.has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v.has_past then private.findings(p_job) else '[]' end,
    'questions', case when v.has_past then private.job_questions(p_job.id) else '[]' end,
    'review', case when v.has_reviews then private.review_payload(p_job) else '[]' end,
    'conflicts', case when v.has_conflicts then private.conflict_payload(p_job) else '[]' end,
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'user_id', auth.uid(),
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', v.product,
    'repo_url', v.repo_url,
    'may_reach', v.may_reach,
    'done_requires', v.done_requires,
    'criteria', case when v.has_criteria then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'base_refs', case when v.has_blockers then private.base_refs(p_job) else '[]' end,
    'awaited_heads', case when v.dependency_release = 'merged' then private.awaited_heads(auth.uid(), p_job.product_id) end,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', v.run,
    'task', v.task,
    'story', v.story,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then private.idea_payload(p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end
  );
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
    where m.user_id = p_user_id
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
    and (m.workers_allowed or p_product_id is not null)
  join public.products p on p.id = j.product_id
  left join public.tasks t on t.id = j.task_id
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
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.unconfined > 0 then 'sandbox'
      when v_waiting.foreign_repo is not null then 'repository'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none claimable now: %s wait for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_waiting.held,
      concat(case when p_full_budgets <> '{}' then ' A budget lets nobody begin.' end,
        case when v_waiting.unconfined > 0 then format(' %s are in products that ask for a sandbox, and this worker has none: %s', v_waiting.unconfined, private.sandbox_advice()) end,
        case when v_waiting.foreign_repo is not null
          then format(' The repository %s is named by a task, and this worker does not follow it: %s', v_waiting.foreign_repo, private.repository_advice(v_waiting.foreign_repo)) end)))
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_user_id, p_product_id)))
      else '{}' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.repository_advice(p_address text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return format('whoever can write there can run programs on the worker''s machine. If you trust them, start the worker with --also-repo %s',
    case when p_address ~ '^[A-Za-z0-9_@%+=:,./~-]+$' then p_address else '''' || replace(p_address, '''', '''\''''') || '''' end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.sandbox_advice()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select 'Start a worker on Linux with bubblewrap (apt-get install bubblewrap), or with --sandbox docker:<image>.';
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
      and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
      and (j.phase <> 'verify' or j.author_worker_id is distinct from p_worker_id)
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
      and (p_confinement <> 'none' or not (select p.requires_sandbox from public.products p where p.id = p_product_id))
      and not exists (
        select from public.tasks t
        where t.id = j.task_id and t.repo_url <> (select p.repo_url from public.products p where p.id = p_product_id)
          and not private.is_followed(t.repo_url, p_also_repos))
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

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__note_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_outcome text := lower(new.status::text);
begin
  if new.attempt <> old.attempt then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, confinement, started_at)
    values (new.id, new.attempt, new.product_id, new.worker_id,
      coalesce((select w.name from public.agent_workers w where w.id = new.worker_id), ''), new.confinement,
      coalesce(new.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    return null;
  end if;

  -- Apart from the update, so that the end of a job, which is what mostly comes here, does not prepare to look for conflicts.
  if new.status = 'QUEUED' then
    v_outcome := case
      when new.phase <> old.phase then 'done'
      when new.failure_class = 'rate_limited' then 'rate_limited'
      when new.failure_class is not null then 'lost'
      when new.stopped_by_budget_id is not null then 'budget'
      when new.parked_question_id is not null then 'question'
      when exists (select from public.job_conflicts c where c.job_id = new.id and c.attempt = new.attempt and c.decision <> 'noted') then 'conflict'
      else 'returned'
    end;
  end if;
  update public.job_attempts a
  set ended_at = private.now(), head_sha = new.head_sha, outcome = v_outcome
  where a.job_id = new.id and a.attempt = new.attempt and a.ended_at is null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__repo_url_by()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.repo_url_by := case when new.repo_url is not null then auth.uid() end;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.touch_worker(p_worker_id uuid, p_hostname text, p_version text, p_quota_pct integer, p_confinement public.confinement DEFAULT NULL::public.confinement, p_also_repos jsonb DEFAULT NULL::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  -- An address may carry a password that is nobody's to read here.
  v_also_repos jsonb := regexp_replace(p_also_repos::text, '://[^/@"]*@', '://', 'g');
begin
  update public.agent_workers w
  set last_seen_at = v_now,
      hostname = coalesce(left(p_hostname, 255), w.hostname),
      version = coalesce(left(p_version, 50), w.version),
      last_quota_pct = coalesce(p_quota_pct, w.last_quota_pct),
      last_quota_check_at = case when p_quota_pct is null then w.last_quota_check_at else v_now end,
      confinement = coalesce(p_confinement, w.confinement),
      also_repos = coalesce(v_also_repos, w.also_repos),
      stopped_at = null
  where w.id = p_worker_id
    and (w.last_seen_at <= v_now - interval '10 seconds'
      or w.last_seen_at > v_now
      or w.stopped_at is not null
      or (p_hostname is not null and left(p_hostname, 255) is distinct from w.hostname)
      or (p_version is not null and left(p_version, 50) is distinct from w.version)
      or (p_quota_pct is not null and p_quota_pct is distinct from w.last_quota_pct)
      or p_confinement <> w.confinement
      or v_also_repos <> w.also_repos);
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_heartbeat(p_worker text, p_hostname text, p_version text, p_quota_pct integer, p_stopped boolean, p_agents jsonb, p_confinement text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  if p_stopped then
    update public.agent_workers w set stopped_at = private.now() where w.id = v_worker.id;
  else
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, p_confinement::public.confinement);
    update public.agent_workers w set agents = p_agents
    where w.id = v_worker.id and p_agents is not null and w.agents is distinct from p_agents;
  end if;
  select w.* into v_worker from public.agent_workers w where w.id = v_worker.id;
  v_quota_reason := private.quota_reason(v_user_id, v_worker.last_quota_pct);
  return json_build_object('worker', private.worker_json(v_worker), 'may_claim', v_quota_reason is null,
    'reason', case when v_quota_reason is not null then json_build_object('code', 'quota', 'message', v_quota_reason) end);
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
  return to_jsonb(p_worker) - 'also_repos' || jsonb_build_object(
    'current_job_id', private.current_job_id(p_worker.id),
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
  v_confined integer;
  v_following integer;
  v_able integer;
  v_place record;
begin
  select p.requires_sandbox, regexp_replace(t.repo_url, '://[^/@]*@', '://') as repo_url, u.username as written_by
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
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id
  cross join lateral (
    select not v_place.requires_sandbox or w.confinement <> 'none' as is_confined,
      v_place.repo_url is null or private.is_followed(v_place.repo_url, w.also_repos) as is_following) x
  where private.is_online(w)
    and (p_job.kind <> 'PLAN_CHAT' or w.user_id = p_job.created_by)
    and (p_job.phase <> 'verify' or w.id is distinct from p_job.author_worker_id);

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and has to be looked at by another worker than %s: start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online and may not work here yet: each of them switches on "My workers may work here" on the members page, or names the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one: the page Connect has the command.',
      'command', 'node backloom-worker.mjs --url <address> --token <token> --repo <folder> --agent <agent>'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want kept (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  if v_able > 0 then
    return '[]';
  end if;
  return case when v_following > 0 or v_confined = 0 then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product asks for a sandbox, and no worker online that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task names a repository of its own, %s%s, and no worker online follows it: %s', v_place.repo_url,
        ' (written by ' || v_place.written_by || ')', private.repository_advice(v_place.repo_url)),
      'repo_url', v_place.repo_url, 'written_by', v_place.written_by))
      else '[]' end;
end;
$function$;

CREATE OR REPLACE FUNCTION public.claim_agent_job(p_worker text, p_product_id uuid DEFAULT NULL::uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_kinds jsonb DEFAULT NULL::jsonb, p_hostname text DEFAULT NULL::text, p_version text DEFAULT NULL::text, p_quota_pct integer DEFAULT NULL::integer, p_confinement text DEFAULT NULL::text, p_also_repos jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.claim_agent_job(p_worker, p_product_id, p_sprint_run_id, p_kinds, p_hostname, p_version, p_quota_pct,
    coalesce(p_confinement, 'none')::public.confinement, coalesce(p_also_repos, '[]'));
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'));
  return public.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.export_product(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'format', 'backloom-export', 'version', 1, 'exported_at', private.export_time(private.now()),
      'product', json_build_object(
        'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
        'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pr_strategy', p.pr_strategy,
        'done_requires', p.done_requires, 'dependency_release', p.dependency_release,
        'requires_sandbox', p.requires_sandbox, 'may_reach', p.may_reach,
        'archived_at', private.export_time(p.archived_at), 'created_at', private.export_time(p.created_at)),
      'members', (
        select coalesce(json_agg(json_build_object('username', u.username, 'role', m.role) order by u.username), '[]')
        from public.product_members m
        join public.users u on u.id = m.user_id
        where m.product_id = p.id),
      'sprints', (
        select coalesce(json_agg(json_build_object(
          'code', s.code, 'sprint_goal', s.sprint_goal, 'status', s.status,
          'start_date', s.start_date, 'end_date', s.end_date,
          'started_at', private.export_time(s.started_at), 'completed_at', private.export_time(s.completed_at),
          'created_at', private.export_time(s.created_at)
        ) order by private.sort_order_from_code(s.code)), '[]')
        from public.sprints s
        where s.product_id = p.id),
      'pbis', (
        select coalesce(json_agg(json_build_object(
          'code', b.code, 'title', b.title, 'description', b.description, 'priority', b.priority,
          'sort_order', b.sort_order, 'status', b.status, 'pr_url', b.pr_url,
          'pr_merged_at', private.export_time(b.pr_merged_at), 'created_at', private.export_time(b.created_at),
          'stories', private.export_stories(b.id)
        ) order by b.priority, b.sort_order, b.created_at, b.code), '[]')
        from public.pbis b
        where b.product_id = p.id),
      'ideas', private.export_ideas(p.id),
      'views', (
        select coalesce(json_agg(json_build_object('page', v.page, 'name', v.name, 'look', v.look) order by v.page, lower(v.name)), '[]')
        from public.saved_views v
        where v.product_id = p.id and v.user_id is null),
      'counters', (
        select coalesce(json_object_agg(c.kind, c.last_number order by c.kind), '{}')
        from public.code_counters c
        where c.scope_id = p.id)
    )
    from public.products p
    where p.id = p_product_id
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
    'repo_url_by', (select private.username(t.repo_url_by) from public.tasks t where t.id = p_task_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
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
    'imported_reviews', private.imported_reviews(p_task_id),
    'dependencies', public.list_dependencies('task', p_task_id),
    'waits_for', (
      select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = p_task_id and not b.resolved),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.task_id = p_task_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'history', (
      select coalesce(json_agg(row_to_json(c) order by c.changed_at desc, c.id desc), '[]')
      from (
        select c.id, lower(c.to_status::text) as to_status, c.changed_at
        from public.task_status_changes c
        where c.task_id = p_task_id and c.from_status is distinct from c.to_status
        order by c.changed_at desc, c.id desc
        limit 20
      ) c)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.import_product(p_owner_id uuid, p_document jsonb)
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
    (owner_id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires, dependency_release,
      requires_sandbox, may_reach, created_at)
  values (
    p_owner_id, v_product ->> 'code', v_product ->> 'name', v_product ->> 'description', v_product ->> 'repo_url',
    v_product ->> 'definition_of_done', (v_product ->> 'auto_pr')::boolean,
    (v_product ->> 'pr_strategy')::public.pr_strategy, (v_product ->> 'done_requires')::public.done_requires,
    coalesce(v_product ->> 'dependency_release', 'done')::public.dependency_release,
    coalesce((v_product ->> 'requires_sandbox')::boolean, false), coalesce(v_product -> 'may_reach', '[]'),
    coalesce((v_product ->> 'created_at')::timestamptz, private.now()))
  returning id into v_product_id;

  perform private.lock_product(v_product_id);

  insert into public.product_members (product_id, user_id)
  select distinct v_product_id, u.id
  from jsonb_array_elements(p_document -> 'members') m
  join public.users u on lower(u.username) = lower(m ->> 'username')
  where u.id <> p_owner_id;

  insert into public.code_counters (scope_id, kind, last_number)
  select v_product_id, c.key, c.value::bigint
  from jsonb_each_text(p_document -> 'counters') c
  where c.key in ('pbi', 'story', 'task', 'sprint');

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

CREATE OR REPLACE FUNCTION public.update_product(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p
  set code = coalesce(p_changes ->> 'code', p.code),
      name = coalesce(p_changes ->> 'name', p.name),
      description = coalesce(p_changes ->> 'description', p.description),
      repo_url = coalesce(p_changes ->> 'repo_url', p.repo_url),
      definition_of_done = coalesce(p_changes ->> 'definition_of_done', p.definition_of_done),
      auto_pr = coalesce((p_changes ->> 'auto_pr')::boolean, p.auto_pr),
      pr_strategy = coalesce((p_changes ->> 'pr_strategy')::public.pr_strategy, p.pr_strategy),
      done_requires = coalesce((p_changes ->> 'done_requires')::public.done_requires, p.done_requires),
      requires_sandbox = coalesce((p_changes ->> 'requires_sandbox')::boolean, p.requires_sandbox),
      may_reach = coalesce(p_changes -> 'may_reach', p.may_reach)
  where p.id = p_product_id;
  perform private.set_dependency_release(p_product_id, (p_changes ->> 'dependency_release')::public.dependency_release);
  return public.get_product(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.worker_heartbeat(p_worker text, p_hostname text DEFAULT NULL::text, p_version text DEFAULT NULL::text, p_quota_pct integer DEFAULT NULL::integer, p_stopped boolean DEFAULT false, p_agents jsonb DEFAULT NULL::jsonb, p_confinement text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.worker_heartbeat(p_worker, p_hostname, p_version, p_quota_pct, p_stopped, p_agents, p_confinement);
end;
$function$;

ALTER TABLE "public"."agent_workers" ADD CONSTRAINT "agent_workers_also_repos_list" CHECK (((jsonb_typeof(also_repos) = 'array'::text) AND (jsonb_array_length(also_repos) <= 100) AND (octet_length((also_repos)::text) <= 65536)));

ALTER TABLE "public"."tasks" ADD CONSTRAINT "tasks_repo_url_by_fkey" FOREIGN KEY (repo_url_by) REFERENCES public.users(id) ON DELETE SET NULL;

CREATE VIEW "private"."claimable_jobs" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    created_by,
    claim_rank,
    created_at,
    "position",
    phase,
    author_worker_id,
    task_id
   FROM public.agent_jobs j
  WHERE ((status = 'QUEUED'::public.agent_job_status) AND in_turn AND (open_blockers = 0) AND (phase <> 'review'::public.job_phase) AND ((not_before IS NULL) OR (not_before <= private.now())) AND ((sprint_run_id IS NULL) OR ( SELECT (r.status = ANY (ARRAY['QUEUED'::public.sprint_run_status, 'RUNNING'::public.sprint_run_status]))
           FROM public.sprint_runs r
          WHERE (r.id = j.sprint_run_id))) AND ((parked_question_id IS NULL) OR ( SELECT ((q.status <> 'OPEN'::public.agent_question_status) OR ((q.on_expiry = 'RECOMMENDED'::public.question_expiry) AND (q.expires_at <= private.now())))
           FROM public.agent_questions q
          WHERE (q.id = j.parked_question_id))));

CREATE VIEW "private"."product_detail_shape" WITH (security_invoker=true) AS  SELECT id,
    code,
    name,
    description,
    repo_url,
    definition_of_done,
    auto_pr,
    pr_strategy,
    done_requires,
    dependency_release,
    owner_id,
    to_char((archived_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS archived_at,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at,
    requires_sandbox,
    may_reach
   FROM public.products p;

CREATE INDEX tasks_repo_url_by_idx ON public.tasks USING btree (repo_url_by) WHERE (repo_url_by IS NOT NULL);

CREATE TRIGGER _300_repo_url_by BEFORE INSERT ON public.tasks FOR EACH ROW WHEN ((new.repo_url IS NOT NULL)) EXECUTE FUNCTION private.tg_tasks__repo_url_by();

CREATE TRIGGER _301_repo_url_by BEFORE UPDATE OF repo_url ON public.tasks FOR EACH ROW WHEN ((new.repo_url IS DISTINCT FROM old.repo_url)) EXECUTE FUNCTION private.tg_tasks__repo_url_by();

COMMENT ON COLUMN "public"."agent_jobs"."confinement" IS 'What kept its last attempt apart from the machine of its worker.';

COMMENT ON COLUMN "public"."agent_workers"."also_repos" IS 'Repositories of tasks that its person named: addresses, or beginnings of addresses that end in "/"; without credentials.';

COMMENT ON COLUMN "public"."agent_workers"."confinement" IS 'What keeps its agents apart from its machine, as its last claim said.';

COMMENT ON COLUMN "public"."products"."may_reach" IS 'Hosts, with or without a port, that its jobs may reach from within a sandbox.';

COMMENT ON COLUMN "public"."products"."requires_sandbox" IS 'Its jobs go to confined workers only.';

COMMENT ON COLUMN "public"."tasks"."repo_url_by" IS 'Who wrote the repository of its own.';

COMMENT ON FUNCTION "private"."act_on_reach_answer"(public.agent_questions, integer) IS 'Adds the host of a permission to the product of its owner (specification: Product).';

COMMENT ON FUNCTION "private"."are_hosts"(jsonb) IS 'Whether a list names at most a hundred hosts and nothing else (specification: Product).';

COMMENT ON FUNCTION "private"."is_followed"(text, jsonb) IS 'Whether a worker follows a repository that a task names (specification: Agent job; claiming).';

COMMENT ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[], boolean, jsonb) IS 'The product of the oldest claimable job in reach (specification: Agent job; claiming).';

COMMENT ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[], boolean, jsonb) IS 'Why a claim found nothing (specification: Agent job; claiming).';

COMMENT ON FUNCTION "private"."repository_advice"(text) IS 'How a worker comes to follow the repository of a task.';

COMMENT ON FUNCTION "private"."sandbox_advice"() IS 'How a worker gets a sandbox.';

COMMENT ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[], public.confinement, jsonb) IS 'QUEUED to CLAIMED in one statement (specification: Agent job).';

COMMENT ON FUNCTION "private"."tg_tasks__repo_url_by"() IS 'Keeps who wrote the repository of a task (specification: Task).';

COMMENT ON FUNCTION "private"."touch_worker"(uuid, text, text, integer, public.confinement, jsonb) IS 'Presence and quota of a worker (specification: Agent worker).';

COMMENT ON FUNCTION "private"."worker_reasons"(public.agent_jobs) IS 'no_worker, consent, quota, sandbox and repository (specification: Agent worker; User, min_quota_pct).';

COMMENT ON FUNCTION "public"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb) IS 'QUEUED to CLAIMED for one worker, with everything it needs (specification: Agent job).';

COMMENT ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb) IS 'Creates a product of the caller (specification: Product). 5 per minute.';

COMMENT ON FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean, jsonb, text) IS 'Presence and quota of a worker (specification: Agent worker).';

COMMENT ON TYPE "public"."confinement" IS 'What keeps the agents and commands of a worker apart from its machine; none: nothing does.';

COMMENT ON VIEW "private"."claimable_jobs" IS 'The jobs that a worker may be given now (specification: Agent job).';

COMMENT ON VIEW "private"."product_detail_shape" IS 'A product with all fields (specification: Product).';

REVOKE ALL ON FUNCTION "private"."act_on_reach_answer"(public.agent_questions, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."act_on_reach_answer"(public.agent_questions, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."are_hosts"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."are_hosts"(jsonb) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, public.confinement, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, public.confinement, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."is_followed"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_followed"(text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_host"(text) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."is_host"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[], boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[], boolean, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[], boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[], boolean, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."repository_advice"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."repository_advice"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sandbox_advice"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sandbox_advice"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[], public.confinement, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[], public.confinement, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__repo_url_by"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__repo_url_by"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."touch_worker"(uuid, text, text, integer, public.confinement, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."touch_worker"(uuid, text, text, integer, public.confinement, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."worker_heartbeat"(text, text, text, integer, boolean, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_heartbeat"(text, text, text, integer, boolean, jsonb, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean, jsonb, text) TO "authenticated", "postgres";

REVOKE ALL ("may_reach") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("may_reach"), UPDATE ("may_reach") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ("requires_sandbox") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("requires_sandbox"), UPDATE ("requires_sandbox") ON TABLE "public"."products" TO "authenticated";

GRANT USAGE ON TYPE "public"."confinement" TO "postgres";

GRANT ALL ON TABLE "private"."claimable_jobs" TO "postgres";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";

ALTER TABLE "public"."products" ADD CONSTRAINT "products_may_reach_hosts" CHECK (private.are_hosts(may_reach));
