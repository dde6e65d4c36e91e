-- Why: a pasted list becomes stories with their tasks, or tasks of one story, all or none. Each counts against the
-- limits of stories and tasks as if created alone. Refusals: 404, 403 (demo accounts, archived), 422, 429.
create function operations.create_from_list(p_items jsonb, p_pbi_id uuid default null, p_story_id uuid default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_write(case when p_pbi_id is null then 'story' else 'pbi' end, coalesce(p_pbi_id, p_story_id));
  v_item jsonb;
  v_task jsonb;
  v_story jsonb;
  v_stories jsonb := '[]';
  v_tasks jsonb := '[]';
begin
  if num_nonnulls(p_pbi_id, p_story_id) <> 1 then
    perform private.refuse(422, 'A list goes into a PBI or a story: name one of them.');
  end if;
  if jsonb_typeof(p_items) is distinct from 'array' or jsonb_array_length(p_items) not between 1 and 100 then
    perform private.refuse(422, 'A list has 1 to 100 lines.');
  end if;
  perform private.lock_product(v_product_id);
  for v_item in select i.value from jsonb_array_elements(p_items) with ordinality i (value, place) order by i.place loop
    if p_story_id is not null then
      v_tasks := v_tasks || jsonb_build_array(
        operations.create_task(p_story_id, v_item ->> 'title', coalesce(v_item ->> 'description', ''))::jsonb -> 'code');
      continue;
    end if;
    v_story := operations.create_story(p_pbi_id, v_item ->> 'title', coalesce(v_item ->> 'description', ''));
    v_stories := v_stories || jsonb_build_array(v_story -> 'code');
    for v_task in
      select t.value from jsonb_array_elements(coalesce(v_item -> 'tasks', '[]')) with ordinality t (value, place) order by t.place
    loop
      v_tasks := v_tasks || jsonb_build_array(
        operations.create_task((v_story ->> 'id')::uuid, v_task ->> 'title', coalesce(v_task ->> 'description', ''))::jsonb -> 'code');
    end loop;
  end loop;
  if jsonb_array_length(v_stories) + jsonb_array_length(v_tasks) > 150 then
    perform private.refuse(422, 'At most 150 stories and tasks at once. Paste the list in two parts.');
  end if;
  return json_build_object('stories', v_stories, 'tasks', v_tasks);
end;
$$;

comment on function operations.create_from_list is 'Makes the stories and tasks of a pasted list, all or none (specification: Story, Task).';
grant execute on function operations.create_from_list to authenticated;
