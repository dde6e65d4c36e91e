-- Called by the sprint pages and tools. Sets the sprint and, through the trigger, the status; nothing else changes
-- (specification: Ordering rules 5). A story in another sprint moves. Idempotent.
create function operations.add_story_to_sprint(p_sprint_id uuid, p_story_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_access('sprint', p_sprint_id);
  perform private.require_write('story', p_story_id);

  update public.stories s
  set sprint_id = p_sprint_id
  where s.id = p_story_id and s.sprint_id is distinct from p_sprint_id;
  return private.story_json(p_story_id);
end;
$$;

comment on function operations.add_story_to_sprint is
  'Adds a story to a sprint of its product (specification: States and transitions, Story).';
grant execute on function operations.add_story_to_sprint to authenticated;
