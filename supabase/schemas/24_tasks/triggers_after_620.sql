-- Why: a person may finish a task by hand that a run still plans to do. A batch run then records it as done and does
-- not repeat the work; a job that waited for another worker or a review has nothing left to wait for. Usually a task is
-- finished by its own job, outside a batch: then two look-ups are all.
-- Definer: the caller may not write executions and jobs.
create function private.tg_tasks__finish_elsewhere()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if exists (select from public.task_executions e where e.task_id = new.id) then
    update public.task_executions e
    set status = 'DONE'
    from public.sprint_runs r
    where e.task_id = new.id and e.status in ('PENDING', 'RUNNING')
      and r.id = e.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  elsif not exists (select from public.agent_jobs o where o.task_id = new.id and o.status = 'QUEUED' and o.phase <> 'implement') then
    return null;
  end if;

  update public.agent_jobs j
  set status = 'DONE'
  where j.id in (
      select o.id from public.agent_jobs o where o.task_id = new.id
      union all
      select b.id from public.task_executions e
      join public.agent_jobs b on b.sprint_run_id = e.sprint_run_id where e.task_id = new.id)
    and j.status = 'QUEUED' and j.phase <> 'implement'
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or not exists (select from private.held_tasks(j.sprint_run_id)));
  return null;
end;
$$;

comment on function private.tg_tasks__finish_elsewhere is
  'A task done by hand is done in its batch run too, and ends the job that waited for a look at it (specification: Sprint run, executions; docs/proof.md).';

create trigger _620_finish_elsewhere
after update of status on public.tasks
for each row when (new.status = 'DONE' and old.status <> 'DONE')
execute function private.tg_tasks__finish_elsewhere();

-- Why: a task in review needs a person, so a notice goes to the assignee of its story, else to everybody. Definer:
-- users may not write the outbox.
create function private.tg_tasks__notices()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = new.story_id;
  perform private.queue_notices('review_needed', new.product_id, v_story.assignee_id, true,
    format('%s is ready for review', new.code), new.title,
    case when v_story.sprint_id is null then format('/products/%s/backlog', new.product_id)
      else format('/products/%s/sprints/%s', new.product_id, v_story.sprint_id) end,
    jsonb_build_object('task_id', new.id, 'task_code', new.code, 'story_id', v_story.id, 'story_code', v_story.code,
      'sprint_id', v_story.sprint_id, 'status', 'review'));
  return null;
end;
$$;

comment on function private.tg_tasks__notices is 'Notices of tasks that wait for a review (specification: Task).';

create trigger _700_notices after update of status on public.tasks
  for each row when (new.status = 'REVIEW' and old.status <> 'REVIEW')
  execute function private.tg_tasks__notices();

-- Why: tasks that need a person appear in the inbox at once (36_inbox).
create trigger _890_tell_inbox
after update of status on public.tasks
for each row
when (old.status is distinct from new.status and 'REVIEW' in (old.status, new.status))
execute function private.tg_any__tell_inbox();

-- Why: sends every change of a task to the solo and backlog streams of its product, with the sprint and assignee of its
-- story for the filter. The event of a moved task includes its old place, so that streams which lose it get it too.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_tasks__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb;
  v_row public.tasks := coalesce(new, old);
begin
  if tg_op = 'UPDATE' then
    v_event := private.change_event(tg_op, 'task', null,
      jsonb_build_object('id', new.id, 'product_id', new.product_id), private.changed_task_fields(old, new));
  else
    v_event := private.change_event(tg_op, 'task', to_jsonb(old), to_jsonb(new));
  end if;
  if v_event is null then
    return null;
  end if;

  v_event := v_event || private.story_place(v_row.story_id) || jsonb_build_object(
    'story_id', v_row.story_id,
    'task_status', v_row.status,
    'task_title', v_row.title,
    'task_sort_order', v_row.sort_order
  );
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

comment on function private.tg_tasks__emit is
  'Announces changes of tasks on product:<id> (specification: Solo stream, Backlog stream).';

create trigger _900_emit
after insert or update or delete on public.tasks
for each row execute function private.tg_tasks__emit();

-- private.tg_tasks__derive_story and its other triggers are in triggers_after_500.sql.
create trigger _990_derive_story_update after update of status, story_id on public.tasks
  for each row when (
    new.story_id <> old.story_id
    or (new.status <> old.status and (new.status in ('DONE', 'FAILED') or old.status in ('DONE', 'FAILED')))
  )
  execute function private.tg_tasks__derive_story();

-- Why: most updates of a task change only its status, twice per job. This finds out without converting the row to JSON
-- twice.
create function private.changed_task_fields(p_old public.tasks, p_new public.tasks)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_rest public.tasks := p_new;
begin
  v_rest.status := p_old.status;
  v_rest.updated_at := p_old.updated_at;
  v_rest.version := p_old.version;
  v_rest.field_versions := p_old.field_versions;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return case when p_new.status is distinct from p_old.status then '["status"]' else '[]' end;
end;
$$;

comment on function private.changed_task_fields is
  'Names of the columns in which two versions of a task differ, as private.changed_fields finds them (specification: Solo stream, changed_fields).';
