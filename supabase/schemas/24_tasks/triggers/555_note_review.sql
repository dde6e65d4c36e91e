-- Why: tasks_in_review holds those in review and no others.
-- Reads the row as it is by now: an earlier trigger may have moved the task on.
-- Definer: it is nobody's to write.
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
