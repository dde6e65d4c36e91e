-- Why: a story follows its tasks, even when the last two finish at the same moment: every change of a task holds the
-- product lock, and this reads the tasks afterwards. The PBI follows by the trigger on stories.
create function private.derive_stories(p_story_ids uuid[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_story_ids uuid[];
begin
  -- Most changes leave the story as it is: then no write is tried, and no trigger of stories fires.
  select array_agg(s.id)
  into v_story_ids
  from public.stories s
  where s.id = any (p_story_ids) and s.status <> private.derived_story_status(s.id, s.sprint_id);
  if v_story_ids is not null then
    update public.stories s
    set status = private.derived_story_status(s.id, s.sprint_id)
    where s.id = any (v_story_ids);
  end if;
end;
$$;

comment on function private.derive_stories is 'Stories follow their tasks (specification: States and transitions, Story).';
