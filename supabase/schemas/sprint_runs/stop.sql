-- Cancels an unfinished run with its unfinished jobs and its pause question. Tasks, stories, PBIs and the sprint
-- keep their status (specification: Sprint run).
-- Refusals: 404, 403, 409 when the run is finished. Definer: runs and jobs are written by functions only.
create function operations.cancel_sprint_run(p_sprint_run_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
begin
  if v_run.status not in ('QUEUED', 'RUNNING', 'PAUSED') then
    perform private.refuse(409, format('Only an unfinished run can be cancelled; this one is %s.', lower(v_run.status::text)));
  end if;
  perform private.end_run(v_run, 'CANCELLED', 'The run was cancelled.', null);
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id;
  return private.run_json(v_run, false);
end;
$$;
grant execute on function operations.cancel_sprint_run to authenticated;

-- A person, or a worker with a merge conflict, pauses a run (specification: Sprint run, pause_context). A worker
-- names its job and attempt; with p_release it also returns the job to the queue, without counting a retry.
-- Refusals: 404, 403, 409 (not running, lost attempt), 422. Definer: runs and jobs are written by functions only.
create function operations.pause_sprint_run(
  p_sprint_run_id uuid, p_reason text default null, p_pr_url text default null, p_conflict_files jsonb default null,
  p_job_id uuid default null, p_attempt integer default null, p_release boolean default false
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
  v_reason text := btrim(coalesce(p_reason, 'paused_by_person'));
  v_job public.agent_jobs;
begin
  perform private.require_link('pr_url', p_pr_url);
  if v_reason = '' or char_length(v_reason) > 500 then
    perform private.refuse(422, 'reason takes 1 to 500 characters.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.sprint_run_id is distinct from p_sprint_run_id then
      perform private.refuse(422, 'This job does not belong to the run. Name one of its jobs, or none.');
    end if;
  end if;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    perform private.refuse(409, format('Only a run that is queued or running can be paused; this one is %s.', lower(v_run.status::text)));
  end if;

  v_run := private.pause_run(v_run, v_reason, p_pr_url, p_conflict_files, v_job.id);
  if v_job.id is not null and p_release then
    update public.agent_jobs j
    set status = 'QUEUED', failure_class = null, pr_url = coalesce(p_pr_url, j.pr_url)
    where j.id = v_job.id;
  end if;
  return private.run_json(v_run, false);
end;
$$;
grant execute on function operations.pause_sprint_run to authenticated;
comment on function operations.pause_sprint_run is 'scope plan or work';

-- The only way to pause: stores the context, asks. Its jobs are no longer given out; held claims continue. Called under
-- the product lock by pause_sprint_run and when a question expires with STOP (specification: Sprint run, pause).
create function private.pause_run(
  p_run public.sprint_runs, p_reason text, p_pr_url text, p_conflict_files jsonb, p_job_id uuid,
  p_task_codes text[] default '{}'
) returns public.sprint_runs language plpgsql volatile set search_path = '' as $$
declare
  v_files jsonb := coalesce(p_conflict_files, '[]');
  v_text text;
  v_run public.sprint_runs;
begin
  if jsonb_typeof(v_files) <> 'array' or jsonb_array_length(v_files) > 500 or length(v_files::text) > 65536
    or exists (select from jsonb_array_elements(v_files) f where jsonb_typeof(f) <> 'string') then
    perform private.refuse(422, 'conflict_files must be a list of at most 500 paths.');
  end if;

  v_text := left(format('The run of %s is paused (%s).%s%s%s Resume the run when it can continue, or cancel it.',
    private.run_subject(p_run), replace(p_reason, '_', ' '),
    case when p_task_codes <> '{}' then format(' %s does not merge%s, even after two tries.', p_task_codes[1], ' with ' || p_task_codes[2]) else '' end,
    case when jsonb_array_length(v_files) > 0
      then ' In conflict: ' || left((select string_agg(f, ', ') from jsonb_array_elements_text(v_files) f), 1500) || '.' else '' end,
    case when p_pr_url is not null then ' Pull request: ' || p_pr_url || '.' else '' end), 4000);

  update public.sprint_runs r
  set status = 'PAUSED',
      pause_context = jsonb_build_object('reason', p_reason, 'pr_url', p_pr_url, 'conflict_files', v_files)
        || case when p_task_codes <> '{}' then jsonb_build_object('tasks', p_task_codes) else '{}' end,
      pause_question_id = private.open_pause_question(p_run, p_job_id, p_reason = 'merge_conflict', v_text)
  where r.id = p_run.id
  returning * into v_run;
  return v_run;
end;
$$;

-- A paused run asks a person, in the service's name, who resumes or cancels it by an option; it asks as long as it is paused.
-- Work that does not merge can also be taken over. A question needs a story: that of the job that paused it, of a
-- job at work, of the first queued one, or any of the run (specification: Agent question).
create function private.open_pause_question(p_run public.sprint_runs, p_job_id uuid, p_is_conflict boolean, p_text text)
returns uuid language plpgsql volatile set search_path = '' as $$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, question, options, expires_at)
  select p_run.product_id, t.story_id, t.id, j.id, p_run.id, p_text, jsonb_build_array(
      jsonb_build_object('label', 'Resume run', 'description', case when p_is_conflict
        then 'Its agent tries twice more. Or merge the branches and push first.' else 'It goes on where it stopped.' end),
      jsonb_build_object('label', 'Cancel run', 'description', 'What is done stays done.'))
      || case when p_is_conflict and j.kind = 'TASK_IMPLEMENTATION' then jsonb_build_array(jsonb_build_object('label', 'I take it over',
        'description', format('The run goes on, and %s waits 15 minutes for you: node ~/backloom-worker.mjs take %s', t.code, t.code)))
        else '[]' end, private.now() + interval '10 years'
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  where j.sprint_run_id = p_run.id
  order by (j.id is not distinct from p_job_id) desc, (j.status in ('CLAIMED', 'RUNNING')) desc,
    (j.status = 'QUEUED') desc, j.position
  limit 1
  returning id into v_question_id;
  return v_question_id;
end;
$$;

-- The paused run that a question is about.
create function private.run_paused_by(p_question public.agent_questions)
returns public.sprint_runs language sql stable set search_path = '' as $$
  select r from public.sprint_runs r
  where r.id = p_question.sprint_run_id and r.pause_question_id = p_question.id and r.status = 'PAUSED';
$$;
grant execute on function private.run_paused_by to authenticated;

-- An option resumes or cancels the paused run, in the same transaction; a person who takes the work over has 15 minutes to begin.
-- Words alone decide nothing, so a conflict takes none. Called under the product lock.
create function private.act_on_pause_answer(p_question public.agent_questions, p_option integer)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_run public.sprint_runs := private.run_paused_by(p_question);
begin
  if v_run.id is null or v_run.pause_context ->> 'reason' = 'budget' then
    return;
  end if;
  if p_option is null and v_run.pause_context ->> 'reason' = 'merge_conflict' then
    perform private.refuse(422, 'Choose one of the options: resume the run, cancel it, or take the task over.');
  end if;
  case p_option
    when 1 then perform private.end_run(v_run, 'CANCELLED', 'The run was cancelled.', null);
    when 0, 2 then
      perform private.require_budget_left(v_run);
      if p_option = 2 then
        perform private.keep_for_caller(p_question.job_id);
      end if;
      perform private.continue_run(v_run);
    else null;
  end case;
end;
$$;

-- Resumes a failed sprint: failed tasks return to todo, and their stories and PBIs follow; the sprint is active
-- again, and a new run starts on the failed run's branch, all in one transaction with the pre-flight (specification:
-- Task states). The new run begins as the failed one did, unless the caller says otherwise: its agents
-- plan first, and what was blocked stays out. With p_skip_failed it also leaves out failed tasks and what they block. If
-- people have finished everything by hand there is nothing to run: the sprint becomes active, so that it can be
-- completed, and the result is null. Refusals: 404, 403, 429, 409 (not failed, another active sprint, blockers).
-- Definer: runs and jobs are written by functions only.
create function operations.resume_sprint(
  p_sprint_id uuid, p_skip_failed boolean default false, p_plan_first boolean default null,
  p_use_description boolean default false, p_leave_out boolean default false
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_previous public.sprint_runs;
  v_other text;
  v_failed uuid[];
  v_task_ids uuid[];
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product can have only one active sprint.', v_other));
  end if;

  v_failed := array(
    select t.id from public.tasks t join public.stories s on s.id = t.story_id
    where p_skip_failed and s.sprint_id = p_sprint_id and t.status = 'FAILED');
  -- Stories and PBIs follow their tasks out of failed.
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;

  v_task_ids := array(select i from unnest(private.sprint_task_ids(p_sprint_id)) i where i <> all (v_failed));
  if v_task_ids = '{}' then
    return null;
  end if;

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  select p.* into v_product from public.products p where p.id = v_product_id;
  if not private.is_token() or v_previous.plan_review = 'person' then
    v_product.plan_review := coalesce(v_previous.plan_review, v_product.plan_review);
  end if;
  select * into v_scope from private.settle_scope(v_sprint, v_product, v_task_ids, coalesce(p_plan_first, nullif(v_previous.plan_first, false)),
    p_use_description, p_skip_failed or p_leave_out or exists (
      select from unnest(v_task_ids) i where i not in (select x.task_id from private.run_tasks(v_previous.id) x)));
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous, v_scope.task_ids, v_scope.plan_first);
  return private.run_json(v_run, false) || jsonb_build_object('left_out', v_scope.left_out);
end;
$$;
grant execute on function operations.resume_sprint to authenticated;

-- Closes a paused run's question. Returns the run that continues, for a batch a new one. Refusals: 404, 403, 409 when
-- the run is not paused, or its budget is used up. Definer: runs are written by functions (specification: Sprint run).
create function operations.resume_sprint_run(p_sprint_run_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
begin
  if v_run.status <> 'PAUSED' then
    perform private.refuse(409, format('Only a paused run can be resumed; this one is %s.', lower(v_run.status::text)));
  end if;
  perform private.require_budget_left(v_run);
  perform private.close_question(v_run.pause_question_id);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.continue_run(v_run);
  return private.run_json(v_run, false);
end;
$$;
grant execute on function operations.resume_sprint_run to authenticated;

-- The only way to resume a paused run: RUNNING while a claim is held, otherwise QUEUED, pause context cleared. A batch
-- with unfinished executions continues as a new run. Returns the run that continues. Called under the product lock
-- (specification: Sprint run).
create function private.continue_run(p_run public.sprint_runs)
returns public.sprint_runs language plpgsql volatile set search_path = '' as $$
declare
  v_run public.sprint_runs;
begin
  if p_run.pr_strategy = 'SPRINT_BATCH' and exists (
    select from public.task_executions e
    where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED')
  ) then
    return private.resume_batch_run(p_run);
  end if;

  update public.sprint_runs r
  set pause_context = null,
      status = case when exists (
        select from public.agent_jobs j where j.sprint_run_id = r.id and j.status in ('CLAIMED', 'RUNNING')
      ) then 'RUNNING' else 'QUEUED' end::public.sprint_run_status
  where r.id = p_run.id;
  update public.agent_jobs j set claim_rank = 0
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.stopped_by_budget_id is not null;
  perform private.ask_again_for_plans(p_run.id);
  perform private.complete_run(p_run.id);

  select r.* into v_run from public.sprint_runs r where r.id = p_run.id;
  return v_run;
end;
$$;

-- A paused batch with unfinished work is not resumed itself: it becomes CANCELLED, and a new run on the same
-- branch takes over the rest, with a new job and newly frozen plans (specification: Sprint run).
create function private.resume_batch_run(p_run public.sprint_runs)
returns public.sprint_runs language plpgsql volatile set search_path = '' as $$
declare
  v_run public.sprint_runs;
begin
  perform private.end_run(p_run, 'CANCELLED', 'The run was resumed as a new one.', null);

  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, plan_review, started_by)
  values (p_run.sprint_id, p_run.product_id, p_run.pr_strategy, p_run.branch, p_run.id, p_run.plan_first, p_run.plan_review, auth.uid())
  returning * into v_run;

  insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
  select v_run.id, e.task_id, e.position,
    case when f.plan ~ '\S' then f.plan else e.plan_snapshot end, t.verify_required
  from public.task_executions e
  join public.tasks t on t.id = e.task_id
  cross join lateral private.plan_in_force(t.id, v_run.id) f (plan)
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED') and e.task_id = any (private.tasks_to_start(array[e.task_id]));
  -- What was at work keeps its place in the old run; here it is to do again, and comes after what it waits for by now.
  perform private.order_runs(v_run.product_id);
  perform private.create_batch_job(v_run);
  return v_run;
end;
$$;

-- A run is done once all its jobs are finished; SKIPPED and CANCELLED count as finished, and a failed job ends the
-- run through its task. A batch whose job is cancelled or deleted while some of its tasks are unfinished is cancelled,
-- not done. A paused run stays paused until it is resumed (specification: Sprint run).
create function private.complete_run(p_sprint_run_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    return;
  end if;
  if exists (
    select from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  ) then
    return;
  end if;
  if exists (select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.status = 'FAILED') then
    return;
  end if;
  if exists (
    select from public.task_executions e
    where e.sprint_run_id = p_sprint_run_id and e.status in ('PENDING', 'RUNNING')
  ) then
    perform private.end_run(v_run, 'CANCELLED', 'The job of the batch was cancelled.', null);
    return;
  end if;
  perform private.end_run(v_run, 'DONE', null, null);
end;
$$;

-- The only way to end a run: sets the final status, clears the pause and closes its question. Unless it is done,
-- its unfinished jobs are cancelled with the questions they wait for. Work that waits for a review stays reviewable.
-- Called under the product lock (specification: Sprint run).
create function private.end_run(
  p_run public.sprint_runs, p_status public.sprint_run_status, p_reason text, p_failure jsonb
) returns void language plpgsql volatile set search_path = '' as $$
begin
  update public.sprint_runs r
  set status = p_status, pause_context = null, finished_at = private.now(), failure = p_failure
  where r.id = p_run.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');

  perform private.close_question(p_run.pause_question_id);
  if p_status = 'DONE' then
    return;
  end if;

  perform private.close_question(j.parked_question_id)
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.parked_question_id is not null;

  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = p_reason
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (j.status <> 'QUEUED' or j.phase <> 'review');

  update public.task_executions e
  set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_run.id and e.status = 'RUNNING';
end;
$$;

-- First in every change of a run: 404, 403, product lock, demo, archive. Returns it (specification: Sprint run).
create function private.lock_run(p_sprint_run_id uuid)
returns public.sprint_runs language plpgsql volatile set search_path = '' as $$
declare
  v_product_id uuid := private.require_run(p_sprint_run_id);
  v_run public.sprint_runs;
begin
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id for update;
  if not found then
    perform private.refuse(404, 'No such sprint run. Check the ID: list the runs of the product.');
  end if;
  return v_run;
end;
$$;

-- A person may set a run's budget at its start. Tokens may not set budgets (docs/running.md).
create function private.stop_run_at(p_run public.sprint_runs, p_stop_at jsonb)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_stop_at is null then
    return;
  end if;
  perform private.require_person();
  perform private.put_budget(p_run.product_id, 'run', null, p_run.id, p_stop_at ->> 'unit', (p_stop_at ->> 'amount')::numeric);
end;
$$;
