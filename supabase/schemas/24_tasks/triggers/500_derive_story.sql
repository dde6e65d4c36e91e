-- Why: a story follows its tasks, also when the last two finish at the same moment: every change of a task holds the
-- product lock, and this reads the tasks afterwards. The PBI follows through the trigger on stories. A failed task's sprint and
-- runs are not touched here.
-- A row at a time after an update, and the last to fire: most writes change one task, and most changes of a task mean nothing to its story.
-- Definer: statuses of stories are nobody's to write.
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
create trigger _990_derive_story_update after update of status, story_id on public.tasks
  for each row when (
    new.story_id <> old.story_id
    or (new.status <> old.status and (new.status in ('DONE', 'FAILED') or old.status in ('DONE', 'FAILED')))
  )
  execute function private.tg_tasks__derive_story();
