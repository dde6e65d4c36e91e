-- Why: the same of work whose job was deleted.
create function private.tasks_of_work(p_kind public.agent_job_kind, p_task_id uuid, p_sprint_run_id uuid)
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_kind = 'SPRINT_IMPLEMENTATION' then
    return array(select e.task_id from public.task_executions e where e.sprint_run_id = p_sprint_run_id);
  end if;
  return array_remove(array[p_task_id], null);
end;
$$;

comment on function private.tasks_of_work is 'The tasks of a job, by what is known of it.';
