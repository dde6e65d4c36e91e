-- Why: a person may finish a task by hand while its job waits for another worker or for a review: then nothing is left to wait for.
-- Definer: the caller may not write jobs.
create function private.tg_tasks__end_waiting_job()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if not exists (select from public.agent_jobs o where o.task_id = new.id and o.status = 'QUEUED' and o.phase <> 'implement')
    and not exists (select from public.task_executions e where e.task_id = new.id) then
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

comment on function private.tg_tasks__end_waiting_job is
  'A task done by hand ends the job that waited for a look at it (docs/proof.md).';

create trigger _630_end_waiting_job
after update of status on public.tasks
for each row when (new.status = 'DONE' and old.status <> 'DONE')
execute function private.tg_tasks__end_waiting_job();
