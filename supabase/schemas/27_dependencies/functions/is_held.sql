-- Why: asked for a few tasks at every end of a task. A function of its own, because "not exists" over the view for many tasks at once is
-- planned as a join with everything that waits anywhere.
create function private.is_held(p_task_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (select from private.task_blockers b where b.task_id = p_task_id and not b.resolved);
end;
$$;

comment on function private.is_held is 'Whether a task waits for something that is not done.';
