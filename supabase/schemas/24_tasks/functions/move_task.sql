-- Called by the backlog page and tools: moves the task to another story of its product; code and sort_order stay
-- (specification: Entity codes 5).
create function operations.move_task(p_task_id uuid, p_story_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('task', p_task_id);
  perform private.require_access('story', p_story_id);
  update public.tasks t set story_id = p_story_id where t.id = p_task_id and t.story_id <> p_story_id;
  return private.task_json(p_task_id);
end;
$$;

comment on function operations.move_task is 'Moves a task to another story of its product (specification: Entity codes 5).';
grant execute on function operations.move_task to authenticated;
