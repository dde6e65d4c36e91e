-- Why: criteria of stories with evidence, waivers, the gate of a product (done_requires), and the phases verify and review of a job. No rows move: products ask for nothing until somebody says so.
set local check_function_bodies = off;

DROP VIEW "private"."claimable_jobs";

DROP VIEW "private"."product_detail_shape";

DROP FUNCTION "private"."next_product"(uuid, uuid, uuid, jsonb, uuid[]);

DROP FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text);

CREATE TABLE "public"."evidence" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "story_id" uuid NOT NULL, "seq" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "criterion" text NOT NULL, "criterion_text" text NOT NULL, "command" text, "exit_code" integer, "excerpt" text, "url" text, "head_sha" text, "job_id" uuid, "attempt" integer, "worker_id" uuid, "user_id" uuid, "observed_by" text NOT NULL, CONSTRAINT "evidence_command_length" CHECK ((char_length(command) <= 2000)), CONSTRAINT "evidence_criterion_form" CHECK ((criterion ~ '^[0-9a-f]{12}$'::text)), CONSTRAINT "evidence_excerpt_size" CHECK ((octet_length(excerpt) <= 8192)), CONSTRAINT "evidence_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "evidence_pkey" PRIMARY KEY (id), CONSTRAINT "evidence_url_form" CHECK (((url ~ '^https?://'::text) AND (char_length(url) <= 2000))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."evidence" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."story_heads" ("story_id" uuid NOT NULL, "head_sha" text NOT NULL, "job_id" uuid, "attempt" integer NOT NULL, CONSTRAINT "story_heads_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "story_heads_pkey" PRIMARY KEY (story_id), "moved_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."story_heads" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."waivers" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "story_id" uuid NOT NULL, "criterion" text NOT NULL, "criterion_text" text NOT NULL, "reason" text NOT NULL, "user_id" uuid, "waived_by" text NOT NULL, CONSTRAINT "waivers_criterion_form" CHECK ((criterion ~ '^[0-9a-f]{12}$'::text)), CONSTRAINT "waivers_pkey" PRIMARY KEY (id), CONSTRAINT "waivers_reason_length" CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 2000))), CONSTRAINT "waivers_story_id_criterion_key" UNIQUE (story_id, criterion), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."waivers" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "author_worker_id" uuid;

CREATE TYPE "public"."done_requires" AS ENUM ('none', 'worker', 'other_worker', 'person');

ALTER TABLE "public"."products" ADD COLUMN "done_requires" public.done_requires NOT NULL DEFAULT 'none'::public.done_requires;

CREATE TYPE "public"."evidence_grade" AS ENUM ('said', 'worker', 'other_worker', 'ci', 'person');

ALTER TABLE "public"."evidence" ADD COLUMN "grade" public.evidence_grade NOT NULL;

CREATE TYPE "private"."proven_criterion" AS ("story_id" uuid, "place" integer, "id" text, "kind" text, "text" text, "state" text, "grade" public.evidence_grade, "evidence_id" uuid);

CREATE TYPE "public"."evidence_kind" AS ENUM ('command', 'diff', 'file', 'picture', 'link', 'person');

ALTER TABLE "public"."evidence" ADD COLUMN "kind" public.evidence_kind NOT NULL;

CREATE TYPE "public"."evidence_verdict" AS ENUM ('pass', 'fail', 'unverifiable');

ALTER TABLE "public"."evidence" ADD COLUMN "verdict" public.evidence_verdict NOT NULL;

CREATE TYPE "public"."job_phase" AS ENUM ('implement', 'verify', 'review');

ALTER TABLE "public"."agent_jobs" ADD COLUMN "phase" public.job_phase NOT NULL DEFAULT 'implement'::public.job_phase;

ALTER TYPE "private"."job_report" ADD ATTRIBUTE "evidence" jsonb CASCADE;

CREATE OR REPLACE FUNCTION private.add_evidence(p_story_id uuid, p_evidence jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_job public.agent_jobs;
  v_evidence public.evidence;
  v_grade public.evidence_grade := case when private.is_token() then 'said' else 'person' end;
begin
  if v_grade = 'said' and p_evidence ->> 'job_id' is not null then
    v_job := private.hold_job((p_evidence ->> 'job_id')::uuid, (p_evidence ->> 'attempt')::integer);
    perform private.record_evidence(v_job, jsonb_build_array(p_evidence || jsonb_build_object('story_id', p_story_id)));
    select e.* into v_evidence from public.evidence e where e.story_id = p_story_id order by e.seq desc limit 1;
    return private.evidence_json(v_evidence, false);
  end if;
  if p_evidence ->> 'grade' is not null and p_evidence ->> 'grade' <> v_grade::text then
    perform private.refuse_evidence(null, 'grade', case when v_grade = 'said'
      then 'A token gives the grade "said"; "worker" is for the attempt that holds the job (job_id, attempt), "person" for people who are signed in.'
      else 'Whoever is signed in gives the grade "person".' end);
  end if;
  v_evidence := private.insert_evidence(p_story_id, p_evidence, v_grade, null, null,
    coalesce(private.username(auth.uid()), 'somebody'));
  return private.evidence_json(v_evidence, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.ask_about_proof(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, question, options, recommended_option, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id, p_job.created_by,
    left(format('Another worker has looked at %s %s times and still finds faults: %s How shall it go on?', t.code, private.verify_rounds(p_job.id),
      (select string_agg(format('%s (%s)', left(f ->> 'text', 200), left(coalesce(f ->> 'excerpt', f ->> 'command', f ->> 'verdict'), 300)), '; ')
       from jsonb_array_elements(private.findings(p_job)) f)), 4000),
    '[{"label":"Try again"},{"label":"Try again, with what I write here"}]', 0, true
  from public.tasks t where t.id = p_job.task_id
  returning id into v_question_id;
  update public.agent_jobs j set parked_question_id = v_question_id where j.id = p_job.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempt_state(p_job public.agent_jobs, p_attempt integer)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_attempt is distinct from p_job.attempt or p_job.attempt = 0 then
    return 'lost';
  end if;
  if not exists (
    select from public.agent_workers w where w.id = p_job.worker_id and w.user_id = auth.uid()
  ) then
    return 'lost';
  end if;
  return case
    when p_job.status in ('CLAIMED', 'RUNNING') then 'held'
    when p_job.status = 'CANCELLED' then 'cancelled'
    when p_job.status <> 'QUEUED' then 'finished'
    when p_job.failure_class = 'rate_limited' then 'requeued'
    when exists (select from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt and a.outcome = 'done') then 'handed_over'
    when p_job.parked_question_id is not null and p_job.failure_class is null then 'parked'
    else 'lost'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.bring_next_in_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next record;
begin
  select n.id, n.in_turn, n.attempt > 0 as comes_back into v_next
  from public.agent_jobs n
  where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id and n.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    and not (n.status = 'QUEUED' and n.phase = 'review')
  order by n.position
  limit 1;
  if not found then
    return exists (
      select from public.agent_jobs w
      where w.sprint_run_id = p_sprint_run_id and w.lane_id = p_lane_id and w.status in ('QUEUED', 'CLAIMED', 'RUNNING'));
  end if;
  if not v_next.in_turn and not (v_next.comes_back and private.is_lane_held(p_sprint_run_id, p_lane_id)) then
    update public.agent_jobs j set in_turn = true where j.id = v_next.id;
  end if;
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_observation(p_line jsonb, p_grade public.evidence_grade, p_place integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_exit integer := (p_line ->> 'exit_code')::integer;
begin
  if p_grade = 'worker' and (coalesce(p_line ->> 'command', '') !~ '\S' or v_exit is null) then
    perform private.refuse_evidence(p_place, 'command',
      'What a worker has seen names the command that it ran and its exit code. Without them it is what the agent says: leave out the grade.');
  end if;
  if p_grade = 'other_worker' and coalesce(p_line ->> 'command', '') !~ '\S' and coalesce(p_line ->> 'excerpt', '') !~ '\S' then
    perform private.refuse_evidence(p_place, 'command',
      'No verdict without a procedure: give the command that you ran, or say in excerpt what you looked at.');
  end if;
  if p_grade in ('worker', 'other_worker') and v_exit is not null
    and (v_exit = 0) <> (coalesce(p_line ->> 'verdict', 'pass') = 'pass') and p_line ->> 'verdict' is distinct from 'unverifiable' then
    perform private.refuse_evidence(p_place, 'verdict',
      'The verdict follows from the exit code: pass for 0, fail for any other.');
  end if;
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
  v_claimable := private.next_product(null, v_user_id, p_product_id, null, null, '{}') is not null;
  return json_build_object('empty', v_queued = 0 and v_held = 0, 'claimable', v_claimable, 'queued', v_queued, 'held', v_held,
    'reason', case when not v_claimable then private.nothing_to_claim(v_user_id, p_product_id) end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_agent_job(p_worker text, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_hostname text, p_version text, p_quota_pct integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
  v_locked uuid[];
  v_tried uuid[] := '{}';
  v_product_id uuid;
  v_job public.agent_jobs;
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
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, null, true);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_worker.id, v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_job.id, v_job.id is null);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', private.nothing_to_claim(v_user_id, p_product_id));
  end if;
  return json_build_object('job', private.job_payload(v_job), 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.criteria_of(p_acceptance_criteria text, p_definition_of_done text)
 RETURNS TABLE(place integer, id text, kind text, text text)
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select row_number() over (order by min(l.place))::integer,
    left(encode(sha256(convert_to(l.line, 'UTF8')), 'hex'), 12), min(l.kind), l.line
  from (
    select a.place, 'acceptance' as kind, a.line
    from private.list_items(p_acceptance_criteria) with ordinality as a (line, place)
    union all
    select 1000000 + d.place, 'definition_of_done', d.line
    from private.list_items(p_definition_of_done) with ordinality as d (line, place)
  ) l
  group by l.line;
end;
$function$;

CREATE OR REPLACE FUNCTION private.enter_phase(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  case p_job.phase
    when 'review' then
      update public.tasks t set status = 'REVIEW' where t.id = p_job.task_id and t.status not in ('DONE', 'REVIEW');
      perform private.bring_next_in_turn(p_job.sprint_run_id, p_job.lane_id);
    when 'implement' then
      perform private.reopen_tasks(p_job, array(
        select (m ->> 'story_id')::uuid from jsonb_array_elements(private.missing_proof(private.stories_to_finish(p_job), 'other_worker')) m));
      if private.verify_rounds(p_job.id) % 3 = 0 then
        perform private.ask_about_proof(p_job);
      end if;
    else
      null;
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.evidence_json(p_evidence public.evidence, p_stale boolean)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('id', p_evidence.id, 'criterion', p_evidence.criterion, 'verdict', p_evidence.verdict,
    'grade', p_evidence.grade, 'kind', p_evidence.kind, 'command', p_evidence.command, 'exit_code', p_evidence.exit_code,
    'excerpt', p_evidence.excerpt, 'url', p_evidence.url, 'head_sha', p_evidence.head_sha, 'job_id', p_evidence.job_id,
    'attempt', p_evidence.attempt, 'observed_by', p_evidence.observed_by, 'stale', p_stale, 'created_at', p_evidence.created_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.findings(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('criterion', e.criterion, 'text', e.criterion_text, 'verdict', e.verdict,
      'command', e.command, 'exit_code', e.exit_code, 'excerpt', e.excerpt, 'observed_by', e.observed_by) order by e.seq), '[]')
    from public.evidence e
    where e.job_id = p_job.id and p_job.phase = 'implement' and e.grade = 'other_worker' and e.verdict <> 'pass'
      and e.attempt = (
        select max(l.attempt) from public.evidence l where l.job_id = p_job.id and l.grade = 'other_worker' and l.verdict <> 'pass')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.finishes_story(p_task_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.tasks t
    where t.id = p_task_id and t.status <> 'DONE'
      and not exists (select from public.tasks o where o.story_id = t.story_id and o.id <> t.id and o.status <> 'DONE'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_proof(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('story', p_story_id);
  return private.proof_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_criteria(p_story_ids uuid[])
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from unnest(p_story_ids) s (id) cross join lateral private.story_proof(s.id) c);
end;
$function$;

CREATE OR REPLACE FUNCTION private.held_tasks(p_sprint_run_id uuid)
 RETURNS SETOF public.tasks
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select t.* from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_sprint_run_id and e.status = 'DONE' and t.status = 'REVIEW';
end;
$function$;

CREATE OR REPLACE FUNCTION private.holds_task(p_task_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and p.done_requires in ('other_worker', 'person') and private.finishes_story(t.id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_evidence(p_story_id uuid, p_line jsonb, p_grade public.evidence_grade, p_place integer, p_job public.agent_jobs, p_observer text)
 RETURNS public.evidence
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_text text := private.require_criterion(p_story_id, p_line ->> 'criterion', p_place);
  v_evidence public.evidence;
begin
  if octet_length(p_line ->> 'excerpt') > 8192 then
    perform private.refuse_evidence(p_place, 'excerpt', 'An excerpt has at most 8 KiB: send the end that matters.');
  end if;
  perform private.require_link('url', p_line ->> 'url');
  if (select count(*) from public.evidence e where e.story_id = p_story_id and e.criterion = p_line ->> 'criterion') >= 500 then
    perform private.refuse_evidence(p_place, 'criterion', 'This criterion has 500 pieces of evidence, which is the most that is kept.');
  end if;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, excerpt,
    url, head_sha, job_id, attempt, worker_id, user_id, observed_by)
  select s.product_id, s.id, p_line ->> 'criterion', v_text,
    coalesce(p_line ->> 'verdict', 'pass')::public.evidence_verdict, p_grade,
    case when p_grade = 'person' then 'person'
      else coalesce(p_line ->> 'kind', case when p_line ->> 'command' is null then 'file' else 'command' end) end::public.evidence_kind,
    left(p_line ->> 'command', 2000), (p_line ->> 'exit_code')::integer, p_line ->> 'excerpt', p_line ->> 'url',
    coalesce(left(p_line ->> 'head_sha', 64), p_job.head_sha, h.head_sha),
    p_job.id, p_job.attempt, p_job.worker_id, auth.uid(), p_observer
  from public.stories s
  left join public.story_heads h on h.story_id = s.id
  where s.id = p_story_id
  returning * into v_evidence;
  return v_evidence;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_fresh(p_evidence public.evidence, p_head public.story_heads)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_head.story_id is null
    or coalesce(p_evidence.head_sha = p_head.head_sha, false)
    or coalesce(p_evidence.job_id = p_head.job_id and p_evidence.attempt = p_head.attempt, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_lane_held(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.agent_jobs h
    where h.sprint_run_id = p_sprint_run_id and h.lane_id = p_lane_id and h.status in ('CLAIMED', 'RUNNING'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_token()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'token_id' is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
  v_run public.sprint_runs;
  v_task public.tasks;
begin
  select p.* into v_product from public.products p where p.id = p_job.product_id;
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  select t.* into v_task from public.tasks t where t.id = p_job.task_id;

  return (json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'previous_failure', coalesce(p_job.failure_reason, (
      select j.failure_reason from public.agent_jobs j
      where p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id and j.status = 'FAILED' and j.id <> p_job.id
      order by j.finished_at desc limit 1)),
    'earlier_jobs', (
      select coalesce(json_agg(x.id order by x.created_at desc), '[]') from (
        select j.id, j.created_at from public.agent_jobs j
        where j.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION' and j.kind = p_job.kind
          and j.status in ('FAILED', 'CANCELLED')
        union all
        select j.id, j.created_at from public.agent_jobs j
        join public.sprint_runs r on r.id = j.sprint_run_id
        where p_job.kind = 'SPRINT_IMPLEMENTATION' and r.sprint_id = v_run.sprint_id and j.kind = p_job.kind
          and j.status in ('FAILED', 'CANCELLED')
        order by created_at desc limit 3) x),
    'earlier_attempts', private.earlier_attempts(p_job),
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', json_build_object('id', v_product.id, 'code', v_product.code, 'name', v_product.name,
      'description', v_product.description, 'repo_url', v_product.repo_url,
      'definition_of_done', v_product.definition_of_done, 'auto_pr', v_product.auto_pr, 'pr_strategy', v_product.pr_strategy),
    'repo_url', coalesce(nullif(v_task.repo_url, ''), v_product.repo_url),
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', case when v_run.id is not null then (
      select json_build_object('id', v_run.id, 'status', lower(v_run.status::text), 'branch', v_run.branch,
        'pr_strategy', v_run.pr_strategy, 'previous_run_id', v_run.previous_run_id,
        'sprint_id', s.id, 'sprint_code', s.code, 'sprint_goal', s.sprint_goal)
      from public.sprints s where s.id = v_run.sprint_id) end,
    'task', case when p_job.kind = 'TASK_IMPLEMENTATION' then json_build_object('id', v_task.id, 'code', v_task.code,
      'title', v_task.title, 'description', v_task.description, 'status', private.task_status_word(v_task.status),
      'verify_only', v_task.verify_only, 'verify_required', v_task.verify_required,
      'requires_opus', v_task.requires_opus, 'estimated_minutes', v_task.estimated_minutes) end,
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
        'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title)
      from public.stories s join public.pbis b on b.id = s.pbi_id
      where s.id = v_task.story_id and p_job.kind = 'TASK_IMPLEMENTATION'),
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then (
      select coalesce(json_agg(json_build_object('id', e.id, 'position', e.position, 'status', lower(e.status::text),
        'task_id', t.id, 'task_code', t.code, 'title', t.title, 'description', t.description,
        'plan', e.plan_snapshot, 'verify_required', e.verify_required, 'verify_only', t.verify_only,
        'requires_opus', t.requires_opus, 'story_id', s.id, 'story_code', s.code, 'story_title', s.title,
        'story_description', s.description, 'acceptance_criteria', s.acceptance_criteria, 'verify_result', e.verify_result,
        'previous_failure', (
          select f.failure_reason from public.task_executions f
          where f.task_id = e.task_id and f.status = 'FAILED' order by f.finished_at desc nulls last limit 1)) order by e.position), '[]')
      from public.task_executions e
      join public.tasks t on t.id = e.task_id
      join public.stories s on s.id = t.story_id
      where e.sprint_run_id = p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then (
      select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description,
        'status', lower(i.status::text))
      from public.ideas i where i.id = p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then (
      select coalesce(json_agg(json_build_object('id', u.id, 'question', u.question, 'answer', u.answer,
        'status', lower(u.status::text), 'asked_for_this_job', u.job_id = p_job.id, 'created_at', u.created_at)
        order by u.created_at, u.id), '[]')
      from public.user_questions u where u.idea_id = p_job.idea_id) end,
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = p_job.id)
  )::jsonb || private.proof_payload(p_job))::json;
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

  if p_job.phase = 'review' then
    return jsonb_build_array(jsonb_build_object('code', 'review',
      'message', 'The work is done and waits for a person to review it.', 'task_id', p_job.task_id));
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

CREATE OR REPLACE FUNCTION private.list_items(p_text text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_line text;
  v_item text;
  v_items text[] := '{}';
  v_fenced boolean := false;
begin
  foreach v_line in array string_to_array(replace(coalesce(p_text, ''), E'\r', ''), E'\n') loop
    if v_line ~ '^\s*(```|~~~)' then
      v_fenced := not v_fenced;
      continue;
    end if;
    if not v_fenced and v_line ~ '^\s*([-*+•]|[0-9]{1,3}[.)])\s+\S' then
      v_items := v_items || v_item;
      v_item := regexp_replace(v_line, '^\s*([-*+•]|[0-9]{1,3}[.)])\s+(\[[ xX]\]\s+)?(#[0-9]+\s+)?', '');
    elsif not v_fenced and v_item is not null and v_line ~ '^\s+\S' then
      v_item := v_item || ' ' || v_line;
    elsif not v_fenced then
      v_items := v_items || v_item;
      v_item := null;
    end if;
  end loop;
  v_items := v_items || v_item;

  v_items := array(
    select btrim(regexp_replace(i, '\s+', ' ', 'g')) from unnest(v_items) with ordinality as u (i, place)
    where i ~ '[^\s*_-]' order by place);
  if v_items = '{}' and p_text ~ '\S' then
    v_items := array[btrim(regexp_replace(p_text, '\s+', ' ', 'g'))];
  end if;
  return query select unnest(v_items);
end;
$function$;

CREATE OR REPLACE FUNCTION private.missing_proof(p_story_ids uuid[], p_grade public.evidence_grade)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('path', c.id, 'story_id', c.story_id, 'message', format('%s: %s', left(c.text, 200),
      case c.state
        when 'failed' then 'the last look at it failed.'
        when 'stale' then format('it was proven for an earlier commit, and the work has moved on to %s.', left(h.head_sha, 12))
        when 'proven' then format('it is proven as "%s", and "%s" is needed.', c.grade, p_grade)
        else 'nothing proves it yet.' end)) order by s.sort_order, s.created_at, c.place)
    from public.stories s
    left join public.story_heads h on h.story_id = s.id
    cross join lateral private.story_proof(s.id) c
    where s.id = any (p_story_ids) and c.state <> 'waived' and not (c.state = 'proven' and c.grade >= p_grade)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_product(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[])
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
        and (j.phase <> 'verify' or j.author_worker_id is distinct from p_worker_id)
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

CREATE OR REPLACE FUNCTION private.note_head(p_story_id uuid, p_job public.agent_jobs, p_head_sha text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_head_sha is null or p_story_id is null or p_job.phase <> 'implement' then
    return;
  end if;
  insert into public.story_heads as h (story_id, head_sha, job_id, attempt)
  values (p_story_id, left(p_head_sha, 64), p_job.id, p_job.attempt)
  on conflict (story_id) do update
  set head_sha = excluded.head_sha, job_id = excluded.job_id, attempt = excluded.attempt, moved_at = excluded.moved_at
  where h.head_sha <> excluded.head_sha;
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
    count(*) filter (where j.status = 'QUEUED' and j.phase = 'review') as in_review,
    count(*) filter (where j.status = 'QUEUED' and j.phase = 'verify') as to_verify,
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
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      else 'order' end,
    'message', format('%s queued, none claimable now: %s wait for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s; %s held by workers.',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_waiting.held));
end;
$function$;

CREATE OR REPLACE FUNCTION private.pass_review(p_job_id uuid, p_words text)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_criterion private.proven_criterion;
begin
  perform private.require_review(v_job);
  if private.is_token() then
    perform private.refuse(403, 'This job waits for a person: sign in and approve it there. An API token can send remarks and request changes.');
  end if;
  for v_criterion in
    select c.* from unnest(private.stories_to_finish(v_job)) s (id) cross join lateral private.story_proof(s.id) c
    where c.state <> 'waived' and not (c.state = 'proven' and c.grade = 'person')
  loop
    perform private.insert_evidence(v_criterion.story_id, jsonb_build_object('criterion', v_criterion.id, 'verdict', 'pass',
      'excerpt', coalesce(nullif(left(btrim(p_words), 2000), ''), 'Approved.')), 'person', null, v_job,
      coalesce(private.username(auth.uid()), 'somebody'));
  end loop;
  update public.agent_jobs j set status = 'DONE' where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.phase_after(p_job public.agent_jobs)
 RETURNS public.job_phase
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_required public.done_requires;
  v_stories uuid[];
  v_missing jsonb;
begin
  select p.done_requires into v_required from public.products p where p.id = p_job.product_id;
  if p_job.phase = 'verify' then
    return private.phase_after_verify(p_job, v_required);
  end if;
  if v_required = 'none' or p_job.kind = 'PLAN_CHAT' then
    return null;
  end if;
  v_stories := private.stories_to_finish(p_job);
  if v_stories = '{}' then
    return null;
  end if;
  v_missing := private.missing_proof(v_stories, v_required::text::public.evidence_grade);
  case v_required
    when 'worker' then
      if v_missing is not null then
        perform private.refuse_unproven(v_missing);
      end if;
      return null;
    when 'other_worker' then
      return case when v_missing is not null then 'verify'::public.job_phase end;
    else
      return case when v_missing is not null or not private.has_criteria(v_stories) then 'review'::public.job_phase end;
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.phase_after_verify(p_job public.agent_jobs, p_required public.done_requires)
 RETURNS public.job_phase
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_stories uuid[] := private.stories_to_finish(p_job);
  v_missing jsonb := private.missing_proof(v_stories, 'other_worker');
  v_silent jsonb;
begin
  if p_required = 'person' then
    return 'review';
  end if;
  if v_missing is null or p_required <> 'other_worker' then
    return null;
  end if;
  select jsonb_agg(m.issue) into v_silent
  from jsonb_array_elements(v_missing) m (issue)
  where not exists (
    select from public.evidence e
    where e.job_id = p_job.id and e.attempt = p_job.attempt and e.story_id = (m.issue ->> 'story_id')::uuid
      and e.criterion = m.issue ->> 'path');
  if v_silent is not null then
    perform private.refuse(422, 'Not verified yet: give a verdict for each criterion (evidence: criterion, verdict, and the command that you ran or what you looked at), then report done again.',
      jsonb_build_object('issues', v_silent));
  end if;
  return 'implement';
end;
$function$;

CREATE OR REPLACE FUNCTION private.proof_gap(p_task_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select private.missing_proof(array[t.story_id], 'worker')
    from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and p.done_requires = 'worker' and private.finishes_story(t.id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.proof_json(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_head public.story_heads;
begin
  select h.* into v_head from public.story_heads h where h.story_id = p_story_id;
  return (
    select json_build_object('story_id', s.id, 'done_requires', p.done_requires, 'head_sha', v_head.head_sha,
      'criteria', (
        select coalesce(json_agg(json_build_object('id', c.id, 'kind', c.kind, 'text', c.text, 'state', c.state, 'grade', c.grade,
          'waiver', (select private.waiver_json(w) from public.waivers w where w.story_id = s.id and w.criterion = c.id),
          'evidence', (
            select coalesce(json_agg(private.evidence_json(y.e, not private.is_fresh(y.e, v_head)) order by (y.e).seq desc), '[]')
            from (select e from public.evidence e where e.story_id = s.id and e.criterion = c.id order by e.seq desc limit 20) y)
        ) order by c.place), '[]')
        from private.story_proof(s.id) c),
      'former', (
        select coalesce(json_agg(json_build_object('id', f.criterion, 'text', f.criterion_text,
          'waiver', (select private.waiver_json(w) from public.waivers w where w.story_id = s.id and w.criterion = f.criterion),
          'evidence', (
            select coalesce(json_agg(private.evidence_json(y.e, true) order by (y.e).seq desc), '[]')
            from (select e from public.evidence e where e.story_id = s.id and e.criterion = f.criterion order by e.seq desc limit 5) y)
        )), '[]')
        from (
          select distinct on (o.criterion) o.criterion, o.criterion_text
          from (
            select e.criterion, e.criterion_text from public.evidence e where e.story_id = s.id
            union all
            select w.criterion, w.criterion_text from public.waivers w where w.story_id = s.id
          ) o
          where o.criterion not in (select c.id from private.criteria_of(s.acceptance_criteria, p.definition_of_done) c)
          limit 50
        ) f))
    from public.stories s
    join public.products p on p.id = s.product_id
    where s.id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.proof_payload(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_answer jsonb;
begin
  v_answer := jsonb_build_object('phase', p_job.phase, 'findings', private.findings(p_job),
    'done_requires', (select p.done_requires from public.products p where p.id = p_job.product_id),
    'criteria', (
      select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'story_id', c.story_id, 'kind', c.kind, 'text', c.text, 'state', c.state,
        'grade', c.grade, 'command', case when p_job.phase = 'implement' then (
          select e.command from public.evidence e
          where e.story_id = c.story_id and e.criterion = c.id and e.command is not null and e.verdict = 'pass'
          order by e.seq desc limit 1) end) order by s.sort_order, s.created_at, c.place), '[]')
      from public.stories s
      cross join lateral private.story_proof(s.id) c
      where s.id in (
        select t.story_id from public.tasks t where t.id = p_job.task_id
        union all
        select t.story_id from public.task_executions e join public.tasks t on t.id = e.task_id
        where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
          and (p_job.phase <> 'verify' or t.status = 'REVIEW'))));
  if p_job.phase = 'verify' then
    return v_answer || '{"previous_failure":null,"earlier_jobs":[],"earlier_attempts":[],"questions":[]}';
  end if;
  return v_answer;
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
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('api_token', 10, 3600),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_evidence(p_job public.agent_jobs, p_evidence jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_line jsonb;
  v_place integer := -1;
  v_story_id uuid;
  v_worker text;
  v_grade public.evidence_grade;
begin
  if p_evidence is null or p_job.kind = 'PLAN_CHAT' then
    return;
  end if;
  select w.name into v_worker from public.agent_workers w where w.id = p_job.worker_id;
  for v_line in select jsonb_array_elements(p_evidence) loop
    v_place := v_place + 1;
    v_story_id := private.story_of_line(p_job, v_line, v_place);
    v_grade := case when p_job.phase = 'verify' then 'other_worker'
      when v_line ->> 'grade' = 'worker' then 'worker' else 'said' end;
    perform private.check_observation(v_line, v_grade, v_place);
    perform private.insert_evidence(v_story_id, v_line, v_grade, v_place, p_job, coalesce(v_worker, 'a worker'));
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_attempt(p_job public.agent_jobs, p_attempt integer, p_state text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse(409,
    case p_state
      when 'cancelled' then 'This job was cancelled. Stop working on it and ask for the next one.'
      when 'finished' then format('This job is already %s. Ask for the next one.', lower(p_job.status::text))
      when 'handed_over' then 'Your work on this job is done; it waits for another worker or a person to look at it. Ask for the next one.'
      when 'parked' then 'This job waits for the answer to a question. It comes back to a worker once it is answered.'
      when 'requeued' then 'This job went back to the queue until the rate limit ends. Ask for the next one.'
      else format('Attempt %s no longer holds this job (it is at attempt %s, %s). Stop working on it and ask for the next one.',
        coalesce(p_attempt::text, '?'), p_job.attempt, lower(p_job.status::text))
    end,
    jsonb_build_object('state', p_state, 'status', lower(p_job.status::text), 'attempt', p_job.attempt));
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_evidence(p_place integer, p_field text, p_message text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse(422, p_message, jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
    'path', case when p_place is null then p_field else format('evidence.%s.%s', p_place, p_field) end, 'message', p_message))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_unproven(p_missing jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse(422, format('Not done yet: %s of the story %s not proven. Send evidence for each (update_job_status, evidence) that a worker has seen, then report done again.',
      case jsonb_array_length(p_missing) when 1 then '1 criterion' else jsonb_array_length(p_missing) || ' criteria' end,
      case jsonb_array_length(p_missing) when 1 then 'is' else 'are' end),
    jsonb_build_object('issues', p_missing));
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

CREATE OR REPLACE FUNCTION private.release_held_tasks(p_sprint_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.tasks t set status = 'DONE'
  from public.products p
  where p.id = t.product_id and p.done_requires in ('other_worker', 'person')
    and t.id in (select h.id from private.held_tasks(p_sprint_run_id) h);
end;
$function$;

CREATE OR REPLACE FUNCTION private.reopen_tasks(p_job public.agent_jobs, p_story_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_held uuid[];
begin
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status = 'REVIEW';
    return;
  end if;
  v_held := array(select t.id from private.held_tasks(p_job.sprint_run_id) t where t.story_id = any (p_story_ids));
  update public.tasks t set status = 'IN_PROGRESS' where t.id = any (v_held);
  update public.task_executions e set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = any (v_held);
end;
$function$;

CREATE OR REPLACE FUNCTION private.repeats_report(p_job public.agent_jobs, p_state text, p_status text, p_class public.failure_class, p_result public.verify_result)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case p_state
    when 'finished' then p_job.status::text = p_status or (p_job.status = 'SKIPPED' and p_status = 'DONE' and p_result = 'EMPTY')
    when 'handed_over' then p_status = 'DONE'
    when 'requeued' then p_status = 'FAILED' and p_class = 'rate_limited'
    else false
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_now timestamptz := private.now();
  v_report private.job_report := jsonb_populate_record(null::private.job_report, p_report);
  v_status text := private.require_choice('status', v_report.status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED'));
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
  v_phase public.job_phase;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  perform private.require_link('pr_url', v_report.pr_url);
  v_class := lower(private.require_choice('failure_class', v_report.failure_class,
    array['AGENT_ERROR', 'VERIFICATION_FAILED', 'RATE_LIMITED', 'INFRASTRUCTURE', 'CANCELLED']));
  v_result := coalesce(private.require_choice('verify_result', v_report.verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_job.verify_result);

  if v_state <> 'held' then
    if private.repeats_report(v_job, v_state, v_status, v_class, v_result) then
      -- The end of a task may have ended its batch before: what this report knows besides is not lost.
      if v_state = 'finished' then
        update public.agent_jobs j set failure_class = v_class
        where j.id = p_job_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status = 'FAILED' and v_class is not null;
        select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
        v_job := private.record_usage(v_job, p_attempt, v_report);
        perform private.note_attempt(v_job, v_report);
      end if;
      return private.job_json(v_job);
    end if;
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;

  -- Whoever only looks at the work of another moves nothing, and does not fail it by failing to look.
  if v_job.phase = 'verify' then
    v_report := private.verifiers_report(v_report);
  end if;
  perform private.record_evidence(v_job, v_report.evidence);
  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'FAILED' then case when v_class = 'rate_limited' or (v_job.phase = 'verify' and v_job.retry_count < 3)
      then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, v_report.summary);
  end if;
  perform private.record_usage(v_job, p_attempt, v_report);
  perform private.note_attempt(v_job, v_report);
  perform private.note_head(t.story_id, v_job, v_report.head_sha)
  from public.tasks t where v_job.kind = 'TASK_IMPLEMENTATION' and t.id = v_job.task_id;
  v_phase := case when v_next = 'DONE' then private.phase_after(v_job) end;
  if v_phase is not null then
    v_next := 'QUEUED';
  end if;

  update public.agent_jobs j
  set status = v_next,
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      phase = coalesce(v_phase, j.phase),
      claim_rank = case when v_phase is null then j.claim_rank else 0 end,
      author_worker_id = case when v_phase = 'verify' then j.worker_id else j.author_worker_id end,
      retry_count = j.retry_count + case when v_status = 'FAILED' and v_next = 'QUEUED' and v_class is distinct from 'rate_limited' then 1 else 0 end,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(v_report.summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then coalesce(v_class, 'agent_error') end,
      failure_reason = case when v_status = 'FAILED'
        then left(coalesce(v_report.failure_reason, v_report.summary, 'The worker gave no reason.'), 4000) end,
      not_before = case when v_next = 'QUEUED' and v_status = 'FAILED' then greatest(coalesce(v_report.resets_at, v_now + interval '5 minutes'), v_now) end,
      base_sha = coalesce(j.base_sha, left(v_report.base_sha, 64)),
      head_sha = coalesce(left(v_report.head_sha, 64), j.head_sha),
      branch = coalesce(j.branch, left(v_report.branch, 200)),
      pushed_at = coalesce(v_report.pushed_at, j.pushed_at),
      pr_url = coalesce(v_report.pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  if v_phase is not null then
    perform private.enter_phase(v_job);
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  end if;
  -- A worker that ends well asks for the next job at once, which writes its presence anyway.
  if v_next not in ('RUNNING', 'DONE') then
    perform private.release_worker(v_job.worker_id, v_job.id);
  end if;
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_criterion(p_story_id uuid, p_criterion text, p_place integer)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_text text;
begin
  select c.text into v_text
  from public.stories s
  join public.products p on p.id = s.product_id
  cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
  where s.id = p_story_id and c.id = p_criterion;
  if v_text is null then
    perform private.refuse_evidence(p_place, 'criterion',
      format('The story has no criterion %s: it may have been edited meanwhile. Read the criteria again (GET /api/stories/:id/evidence).',
        coalesce(left(p_criterion, 40), '?')));
  end if;
  return v_text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_proof(p_task_id uuid, p_status public.task_status)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_missing jsonb;
begin
  if p_status is distinct from 'DONE' or not private.is_token() then
    return;
  end if;
  select private.missing_proof(array[t.story_id], p.done_requires::text::public.evidence_grade) into v_missing
  from public.tasks t
  join public.products p on p.id = t.product_id
  where t.id = p_task_id and p.done_requires <> 'none' and private.finishes_story(t.id);
  if v_missing is not null then
    perform private.refuse_unproven(v_missing);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_review(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'review' then
    perform private.refuse(409, format('This job does not wait for a review: it is %s%s.', lower(p_job.status::text),
      case when p_job.status = 'QUEUED' and p_job.phase = 'implement' then ' to be worked on again' else '' end),
      jsonb_build_object('status', lower(p_job.status::text), 'phase', p_job.phase));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.stories_to_finish(p_job public.agent_jobs)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return array(select distinct t.story_id from private.held_tasks(p_job.sprint_run_id) t);
  end if;
  return array(select t.story_id from public.tasks t where t.id = p_job.task_id and private.finishes_story(t.id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.story_of_line(p_job public.agent_jobs, p_line jsonb, p_place integer)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story_id uuid := (p_line ->> 'story_id')::uuid;
  v_own uuid;
begin
  select t.story_id into v_own from public.tasks t where t.id = p_job.task_id;
  if v_story_id is null or v_story_id = v_own then
    return v_own;
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' and exists (
    select from public.task_executions e join public.tasks t on t.id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and t.story_id = v_story_id
  ) then
    return v_story_id;
  end if;
  perform private.refuse_evidence(p_place, 'story_id', 'This story does not belong to the job.');
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.story_proof(p_story_id uuid)
 RETURNS SETOF private.proven_criterion
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_head public.story_heads;
begin
  select h.* into v_head from public.story_heads h where h.story_id = p_story_id;
  return query
  select s.id, c.place, c.id, c.kind, c.text,
    case when w.id is not null then 'waived'
      when d.verdict = 'pass' then 'proven'
      when d.verdict = 'fail' then 'failed'
      when d.id is null and exists (
        select from public.evidence o where o.story_id = s.id and o.criterion = c.id and o.verdict = 'pass') then 'stale'
      else 'unproven' end,
    d.grade, d.id
  from public.stories s
  join public.products p on p.id = s.product_id
  cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
  left join public.waivers w on w.story_id = s.id and w.criterion = c.id
  left join lateral (
    select e.id, e.verdict, e.grade from public.evidence e
    where e.story_id = s.id and e.criterion = c.id and private.is_fresh(e, v_head)
    order by e.grade desc, e.seq desc limit 1
  ) d on true
  where s.id = p_story_id
  order by c.place;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_job(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb)
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
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_worker_id, claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, failure_class = null,
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

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__advance_lane()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (
    select from public.sprint_runs r where r.id = old.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
  ) then
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

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__advance_task()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'UPDATE' and new.status = old.status then
    return null;
  end if;

  case new.status
    when 'CLAIMED', 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
      update public.sprint_runs r
      set status = 'RUNNING', started_at = coalesce(r.started_at, private.now())
      where r.id = new.sprint_run_id and r.status = 'QUEUED';
    when 'DONE' then
      update public.tasks t set status = 'DONE'
      where t.id = new.task_id and t.status <> 'DONE'
        and not exists (
          select from public.task_executions e
          where new.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = new.sprint_run_id
            and e.task_id = new.task_id and e.status = 'SKIPPED'
        );
      if new.kind = 'SPRINT_IMPLEMENTATION' then
        perform private.release_held_tasks(new.sprint_run_id);
      end if;
    when 'SKIPPED' then
      if new.kind = 'SPRINT_IMPLEMENTATION' then
        update public.task_executions e
        set status = 'SKIPPED', verify_result = 'EMPTY', finished_at = private.now()
        where e.sprint_run_id = new.sprint_run_id and e.status in ('PENDING', 'RUNNING');
      else
        update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
      end if;
    when 'FAILED' then
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
    else
      null;
  end case;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__note_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.attempt <> old.attempt then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at)
    values (new.id, new.attempt, new.product_id, new.worker_id,
      coalesce((select w.name from public.agent_workers w where w.id = new.worker_id), ''), coalesce(new.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    return null;
  end if;

  update public.job_attempts a
  set ended_at = private.now(),
      head_sha = new.head_sha,
      outcome = case
        when new.status <> 'QUEUED' then lower(new.status::text)
        when new.phase <> old.phase then 'done'
        when new.failure_class = 'rate_limited' then 'rate_limited'
        when new.failure_class is not null then 'lost'
        when new.parked_question_id is not null then 'question'
        else 'returned'
      end
  where a.job_id = new.id and a.attempt = new.attempt and a.ended_at is null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_evidence__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit('product:' || n.product_id, jsonb_build_object('op', 'I', 'entity', 'evidence', 'id', n.id,
    'product_id', n.product_id, 'story_id', n.story_id))
  from (select distinct on (e.story_id) e.* from new_evidence e) n;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_task_executions__advance_task()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  case new.status
    when 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
    when 'DONE' then
      update public.tasks t set status = case when private.holds_task(t.id) then 'REVIEW' else 'DONE' end::public.task_status
      where t.id = new.task_id and t.status <> 'DONE';
    when 'SKIPPED' then
      update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
    when 'FAILED' then
      update public.agent_jobs j set task_id = new.task_id
      where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
      return null;
    else
      null;
  end case;

  update public.agent_jobs j
  set task_id = n.task_id
  from (
    select e.task_id from public.task_executions e
    where e.sprint_run_id = new.sprint_run_id and e.status in ('RUNNING', 'PENDING')
    order by (e.status = 'RUNNING') desc, e.position
    limit 1
  ) n
  where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    and j.task_id is distinct from n.task_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__end_waiting_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.agent_jobs j
  set status = 'DONE'
  where j.id in (
      select o.id from public.agent_jobs o where o.task_id = new.id
      union all
      select b.id from public.task_executions e
      join public.agent_jobs b on b.sprint_run_id = e.sprint_run_id where e.task_id = new.id)
    and j.status = 'QUEUED' and j.phase <> 'implement'
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or not exists (select from private.held_tasks(j.sprint_run_id)));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_task(p_task_id uuid, p_status text, p_implementation_plan text, p_verify_only boolean, p_verify_required text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_answer json;
begin
  if p_status is null and p_implementation_plan is null then
    raise exception using errcode = 'PT422', message = 'Give at least one of status and implementation_plan.',
      detail = '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}';
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, private.parse_task_status(p_status));

  update public.tasks t
  set status = coalesce(private.parse_task_status(p_status), t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      verify_only = coalesce(p_verify_only, t.verify_only),
      verify_required = coalesce(p_verify_required::public.verify_required, t.verify_required)
  where t.id = p_task_id
  returning json_build_object(
    'id', t.id,
    'status', case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end,
    'implementation_plan', t.implementation_plan
  )
  into v_answer;
  return v_answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_task_execution(p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text, p_failure_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status text := private.require_choice('status', p_status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_execution public.task_executions := private.hold_execution(v_job, p_task_id);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next text := v_status;
  v_missing jsonb;
begin
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_execution.verify_result);
  if v_state in ('held', 'finished') and (v_execution.status::text = v_status
    or (v_execution.status = 'SKIPPED' and v_status = 'DONE' and v_result = 'EMPTY')) then
    return private.execution_json(v_execution);
  end if;
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  if v_execution.status not in ('PENDING', 'RUNNING') then
    perform private.refuse(409, format('This task of the batch is already %s. The job is still yours: go on with the next task.', lower(v_execution.status::text)));
  end if;
  if v_status = 'SKIPPED' and v_result is distinct from 'EMPTY' then
    perform private.refuse(422, 'A task is skipped only when the verification found that the work is already present (verify_result empty).');
  end if;
  if v_status = 'DONE' then
    v_next := private.gate(v_execution.verify_required, v_result, (select t.verify_only from public.tasks t where t.id = p_task_id));
    if v_next is null then
      perform private.refuse_gate(v_execution.verify_required, v_result);
    end if;
    v_missing := case when v_next = 'DONE' then private.proof_gap(p_task_id) end;
    if v_missing is not null then
      perform private.refuse_unproven(v_missing);
    end if;
  end if;

  update public.agent_jobs j
  set lease_until = private.now() + private.lease(), status = 'RUNNING', started_at = coalesce(j.started_at, private.now()),
      failure_reason = case when v_next = 'FAILED' then left(coalesce(p_failure_reason, 'A task of the batch failed.'), 4000) end
  where j.id = p_job_id;
  update public.task_executions e
  set status = v_next::public.task_execution_status,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      failure_reason = case when v_next = 'FAILED' then left(p_failure_reason, 4000) end
  where e.id = v_execution.id
  returning e.* into v_execution;
  return private.execution_json(v_execution);
end;
$function$;

CREATE OR REPLACE FUNCTION private.verifiers_report(p_report private.job_report)
 RETURNS private.job_report
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  p_report.verify_result := null;
  p_report.base_sha := null;
  p_report.head_sha := null;
  p_report.branch := null;
  p_report.pushed_at := null;
  p_report.pr_url := null;
  return p_report;
end;
$function$;

CREATE OR REPLACE FUNCTION private.verify_rounds(p_job_id uuid)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(distinct e.attempt) from public.evidence e
    where e.job_id = p_job_id and e.grade = 'other_worker' and e.verdict <> 'pass');
end;
$function$;

CREATE OR REPLACE FUNCTION private.verify_work(p_job public.agent_jobs, p_execution public.task_executions, p_verify_result text, p_changed_files jsonb, p_evidence jsonb, p_base_sha text, p_head_sha text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_plan text := coalesce(p_execution.plan_snapshot, p_job.plan_snapshot);
  v_required public.verify_required;
  v_result public.verify_result;
  v_outcome text;
  v_missing jsonb;
begin
  if jsonb_typeof(coalesce(p_changed_files, '[]')) <> 'array' or length(coalesce(p_changed_files, '[]')::text) > 262144
    or length(coalesce(p_evidence, '{}')::text) > 65536 then
    perform private.refuse(422, 'changed_files must be a list of paths (256 KiB at most), evidence at most 64 KiB of JSON.');
  end if;
  select t.* into v_task from public.tasks t where t.id = coalesce(p_execution.task_id, p_job.task_id);
  v_required := coalesce(p_execution.verify_required, v_task.verify_required);
  v_result := coalesce(
    case when jsonb_array_length(p_changed_files) = 0 then 'EMPTY'::public.verify_result end,
    private.require_choice('verify_result', p_verify_result, array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result,
    private.classify_diff(v_plan, p_changed_files));
  if v_result is null then
    perform private.refuse(422, 'Give verify_result (aligned, partial, empty, divergent) or changed_files.');
  end if;

  if p_execution.id is not null then
    update public.task_executions e set verify_result = v_result where e.id = p_execution.id;
  end if;
  update public.agent_jobs j
  set verify_result = case when p_execution.id is null then v_result else j.verify_result end,
      base_sha = coalesce(j.base_sha, left(p_base_sha, 64)), head_sha = coalesce(left(p_head_sha, 64), j.head_sha),
      evidence = coalesce(p_evidence, j.evidence)
  where j.id = p_job.id;

  perform private.note_head(v_task.story_id, p_job, p_head_sha);

  v_outcome := private.gate(v_required, v_result, v_task.verify_only);
  v_missing := case when v_outcome = 'DONE' then private.proof_gap(v_task.id) end;
  if v_missing is not null then
    v_outcome := null;
  end if;
  return json_build_object('job_id', p_job.id, 'task_id', v_task.id, 'task_code', v_task.code,
    'execution_id', p_execution.id, 'verify_result', v_result, 'verify_required', v_required,
    'verify_only', v_task.verify_only, 'passes', v_outcome is not null, 'report', lower(v_outcome),
    'plan', v_plan, 'missing', coalesce(v_missing, '[]'),
    'hint', case v_outcome
      when 'DONE' then 'The gate is open: report done.'
      when 'SKIPPED' then 'Nothing differs from the main branch: the work is already present. Report skipped.'
      else case when v_missing is not null then 'Not proven yet, and the product asks for it: '
        || (select string_agg(m ->> 'message', ' ') from jsonb_array_elements(v_missing) m)
      else format('The gate needs %s. Finish what is missing and verify again, or report failed with failure_class verification_failed.', v_required) end
    end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.waive_criterion(p_story_id uuid, p_criterion text, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_text text;
begin
  if private.is_token() then
    perform private.refuse(403, 'Only a person who is signed in can waive a criterion, not an API token.');
  end if;
  if btrim(coalesce(p_reason, '')) = '' or char_length(p_reason) > 2000 then
    perform private.refuse_evidence(null, 'reason', 'Say why this criterion need not be proven (at most 2000 characters).');
  end if;
  v_text := private.require_criterion(p_story_id, p_criterion, null);

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, user_id, waived_by)
  values (v_product_id, p_story_id, p_criterion, v_text, btrim(p_reason), auth.uid(), coalesce(private.username(auth.uid()), 'somebody'))
  on conflict (story_id, criterion) do nothing;
  if not found then
    perform private.refuse(409, 'This criterion was waived before.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'criterion.waived', jsonb_build_object('product_id', v_product_id,
    'story_id', p_story_id, 'criterion', p_criterion, 'text', left(v_text, 500), 'reason', btrim(p_reason)));
  return private.proof_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.waiver_json(p_waiver public.waivers)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_waiver.id is null then
    return null;
  end if;
  return json_build_object('reason', p_waiver.reason, 'waived_by', p_waiver.waived_by, 'created_at', p_waiver.created_at);
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
      'message', 'No worker is online. Start one with: npm run worker -- --url <address> --token <token> --repo <folder> --exec "<command>"'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want kept (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  return '[]';
end;
$function$;

CREATE OR REPLACE FUNCTION public.add_evidence(p_story_id uuid, p_evidence jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.add_evidence(p_story_id, p_evidence);
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires);
  return public.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.edit_task(p_task_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(p_changes ->> 'status');
begin
  perform private.parse_choice('verify_required', p_changes ->> 'verify_required', '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);

  update public.tasks t
  set title = coalesce(p_changes ->> 'title', t.title),
      description = coalesce(p_changes ->> 'description', t.description),
      code = coalesce(p_changes ->> 'code', t.code),
      priority = coalesce((p_changes ->> 'priority')::integer, t.priority),
      status = coalesce(v_status, t.status),
      verify_only = coalesce((p_changes ->> 'verify_only')::boolean, t.verify_only),
      verify_required = coalesce((p_changes ->> 'verify_required')::public.verify_required, t.verify_required),
      requires_opus = coalesce((p_changes ->> 'requires_opus')::boolean, t.requires_opus),
      implementation_plan = case when p_changes ? 'implementation_plan' then p_changes ->> 'implementation_plan' else t.implementation_plan end,
      repo_url = case when p_changes ? 'repo_url' then p_changes ->> 'repo_url' else t.repo_url end,
      estimated_minutes = case when p_changes ? 'estimated_minutes' then (p_changes ->> 'estimated_minutes')::integer else t.estimated_minutes end
  where t.id = p_task_id;
  return (select row_to_json(t) from private.task_detail_shape t where t.id = p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_proof(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_proof(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.set_task_status(p_task_id uuid, p_status text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(coalesce(p_status, ''));
begin
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);
  update public.tasks t set status = v_status where t.id = p_task_id and t.status <> v_status;
  return (select row_to_json(t) from private.task_shape t where t.id = p_task_id);
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
      done_requires = coalesce((p_changes ->> 'done_requires')::public.done_requires, p.done_requires)
  where p.id = p_product_id;
  return public.get_product(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.waive_criterion(p_story_id uuid, p_criterion text, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.waive_criterion(p_story_id, p_criterion, p_reason);
end;
$function$;

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_author_worker_id_fkey" FOREIGN KEY (author_worker_id) REFERENCES public.agent_workers(id) ON DELETE SET NULL;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_person" CHECK (((grade = 'person'::public.evidence_grade) = (kind = 'person'::public.evidence_kind)));

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_worker_id_fkey" FOREIGN KEY (worker_id) REFERENCES public.agent_workers(id) ON DELETE SET NULL;

ALTER TABLE "public"."story_heads" ADD CONSTRAINT "story_heads_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."story_heads" ADD CONSTRAINT "story_heads_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."waivers" ADD CONSTRAINT "waivers_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."waivers" ADD CONSTRAINT "waivers_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."waivers" ADD CONSTRAINT "waivers_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;

CREATE VIEW "private"."claimable_jobs" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    created_by,
    claim_rank,
    created_at,
    "position",
    phase,
    author_worker_id
   FROM public.agent_jobs j
  WHERE ((status = 'QUEUED'::public.agent_job_status) AND in_turn AND (phase <> 'review'::public.job_phase) AND ((not_before IS NULL) OR (not_before <= private.now())) AND ((sprint_run_id IS NULL) OR ( SELECT (r.status = ANY (ARRAY['QUEUED'::public.sprint_run_status, 'RUNNING'::public.sprint_run_status]))
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
    owner_id,
    to_char((archived_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS archived_at,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at
   FROM public.products p;

CREATE INDEX agent_jobs_author_worker_id_idx ON public.agent_jobs USING btree (author_worker_id) WHERE (author_worker_id IS NOT NULL);

CREATE INDEX evidence_job_id_idx ON public.evidence USING btree (job_id);

CREATE INDEX evidence_product_id_idx ON public.evidence USING btree (product_id);

CREATE INDEX evidence_story_id_idx ON public.evidence USING btree (story_id, criterion, seq);

CREATE INDEX evidence_user_id_idx ON public.evidence USING btree (user_id);

CREATE INDEX evidence_worker_id_idx ON public.evidence USING btree (worker_id);

CREATE INDEX story_heads_job_id_idx ON public.story_heads USING btree (job_id);

CREATE INDEX waivers_product_id_idx ON public.waivers USING btree (product_id);

CREATE INDEX waivers_user_id_idx ON public.waivers USING btree (user_id);

CREATE TRIGGER _900_emit AFTER INSERT ON public.evidence REFERENCING NEW TABLE AS new_evidence FOR EACH STATEMENT EXECUTE FUNCTION private.tg_evidence__emit();

CREATE TRIGGER _630_end_waiting_job AFTER UPDATE OF status ON public.tasks FOR EACH ROW WHEN (((new.status = 'DONE'::public.task_status) AND (old.status <> 'DONE'::public.task_status))) EXECUTE FUNCTION private.tg_tasks__end_waiting_job();

CREATE POLICY "evidence_select" ON "public"."evidence" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "story_heads_select" ON "public"."story_heads" FOR SELECT TO "authenticated" USING ((story_id IN ( SELECT s.id
   FROM public.stories s
  WHERE (s.product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)))));

CREATE POLICY "waivers_select" ON "public"."waivers" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON COLUMN "public"."agent_jobs"."author_worker_id" IS 'Who did the work that is to be verified: anybody but this worker may.';

COMMENT ON COLUMN "public"."evidence"."observed_by" IS 'Name of the worker or person who saw it, as it was then.';

COMMENT ON FUNCTION "private"."ask_about_proof"(public.agent_jobs) IS 'A question to a person after rounds in vain (docs/proof.md).';

COMMENT ON FUNCTION "private"."bring_next_in_turn"(uuid, uuid) IS 'The next job of a lane is in turn (specification: Agent job; docs/proof.md).';

COMMENT ON FUNCTION "private"."check_observation"(jsonb, public.evidence_grade, integer) IS 'Whether evidence of a grade tells what was done for it (docs/proof.md).';

COMMENT ON FUNCTION "private"."criteria_of"(text, text) IS 'The criteria of a story: its acceptance criteria, then the definition of done (docs/proof.md).';

COMMENT ON FUNCTION "private"."enter_phase"(public.agent_jobs) IS 'What a new phase of a job brings with it (docs/proof.md).';

COMMENT ON FUNCTION "private"."evidence_json"(public.evidence, boolean) IS 'A piece of evidence as REST and pages show it (docs/proof.md).';

COMMENT ON FUNCTION "private"."findings"(public.agent_jobs) IS 'What the last verification of a job found (docs/proof.md).';

COMMENT ON FUNCTION "private"."finishes_story"(uuid) IS 'Whether a story would be done with this task (docs/proof.md).';

COMMENT ON FUNCTION "private"."has_criteria"(uuid[]) IS 'Whether stories have any criterion (docs/proof.md).';

COMMENT ON FUNCTION "private"."held_tasks"(uuid) IS 'Tasks of a batch that wait for the proof of their story (docs/proof.md).';

COMMENT ON FUNCTION "private"."holds_task"(uuid) IS 'Whether a task of a batch waits for the proof of its story (docs/proof.md).';

COMMENT ON FUNCTION "private"."insert_evidence"(uuid, jsonb, public.evidence_grade, integer, public.agent_jobs, text) IS 'Adds one piece of evidence (docs/proof.md).';

COMMENT ON FUNCTION "private"."is_fresh"(public.evidence, public.story_heads) IS 'Whether evidence still speaks of the work as it is (docs/proof.md).';

COMMENT ON FUNCTION "private"."is_lane_held"(uuid, uuid) IS 'Whether a job of a lane is held (specification: Agent job).';

COMMENT ON FUNCTION "private"."is_token"() IS 'Whether this call was made with an API token (specification: Authentication 1).';

COMMENT ON FUNCTION "private"."list_items"(text) IS 'The list items of a text, or the whole text as one (docs/proof.md).';

COMMENT ON FUNCTION "private"."missing_proof"(uuid[], public.evidence_grade) IS 'What keeps stories from being done, an issue a criterion (docs/proof.md).';

COMMENT ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[]) IS 'The product of the oldest claimable job in reach (specification: Agent job; claiming).';

COMMENT ON FUNCTION "private"."note_head"(uuid, public.agent_jobs, text) IS 'Remembers the commit of a story''s work (docs/proof.md).';

COMMENT ON FUNCTION "private"."pass_review"(uuid, text) IS 'Phase review to DONE: a person approves (docs/proof.md).';

COMMENT ON FUNCTION "private"."phase_after"(public.agent_jobs) IS 'Where a job goes whose work is done (docs/proof.md).';

COMMENT ON FUNCTION "private"."phase_after_verify"(public.agent_jobs, public.done_requires) IS 'What the verdict of another worker leads to (docs/proof.md).';

COMMENT ON FUNCTION "private"."proof_gap"(uuid) IS 'What a worker has to prove before a task is done (docs/proof.md).';

COMMENT ON FUNCTION "private"."proof_json"(uuid) IS 'The proof of a story (docs/proof.md).';

COMMENT ON FUNCTION "private"."proof_payload"(public.agent_jobs) IS 'What a claim says about proof (docs/proof.md).';

COMMENT ON FUNCTION "private"."record_evidence"(public.agent_jobs, jsonb) IS 'The evidence of an attempt for the criteria of its stories (docs/proof.md).';

COMMENT ON FUNCTION "private"."refuse_evidence"(integer, text, text) IS 'PT422 for a line of evidence (docs/proof.md).';

COMMENT ON FUNCTION "private"."refuse_unproven"(jsonb) IS 'PT422 for a DONE that is not proven, an issue a criterion (docs/proof.md).';

COMMENT ON FUNCTION "private"."reject_review"(uuid) IS 'Phase review to implement: somebody requests changes (docs/proof.md).';

COMMENT ON FUNCTION "private"."release_held_tasks"(uuid) IS 'Review to done for the tasks of a proven batch (docs/proof.md).';

COMMENT ON FUNCTION "private"."reopen_tasks"(public.agent_jobs, uuid[]) IS 'Review to in progress after a verification or review (docs/proof.md).';

COMMENT ON FUNCTION "private"."require_criterion"(uuid, text, integer) IS 'The words of a criterion of a story, or PT422 (docs/proof.md).';

COMMENT ON FUNCTION "private"."require_proof"(uuid, public.task_status) IS 'PT422 for a token that would finish a story that is not proven (docs/proof.md).';

COMMENT ON FUNCTION "private"."require_review"(public.agent_jobs) IS 'PT409 for a job that is not in the phase review (docs/proof.md).';

COMMENT ON FUNCTION "private"."stories_to_finish"(public.agent_jobs) IS 'The stories that the end of a job would finish (docs/proof.md).';

COMMENT ON FUNCTION "private"."story_of_line"(public.agent_jobs, jsonb, integer) IS 'The story that a line of evidence speaks of (docs/proof.md).';

COMMENT ON FUNCTION "private"."story_proof"(uuid) IS 'The criteria of a story with state and grade (docs/proof.md).';

COMMENT ON FUNCTION "private"."tg_evidence__emit"() IS 'Announces new evidence on product:<id> (docs/proof.md).';

COMMENT ON FUNCTION "private"."tg_tasks__end_waiting_job"() IS 'A task done by hand ends the job that waited for a look at it (docs/proof.md).';

COMMENT ON FUNCTION "private"."verifiers_report"(private.job_report) IS 'What a report in the phase verify may say (docs/proof.md).';

COMMENT ON FUNCTION "private"."verify_rounds"(uuid) IS 'Verifications of a job that found a fault (docs/proof.md).';

COMMENT ON FUNCTION "private"."waiver_json"(public.waivers) IS 'A waiver as REST and pages show it (docs/proof.md).';

COMMENT ON FUNCTION "public"."add_evidence"(uuid, jsonb) IS 'Adds evidence for a criterion of a story (docs/proof.md).';

COMMENT ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text) IS 'Creates a product of the caller (specification: Product). 5 per minute.';

COMMENT ON FUNCTION "public"."get_proof"(uuid) IS 'What proves the criteria of a story (docs/proof.md).';

COMMENT ON FUNCTION "public"."waive_criterion"(uuid, text, text) IS 'A person lets a criterion go (docs/proof.md).';

COMMENT ON TABLE "public"."evidence" IS 'Evidence for the criteria of stories, append-only (docs/proof.md).';

COMMENT ON TABLE "public"."story_heads" IS 'The commit at which the work of a story stands (docs/proof.md).';

COMMENT ON TABLE "public"."waivers" IS 'Criteria that a person let go, with the reason (docs/proof.md).';

COMMENT ON TYPE "private"."proven_criterion" IS 'A criterion of a story with its state (docs/proof.md).';

COMMENT ON TYPE "public"."done_requires" IS 'What a product asks for before a story is done (docs/proof.md).';

COMMENT ON TYPE "public"."evidence_grade" IS 'Who observed a piece of evidence, weakest first (docs/proof.md).';

COMMENT ON TYPE "public"."evidence_kind" IS 'What a piece of evidence is (docs/proof.md).';

COMMENT ON TYPE "public"."evidence_verdict" IS 'What a piece of evidence says of its criterion (docs/proof.md).';

COMMENT ON TYPE "public"."job_phase" IS 'Phases of a job whose product asks for proof (docs/proof.md).';

COMMENT ON VIEW "private"."claimable_jobs" IS 'The jobs that a worker may be given now (specification: Agent job).';

COMMENT ON VIEW "private"."product_detail_shape" IS 'A product with all fields (specification: Product).';

REVOKE ALL ON FUNCTION "private"."add_evidence"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_evidence"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."ask_about_proof"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ask_about_proof"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."bring_next_in_turn"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."bring_next_in_turn"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_observation"(jsonb, public.evidence_grade, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."check_observation"(jsonb, public.evidence_grade, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."criteria_of"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."criteria_of"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enter_phase"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."enter_phase"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."evidence_json"(public.evidence, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."evidence_json"(public.evidence, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."findings"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."findings"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finishes_story"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finishes_story"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."get_proof"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_proof"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."has_criteria"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."has_criteria"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."held_tasks"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."held_tasks"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."holds_task"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."holds_task"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."insert_evidence"(uuid, jsonb, public.evidence_grade, integer, public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."insert_evidence"(uuid, jsonb, public.evidence_grade, integer, public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_fresh"(public.evidence, public.story_heads) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_fresh"(public.evidence, public.story_heads) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_lane_held"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_lane_held"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_token"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_token"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_items"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_items"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."missing_proof"(uuid[], public.evidence_grade) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."missing_proof"(uuid[], public.evidence_grade) TO "postgres";

REVOKE ALL ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_head"(uuid, public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_head"(uuid, public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pass_review"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pass_review"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."phase_after"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."phase_after"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."phase_after_verify"(public.agent_jobs, public.done_requires) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."phase_after_verify"(public.agent_jobs, public.done_requires) TO "postgres";

REVOKE ALL ON FUNCTION "private"."proof_gap"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."proof_gap"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."proof_json"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."proof_json"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."proof_payload"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."proof_payload"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_evidence"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."record_evidence"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_evidence"(integer, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_evidence"(integer, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_unproven"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_unproven"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reject_review"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reject_review"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_held_tasks"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."release_held_tasks"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reopen_tasks"(public.agent_jobs, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reopen_tasks"(public.agent_jobs, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_criterion"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_criterion"(uuid, text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_proof"(uuid, public.task_status) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_proof"(uuid, public.task_status) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_review"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_review"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."stories_to_finish"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."stories_to_finish"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."story_of_line"(public.agent_jobs, jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."story_of_line"(public.agent_jobs, jsonb, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."story_proof"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."story_proof"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_evidence__emit"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_evidence__emit"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__end_waiting_job"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__end_waiting_job"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."verifiers_report"(private.job_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."verifiers_report"(private.job_report) TO "postgres";

REVOKE ALL ON FUNCTION "private"."verify_rounds"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."verify_rounds"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."waive_criterion"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waive_criterion"(uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."waiver_json"(public.waivers) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waiver_json"(public.waivers) TO "postgres";

REVOKE ALL ON FUNCTION "public"."add_evidence"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."add_evidence"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_proof"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_proof"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."waive_criterion"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."waive_criterion"(uuid, text, text) TO "authenticated", "postgres";

GRANT SELECT ON TABLE "public"."evidence" TO "authenticated";

GRANT ALL ON TABLE "public"."evidence" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."evidence" TO "service_role";

REVOKE ALL ("done_requires") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("done_requires"), UPDATE ("done_requires") ON TABLE "public"."products" TO "authenticated";

GRANT SELECT ON TABLE "public"."story_heads" TO "authenticated";

GRANT ALL ON TABLE "public"."story_heads" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."story_heads" TO "service_role";

GRANT SELECT ON TABLE "public"."waivers" TO "authenticated";

GRANT ALL ON TABLE "public"."waivers" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."waivers" TO "service_role";

GRANT USAGE ON TYPE "private"."proven_criterion" TO "postgres";

GRANT USAGE ON TYPE "public"."done_requires" TO "postgres";

GRANT USAGE ON TYPE "public"."evidence_grade" TO "postgres";

GRANT USAGE ON TYPE "public"."evidence_kind" TO "postgres";

GRANT USAGE ON TYPE "public"."evidence_verdict" TO "postgres";

GRANT USAGE ON TYPE "public"."job_phase" TO "postgres";

GRANT ALL ON TABLE "private"."claimable_jobs" TO "postgres";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";
