-- Why: what stands beside a story may change without its row; those who show it hear of it in the form that they know.
create function private.emit_story_change(p_story_id uuid, p_field text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not found then
    return;
  end if;
  perform private.emit('product:' || v_story.product_id, jsonb_build_object('op', 'U', 'entity', 'story', 'id', v_story.id,
    'product_id', v_story.product_id, 'changed_fields', jsonb_build_array(p_field), 'pbi_id', v_story.pbi_id,
    'sprint_id', v_story.sprint_id, 'assignee_id', v_story.assignee_id, 'story_status', v_story.status,
    'story_title', v_story.title, 'story_code', v_story.code, 'story_sort_order', v_story.sort_order));
end;
$$;

comment on function private.emit_story_change is
  'Announces a story of which something beside its row changed (specification: Solo stream, Backlog stream).';
