-- Why: a story follows its tasks, even when the last two finish at the same moment: every change of a task holds the
-- product lock, and this reads the tasks afterwards. The PBI follows by the trigger on stories. A failed task's sprint
-- and runs are handled elsewhere.
-- For updates it fires per row and last: most writes change one task, and most changes do not affect the story.
-- Definer: users may not write statuses of stories.
create function private.tg_tasks__derive_story()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_story_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.story_id) into v_story_ids from new_tasks n;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.story_id) into v_story_ids from old_tasks o;
  else
    v_story_ids := array[new.story_id, old.story_id];
  end if;

  -- Most changes leave the story as it is: then no write is tried, and no trigger of stories fires.
  if v_story_ids is not null then
    select array_agg(s.id)
    into v_story_ids
    from public.stories s
    where s.id = any (v_story_ids) and s.status <> private.derived_story_status(s.id, s.sprint_id);
  end if;

  if v_story_ids is not null then
    update public.stories s
    set status = private.derived_story_status(s.id, s.sprint_id)
    where s.id = any (v_story_ids);
  end if;
  return null;
end;
$$;

comment on function private.tg_tasks__derive_story is
  'Stories follow their tasks (specification: States and transitions, Story).';

create trigger _500_derive_story_insert after insert on public.tasks
  referencing new table as new_tasks
  for each statement execute function private.tg_tasks__derive_story();
create trigger _500_derive_story_delete after delete on public.tasks
  referencing old table as old_tasks
  for each statement execute function private.tg_tasks__derive_story();

-- Why: the history behind burn-down and cycle time: every status and every sprint of a task. For updates it fires per
-- row: most writes change one task, and this saves the transition table and its join. Definer: users may not write the
-- history.
create function private.tg_tasks__record_status_change()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, to_status)
    select n.id, n.story_id, n.product_id, s.sprint_id, n.status
    from new_tasks n
    join public.stories s on s.id = n.story_id;
    return null;
  end if;

  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  values (new.id, new.story_id, new.product_id, (select s.sprint_id from public.stories s where s.id = new.story_id),
    old.status, new.status);
  return null;
end;
$$;

comment on function private.tg_tasks__record_status_change is
  'Writes task_status_changes (specification: States and transitions, Task).';

create trigger _550_record_status_insert after insert on public.tasks
  referencing new table as new_tasks
  for each statement execute function private.tg_tasks__record_status_change();
create trigger _550_record_status_update after update of status on public.tasks
  for each row when (new.status <> old.status) execute function private.tg_tasks__record_status_change();
create trigger _550_record_move after update of story_id on public.tasks
  for each row when (new.story_id <> old.story_id) execute function private.tg_tasks__record_status_change();

-- Why: tasks_in_review holds exactly the tasks in review.
-- Reads the row's current state, because an earlier trigger may have moved the task on.
-- Definer: users may not write it.
create function private.tg_tasks__note_review()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  delete from public.tasks_in_review r
  using public.tasks t
  where r.task_id = new.id and t.id = r.task_id and t.status <> 'REVIEW';
  insert into public.tasks_in_review (task_id, product_id)
  select t.id, t.product_id from public.tasks t where t.id = new.id and t.status = 'REVIEW'
  on conflict (task_id) do nothing;
  return null;
end;
$$;

comment on function private.tg_tasks__note_review is 'Keeps tasks_in_review (specification: States and transitions, Task).';

create trigger _555_note_review_insert after insert on public.tasks
  for each row when (new.status = 'REVIEW') execute function private.tg_tasks__note_review();
create trigger _555_note_review_update after update of status on public.tasks
  for each row when (old.status is distinct from new.status and 'REVIEW' in (old.status, new.status))
  execute function private.tg_tasks__note_review();

-- Why: a task that becomes DONE releases what it blocks, and blocks it again when reopened. A moved task is blocked by
-- the blockers of its new story; and for whatever is blocked by a whole story, a moved, new or deleted task changes the
-- set of blockers. A batch counts the tasks of a story one by one. Definer: the caller may not write jobs.
create function private.tg_tasks__settle_waiting()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
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
$$;

comment on function private.tg_tasks__settle_waiting is 'Counters follow the status and the story of tasks.';

create trigger _560_settle_waiting
after update of status, story_id on public.tasks
for each row when ((new.status = 'DONE') <> (old.status = 'DONE') or new.story_id <> old.story_id)
execute function private.tg_tasks__settle_waiting();

create trigger _560_settle_waiting_deleted
after delete on public.tasks
for each row execute function private.tg_tasks__settle_waiting();

-- Why: one statement may insert thousands of tasks. Definer: the caller may not write jobs.
create function private.tg_tasks__settle_waiting_inserted()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.settle_waiting(nullif(private.waiting_for('{}', array(select distinct n.story_id from new_tasks n)), '{}'));
  return null;
end;
$$;

comment on function private.tg_tasks__settle_waiting_inserted is 'Counters follow tasks that come to a story.';

create trigger _560_settle_waiting_inserted
after insert on public.tasks
referencing new table as new_tasks
for each statement execute function private.tg_tasks__settle_waiting_inserted();

-- Why: a task that fails in an unfinished run stops the run and its sprint, if any, and cancels the rest of the run,
-- all in the transaction that reported it. Story and PBI follow by their own derivation, which keeps BLOCKED. The
-- failed task's job ends FAILED. A task that fails outside a run affects only its story and PBI.
-- Definer: the caller may not write runs and jobs.
create function private.tg_tasks__cascade_failure()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
  v_job public.agent_jobs;
begin
  perform private.lock_product(new.product_id);
  v_run := private.active_run_of_task(new.id);
  if v_run.id is null then
    return null;
  end if;

  update public.agent_jobs j
  set status = 'FAILED', failure_class = coalesce(j.failure_class, 'agent_error'),
      failure_reason = coalesce(j.failure_reason, 'Its task failed.')
  where j.sprint_run_id = v_run.id and j.task_id = new.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  update public.task_executions e
  set status = 'FAILED', failure_reason = coalesce(e.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where j.sprint_run_id = v_run.id and j.task_id = new.id and j.status = 'FAILED' order by j.position limit 1), 'Its task failed.')
  where e.sprint_run_id = v_run.id and e.task_id = new.id and e.status in ('PENDING', 'RUNNING');

  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = new.id order by j.position limit 1;

  perform private.end_run(v_run, 'FAILED', format('Task %s failed, so the run was stopped.', new.code),
    jsonb_build_object('task_id', new.id, 'task_code', new.code, 'job_id', v_job.id,
      'failure_class', v_job.failure_class, 'reason', v_job.failure_reason));

  update public.sprints s set status = 'FAILED' where s.id = v_run.sprint_id and s.status = 'ACTIVE';
  return null;
end;
$$;

comment on function private.tg_tasks__cascade_failure is
  'A failed task of a run fails sprint and run and cancels the rest (specification: Task, becomes failed).';

create trigger _610_cascade_failure
after update of status on public.tasks
for each row when (new.status = 'FAILED' and old.status <> 'FAILED')
execute function private.tg_tasks__cascade_failure();
