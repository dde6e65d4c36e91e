-- A worker reports on its attempt: RUNNING, DONE, FAILED, SKIPPED or QUEUED. QUEUED returns the job without counting a retry: the rest of a batch is
-- blocked, or a person takes the job over or returns it. Only accepted from the attempt that holds the job. A task without a
-- plan takes the one in the report. Repeating a final report is fine; a report while still CLAIMED implies RUNNING.
-- DONE passes the gate first, and in products that require proof (phase_after) the job may be queued again for another
-- worker or a person. FAILED with rate_limited requeues the job until resets_at, without counting a retry; so does QUEUED with a
-- failure_reason, without a limit: nothing failed, and the sentence says why the job waits. A far limit,
-- and a failure, first hand the work to the next agent of the product's list; a failure then waits for a person's choice
-- where the product asks (ask_about_failure). Cascades happen in this transaction.
-- Refusals: 404, 403, 409 (lost, cancelled, other end), 422 (gate, fields). Definer: jobs are written by functions
-- only (specification: Agent job).
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
  v_reason text;
  v_question_id uuid;
  v_not_before timestamptz;
  v_fallback text;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped, queued.');
  end if;
  if v_status = 'QUEUED' and v_report.failure_reason is null and v_job.kind <> 'SPRINT_IMPLEMENTATION' and v_job.taken_by is null
    and v_state <> 'returned' then
    perform private.refuse(422, 'Only a batch with blocked tasks, a job that a person takes over or has, or one that says in failure_reason why it waits, can be given back. Report done, failed or skipped.');
  end if;
  perform private.require_link('pr_url', v_report.pr_url);
  v_class := lower(private.require_choice('failure_class', v_report.failure_class,
    array['AGENT_ERROR', 'VERIFICATION_FAILED', 'RATE_LIMITED', 'INFRASTRUCTURE', 'CANCELLED']));
  v_result := coalesce(private.require_choice('verify_result', v_report.verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_job.verify_result);

  if v_state <> 'held' then
    if private.repeats_plan(v_job, v_state, v_report.implementation_plan) then
      return private.job_json(v_job);
    end if;
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

  -- Which of its agents a worker of several chose for a job that names none, by the rules of the repository.
  if v_report.agent is not null
    and not exists (select from public.agent_workers w where w.id = v_job.worker_id and w.offers @> jsonb_build_array(jsonb_build_object('id', v_report.agent))) then
    v_report.agent := null;
  end if;
  -- Whoever only looks at the work of another moves nothing, and does not fail it by failing to look.
  if v_job.phase = 'verify' then
    v_report := jsonb_populate_record(v_report,
      '{"verify_result": null, "base_sha": null, "head_sha": null, "branch": null, "pushed_at": null, "pr_url": null}');
  end if;
  if v_report.implementation_plan is not null and v_status = 'RUNNING' and private.needs_approved_plan(v_job, v_job.task_id) then
    perform private.record_usage(v_job, p_attempt, v_report);
    perform private.note_attempt(v_job, v_report);
    return private.hand_in_plan(v_job, v_job.task_id, v_report.implementation_plan);
  end if;
  if v_report.implementation_plan is not null then
    perform private.keep_plan(v_job, v_job.task_id, v_report.implementation_plan);
  end if;
  if v_report.evidence is not null then
    perform private.record_evidence(v_job, v_report.evidence);
  end if;
  if v_report.lessons is not null then
    perform private.propose_lessons(v_job, v_report.lessons);
  end if;
  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'QUEUED' then 'QUEUED'
    when 'FAILED' then case when v_class = 'rate_limited' or (v_job.phase = 'verify' and v_job.retry_count < 3)
      then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_next = 'QUEUED' and (v_status = 'FAILED' or v_report.failure_reason is not null) then
    v_not_before := private.pause_until(v_report.resets_at, p_attempt, v_job.sprint_run_id);
  end if;
  if v_status = 'FAILED' then
    v_fallback := case when v_class is distinct from 'cancelled' then private.next_agent(v_job, case
      -- A limit without an end, met again by the same agent, is far away for all that anyone knows.
      when v_report.resets_at is not null or not exists (
        select from public.job_attempts a join public.job_attempts b using (job_id, agent)
        where a.job_id = v_job.id and a.attempt = p_attempt and b.attempt = p_attempt - 1 and b.outcome = 'rate_limited')
      then v_not_before end) end;
    v_next := case when v_fallback is not null then 'QUEUED' else v_next end;
  end if;
  -- Its answer was given before, or is the summary (specification: User question).
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    update public.user_questions u set status = 'ANSWERED', answer = v_report.summary, answered_at = private.now()
    where u.job_id = p_job_id and u.status = 'PENDING' and v_report.summary ~ '\S';
    if exists (select from public.user_questions u where u.job_id = p_job_id and u.status = 'PENDING') then
      perform private.refuse(422, 'Not done yet: answer the user''s question first, with answer_user_question or as the summary of this report.');
    end if;
  end if;
  perform private.record_usage(v_job, p_attempt, v_report);
  perform private.note_attempt(v_job, v_report);
  if v_report.head_sha is not null and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.note_head((select t.story_id from public.tasks t where t.id = v_job.task_id), v_job, v_report.head_sha);
  end if;
  v_phase := case when v_next = 'DONE' then private.phase_after(v_job, v_result) end;
  if v_status = 'FAILED' then
    v_class := coalesce(v_class, 'agent_error');
    v_reason := left(coalesce(v_report.failure_reason, v_report.summary, 'The worker gave no reason.'), 4000);
  elsif v_next = 'QUEUED' then
    v_reason := left(v_report.failure_reason, 4000);
  end if;
  if v_next = 'FAILED' then
    v_question_id := private.ask_about_failure(v_job, v_reason);
  end if;
  if v_phase is not null or v_question_id is not null then
    v_next := 'QUEUED';
  end if;

  update public.agent_jobs j
  set status = v_next,
      agent = coalesce(v_report.agent, j.agent),
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      phase = coalesce(v_phase, j.phase),
      claim_rank = case when v_phase is null then j.claim_rank else 0 end,
      author_worker_id = case when v_phase = 'verify' then j.worker_id else j.author_worker_id end,
      fallback_agent = coalesce(v_fallback, j.fallback_agent),
      retry_count = case when v_fallback is not null then 0
        when v_status = 'FAILED' and v_next = 'QUEUED' and v_class <> 'rate_limited' and v_question_id is null then j.retry_count + 1
        else j.retry_count end,
      parked_question_id = coalesce(v_question_id, j.parked_question_id),
      in_turn = j.in_turn and v_question_id is null,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(v_report.summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then v_class end,
      failure_reason = v_reason,
      not_before = case when v_fallback is null then v_not_before end,
      base_sha = coalesce(j.base_sha, left(v_report.base_sha, 64)),
      head_sha = coalesce(left(v_report.head_sha, 64), j.head_sha),
      branch = coalesce(j.branch, left(v_report.branch, 200)),
      pushed_at = coalesce(v_report.pushed_at, j.pushed_at),
      pr_url = coalesce(v_report.pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  if v_question_id is not null then
    perform private.bring_next_in_turn(v_job.sprint_run_id, v_job.lane_id);
  end if;
  if v_phase is not null then
    perform private.enter_phase(v_job);
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  end if;
  return private.job_json(v_job) || private.released();
end;
$$;
grant execute on function operations.report_agent_job to authenticated;
comment on function operations.report_agent_job is 'scope work';

-- What DONE or SKIPPED requires: of a task the gate, of a batch all executions, of a conversation an answer. Returns
-- DONE or SKIPPED; otherwise refuses without a change (specification: Agent job, SKIPPED; Task, verify_required).
create function private.finish_outcome(p_job public.agent_jobs, p_status text, p_result public.verify_result)
returns public.agent_job_status language plpgsql volatile set search_path = '' as $$
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
  v_outcome := private.end_after_verify(v_task.verify_required, p_result, v_task.verify_only);
  if v_outcome = 'DONE' and private.needs_approved_plan(p_job, p_job.task_id) then
    perform private.refuse_unapproved();
  end if;
  if v_outcome is null then
    perform private.refuse_gate(v_task.verify_required, p_result);
  end if;
  return v_outcome::public.agent_job_status;
end;
$$;

-- An answer may get lost: reporting the same end again is fine and changes nothing (specification: Agent job).
create function private.repeats_report(
  p_job public.agent_jobs, p_state text, p_status text, p_class public.failure_class, p_result public.verify_result
) returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return case p_state
    when 'finished' then p_job.status::text = p_status or (p_job.status = 'SKIPPED' and p_status = 'DONE' and p_result = 'EMPTY')
    when 'handed_over' then p_status = 'DONE'
    when 'requeued' then p_status = 'FAILED' and p_class = 'rate_limited'
    when 'failed_look' then p_status = 'FAILED' and p_class is distinct from 'rate_limited'
    when 'failed' then p_status = 'FAILED' and p_class is distinct from 'rate_limited'
    when 'returned' then p_status = 'QUEUED'
    else false
  end;
end;
$$;

-- A DONE that does not pass changes nothing; the refusal says what would (specification: Task, verify_required).
create function private.refuse_gate(p_required public.verify_required, p_result public.verify_result)
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.refuse(422,
    format('Not done yet: this task needs a verification that is %s, and %s. Verify the work against the plan again, finish what is missing, or report failed with failure_class verification_failed.',
      case p_required when 'ALIGNED' then 'aligned' else 'aligned or partial' end,
      case when p_result is null then 'none was given' else 'it is ' || lower(p_result::text) end),
    jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'verify_result',
      'message', format('The gate needs %s.', p_required)))));
end;
$$;

-- A lost attempt changes nothing; the refusal says what to do next (specification: Agent job; attempts).
create function private.refuse_attempt(p_job public.agent_jobs, p_attempt integer, p_state text)
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.refuse(409, private.attempt_words(p_job, p_attempt, p_state),
    jsonb_build_object('state', p_state, 'status', lower(p_job.status::text), 'attempt', p_job.attempt));
end;
$$;

-- The last attempt may still send output, usage and changes after its end. Returns its state, or PT409.
create function private.require_known_attempt(p_job public.agent_jobs, p_attempt integer)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_state text := private.attempt_state(p_job, p_attempt);
begin
  if v_state = 'lost' then
    perform private.refuse_attempt(p_job, p_attempt, v_state);
  end if;
  return v_state;
end;
$$;

-- The agent's session and place of unfinished work are for the next attempt (specification: Agent job; attempts).
create function private.note_attempt(p_job public.agent_jobs, p_report private.job_report)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if num_nonnulls(p_report.session_id, p_report.kept_ref, p_report.agent, p_report."references") = 0 then
    return;
  end if;
  update public.job_attempts a
  set session_id = coalesce(left(p_report.session_id, 300), a.session_id),
      kept_ref = coalesce(left(p_report.kept_ref, 300), a.kept_ref),
      agent = coalesce(p_report.agent, a.agent),
      "references" = coalesce(p_report."references", a."references")
  where a.job_id = p_job.id and a.attempt = p_job.attempt;
end;
$$;

-- A worker that stops returns its job, without a retry or failure. Under the product lock (specification: Agent job).
create function private.give_back_job(p_job public.agent_jobs)
returns public.agent_job_status language plpgsql volatile set search_path = '' as $$
declare
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = 'QUEUED', failure_class = null, lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  return v_status;
end;
$$;
