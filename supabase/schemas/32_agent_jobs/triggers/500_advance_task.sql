-- Why: a task follows its job (specification: States and transitions, Task), whether the row is inserted or updated, and a
-- run begins with the first claim of one of its jobs.
-- Definer: the caller may not write jobs and runs, and a rule must not depend on what the caller may see.
create function private.tg_agent_jobs__advance_task()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new.status = old.status then
    return null;
  end if;

  case new.status
    when 'CLAIMED', 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
      -- Only the first claim of a run: preparing an update costs more than this look, and it is every claim that comes here.
      if exists (select from public.sprint_runs r where r.id = new.sprint_run_id and r.status = 'QUEUED') then
        update public.sprint_runs r
        set status = 'RUNNING', started_at = coalesce(r.started_at, private.now())
        where r.id = new.sprint_run_id and r.status = 'QUEUED';
      end if;
    when 'DONE' then
      update public.tasks t set status = 'DONE'
      where t.id = new.task_id and t.status <> 'DONE'
        and not exists (
          select from public.task_executions e
          where new.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = new.sprint_run_id
            and e.task_id = new.task_id and e.status = 'SKIPPED'
        );
      if new.kind = 'SPRINT_IMPLEMENTATION' then
        perform private.release_held_tasks(new.sprint_run_id);
      end if;
    when 'SKIPPED' then
      if new.kind = 'SPRINT_IMPLEMENTATION' then
        update public.task_executions e
        set status = 'SKIPPED', verify_result = 'EMPTY', finished_at = private.now()
        where e.sprint_run_id = new.sprint_run_id and e.status in ('PENDING', 'RUNNING');
      else
        update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
      end if;
    when 'FAILED' then
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
    else
      null;
  end case;
  return null;
end;
$$;

comment on function private.tg_agent_jobs__advance_task is
  'todo to in_progress, to done, to review, to failed as the job says; run QUEUED to RUNNING (specification: Task, Sprint run).';

create trigger _500_advance_task
after insert or update of status on public.agent_jobs
for each row when (new.task_id is not null and new.status not in ('QUEUED', 'CANCELLED'))
execute function private.tg_agent_jobs__advance_task();
