-- Called by the triage page: appends the story's text to another story of the product, moves its tasks there and
-- deletes it. People only.
create function operations.merge_story(p_story_id uuid, p_into uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_story public.stories;
  v_target public.stories;
  v_text text;
begin
  perform private.require_triage(p_story_id);
  perform private.require_access('story', p_into);
  select s.* into v_story from public.stories s where s.id = p_story_id;
  select s.* into v_target from public.stories s where s.id = p_into;
  if v_target.product_id <> v_story.product_id or v_target.in_triage then
    perform private.refuse(422, 'Choose a story of this product that is not in triage.',
      '{"issues":[{"path":"into","message":"Choose a story of the backlog."}]}');
  end if;
  v_text := concat_ws(E'\n\n', nullif(v_target.description, ''), format('Merged from %s: %s', v_story.code, v_story.title),
    nullif(v_story.description, ''), nullif(v_story.acceptance_criteria, ''));
  if char_length(v_text) > 100000 then
    perform private.refuse(422, format('The description of %s has no room for this text. Accept the story instead.', v_target.code));
  end if;

  update public.stories s set description = v_text where s.id = p_into;
  update public.tasks t set story_id = p_into where t.story_id = p_story_id;
  perform private.settle_item(p_story_id, 'merged', p_into);
  delete from public.stories s where s.id = p_story_id;
  return private.story_json(p_into);
end;
$$;

comment on function operations.merge_story is 'Adds a story of triage to one of the backlog.';
grant execute on function operations.merge_story to authenticated;
