-- Why: the history behind burn-down and cycle time: every status that a task took, with the sprint it was in.
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
  select n.id, n.story_id, n.product_id, s.sprint_id, o.status, n.status
  from new_tasks n
  join old_tasks o on o.id = n.id
  join public.stories s on s.id = n.story_id
  where n.status <> o.status;
  return null;
end;
$$;

comment on function private.tg_tasks__record_status_change is
  'Writes task_status_changes (specification: States and transitions, Task).';

create trigger _550_record_status_insert after insert on public.tasks
  referencing new table as new_tasks
  for each statement execute function private.tg_tasks__record_status_change();
create trigger _550_record_status_update after update on public.tasks
  referencing old table as old_tasks new table as new_tasks
  for each statement execute function private.tg_tasks__record_status_change();
