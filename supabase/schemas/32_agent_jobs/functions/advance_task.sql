-- Why: a task follows its job, and a run begins with the first claim of one of its jobs.
create function private.advance_task(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  case p_job.status
    when 'CLAIMED', 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status = 'TO_DO';
      -- Only the first claim of a run: preparing an update costs more than this look, and it is every claim that comes here.
      if exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.status = 'QUEUED') then
        update public.sprint_runs r
        set status = 'RUNNING', started_at = coalesce(r.started_at, private.now())
        where r.id = p_job.sprint_run_id and r.status = 'QUEUED';
      end if;
    when 'DONE' then
      update public.tasks t set status = 'DONE'
      where t.id = p_job.task_id and t.status <> 'DONE'
        and not exists (
          select from public.task_executions e
          where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
            and e.task_id = p_job.task_id and e.status = 'SKIPPED'
        );
      if p_job.kind = 'SPRINT_IMPLEMENTATION' then
        perform private.release_held_tasks(p_job.sprint_run_id);
      end if;
    when 'SKIPPED' then
      if p_job.kind = 'SPRINT_IMPLEMENTATION' then
        update public.task_executions e
        set status = 'SKIPPED', verify_result = 'EMPTY', finished_at = private.now()
        where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
      else
        update public.tasks t set status = 'REVIEW' where t.id = p_job.task_id and t.status not in ('DONE', 'REVIEW');
      end if;
    when 'FAILED' then
      update public.tasks t set status = 'FAILED' where t.id = p_job.task_id and t.status <> 'FAILED';
    else
      null;
  end case;
end;
$$;

comment on function private.advance_task is
  'todo to in_progress, to done, to review, to failed as the job says; run QUEUED to RUNNING (specification: Task, Sprint run).';
