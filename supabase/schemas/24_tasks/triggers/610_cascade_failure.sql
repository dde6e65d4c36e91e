-- Why: a task that fails within an unfinished run takes the run and its sprint with it, and what the run had not finished is
-- cancelled, all in the transaction that reported it. Story and PBI follow by their own derivation, which leaves BLOCKED
-- alone. The job of the failed task itself ends FAILED. A task that fails outside a run stays between itself, story and PBI.
-- Definer: the caller may not write runs and jobs.
create function private.tg_tasks__cascade_failure()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
  v_job public.agent_jobs;
begin
  perform private.lock_product(new.product_id);
  v_run := private.active_run_of_task(new.id);
  if v_run.id is null then
    return null;
  end if;

  update public.agent_jobs j
  set status = 'FAILED', failure_class = coalesce(j.failure_class, 'agent_error'),
      failure_reason = coalesce(j.failure_reason, 'Its task failed.')
  where j.sprint_run_id = v_run.id and j.task_id = new.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  update public.task_executions e
  set status = 'FAILED', failure_reason = coalesce(e.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where j.sprint_run_id = v_run.id and j.task_id = new.id and j.status = 'FAILED' order by j.position limit 1), 'Its task failed.')
  where e.sprint_run_id = v_run.id and e.task_id = new.id and e.status in ('PENDING', 'RUNNING');

  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = new.id order by j.position limit 1;

  perform private.end_run(v_run, 'FAILED', format('Task %s failed, so the run was stopped.', new.code),
    jsonb_build_object('task_id', new.id, 'task_code', new.code, 'job_id', v_job.id,
      'failure_class', v_job.failure_class, 'reason', v_job.failure_reason));

  update public.sprints s set status = 'FAILED' where s.id = v_run.sprint_id and s.status = 'ACTIVE';
  return null;
end;
$$;

comment on function private.tg_tasks__cascade_failure is
  'A failed task of a run fails sprint and run and cancels the rest (specification: Task, becomes failed).';

create trigger _610_cascade_failure
after update of status on public.tasks
for each row when (new.status = 'FAILED' and old.status <> 'FAILED')
execute function private.tg_tasks__cascade_failure();
