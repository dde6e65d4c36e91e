-- Why: a worker reports on its attempt: RUNNING, DONE, FAILED, SKIPPED, or QUEUED: the rest of a batch is blocked, so
-- the job is requeued, without counting a retry. Only accepted from the attempt that holds the job. A task without a
-- plan takes the one in the report. Repeating a final report is fine; a report while still CLAIMED implies RUNNING.
-- DONE passes the gate first, and in products that require proof (phase_after) the job may be queued again for another
-- worker or a person. FAILED with rate_limited requeues the job until resets_at, without counting a retry. Cascades
-- happen in this transaction.
-- Refusals: 404, 403, 409 (lost, cancelled, other end), 422 (gate, fields). Definer: jobs are written by functions
-- only.
create function operations.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
-- These apply to everything this calls, including triggers: planning the short statements each time costs more than
-- running them, and a plan made while a table was small must not scan all of it forever.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
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
      not_before = case when v_next = 'QUEUED' and v_status = 'FAILED' then private.pause_until(v_report.resets_at, p_attempt, v_job.sprint_run_id) end,
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
$$;

comment on function operations.report_agent_job is
  'CLAIMED and RUNNING to RUNNING, DONE, FAILED, SKIPPED or back to QUEUED (specification: Agent job).';
grant execute on function operations.report_agent_job to authenticated;

-- Why: a PLAN_CHAT job ends with the answer to its question: given before by answer_user_question, or now as the
-- summary.
create function private.answer_chat(p_job public.agent_jobs, p_summary text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.user_questions u
  set status = 'ANSWERED', answer = p_summary, answered_at = private.now()
  where u.job_id = p_job.id and u.status = 'PENDING' and p_summary ~ '\S';
  if exists (select from public.user_questions u where u.job_id = p_job.id and u.status = 'PENDING') then
    perform private.refuse(422, 'Not done yet: answer the user''s question first, with answer_user_question or as the summary of this report.');
  end if;
end;
$$;

comment on function private.answer_chat is 'The worker''s answer closes the user question (specification: User question).';

-- Why: what a reported DONE or SKIPPED requires, by kind of job: the gate for a task, all executions finished for a
-- batch, an answered question for a conversation. Returns DONE or SKIPPED; otherwise refuses without a change.
create function private.finish_outcome(p_job public.agent_jobs, p_status text, p_result public.verify_result)
returns public.agent_job_status
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_task public.tasks;
  v_outcome text;
  v_open text;
begin
  if p_status = 'SKIPPED' then
    if p_job.kind = 'PLAN_CHAT' or p_result is distinct from 'EMPTY' then
      perform private.refuse(422, 'A job can only be skipped when the verification found that the work is already present (verify_result empty).');
    end if;
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
      and e.status in ('PENDING', 'RUNNING') and e.verify_result is distinct from 'EMPTY';
    if v_open is not null then
      perform private.refuse(422, format('A batch can only be skipped when each of its tasks was verified as already present. Verify these with verify_sprint_task first: %s.', v_open));
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
      perform private.refuse(422, format('Not done yet: these tasks of the batch are unfinished: %s. Report each with update_task_execution first; if they are blocked by others, give the job back with status queued.', v_open));
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
$$;

comment on function private.finish_outcome is
  'DONE or SKIPPED as the gate decides (specification: Agent job, SKIPPED; Task, verify_required).';

-- Why: an answer may get lost, so workers repeat reports; reporting the same end twice is fine and changes nothing.
create function private.repeats_report(
  p_job public.agent_jobs, p_state text, p_status text, p_class public.failure_class, p_result public.verify_result)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
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
$$;

comment on function private.repeats_report is
  'Whether a report repeats the end that is already written (specification: Agent job).';
