-- Why: one step back in the graph of private.find_path: what a task, the start or the end of a story directly waits for.
create function private.leaders(p_kind text, p_id uuid)
returns table (kind text, id uuid)
language sql
stable
set search_path = ''
as $$
  select 'task', d.blocker_id from public.task_dependencies d where p_kind = 'task' and d.blocked_id = p_id
  union all
  select 'start', t.story_id from public.tasks t where p_kind = 'task' and t.id = p_id
  union all
  select 'end', d.blocker_id from public.story_dependencies d where p_kind = 'start' and d.blocked_id = p_id
  union all
  select 'task', t.id from public.tasks t where p_kind = 'end' and t.story_id = p_id
  union all
  select 'start', p_id where p_kind = 'end';
$$;

comment on function private.leaders is 'What comes directly before a task, the start or the end of a story.';
