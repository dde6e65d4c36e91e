-- Called by the triage page: deletes the story with its tasks. People only.
create function operations.decline_story(p_story_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_triage(p_story_id);
  perform private.settle_item(p_story_id, 'declined');
  delete from public.stories s where s.id = p_story_id;
  return json_build_object('id', p_story_id);
end;
$$;

comment on function operations.decline_story is 'Removes a story from triage.';
grant execute on function operations.decline_story to authenticated;
