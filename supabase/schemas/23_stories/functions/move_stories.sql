-- Called by the backlog page: moves stories of one product into a sprint or out of theirs, all or none; the refusal
-- names the story. Ids come as a JSON array.
create function operations.move_stories(p_story_ids jsonb, p_sprint_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_story_ids uuid[] := array(select i.id::uuid from jsonb_array_elements_text(p_story_ids) with ordinality i (id, place) order by i.place);
  v_story_id uuid;
  v_product_id uuid;
begin
  if cardinality(v_story_ids) not between 1 and 500 then
    perform private.refuse(422, 'Choose 1 to 500 stories.');
  end if;
  v_product_id := private.require_access('story', v_story_ids[1]);
  foreach v_story_id in array v_story_ids loop
    if private.require_access('story', v_story_id) <> v_product_id then
      perform private.refuse(422, 'Move stories of one product at a time.');
    end if;
    begin
      if p_sprint_id is null then
        perform operations.remove_story_from_sprint(v_story_id);
      else
        perform operations.add_story_to_sprint(p_sprint_id, v_story_id);
      end if;
    exception when others then
      if sqlstate not like 'PT%' then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s No story was moved.', (select s.code from public.stories s where s.id = v_story_id), sqlerrm);
    end;
  end loop;
  return json_build_object('moved', cardinality(v_story_ids));
end;
$$;

comment on function operations.move_stories is
  'Moves stories into a sprint or out of theirs, atomically (specification: States and transitions, Story).';
grant execute on function operations.move_stories to authenticated;
