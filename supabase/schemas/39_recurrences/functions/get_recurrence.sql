-- Called by the story page and GET /api/stories/:id/recurrence. Also returns the template of a fired story.
create function operations.get_recurrence(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('story', p_story_id);
  return json_build_object(
    'recurrence', private.recurrence_json(p_story_id),
    'template', (
      select json_build_object('id', t.id, 'code', t.code, 'title', t.title)
      from public.stories s join public.stories t on t.id = s.template_id
      where s.id = p_story_id));
end;
$$;

comment on function operations.get_recurrence is 'How a story recurs, and the template that it comes from.';
grant execute on function operations.get_recurrence to authenticated;
