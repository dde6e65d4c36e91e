-- Why: one step forward in the graph of private.find_path: what can only come after a task, or the start or end of a
-- story.
create function private.followers(p_kind text, p_id uuid)
returns table (kind text, id uuid)
language sql
stable
set search_path = ''
as $$
  select 'task', d.blocked_id from public.task_dependencies d where p_kind = 'task' and d.blocker_id = p_id
  union all
  select 'end', t.story_id from public.tasks t where p_kind = 'task' and t.id = p_id
  union all
  select 'start', d.blocked_id from public.story_dependencies d where p_kind = 'end' and d.blocker_id = p_id
  union all
  select 'task', t.id from public.tasks t where p_kind = 'start' and t.story_id = p_id
  union all
  select 'end', p_id where p_kind = 'start';
$$;

comment on function private.followers is 'What comes directly after a task, the start or the end of a story.';
