-- Why: a burn-down shows the tasks that were in the sprint on each day: those that join late do not change the days before,
-- and those that leave stay in the days on which they were there. Definer: the history is nobody's to write.
create function private.tg_stories__record_sprint()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  select t.id, t.story_id, t.product_id, new.sprint_id, t.status, t.status
  from public.tasks t
  where t.story_id = new.id;
  return null;
end;
$$;

comment on function private.tg_stories__record_sprint is
  'Writes task_status_changes when a story comes to a sprint or leaves it (specification: Sprint).';

create trigger _550_record_sprint after update of sprint_id on public.stories
  for each row when (new.sprint_id is distinct from old.sprint_id)
  execute function private.tg_stories__record_sprint();
