-- Why: in a batch run an execution moves its task as a job would, and the batch job names the task at work, else the first
-- unfinished one (specification: Agent job, task_id). Definer: the caller may not write jobs.
create function private.tg_task_executions__advance_task()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  case new.status
    when 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
    when 'DONE' then
      update public.tasks t set status = case when private.holds_task(t.id) then 'REVIEW' else 'DONE' end::public.task_status
      where t.id = new.task_id and t.status <> 'DONE';
    when 'SKIPPED' then
      update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
    when 'FAILED' then
      update public.agent_jobs j set task_id = new.task_id
      where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
      return null;
    else
      null;
  end case;

  update public.agent_jobs j
  set task_id = n.task_id
  from (
    select e.task_id from public.task_executions e
    where e.sprint_run_id = new.sprint_run_id and e.status in ('RUNNING', 'PENDING')
    order by (e.status = 'RUNNING') desc, e.position
    limit 1
  ) n
  where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    and j.task_id is distinct from n.task_id;
  return null;
end;
$$;

comment on function private.tg_task_executions__advance_task is
  'A task follows its execution in a batch run (specification: Sprint run, executions; Task).';

create trigger _500_advance_task
after update of status on public.task_executions
for each row when (new.status <> old.status)
execute function private.tg_task_executions__advance_task();
