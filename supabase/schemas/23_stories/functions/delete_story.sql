-- Called by the backlog page after a confirmation: deletes the story with its tasks and log.
create function operations.delete_story(p_story_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('story', p_story_id);
  delete from public.stories s where s.id = p_story_id;
  return json_build_object('id', p_story_id);
end;
$$;

comment on function operations.delete_story is 'Deletes a story with its tasks and log (specification: Story).';
grant execute on function operations.delete_story to authenticated;
