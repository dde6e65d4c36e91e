-- Why: a question is bound to exactly one of story and idea; one about a task is bound to the task's story. Answers the story;
-- refuses both, neither, and what does not belong together. Access is checked on the way: 404, then 403.
create function private.question_target(
  p_story_id uuid, p_idea_id uuid, p_task_id uuid, out p_story uuid, out p_product uuid)
language plpgsql
volatile
set search_path = ''
as $$
begin
  p_story := p_story_id;
  if p_task_id is not null then
    perform private.require_access('task', p_task_id);
    p_story := coalesce(p_story_id, (select t.story_id from public.tasks t where t.id = p_task_id));
  end if;
  if num_nonnulls(p_story, p_idea_id) <> 1 then
    perform private.refuse(422, 'A question is bound to exactly one of story_id and idea_id (a task_id stands for its story).');
  end if;
  if p_idea_id is not null then
    p_product := private.require_own_idea(p_idea_id);
    perform private.require_product_access(p_product);
    return;
  end if;
  p_product := private.require_access('story', p_story);
  if p_task_id is not null and not exists (select from public.tasks t where t.id = p_task_id and t.story_id = p_story) then
    perform private.refuse(422, 'The task does not belong to the story. Leave story_id out: task_id stands for its story.');
  end if;
end;
$$;

comment on function private.question_target is
  'Story or idea of a question, and its product (specification: Agent question).';
