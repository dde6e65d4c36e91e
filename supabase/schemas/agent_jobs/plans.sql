-- A person approves the plan that an agent handed in, perhaps with changes, or sends it back with comments, which its
-- next attempt gets as the answer to its question. The approved text is the frozen plan, even if the task's plan
-- changes later. A second verdict is refused, and no token gives one: an agent does not approve its own plan. Refusals:
-- 403, 404, 409 when none waits, 422, 429. Definer: jobs and questions are written by functions only (docs/worker.md).
create function operations.review_plan(p_job_id uuid, p_verdict text, p_plan text default null, p_summary text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := btrim(coalesce(p_summary, ''));
  v_question public.agent_questions;
  v_plan text;
begin
  perform private.require_session('A person approves a plan, never a token. Sign in and decide on the page of the job.');
  perform private.take_rate_limit('answer', auth.uid()::text);
  if v_verdict is null then
    perform private.refuse(422, 'verdict must be approve or request_changes.');
  end if;
  v_question := private.require_waiting_plan(v_job);
  if v_verdict = 'request_changes' and v_summary = '' then
    perform private.refuse(422, 'Say in summary what the plan should change.');
  end if;
  if v_verdict = 'request_changes' and p_plan is not null then
    perform private.refuse(422, 'plan goes with approve. Say in summary what the plan should change.');
  end if;
  if p_plan is not null then
    perform private.check_plan('plan', p_plan);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answered_by = auth.uid(), answered_at = private.now(), answered_via = private.answer_source() ->> 'via',
      answer = concat_ws(': ', case when v_verdict = 'request_changes' then 'Changes requested'
        when p_plan is distinct from q.plan and p_plan is not null then 'Approved as edited' else 'Approved' end, nullif(v_summary, ''))
  where q.id = v_question.id;
  update public.agent_jobs j set phase = 'implement', claim_rank = 0 where j.id = p_job_id;
  if v_verdict = 'approve' then
    -- The approved text becomes the plan of the task, of the job, and in a batch of the execution, byte for byte.
    v_plan := coalesce(p_plan, v_question.plan);
    update public.tasks t set implementation_plan = v_plan,
      plan_decision = private.decided_plan(t) || private.plan_decision(v_plan, auth.uid())
    where t.id = v_question.task_id;
    if v_job.kind = 'SPRINT_IMPLEMENTATION' then
      update public.task_executions e set plan_snapshot = v_plan where e.sprint_run_id = v_job.sprint_run_id and e.task_id = v_question.task_id;
    else
      update public.agent_jobs j set plan_snapshot = v_plan, plan_approved_at = private.now() where j.id = p_job_id;
    end if;
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return private.job_json(v_job);
end;
$$;
grant execute on function operations.review_plan to authenticated;

-- Of two verdicts the second is refused. A plan that was not judged in time is asked for again when the run is resumed.
create function private.require_waiting_plan(p_job public.agent_jobs)
returns public.agent_questions language plpgsql volatile set search_path = '' as $$
declare
  v_question public.agent_questions;
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'plan' then
    perform private.refuse(409, 'No plan of this job waits for a verdict. Reload the page of the job.');
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id for update;
  if v_question.id is null or private.question_status(v_question) <> 'OPEN' then
    perform private.refuse(409, 'This plan was not judged in time. Resume the run to be asked again.');
  end if;
  return v_question;
end;
$$;

-- No work of a task counts before a person decided on its plan, where the run wants that: neither the frozen plan of
-- this attempt, which only takes what was decided, nor the task's own, if that was decided on since the attempt began.
create function private.needs_approved_plan(p_job public.agent_jobs, p_task_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
declare
  v_decision jsonb;
begin
  if p_job.phase not in ('implement', 'plan') or p_task_id is null
    or not exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.plan_review = 'person')
  then
    return false;
  end if;
  v_decision := private.decision_for('plan', p_task_id);
  if (v_decision ->> 'at')::timestamptz >= coalesce(p_job.claimed_at, '-infinity')
    or ((v_decision ->> 'verify_only')::boolean and (select t.verify_only from public.tasks t where t.id = p_task_id))
  then
    return false;
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return exists (select from public.task_executions e
      where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id and coalesce(e.plan_snapshot, '') !~ '\S');
  end if;
  return coalesce(p_job.plan_snapshot, '') !~ '\S';
end;
$$;

-- What an agent reports too early is refused with what to do first.
create function private.refuse_unapproved() returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.refuse(409, 'A person approves the plan first. Hand it in as implementation_plan with status running, and stop there; or a person who is signed in writes it into the task.');
end;
$$;

-- Handed in before the work, the plan is stored in the task, for people, and in the frozen plans of job and batch. A
-- plan that someone has written since is kept, and becomes the plan of this attempt (docs/runs.md).
create function private.keep_plan(p_job public.agent_jobs, p_task_id uuid, p_plan text)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_plan text;
begin
  perform private.check_plan('implementation_plan', p_plan);
  if private.needs_approved_plan(p_job, p_task_id) then
    perform private.refuse_unapproved();
  end if;
  if p_job.phase <> 'implement' or p_task_id is null then
    perform private.refuse(422, 'Only the attempt that implements a task plans it. Report without implementation_plan.');
  end if;
  update public.tasks t set implementation_plan = p_plan
  where t.id = p_task_id and coalesce(t.implementation_plan, '') !~ '\S';
  select t.implementation_plan into v_plan from public.tasks t where t.id = p_task_id;
  update public.agent_jobs j set plan_snapshot = v_plan
  where j.id = p_job.id and j.task_id = p_task_id and coalesce(j.plan_snapshot, '') !~ '\S';
  update public.task_executions e set plan_snapshot = v_plan
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id and coalesce(e.plan_snapshot, '') !~ '\S';
end;
$$;

-- One rule for the length of a plan, by an agent or a person.
create function private.check_plan(p_field text, p_plan text) returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_plan !~ '\S' or char_length(p_plan) > 100000 then
    perform private.refuse(422, format('%s takes 1 to 100000 characters.', p_field));
  end if;
end;
$$;

-- Ends the attempt without a failure: the job waits for a person. Under the product lock, by the one that holds it.
create function private.hand_in_plan(p_job public.agent_jobs, p_task_id uuid, p_plan text)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs := p_job;
begin
  perform private.check_plan('implementation_plan', p_plan);
  perform private.ask_for_plan(p_job, p_task_id, p_plan);
  update public.agent_jobs j
  set status = 'QUEUED', phase = 'plan', started_at = coalesce(j.started_at, private.now()), failure_class = null, failure_reason = null
  where j.id = p_job.id;
  select j.* into v_job from public.agent_jobs j where j.id = p_job.id;
  return private.job_json(v_job);
end;
$$;

-- A plan waits as a question does: in the inbox, with a notice, an expiry, and an end with its job or run.
create function private.ask_for_plan(p_job public.agent_jobs, p_task_id uuid, p_plan text)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, plan, question, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id,
    coalesce((select w.user_id from public.agent_workers w where w.id = p_job.worker_id), p_job.created_by), p_plan,
    format('May the work on %s begin by this plan?', t.code), true
  from public.tasks t where t.id = p_task_id
  returning id into v_question_id;
  update public.agent_jobs j set parked_question_id = v_question_id where j.id = p_job.id;
end;
$$;

-- A run that was paused because a plan was not judged in time asks for the same plan again when it is resumed.
create function private.ask_again_for_plans(p_sprint_run_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs;
  v_question public.agent_questions;
begin
  for v_job in
    select j.* from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.status = 'QUEUED' and j.phase = 'plan'
  loop
    select q.* into v_question from public.agent_questions q where q.id = v_job.parked_question_id;
    if private.question_status(v_question) <> 'OPEN' then
      perform private.close_question(v_question.id);
      perform private.ask_for_plan(v_job, v_question.task_id, v_question.plan);
    end if;
  end loop;
end;
$$;

-- An answer may get lost, so a worker hands the same plan in again; then nothing changes.
create function private.repeats_plan(p_job public.agent_jobs, p_state text, p_plan text)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return p_plan is not null and p_state = 'parked' and exists (
    select from public.agent_questions q where q.id = p_job.parked_question_id and q.plan = p_plan);
end;
$$;

-- Who waits for what. No line decides it: only a person does, in the browser.
create function private.plan_reasons(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
  return jsonb_build_array(jsonb_build_object('code', 'plan',
    'message', case when v_question.status <> 'OPEN' or v_question.expires_at <= private.now()
      then 'Its plan was not judged in time. Resume the run to be asked again.'
      else format('The plan of %s waits for a person, who approves it or sends it back in the inbox or on the page of the job.',
        (select t.code from public.tasks t where t.id = v_question.task_id)) end,
    'job_id', p_job.id, 'task_id', v_question.task_id, 'question_id', v_question.id, 'expires_at', v_question.expires_at));
end;
$$;
