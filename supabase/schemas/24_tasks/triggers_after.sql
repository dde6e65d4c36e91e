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

-- Why: the one place where the consequences of a task's change begin; private.after_task_change says which. They come
-- after the task's own event, so that streams tell the cause first. New and deleted tasks come in bulk and are handled by
-- statement. Definer: the caller may not write stories, jobs, runs and the history.
create function private.tg_tasks__follow()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    perform private.after_task_change(old, new);
  elsif tg_op = 'INSERT' then
    perform private.derive_stories(array(select distinct n.story_id from new_tasks n));
    insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, to_status)
    select n.id, n.story_id, n.product_id, s.sprint_id, n.status
    from new_tasks n
    join public.stories s on s.id = n.story_id;
    insert into public.tasks_in_review (task_id, product_id)
    select n.id, n.product_id from new_tasks n where n.status = 'REVIEW';
    perform private.settle_waiting(nullif(private.waiting_for('{}', array(select distinct n.story_id from new_tasks n)), '{}'));
  else
    perform private.derive_stories(array(select distinct o.story_id from old_tasks o));
    perform private.settle_waiting(nullif(private.waiting_for('{}', array(select distinct o.story_id from old_tasks o)), '{}'));
  end if;
  return null;
end;
$$;

comment on function private.tg_tasks__follow is 'What follows from a new, changed or deleted task (specification: States and transitions, Task).';

create trigger _950_follow_insert after insert on public.tasks
  referencing new table as new_tasks
  for each statement execute function private.tg_tasks__follow();
create trigger _950_follow_update after update of status, story_id on public.tasks
  for each row when (new.status <> old.status or new.story_id <> old.story_id)
  execute function private.tg_tasks__follow();
create trigger _950_follow_delete after delete on public.tasks
  referencing old table as old_tasks
  for each statement execute function private.tg_tasks__follow();

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
