-- Called by the board, the solo page and tools: assigns the story to any member, or to nobody (null).
create function operations.assign_story(p_story_id uuid, p_assignee_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_assignee(private.require_write('story', p_story_id), p_assignee_id);
  update public.stories s set assignee_id = p_assignee_id where s.id = p_story_id;
  return private.story_json(p_story_id);
end;
$$;

comment on function operations.assign_story is 'Assigns a story (specification: Story).';
grant execute on function operations.assign_story to authenticated;
