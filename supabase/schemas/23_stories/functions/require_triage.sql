-- Why: the checks of every operation on a story in triage: 404, 403 for those who may not write and for tokens, 409
-- when somebody else was first. Called by accept_story, merge_story and decline_story.
create function private.require_triage(p_story_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_story public.stories;
begin
  perform private.require_write('story', p_story_id);
  if private.is_token() then
    perform private.refuse(403, 'Only people accept, merge and decline: sign in. An API token can only suggest.');
  end if;
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not v_story.in_triage or v_story.is_template then
    perform private.refuse(409, format('%s is not in triage any more. Reload the page to see what happened.', v_story.code));
  end if;
end;
$$;

comment on function private.require_triage is 'The caller may decide on this story, and nobody has yet.';
grant execute on function private.require_triage to authenticated;
