-- Why: a task that comes back brings the statuses that it had, or the burn-down would tell another story.
create function private.task_history(p_kind text, p_id uuid)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object('history', jsonb_agg(to_jsonb(c) order by c.id))
  from public.task_status_changes c
  where p_kind = 'task' and c.task_id = p_id
  having count(*) > 0;
$$;

comment on function private.task_history is 'The statuses of a task that is about to be deleted.';
