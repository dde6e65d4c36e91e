-- Called by the sprint pages and tools: the story returns to the backlog. A done story stays done.
create function operations.remove_story_from_sprint(p_story_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('story', p_story_id);
  update public.stories s set sprint_id = null where s.id = p_story_id and s.sprint_id is not null;
  return private.story_json(p_story_id);
end;
$$;

comment on function operations.remove_story_from_sprint is 'Takes a story out of its sprint (specification: Ordering rules 2).';
grant execute on function operations.remove_story_from_sprint to authenticated;
