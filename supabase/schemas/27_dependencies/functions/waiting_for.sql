-- Why: the tasks to recount when the work of these tasks, or the tasks of these stories, change: those blocked by the
-- tasks, and those of stories blocked by the stories or the tasks' stories.
create function private.waiting_for(p_task_ids uuid[], p_story_ids uuid[] default '{}')
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
declare
  v_story_ids uuid[] := p_story_ids || array(select t.story_id from public.tasks t where t.id = any (p_task_ids));
begin
  return array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = any (p_task_ids)
    union
    select t.id from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id where d.blocker_id = any (v_story_ids));
end;
$$;

comment on function private.waiting_for is 'The tasks that wait for tasks, or for stories.';
