-- One story, as in every answer about it.
create function private.story_json(p_story_id uuid)
returns json
language sql
stable
set search_path = ''
as $$
  select private.with_labels(row_to_json(s), k.label_ids)
  from private.story_shape s
  join public.stories k on k.id = s.id
  where s.id = p_story_id;
$$;

comment on function private.story_json is 'A story in REST form, with its labels (specification: Story).';
grant execute on function private.story_json to authenticated;
