-- Called by the story page and tools. `p_changes` holds the fields to change: title, description, acceptance_criteria,
-- code, priority, pbi_id (another PBI of the product), labels (names or ids, replacing the current ones). A new code
-- changes the sort_order.
create function operations.update_story(p_story_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_label_ids uuid[] := private.require_labels(private.require_write('story', p_story_id), p_changes -> 'labels');
begin
  perform private.require_version('story', p_story_id, p_changes);
  if p_changes ->> 'pbi_id' is not null then
    perform private.require_access('pbi', (p_changes ->> 'pbi_id')::uuid);
  end if;

  update public.stories s
  set title = coalesce(p_changes ->> 'title', s.title),
      description = coalesce(p_changes ->> 'description', s.description),
      acceptance_criteria = coalesce(p_changes ->> 'acceptance_criteria', s.acceptance_criteria),
      code = coalesce(p_changes ->> 'code', s.code),
      label_ids = coalesce(v_label_ids, s.label_ids),
      priority = coalesce((p_changes ->> 'priority')::integer, s.priority),
      pbi_id = coalesce((p_changes ->> 'pbi_id')::uuid, s.pbi_id)
  where s.id = p_story_id;
  return private.story_json(p_story_id);
end;
$$;

comment on function operations.update_story is 'Edits a story (specification: Story).';
grant execute on function operations.update_story to authenticated;
