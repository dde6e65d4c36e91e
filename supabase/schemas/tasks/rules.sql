create trigger _110_lock_products before insert or update or delete on public.tasks
  for each statement execute function private.tg_any__lock_products();

-- A task always has the product_id of its story (specification: Task). It may move to another story of its
-- product, never to another product. Definer: the story may be hidden from the caller, whose write RLS then refuses.
create function private.tg_tasks__copy_product()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  new.product_id := private.product_of('story', new.story_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    perform private.refuse(422, 'A task cannot move to a story of another product.',
      '{"issues":[{"path":"story_id","message":"Choose a story of the same product."}]}');
  end if;

  return new;
end;
$$;
create trigger _120_copy_product before insert on public.tasks
  for each row execute function private.tg_tasks__copy_product();
create trigger _121_copy_product before update of story_id, product_id on public.tasks
  for each row when (new.story_id <> old.story_id or new.product_id <> old.product_id)
  execute function private.tg_tasks__copy_product();
create trigger _130_lock_product before insert or update or delete on public.tasks
  for each row execute function private.tg_any__lock_product();
create trigger _140_take_rate_limit before insert on public.tasks
  for each row execute function private.tg_any__take_rate_limit('task');
create trigger _145_compose_title before insert or update of title on public.tasks
  for each row when (new.title is not nfc normalized) execute function private.tg_any__compose_title();
create trigger _150_assign_code before insert on public.tasks
  for each row when (new.code is null or current_setting('backloom.taken_codes', true) is distinct from new.product_id::text)
  execute function private.tg_any__assign_code('task');
create trigger _151_assign_code before update of code on public.tasks
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('task');

-- A batch has one job for all tasks of its run, and it names one of them. When that task is deleted, the job names
-- the next unfinished task, otherwise another of its run, and keeps its tokens and cost; only the last task deletes it too.
-- While the product itself is deleted, no task is left to name. Definer: the caller may not write jobs (specification:
-- Agent job, task_id; Sprint run).
create function private.tg_tasks__keep_batch_job()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.products p where p.id = old.product_id) then
    update public.agent_jobs j
    set task_id = (
      select e.task_id from public.task_executions e
      where e.sprint_run_id = j.sprint_run_id and e.task_id <> old.id
      order by (e.status = 'RUNNING') desc, (e.status = 'PENDING') desc, e.position
      limit 1)
    where j.task_id = old.id and j.kind = 'SPRINT_IMPLEMENTATION'
      and exists (
        select from public.task_executions e where e.sprint_run_id = j.sprint_run_id and e.task_id <> old.id);
  end if;
  return old;
end;
$$;
create trigger _160_keep_batch_job
before delete on public.tasks
for each row execute function private.tg_tasks__keep_batch_job();
create trigger _200_sort_order before insert on public.tasks
  for each row execute function private.tg_any__sort_order();
create trigger _201_sort_order before update of code, sort_order on public.tasks
  for each row when (new.code <> old.code or new.sort_order <> old.sort_order)
  execute function private.tg_any__sort_order();

-- A task's own repository is code to run, so the person who decides sees who set it (specification: Task).
create function private.tg_tasks__repo_url_by() returns trigger language plpgsql set search_path = '' as $$
begin
  new.repo_url_by := case when new.repo_url is not null then auth.uid() end;
  return new;
end;
$$;
create trigger _300_repo_url_by before insert on public.tasks
  for each row when (new.repo_url is not null) execute function private.tg_tasks__repo_url_by();
create trigger _301_repo_url_by before update of repo_url on public.tasks
  for each row when (new.repo_url is distinct from old.repo_url) execute function private.tg_tasks__repo_url_by();

-- A plan, or verify_only, is decided when a person writes it. Copies, undo and an approval bring their decision along.
create function private.tg_tasks__decide_plan() returns trigger language plpgsql set search_path = '' as $$
declare
  v_user_id uuid := case when not private.is_token() then auth.uid() end;
begin
  if tg_op = 'UPDATE' and new.plan_decision is distinct from old.plan_decision then
    return new;
  end if;
  if tg_op = 'INSERT' then
    new.plan_decision := case when v_user_id is null then coalesce(new.plan_decision, '{}')
      else private.plan_decision(new.implementation_plan, v_user_id) || jsonb_build_object('verify_only', new.verify_only) end;
    return new;
  end if;
  new.plan_decision := private.decided_plan(old);
  if v_user_id is not null and new.implementation_plan is distinct from old.implementation_plan then
    new.plan_decision := new.plan_decision || private.plan_decision(new.implementation_plan, v_user_id);
  end if;
  if v_user_id is not null and new.verify_only <> old.verify_only then
    new.plan_decision := new.plan_decision || jsonb_build_object('verify_only', new.verify_only);
  end if;
  return new;
end;
$$;
create trigger _310_decide_plan before insert on public.tasks
  for each row execute function private.tg_tasks__decide_plan();
create trigger _311_decide_plan before update of implementation_plan, verify_only on public.tasks
  for each row when (new.implementation_plan is distinct from old.implementation_plan or new.verify_only <> old.verify_only)
  execute function private.tg_tasks__decide_plan();
create trigger _400_touch before update on public.tasks
  for each row execute function private.tg_any__touch();

-- Sends every change of a task to the solo and backlog streams of its product, with the sprint and assignee of its
-- story for the filter. New tasks come in bulk, so their events are made by statement. The event of a moved task includes its
-- old place, so that streams which lose it get it too. Definer: every write sends its event, but no client may call private.emit
-- (specification: Solo stream, Backlog stream).
create function private.tg_tasks__emit() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_event jsonb;
  v_row public.tasks := coalesce(new, old);
begin
  if tg_op = 'INSERT' then
    perform private.emit_all(array(
      select jsonb_build_array('product:' || n.product_id, jsonb_build_object('op', 'I', 'entity', 'task', 'id', n.id, 'product_id', n.product_id,
        'story_id', n.story_id, 'task_status', n.status, 'task_title', n.title, 'task_sort_order', n.sort_order) || private.story_place(n.story_id))
      from new_tasks n));
    return null;
  end if;
  if tg_op = 'UPDATE' then
    v_event := private.change_event(tg_op, 'task', null,
      jsonb_build_object('id', new.id, 'product_id', new.product_id), private.changed_task_fields(old, new));
  else
    v_event := private.change_event(tg_op, 'task', to_jsonb(old), null);
  end if;
  if v_event is null then
    return null;
  end if;

  v_event := v_event || private.story_place(v_row.story_id) || jsonb_build_object('story_id', v_row.story_id,
    'task_status', v_row.status, 'task_title', v_row.title, 'task_sort_order', v_row.sort_order);
  if tg_op = 'UPDATE' and new.story_id <> old.story_id then
    v_event := v_event || jsonb_build_object('old_story_id', old.story_id) || (
      select jsonb_object_agg('old_' || place.key, place.value)
      from jsonb_each(private.story_place(old.story_id)) as place
    );
  end if;
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;
create trigger _900_emit after update or delete on public.tasks
  for each row execute function private.tg_tasks__emit();
create trigger _900_emit_new after insert on public.tasks
  referencing new table as new_tasks
  for each statement execute function private.tg_tasks__emit();
create trigger _940_limit_rows after insert on public.tasks
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('product_id', '100000', 'tasks in this product, which is the limit. Delete some that are not needed.');

-- Where the consequences of a task's change begin; private.after_task_change says which. They come after the task's own
-- event, so that streams send the cause first. New and deleted tasks come in bulk and are handled by statement.
-- Definer: the caller may not write stories, jobs, runs and the history (specification: States and transitions, Task).
create function private.tg_tasks__follow() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    perform private.after_task_change(old, new);
  elsif tg_op = 'INSERT' then
    perform private.derive_stories(array(select distinct n.story_id from new_tasks n));
    insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, to_status)
    select n.id, n.story_id, n.product_id, s.sprint_id, n.status
    from new_tasks n
    join public.stories s on s.id = n.story_id;
    perform private.recount_now_or_at_job_end(private.tasks_blocked_by('{}', array(select distinct n.story_id from new_tasks n)));
  else
    perform private.refuse_done_by_absence(array(select distinct o.story_id from old_tasks o));
    perform private.derive_stories(array(select distinct o.story_id from old_tasks o));
    perform private.recount_now_or_at_job_end(private.tasks_blocked_by('{}', array(select distinct o.story_id from old_tasks o)));
  end if;
  return null;
end;
$$;
create trigger _950_follow_insert after insert on public.tasks
  referencing new table as new_tasks
  for each statement execute function private.tg_tasks__follow();
create trigger _950_follow_update after update of status, story_id on public.tasks
  for each row when (new.status <> old.status or new.story_id <> old.story_id)
  execute function private.tg_tasks__follow();
create trigger _950_follow_delete after delete on public.tasks
  referencing old table as old_tasks
  for each statement execute function private.tg_tasks__follow();

-- Most updates of a task change only its status, twice per job. This finds out without converting the row to JSON
-- twice (specification: Solo stream, changed_fields).
create function private.changed_task_fields(p_old public.tasks, p_new public.tasks)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_rest public.tasks := p_new;
begin
  v_rest.status := p_old.status;
  v_rest.updated_at := p_old.updated_at;
  v_rest.version := p_old.version;
  v_rest.field_versions := p_old.field_versions;
  v_rest.plan_decision := p_old.plan_decision;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return case when p_new.status is distinct from p_old.status then '["status"]' else '[]' end;
end;
$$;

-- What happens when a task changes its status or story, in this order. Steps that take more than a few lines are
-- separate functions below, or belong to another noun (specification: States and transitions, Task).
create function private.after_task_change(p_old public.tasks, p_new public.tasks)
returns void language plpgsql volatile set search_path = '' as $$
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

  -- A done task releases what waits for it, a reopened one blocks it again; a moved one has its new story's blockers.
  if v_is_done <> v_was_done or v_has_moved then
    perform private.recount_after_task(p_old, p_new);
  end if;

  if p_new.status = 'FAILED' and p_old.status <> 'FAILED' then
    perform private.stop_failed_run(p_new);
  end if;
  if v_is_done and not v_was_done then
    perform private.finish_waiting_jobs(p_new.id);
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
    if v_has_moved then
      perform private.refuse_done_by_absence(array[p_new.story_id, p_old.story_id]);
    end if;
    perform private.derive_stories(array[p_new.story_id, p_old.story_id]);
  end if;
end;
$$;

-- The gate judges a story's last task: a token that removes open ones would finish it without (docs/proof.md).
create function private.refuse_done_by_absence(p_story_ids uuid[]) returns void language plpgsql volatile set search_path = '' as $$
declare
  v_code text;
begin
  select s.code into v_code
  from public.stories s join public.products p on p.id = s.product_id
  where private.is_token() and s.id = any (p_story_ids) and s.status <> 'DONE' and private.derived_story_status(s.id, s.sprint_id) = 'DONE'
    and (p.done_requires in ('ci', 'person') or p.done_requires <> 'none'
      and private.missing_proof(array[s.id], p.done_requires::text::public.evidence_grade) is not null)
  limit 1;
  if found then
    perform private.refuse(403, format('%s would be done by this, and nobody has judged it as a whole. A person who is signed in can delete or move the task.', v_code));
  end if;
end;
$$;

-- tasks_in_review holds exactly the tasks that were moved to review, as each with an attempt was; one that came in so has
-- no work here to judge. Reads the row's current state, because an earlier step may have moved the task on (specification: States and transitions, Task).
create function private.list_in_review(p_task_id uuid) returns void language plpgsql volatile set search_path = '' as $$
begin
  delete from public.tasks_in_review r
  using public.tasks t
  where r.task_id = p_task_id and t.id = r.task_id and t.status <> 'REVIEW';
  insert into public.tasks_in_review (task_id, product_id)
  select t.id, t.product_id from public.tasks t where t.id = p_task_id and t.status = 'REVIEW'
  on conflict (task_id) do nothing;
end;
$$;

-- A moved task changes the blockers of what waits for its story. A batch counts a story's tasks one by one.
create function private.recount_after_task(p_old public.tasks, p_new public.tasks)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_task_ids uuid[];
begin
  -- A batch counts the blockers of all its tasks, so this task is recounted too if it is in one.
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
    perform private.refuse_cycle('task', p_new.id, 'task', p_new.id, 'Moving it to that story');
    v_task_ids := v_task_ids || p_new.id || private.tasks_blocked_by('{}', array[p_old.story_id, p_new.story_id]);
  end if;
  perform private.recount_now_or_at_job_end(v_task_ids);
end;
$$;

-- A task that fails in an unfinished run stops the run and its sprint, if any, and cancels the rest of the run,
-- all in the transaction that reported it. The failed task's job ends FAILED. A task that fails outside a run affects
-- only its story and PBI, whose derivation keeps BLOCKED (specification: Task, becomes failed).
create function private.stop_failed_run(p_task public.tasks)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_run public.sprint_runs;
  v_job public.agent_jobs;
begin
  perform private.lock_product(p_task.product_id);
  v_run := private.active_run_of_task(p_task.id);
  if v_run.id is null then
    return;
  end if;

  perform private.close_question(j.parked_question_id) from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = p_task.id and private.awaits_choice(j);
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

-- A person may finish a task by hand that a run still plans to do. A batch run then records it as done and does not
-- repeat the work; a job that waited for a check or a plan has nothing left to wait for. Usually a task is finished by
-- its own job, outside a batch: then this costs two lookups (specification: Sprint run, executions; docs/proof.md).
create function private.finish_waiting_jobs(p_task_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
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
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or (j.phase <> 'plan' and not exists (select from private.tasks_awaiting_proof(j.sprint_run_id))));
end;
$$;

-- A task in review: a notice to its story's assignee, otherwise to everyone (specification: Task).
create function private.notify_review(p_task public.tasks)
returns void language plpgsql volatile set search_path = '' as $$
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
