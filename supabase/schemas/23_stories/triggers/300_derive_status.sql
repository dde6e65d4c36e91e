-- Why: nobody sets the status of a story; it follows from its tasks and its sprint (specification: States, Story). Whatever
-- a write says, this puts the derived value.
create function private.tg_stories__derive_status()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.status := private.derived_story_status(new.id, new.sprint_id);
  return new;
end;
$$;

comment on function private.tg_stories__derive_status is
  'Status of a story from its tasks and sprint (specification: States and transitions, Story). Definer: sees all tasks.';

create trigger _300_derive_status before insert on public.stories
  for each row execute function private.tg_stories__derive_status();
create trigger _301_derive_status before update on public.stories
  for each row when (new.status <> old.status or new.sprint_id is distinct from old.sprint_id)
  execute function private.tg_stories__derive_status();
