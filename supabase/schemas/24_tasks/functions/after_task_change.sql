-- Why: what happens when a task changes its status or story, in this order. Steps that take more than a few lines are
-- functions of their own below, or belong to another noun.
create function private.after_task_change(p_old public.tasks, p_new public.tasks)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_has_moved boolean := p_new.story_id <> p_old.story_id;
  v_was_done boolean := p_old.status = 'DONE';
  v_is_done boolean := p_new.status = 'DONE';
begin
  -- The history behind burn-down and cycle time.
  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  values (p_new.id, p_new.story_id, p_new.product_id,
    (select s.sprint_id from public.stories s where s.id = p_new.story_id), p_old.status, p_new.status);

  if p_new.status <> p_old.status and 'REVIEW' in (p_old.status, p_new.status) then
    perform private.list_in_review(p_new.id);
  end if;

  -- A done task releases what waits for it, a reopened one blocks it again; a moved one is blocked by the blockers of its
  -- new story.
  if v_is_done <> v_was_done or v_has_moved then
    perform private.settle_task_waiting(p_old, p_new);
  end if;

  if p_new.status = 'FAILED' and p_old.status <> 'FAILED' then
    perform private.stop_failed_run(p_new);
  end if;
  if v_is_done and not v_was_done then
    perform private.finish_elsewhere(p_new.id);
  end if;

  if p_new.status = 'REVIEW' and p_old.status <> 'REVIEW' then
    perform private.notify_review(p_new);
  end if;
  if p_new.status <> p_old.status and 'REVIEW' in (p_old.status, p_new.status) then
    perform private.emit_to_members(p_new.product_id,
      jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_new.id, 'product_id', p_new.product_id));
  end if;

  -- Last, because the steps above may have changed other tasks of the story. The PBI follows its story.
  if v_has_moved or (p_new.status <> p_old.status
      and (p_new.status in ('DONE', 'FAILED') or p_old.status in ('DONE', 'FAILED'))) then
    perform private.derive_stories(array[p_new.story_id, p_old.story_id]);
  end if;
end;
$$;

comment on function private.after_task_change is
  'What follows from a task''s change, in order (specification: States and transitions, Task).';

-- Why: tasks_in_review holds exactly the tasks in review. Reads the row's current state, because an earlier step may
-- have moved the task on.
create function private.list_in_review(p_task_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  delete from public.tasks_in_review r
  using public.tasks t
  where r.task_id = p_task_id and t.id = r.task_id and t.status <> 'REVIEW';
  insert into public.tasks_in_review (task_id, product_id)
  select t.id, t.product_id from public.tasks t where t.id = p_task_id and t.status = 'REVIEW'
  on conflict (task_id) do nothing;
end;
$$;

comment on function private.list_in_review is 'Keeps tasks_in_review (specification: States and transitions, Task).';

-- Why: for whatever is blocked by a whole story, a moved task changes the set of blockers. A batch counts the tasks of a
-- story one by one.
create function private.settle_task_waiting(p_old public.tasks, p_new public.tasks)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_task_ids uuid[];
begin
  -- A batch counts for its tasks, so one in a batch is counted anew itself.
  v_task_ids := array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = p_new.id
    union all
    (select e.task_id from public.task_executions e where e.task_id = p_new.id limit 1)
    union all
    select e.task_id from public.story_dependencies d
    join public.tasks t on t.story_id = d.blocked_id
    join public.task_executions e on e.task_id = t.id and e.status in ('PENDING', 'RUNNING')
    where d.blocker_id = p_new.story_id);
  if p_new.story_id <> p_old.story_id then
    perform private.refuse_moved_cycle(p_new.id);
    v_task_ids := v_task_ids || p_new.id || private.waiting_for('{}', array[p_old.story_id, p_new.story_id]);
  end if;
  if v_task_ids <> '{}' then
    perform private.settle_waiting(v_task_ids);
  end if;
end;
$$;

comment on function private.settle_task_waiting is 'Counters follow the status and the story of a task.';

-- Why: a task that fails in an unfinished run stops the run and its sprint, if any, and cancels the rest of the run,
-- all in the transaction that reported it. The failed task's job ends FAILED. A task that fails outside a run affects
-- only its story and PBI, whose derivation keeps BLOCKED.
create function private.stop_failed_run(p_task public.tasks)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
  v_job public.agent_jobs;
begin
  perform private.lock_product(p_task.product_id);
  v_run := private.active_run_of_task(p_task.id);
  if v_run.id is null then
    return;
  end if;

  update public.agent_jobs j
  set status = 'FAILED', failure_class = coalesce(j.failure_class, 'agent_error'),
      failure_reason = coalesce(j.failure_reason, 'Its task failed.')
  where j.sprint_run_id = v_run.id and j.task_id = p_task.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  update public.task_executions e
  set status = 'FAILED', failure_reason = coalesce(e.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where j.sprint_run_id = v_run.id and j.task_id = p_task.id and j.status = 'FAILED' order by j.position limit 1), 'Its task failed.')
  where e.sprint_run_id = v_run.id and e.task_id = p_task.id and e.status in ('PENDING', 'RUNNING');

  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = p_task.id order by j.position limit 1;

  perform private.end_run(v_run, 'FAILED', format('Task %s failed, so the run was stopped.', p_task.code),
    jsonb_build_object('task_id', p_task.id, 'task_code', p_task.code, 'job_id', v_job.id,
      'failure_class', v_job.failure_class, 'reason', v_job.failure_reason));

  update public.sprints s set status = 'FAILED' where s.id = v_run.sprint_id and s.status = 'ACTIVE';
end;
$$;

comment on function private.stop_failed_run is
  'A failed task of a run fails sprint and run and cancels the rest (specification: Task, becomes failed).';

-- Why: a person may finish a task by hand that a run still plans to do. A batch run then records it as done and does
-- not repeat the work; a job that waited for another worker or a review has nothing left to wait for. Usually a task is
-- finished by its own job, outside a batch: then two look-ups are all.
create function private.finish_elsewhere(p_task_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if exists (select from public.task_executions e where e.task_id = p_task_id) then
    update public.task_executions e
    set status = 'DONE'
    from public.sprint_runs r
    where e.task_id = p_task_id and e.status in ('PENDING', 'RUNNING')
      and r.id = e.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  elsif not exists (select from public.agent_jobs o where o.task_id = p_task_id and o.status = 'QUEUED' and o.phase <> 'implement') then
    return;
  end if;

  update public.agent_jobs j
  set status = 'DONE'
  where j.id in (
      select o.id from public.agent_jobs o where o.task_id = p_task_id
      union all
      select b.id from public.task_executions e
      join public.agent_jobs b on b.sprint_run_id = e.sprint_run_id where e.task_id = p_task_id)
    and j.status = 'QUEUED' and j.phase <> 'implement'
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or not exists (select from private.held_tasks(j.sprint_run_id)));
end;
$$;

comment on function private.finish_elsewhere is
  'A task done by hand is done in its batch run too, and ends the job that waited for a look at it (specification: Sprint run, executions; docs/proof.md).';

-- Why: a task in review needs a person, so a notice goes to the assignee of its story, else to everybody.
create function private.notify_review(p_task public.tasks)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = p_task.story_id;
  perform private.queue_notices('review_needed', p_task.product_id, v_story.assignee_id, true,
    format('%s is ready for review', p_task.code), p_task.title,
    case when v_story.sprint_id is null then format('/products/%s/backlog', p_task.product_id)
      else format('/products/%s/sprints/%s', p_task.product_id, v_story.sprint_id) end,
    jsonb_build_object('task_id', p_task.id, 'task_code', p_task.code, 'story_id', v_story.id, 'story_code', v_story.code,
      'sprint_id', v_story.sprint_id, 'status', 'review'));
end;
$$;

comment on function private.notify_review is 'Notices of tasks that wait for a review (specification: Task).';
