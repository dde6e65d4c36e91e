-- Where a product asks about failures, a task whose job would fail has not failed yet: its job waits for a person's
-- choice and leaves the turn of its branch queue to the next. Returns the question, or null where the job fails. A batch is one job,
-- so there is nothing that could go on without it. Called under the product lock, before the job is queued again (docs/running.md).
create function private.ask_about_failure(p_job public.agent_jobs, p_reason text)
returns uuid language plpgsql volatile set search_path = '' as $$
declare
  v_question_id uuid;
begin
  if p_job.kind <> 'TASK_IMPLEMENTATION' or not private.is_run_unfinished(p_job.sprint_run_id)
    or (select p.on_failure from public.products p where p.id = p_job.product_id) = 'stop'
  then
    return null;
  end if;
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, question, options, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id,
    left(format('%s has failed in attempt %s: %s. What should happen next?', t.code, p_job.attempt, rtrim(p_reason, E'. \n')), 4000),
    jsonb_build_array(
      jsonb_build_object('label', 'Try again', 'description', 'A new attempt begins. To tell it something, write an answer instead.'),
      jsonb_build_object('label', 'Skip it and what it blocks', 'description', 'It and the tasks it blocks return to To do; the run goes on without them.'),
      jsonb_build_object('label', 'Stop the run', 'description', 'The task fails, and with it its story, PBI, sprint and run.'),
      jsonb_build_object('label', 'I take it over', 'description', format('It waits 15 minutes for you: node ~/backloom-worker.mjs take %s', t.code))), true
  from public.tasks t where t.id = p_job.task_id
  returning id into v_question_id;
  return v_question_id;
end;
$$;

-- Such a job keeps what it failed of until a person has chosen; no other queued job has both.
create function private.awaits_choice(p_job public.agent_jobs)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return p_job.status = 'QUEUED' and p_job.parked_question_id is not null and p_job.failure_class is not null;
end;
$$;

-- What a person chose. To try again needs nothing here: the job is released like every other that waited for an answer, as it
-- is where the answer is only a text, and where the person takes it over (specification: Agent question).
create function private.act_on_failure_answer(p_question public.agent_questions, p_option integer)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.parked_question_id = p_question.id and private.awaits_choice(j);
  if v_job.id is null then
    return;
  end if;
  case p_option
    when 1 then perform private.skip_failed(v_job);
    when 2 then perform private.fail_after_all(v_job);
    when 3 then perform private.keep_for_caller(v_job.id);
    else null;
  end case;
end;
$$;

-- No agent gets the job for a quarter of an hour, in which the person who takes it over begins in a terminal.
create function private.keep_for_caller(p_job_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
begin
  update public.agent_jobs j set taken_by = auth.uid(), taken_until = private.now() + interval '15 minutes'
  where j.id = p_job_id and j.status = 'QUEUED';
end;
$$;

-- The job begins again with all its retries.
create function private.try_again(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_has_turn boolean := private.take_turn(p_job);
begin
  update public.agent_jobs j set retry_count = 0, failure_class = null, in_turn = v_has_turn where j.id = p_job.id;
end;
$$;

-- The failure that waited takes place, with everything that follows (specification: Task, failed).
create function private.fail_after_all(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
begin
  update public.agent_jobs j set status = 'FAILED' where j.id = p_job.id;
end;
$$;

-- The run continues without a failed task and all that waits for it; what was not begun stays for the next run.
create function private.skip_failed(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_code text := (select t.code from public.tasks t where t.id = p_job.task_id);
  v_jobs uuid[] := array(
    with recursive left_out (id) as (
      select p_job.task_id
      union
      select n.id from left_out l cross join lateral unnest(private.tasks_blocked_by(array[l.id])) n (id)
    )
    select j.id from left_out l join public.agent_jobs j on j.task_id = l.id
    where j.sprint_run_id = p_job.sprint_run_id and j.status = 'QUEUED' and j.phase = 'implement');
begin
  perform private.close_question(j.parked_question_id) from public.agent_jobs j where j.id = any (v_jobs) and j.parked_question_id is not null;
  update public.tasks t set status = 'TO_DO'
  where t.status = 'IN_PROGRESS' and t.id in (select j.task_id from public.agent_jobs j where j.id = any (v_jobs));
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = case when j.id = p_job.id
    then left('Skipped. ' || j.failure_reason, 4000) else format('Skipped with %s, which it waits for.', v_code) end
  where j.id = any (v_jobs);
end;
$$;

-- A returning job goes before those not begun on its branch; one at work ends first. Returns whether it has the turn.
create function private.take_turn(p_job public.agent_jobs)
returns boolean language plpgsql volatile set search_path = '' as $$
begin
  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.id <> p_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  return not private.is_lane_held(p_job.sprint_run_id, p_job.lane_id);
end;
$$;
