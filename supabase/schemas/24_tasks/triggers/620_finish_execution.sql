-- Why: a person may finish a task by hand while a batch run still has it before it; the record then says so, and the batch
-- does not do the work again. Definer: the caller may not write executions.
create function private.tg_tasks__finish_execution()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.task_executions e
  set status = 'DONE'
  from public.sprint_runs r
  where e.task_id = new.id and e.status in ('PENDING', 'RUNNING')
    and r.id = e.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  return null;
end;
$$;

comment on function private.tg_tasks__finish_execution is
  'A task done by hand is done in its batch run too (specification: Sprint run, executions).';

create trigger _620_finish_execution
after update of status on public.tasks
for each row when (new.status = 'DONE' and old.status <> 'DONE')
execute function private.tg_tasks__finish_execution();
