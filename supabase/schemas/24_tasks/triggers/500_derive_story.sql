-- Why: a story follows its tasks, also when the last two finish at the same moment: every change of a task holds the
-- product lock, and this reads the tasks afterwards. One statement for all rows of a write; the PBI follows through the
-- trigger on stories. A failed task's sprint and runs are not touched here.
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
    select array_agg(distinct c.story_id)
    into v_story_ids
    from new_tasks n
    join old_tasks o on o.id = n.id
    cross join lateral (values (n.story_id), (o.story_id)) as c (story_id)
    where n.story_id <> o.story_id
      or (n.status <> o.status and (n.status in ('DONE', 'FAILED') or o.status in ('DONE', 'FAILED')));
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
create trigger _500_derive_story_update after update on public.tasks
  referencing old table as old_tasks new table as new_tasks
  for each statement execute function private.tg_tasks__derive_story();
create trigger _500_derive_story_delete after delete on public.tasks
  referencing old table as old_tasks
  for each statement execute function private.tg_tasks__derive_story();
