-- Why: a task has no sprint and no assignee; the solo filter needs those of its story. When a story is deleted with its
-- tasks, its row is gone before theirs, so its place comes from what the trigger stories__remember_place stored for
-- this transaction.
create function private.story_place(p_story_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_place jsonb;
begin
  select jsonb_build_object('pbi_id', s.pbi_id, 'sprint_id', s.sprint_id, 'assignee_id', s.assignee_id)
  into v_place
  from public.stories as s
  where s.id = p_story_id;
  if found then
    return v_place;
  end if;

  return coalesce(
    nullif(current_setting('backloom.deleted_stories', true), '')::jsonb -> p_story_id::text,
    '{"pbi_id": null, "sprint_id": null, "assignee_id": null}'
  );
end;
$$;

comment on function private.story_place is
  'PBI, sprint and assignee of a story, for the events of its tasks (specification: Solo stream, server filter).';
