-- Why: the history behind burn-down and cycle time: every status that a task took, and every sprint that it came to.
-- A row at a time after an update: most writes change one task, and of one row no table of transitions has to be kept and joined.
-- Definer: the history is nobody's to write.
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
