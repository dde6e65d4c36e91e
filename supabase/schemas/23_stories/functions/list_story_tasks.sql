-- Called by GET /api/stories/:id/tasks. The answer is passed through unparsed.
create function operations.list_story_tasks(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('story', p_story_id);

  return (
    select coalesce(json_agg(private.with_labels(row_to_json(t), k.label_ids) order by t.sort_order, k.created_at, t.id), '[]')
    from private.task_shape t
    join public.tasks k on k.id = t.id
    where t.story_id = p_story_id
  );
end;
$$;

comment on function operations.list_story_tasks is
  'Tasks of a story in their order (specification: GET /api/stories/:id/tasks).';
grant execute on function operations.list_story_tasks to authenticated;
