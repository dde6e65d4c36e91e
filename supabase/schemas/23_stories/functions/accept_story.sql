-- Called by the triage page: the story becomes part of the backlog, in its PBI or another of the product. People only.
create function operations.accept_story(p_story_id uuid, p_pbi_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_triage(p_story_id);
  if p_pbi_id is not null then
    perform private.require_access('pbi', p_pbi_id);
  end if;
  update public.stories s set in_triage = false, pbi_id = coalesce(p_pbi_id, s.pbi_id) where s.id = p_story_id;
  return private.story_json(p_story_id);
end;
$$;

comment on function operations.accept_story is 'Takes a story from triage into the backlog.';
grant execute on function operations.accept_story to authenticated;
