-- Why: a person may finish a task by hand while others still have it before them. A batch run's record then says so, and the batch
-- does not do the work again; a job that waited for another worker or for a review has nothing left to wait for.
-- Mostly a task is done by its own job, in no batch: then two looks are all.
-- Definer: the caller may not write executions and jobs.
create function private.tg_tasks__finish_elsewhere()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if exists (select from public.task_executions e where e.task_id = new.id) then
    update public.task_executions e
    set status = 'DONE'
    from public.sprint_runs r
    where e.task_id = new.id and e.status in ('PENDING', 'RUNNING')
      and r.id = e.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  elsif not exists (select from public.agent_jobs o where o.task_id = new.id and o.status = 'QUEUED' and o.phase <> 'implement') then
    return null;
  end if;

  update public.agent_jobs j
  set status = 'DONE'
  where j.id in (
      select o.id from public.agent_jobs o where o.task_id = new.id
      union all
      select b.id from public.task_executions e
      join public.agent_jobs b on b.sprint_run_id = e.sprint_run_id where e.task_id = new.id)
    and j.status = 'QUEUED' and j.phase <> 'implement'
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or not exists (select from private.held_tasks(j.sprint_run_id)));
  return null;
end;
$$;

comment on function private.tg_tasks__finish_elsewhere is
  'A task done by hand is done in its batch run too, and ends the job that waited for a look at it (specification: Sprint run, executions; docs/proof.md).';

create trigger _620_finish_elsewhere
after update of status on public.tasks
for each row when (new.status = 'DONE' and old.status <> 'DONE')
execute function private.tg_tasks__finish_elsewhere();
