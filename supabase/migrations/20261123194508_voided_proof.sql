-- Why: a request for changes voids what was seen in the work, and work done in part waits for a person where one judges.
set local check_function_bodies = off;

DROP FUNCTION "private"."holds_task"(uuid);

DROP FUNCTION "private"."phase_after"(public.agent_jobs);

ALTER TABLE "public"."evidence" ADD COLUMN "voided_by" text;

ALTER TABLE "public"."job_reviews" ADD COLUMN "head_sha" text;

CREATE OR REPLACE FUNCTION operations.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_report private.job_report := jsonb_populate_record(null::private.job_report, p_report);
  v_status text := private.require_choice('status', v_report.status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED', 'QUEUED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED') and v_report.implementation_plan is null);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
  v_phase public.job_phase;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped, queued.');
  end if;
  if v_status = 'QUEUED' and v_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'Only a batch with blocked tasks can be given back. Report done, failed or skipped.');
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
  if v_report.implementation_plan is not null then
    perform private.keep_plan(v_job, v_job.task_id, v_report.implementation_plan);
  end if;
  if v_report.evidence is not null then
    perform private.record_evidence(v_job, v_report.evidence);
  end if;
  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'QUEUED' then 'QUEUED'
    when 'FAILED' then case when v_class = 'rate_limited' or (v_job.phase = 'verify' and v_job.retry_count < 3)
      then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, v_report.summary);
  end if;
  perform private.record_usage(v_job, p_attempt, v_report);
  perform private.note_attempt(v_job, v_report);
  if v_report.head_sha is not null and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.note_head((select t.story_id from public.tasks t where t.id = v_job.task_id), v_job, v_report.head_sha);
  end if;
  v_phase := case when v_next = 'DONE' then private.phase_after(v_job, v_result) end;
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
  return private.job_json(v_job) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION operations.review_job(p_job_id uuid, p_verdict text, p_summary text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := coalesce(btrim(p_summary), '');
  v_review public.job_reviews;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_review', auth.uid()::text);
  perform private.require_reviewable(v_job, v_verdict);
  if v_verdict = 'request_changes' and v_summary = '' and not exists (
    select from public.job_comments c where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null)
  then
    perform private.refuse(422, 'Say what should change: comment on a line, or write it in the summary.');
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author, head_sha)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'), v_job.head_sha)
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null;

  if v_verdict = 'request_changes' then
    perform private.void_proof(v_job);
  end if;
  if v_job.status = 'QUEUED' and v_verdict = 'approve' then
    perform private.pass_review(p_job_id, v_summary);
  elsif v_job.status = 'QUEUED' then
    perform private.reject_review(p_job_id);
  elsif v_verdict = 'request_changes' then
    perform private.reopen_job(v_job);
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  perform private.emit('product:' || v_job.product_id, jsonb_build_object('op', 'U', 'entity', 'job', 'id', p_job_id,
    'product_id', v_job.product_id, 'changed_fields', jsonb_build_array('review'), 'task_id', v_job.task_id, 'idea_id', null,
    'kind', v_job.kind, 'status', v_job.status, 'sprint_run_id', v_job.sprint_run_id));
  return private.review_json(v_review) || jsonb_build_object('job', private.job_json(v_job));
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
    'attempt', p_evidence.attempt, 'observed_by', p_evidence.observed_by, 'stale', p_stale, 'voided_by', p_evidence.voided_by,
    'created_at', p_evidence.created_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_evidence(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', e.criterion_text, 'verdict', e.verdict, 'grade', e.grade, 'kind', e.kind, 'command', e.command,
      'exit_code', e.exit_code, 'excerpt', e.excerpt, 'url', e.url, 'head_sha', e.head_sha, 'observed_by', e.observed_by,
      'voided_by', e.voided_by,
      'created_at', private.export_time(e.created_at)) order by e.seq), '[]')
    from public.evidence e
    where e.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.holds_task(p_task_id uuid, p_result public.verify_result)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and p.done_requires in ('other_worker', 'person')
      and (private.finishes_story(t.id) or (p.done_requires = 'person' and private.is_in_part(p_result))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_proof(p_product_id uuid, p_stories jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.story_heads (story_id, head_sha, attempt)
  select (s ->> 'id')::uuid, s ->> 'head_sha', 0
  from jsonb_array_elements(p_stories) s
  where s ->> 'head_sha' is not null;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, excerpt,
    url, head_sha, observed_by, voided_by, created_at)
  select p_product_id, (e.story ->> 'id')::uuid, private.criterion_id(l.line ->> 'criterion'), l.line ->> 'criterion',
    (l.line ->> 'verdict')::public.evidence_verdict, (l.line ->> 'grade')::public.evidence_grade,
    (l.line ->> 'kind')::public.evidence_kind, l.line ->> 'command', (l.line ->> 'exit_code')::integer, l.line ->> 'excerpt',
    l.line ->> 'url', l.line ->> 'head_sha', l.line ->> 'observed_by', l.line ->> 'voided_by',
    coalesce((l.line ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'evidence') with ordinality l (line, place)
  order by e.place, l.place;

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, waived_by, created_at)
  select p_product_id, (s ->> 'id')::uuid, private.criterion_id(w ->> 'criterion'), w ->> 'criterion', w ->> 'reason',
    w ->> 'waived_by', coalesce((w ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) s
  cross join lateral jsonb_array_elements(s -> 'waivers') w
  on conflict (story_id, criterion) do nothing;
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
    url, head_sha, job_id, attempt, worker_id, user_id, observed_by, voided_by)
  select s.product_id, s.id, p_line ->> 'criterion', v_text,
    coalesce(p_line ->> 'verdict', 'pass')::public.evidence_verdict, p_grade,
    case when p_grade = 'person' then 'person'
      else coalesce(p_line ->> 'kind', case when p_line ->> 'command' is null then 'file' else 'command' end) end::public.evidence_kind,
    left(p_line ->> 'command', 2000), (p_line ->> 'exit_code')::integer, p_line ->> 'excerpt', p_line ->> 'url',
    c.head_sha, p_job.id, p_job.attempt, p_job.worker_id, auth.uid(), p_observer,
    case when p_grade <> 'person' and coalesce(p_line ->> 'verdict', 'pass') = 'pass' then (
      select r.author from public.job_reviews r
      where r.product_id = s.product_id and r.verdict = 'request_changes' and r.head_sha = c.head_sha
      order by r.created_at desc limit 1) end
  from public.stories s
  left join public.story_heads h on h.story_id = s.id
  cross join lateral (select coalesce(left(p_line ->> 'head_sha', 64), p_job.head_sha, h.head_sha) as head_sha) c
  where s.id = p_story_id
  returning * into v_evidence;
  return v_evidence;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_for_person(p_job public.agent_jobs, p_result public.verify_result)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return exists (
      select from private.held_tasks(p_job.sprint_run_id) t
      join public.task_executions e on e.sprint_run_id = p_job.sprint_run_id and e.task_id = t.id
      where private.is_in_part(e.verify_result));
  end if;
  return exists (
    select from public.tasks t
    where t.id = p_job.task_id and t.status <> 'DONE' and (private.is_in_part(p_result) or not exists (
      select from public.tasks o
      where o.story_id = t.story_id and o.id <> t.id and o.status not in ('DONE', 'REVIEW')) and not private.finishes_story(t.id)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_in_part(p_result public.verify_result)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_result is null or p_result not in ('ALIGNED', 'EMPTY');
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
        when 'failed' then 'its last check failed.'
        when 'stale' then format('it was proven for an earlier commit, and the work has moved on to %s.', left(h.head_sha, 12))
        when 'proven' then format('it is proven as "%s", and "%s" is needed.', c.grade, p_grade)
        else coalesce(
          (select format('%s has requested changes of the work that it was seen in: prove it again.', e.voided_by)
           from public.evidence e where e.story_id = c.story_id and e.criterion = c.id and e.voided_by is not null
           order by e.seq desc limit 1),
          'nothing proves it yet.') end)) order by s.sort_order, s.created_at, c.place)
    from public.stories s
    left join public.story_heads h on h.story_id = s.id
    cross join lateral private.story_proof(s.id) c
    where s.id = any (p_story_ids) and c.state <> 'waived' and not (c.state = 'proven' and c.grade >= p_grade)
  );
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
    perform private.refuse(403, 'This job needs a person: sign in and approve it there. An API token can send comments and request changes.');
  end if;
  for v_criterion in
    select c.* from unnest(private.stories_to_finish(v_job)) s (id) cross join lateral private.story_proof(s.id) c
    where c.state <> 'waived' and not (c.state = 'proven' and c.grade = 'person')
  loop
    perform private.insert_evidence(v_criterion.story_id, jsonb_build_object('criterion', v_criterion.id, 'verdict', 'pass',
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = v_criterion.story_id),
      'excerpt', coalesce(nullif(left(btrim(p_words), 2000), ''), 'Approved.')), 'person', null, v_job,
      coalesce(private.username(auth.uid()), 'somebody'));
  end loop;
  update public.agent_jobs j set status = 'DONE' where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.phase_after(p_job public.agent_jobs, p_result public.verify_result)
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
  if v_required = 'person' and private.is_for_person(p_job, p_result) then
    return 'review';
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
  if exists (
    select from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and t.status = 'REVIEW' and p.done_requires = 'person'
      and (t.id in (
          select j.task_id from public.agent_jobs j where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review')
        or t.id in (
          select e.task_id from public.task_executions e join public.sprint_runs r on r.id = e.sprint_run_id
          where e.task_id = t.id and e.status = 'DONE' and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))))
  then
    perform private.refuse(403, 'This task waits for a person: sign in and approve it there.');
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
        select from public.evidence o where o.story_id = s.id and o.criterion = c.id and o.verdict = 'pass' and o.voided_by is null) then 'stale'
      else 'unproven' end,
    d.grade, d.id
  from public.stories s
  join public.products p on p.id = s.product_id
  cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
  left join public.waivers w on w.story_id = s.id and w.criterion = c.id
  left join lateral (
    select e.id, e.verdict, e.grade from public.evidence e
    where e.story_id = s.id and e.criterion = c.id and e.voided_by is null and private.is_fresh(e, v_head)
    order by e.grade desc, e.seq desc limit 1
  ) d on true
  where s.id = p_story_id
  order by c.place;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_evidence__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit('product:' || n.product_id, jsonb_build_object('op', left(tg_op, 1), 'entity', 'evidence', 'id', n.id,
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
      update public.tasks t set status = case when private.holds_task(t.id, new.verify_result) then 'REVIEW' else 'DONE' end::public.task_status
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

CREATE OR REPLACE FUNCTION private.void_proof(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_stories uuid[] := case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.stories_to_finish(p_job)
    else array(select t.story_id from public.tasks t where t.id = p_job.task_id) end;
begin
  update public.evidence e
  set voided_by = coalesce(private.username(auth.uid()), 'somebody')
  where e.story_id = any (v_stories) and e.verdict = 'pass' and e.voided_by is null
    and (e.grade <> 'person' or not private.is_token());
end;
$function$;

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_head_sha_length" CHECK ((char_length(head_sha) <= 64));

CREATE TRIGGER _900_emit_voided AFTER UPDATE ON public.evidence REFERENCING NEW TABLE AS new_evidence FOR EACH STATEMENT EXECUTE FUNCTION private.tg_evidence__emit();

COMMENT ON COLUMN "public"."evidence"."voided_by" IS 'Who requested changes of the work that it was seen in, as their name was then: it proves nothing any more.';

COMMENT ON COLUMN "public"."job_reviews"."head_sha" IS 'The commit that was judged, where it is known.';

COMMENT ON FUNCTION "private"."holds_task"(uuid, public.verify_result) IS 'Whether a task of a batch waits for the proof of its story (docs/proof.md).';

COMMENT ON FUNCTION "private"."is_for_person"(public.agent_jobs, public.verify_result) IS 'Whether a person judges the end of a job, its criteria aside (docs/proof.md).';

COMMENT ON FUNCTION "private"."is_in_part"(public.verify_result) IS 'Whether work follows its plan less than wholly, as far as is known (docs/proof.md).';

COMMENT ON FUNCTION "private"."phase_after"(public.agent_jobs, public.verify_result) IS 'Where a job goes whose work is done (docs/proof.md).';

COMMENT ON FUNCTION "private"."require_proof"(uuid, public.task_status) IS 'PT422 for a token that would finish a story that is not proven, PT403 for a task that waits for a person (docs/proof.md).';

COMMENT ON FUNCTION "private"."tg_evidence__emit"() IS 'Announces new and voided evidence on product:<id> (docs/proof.md).';

COMMENT ON FUNCTION "private"."void_proof"(public.agent_jobs) IS 'A request for changes voids what was seen in the work (docs/proof.md).';

REVOKE ALL ON FUNCTION "private"."holds_task"(uuid, public.verify_result) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."holds_task"(uuid, public.verify_result) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_for_person"(public.agent_jobs, public.verify_result) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_for_person"(public.agent_jobs, public.verify_result) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_in_part"(public.verify_result) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_in_part"(public.verify_result) TO "postgres";

REVOKE ALL ON FUNCTION "private"."phase_after"(public.agent_jobs, public.verify_result) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."phase_after"(public.agent_jobs, public.verify_result) TO "postgres";

REVOKE ALL ON FUNCTION "private"."void_proof"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."void_proof"(public.agent_jobs) TO "postgres";
