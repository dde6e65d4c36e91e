-- Why: a batch goes on past what waits, and comes back to it, instead of failing; a lane never gives two jobs of one branch; and a few
-- reports, undos and sums say what they should.
set local check_function_bodies = off;

DROP TRIGGER "_560_settle_waiting_deleted" ON "public"."tasks";

ALTER TABLE "public"."job_attempts" DROP CONSTRAINT "job_attempts_outcome_known";

DROP FUNCTION "private"."dependency_reasons"(uuid[]);

DROP FUNCTION "private"."refuse_waiting"(uuid);

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
    else coalesce((
      select case a.outcome
        when 'rate_limited' then 'requeued'
        when 'done' then 'handed_over'
        when 'question' then 'parked'
        when 'budget' then 'budget'
        when 'conflict' then 'sent_home'
        when 'returned' then 'returned'
        when 'failed_look' then 'failed_look'
      end
      from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt), 'lost')
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempt_words(p_job public.agent_jobs, p_attempt integer, p_state text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_state = 'lost' and p_attempt = p_job.attempt and p_job.status in ('CLAIMED', 'RUNNING') then
    return format('Attempt %s of this job is held by %s. Only tokens of that user can report for it. Ask for a job of your own.',
      p_attempt, coalesce((
        select format('worker %s of %s', w.name, coalesce(private.username(w.user_id), 'another user'))
        from public.agent_workers w where w.id = p_job.worker_id), 'a worker of another user'));
  end if;
  return case p_state
    when 'cancelled' then format('This job was cancelled%s. Stop working on it and ask for the next one.',
      coalesce(': ' || rtrim(p_job.failure_reason, '. '), ''))
    when 'finished' then format('This job is already %s. Ask for the next one.', lower(p_job.status::text))
    when 'handed_over' then 'Your work on this job is done; it waits for another worker or a person to look at it. Ask for the next one.'
    when 'parked' then 'This job waits for the answer to a question. It comes back to a worker once it is answered.'
    when 'budget' then coalesce((select private.budget_stop_text(b) from public.budgets b where b.id = p_job.stopped_by_budget_id),
      'This job was stopped by a budget. Ask for the next one.')
    when 'requeued' then 'This job went back to the queue until the rate limit ends. Ask for the next one.'
    when 'sent_home' then 'The work of this attempt does not merge, and the job went back to the queue with both versions. Ask for the next one.'
    when 'failed_look' then 'You could not look at this work, so the job went back to the queue. Ask for the next one.'
    when 'returned' then 'This job was given back to the queue. Ask for the next one.'
    when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
    else format('Attempt %s no longer holds this job (it is at attempt %s, %s). Stop working on it and ask for the next one.',
      coalesce(p_attempt::text, '?'), p_job.attempt, lower(p_job.status::text))
  end;
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

  if p_to = 'COMPLETED' and exists (
    select from public.sprint_runs r where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
  ) then
    raise exception using errcode = 'PT409', message = 'A run of this sprint is not finished. Let it finish, or cancel it first.';
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

CREATE OR REPLACE FUNCTION private.comes_with_batch(p_sprint_run_id uuid, p_waiting_id uuid, p_kind text, p_blocker_id uuid, p_ended boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_branch text := (select r.branch from public.sprint_runs r where r.id = p_sprint_run_id);
begin
  return (
    select count(e.status) > 0 and bool_and(
      coalesce(e.status in ('DONE', 'SKIPPED')
        or not p_ended and e.sprint_run_id = p_sprint_run_id and e.status in ('PENDING', 'RUNNING'), false)
      or t.status = 'DONE' and private.has_arrived(p_waiting_id, 'task', t.id, t.product_id, v_branch))
    from public.tasks t
    left join lateral (
      select x.status, x.sprint_run_id
      from public.task_executions x
      join public.sprint_runs r on r.id = x.sprint_run_id
      where x.task_id = t.id and r.product_id = t.product_id and r.branch = v_branch
      order by r.created_at desc, r.id desc
      limit 1
    ) e on true
    where p_kind = 'task' and t.id = p_blocker_id or p_kind = 'story' and t.story_id = p_blocker_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_open_blockers(p_job public.agent_jobs)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'TASK_IMPLEMENTATION' then
    return (select count(*) from private.task_blockers b where b.task_id = p_job.task_id
      and (b.status <> 'done' or not private.has_arrived(b.task_id, b.kind, b.blocker_id, p_job.product_id, p_job.branch)));
  end if;
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    return 0;
  end if;
  return (
    select count(*)
    from public.task_executions e
    join private.task_blockers b on b.task_id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')
      and (b.status <> 'done' or not private.has_arrived(b.task_id, b.kind, b.blocker_id, p_job.product_id, p_job.branch))
      and not private.comes_with_batch(e.sprint_run_id, b.task_id, b.kind, b.blocker_id, false)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.dependency_reasons(p_task_ids uuid[], p_sprint_run_id uuid DEFAULT NULL::uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('code', r.code, 'message', r.message, 'blocked_by', r.blocked_by)
      || case when r.code = 'dependency_unmerged' then jsonb_build_object('awaited', private.awaited_work(p_task_ids)) else '{}' end
      order by r.code desc), '[]')
    from (
      select b.reason as code,
        case b.reason
          when 'dependency_failed'
            then format('It waits for %s, which failed. Try that again, finish it by hand or remove the dependency.', string_agg(b.code, ', ' order by b.sort_order, b.code))
          when 'dependency_unmerged'
            then format('It waits for the code of %s: done, and not on the main branch yet. Merge it; a worker sees that within a minute. Or the owner says that it is there.',
              string_agg(b.code, ', ' order by b.sort_order, b.code))
          else format('It waits for %s.', string_agg(format('%s (%s)', b.code, case b.status when 'todo' then 'to do' else replace(b.status, '_', ' ') end), ', ' order by b.sort_order, b.code)) end as message,
        jsonb_agg(private.blocker_json(b.blocker_id, b.code, b.title, b.status, false)::jsonb || jsonb_build_object('kind', b.kind) order by b.sort_order, b.code) as blocked_by
      from (
        select distinct k.kind, k.blocker_id, k.code, k.title, k.status, k.sort_order,
          case k.status when 'failed' then 'dependency_failed' when 'done' then 'dependency_unmerged' else 'dependency' end as reason
        from private.task_blockers k
        where k.task_id = any (p_task_ids) and not k.resolved
          and (p_sprint_run_id is null or not private.comes_with_batch(p_sprint_run_id, k.task_id, k.kind, k.blocker_id, false))
        order by k.sort_order, k.code
        limit 20
      ) b
      group by b.reason
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_outcome(p_job public.agent_jobs, p_status text, p_result public.verify_result)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_outcome text;
  v_open text;
begin
  if p_status = 'SKIPPED' then
    if p_job.kind = 'PLAN_CHAT' or p_result is distinct from 'EMPTY' then
      perform private.refuse(422, 'A job is skipped only when the verification found that the work is already present (verify_result empty).');
    end if;
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
      and e.status in ('PENDING', 'RUNNING') and e.verify_result is distinct from 'EMPTY';
    if v_open is not null then
      perform private.refuse(422, format('A batch is skipped only when each of its tasks was verified as already present. Verify these with verify_sprint_task first: %s.', v_open));
    end if;
    return 'SKIPPED';
  end if;
  if p_job.kind = 'PLAN_CHAT' then
    return 'DONE';
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
    if v_open is not null then
      perform private.refuse(422, format('Not done yet: these tasks of the batch are unfinished: %s. Report each with update_task_execution first; if they wait for others, give the job back with status queued.', v_open));
    end if;
    return 'DONE';
  end if;

  select t.* into v_task from public.tasks t where t.id = p_job.task_id;
  v_outcome := private.gate(v_task.verify_required, p_result, v_task.verify_only);
  if v_outcome is null then
    perform private.refuse_gate(v_task.verify_required, p_result);
  end if;
  return v_outcome::public.agent_job_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_dependency_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'TASK_IMPLEMENTATION' then
    return private.dependency_reasons(array[p_job.task_id]);
  end if;
  return private.dependency_reasons(array(
    select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')), p_job.sprint_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.pass_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next_id uuid;
begin
  select n.id into v_next_id
  from public.agent_jobs n
  where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id
    and n.status = 'QUEUED' and not n.in_turn and n.open_blockers = 0 and n.phase <> 'review'
  order by n.position
  limit 1;
  if v_next_id is null then
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_sprint_run_id and j.lane_id = p_lane_id
    and j.in_turn and j.status = 'QUEUED' and j.phase <> 'review' and j.open_blockers > 0
    and (j.attempt = 0 or exists (
      select from private.task_blockers b
      join public.tasks t on b.blocker_id in (t.id, t.story_id)
      join public.agent_jobs w on w.task_id = t.id and w.sprint_run_id = j.sprint_run_id and w.lane_id = j.lane_id
      where b.task_id = j.task_id and not b.resolved and w.status = 'QUEUED'));
  if found and not private.is_lane_held(p_sprint_run_id, p_lane_id) then
    update public.agent_jobs j set in_turn = true where j.id = v_next_id;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_waiting(p_task_id uuid, p_sprint_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_codes text[] := array(
    select b.code from private.task_blockers b
    where b.task_id = p_task_id and not b.resolved
      and not private.comes_with_batch(p_sprint_run_id, b.task_id, b.kind, b.blocker_id, true)
    order by b.sort_order, b.code);
begin
  if v_codes <> '{}' then
    perform private.refuse(409,
      format('This task waits for %s. The job is still yours: go on with the next task, and come back to this one.', array_to_string(v_codes, ', ')),
      jsonb_build_object('blocked_by', v_codes));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.release_held_tasks(p_sprint_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.tasks t set status = 'DONE' where t.id in (select h.id from private.held_tasks(p_sprint_run_id) h);
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
    when 'failed_look' then p_status = 'FAILED' and p_class is distinct from 'rate_limited'
    when 'returned' then p_status = 'QUEUED'
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
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_report private.job_report := jsonb_populate_record(null::private.job_report, p_report);
  v_status text := private.require_choice('status', v_report.status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED', 'QUEUED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED'));
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
  v_phase public.job_phase;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped, queued.');
  end if;
  if v_status = 'QUEUED' and v_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'Only a batch with tasks that wait for others is given back. Report done, failed or skipped.');
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
  return private.job_json(v_job) || private.released();
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

  -- Stories and PBIs follow their tasks out of failed. Taken back alone, that would fail the run that starts here.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;
  perform set_config('backloom.undoing', '', true);

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

CREATE OR REPLACE FUNCTION private.take_job(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[])
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
      and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
      and (j.phase <> 'verify' or j.author_worker_id is distinct from p_worker_id)
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
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
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at)
    values (new.id, new.attempt, new.product_id, new.worker_id,
      coalesce((select w.name from public.agent_workers w where w.id = new.worker_id), ''), coalesce(new.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    return null;
  end if;

  -- Apart from the update, so that the end of a job, which is what mostly comes here, does not prepare to look for conflicts.
  if new.status = 'QUEUED' then
    v_outcome := case
      when new.phase <> old.phase then 'done'
      when new.failure_class = 'rate_limited' then 'rate_limited'
      -- Only a verifier's report puts a job off; what is lost comes back at once.
      when new.failure_class is not null then case when new.not_before is null then 'lost' else 'failed_look' end
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

CREATE OR REPLACE FUNCTION private.tg_tasks__settle_waiting()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
begin
  if tg_op = 'DELETE' then
    perform private.settle_waiting(nullif(private.waiting_for('{}', array[old.story_id]), '{}'));
    return null;
  end if;
  -- A batch counts for its tasks, so one in a batch is counted anew itself.
  v_task_ids := array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = new.id
    union all
    (select e.task_id from public.task_executions e where e.task_id = new.id limit 1)
    union all
    select e.task_id from public.story_dependencies d
    join public.tasks t on t.story_id = d.blocked_id
    join public.task_executions e on e.task_id = t.id and e.status in ('PENDING', 'RUNNING')
    where d.blocker_id = new.story_id);
  if new.story_id <> old.story_id then
    perform private.refuse_moved_cycle(new.id);
    v_task_ids := v_task_ids || new.id || private.waiting_for('{}', array[old.story_id, new.story_id]);
  end if;
  if v_task_ids <> '{}' then
    perform private.settle_waiting(v_task_ids);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__settle_waiting_inserted()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.settle_waiting(nullif(private.waiting_for('{}', array(select distinct n.story_id from new_tasks n)), '{}'));
  return null;
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
  if v_status = 'RUNNING' then
    perform private.refuse_waiting(p_task_id, v_job.sprint_run_id);
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
  return private.execution_json(v_execution) || private.released();
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
        where w.product_id = any (v_products)
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

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_outcome_known" CHECK ((outcome = ANY (ARRAY['done'::text, 'skipped'::text, 'failed'::text, 'cancelled'::text, 'rate_limited'::text, 'question'::text, 'lost'::text, 'returned'::text, 'budget'::text, 'conflict'::text, 'failed_look'::text]))) NOT VALID;

ALTER TABLE "public"."job_attempts" VALIDATE CONSTRAINT "job_attempts_outcome_known";

CREATE TRIGGER _560_settle_waiting_deleted AFTER DELETE ON public.tasks FOR EACH ROW EXECUTE FUNCTION private.tg_tasks__settle_waiting();

CREATE TRIGGER _560_settle_waiting_inserted AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS new_tasks FOR EACH STATEMENT EXECUTE FUNCTION private.tg_tasks__settle_waiting_inserted();

COMMENT ON FUNCTION "private"."comes_with_batch"(uuid, uuid, text, uuid, boolean) IS 'Whether a batch brings what one of its tasks waits for (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."dependency_reasons"(uuid[], uuid) IS 'dependency, dependency_failed and dependency_unmerged (specification: Agent job).';

COMMENT ON FUNCTION "private"."refuse_waiting"(uuid, uuid) IS 'PT409 for a task of a batch that waits for others (specification: Sprint run, executions).';

COMMENT ON FUNCTION "private"."tg_tasks__settle_waiting_inserted"() IS 'Counters follow tasks that come to a story.';

REVOKE ALL ON FUNCTION "private"."comes_with_batch"(uuid, uuid, text, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."comes_with_batch"(uuid, uuid, text, uuid, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."dependency_reasons"(uuid[], uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."dependency_reasons"(uuid[], uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_waiting"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_waiting"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__settle_waiting_inserted"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__settle_waiting_inserted"() TO "postgres";

-- Batches count what they wait for anew.
update public.agent_jobs j set open_blockers = private.count_open_blockers(j)
where j.kind = 'SPRINT_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  and j.open_blockers <> private.count_open_blockers(j);
