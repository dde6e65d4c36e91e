-- Why: the job of a batch stands for all tasks of its run and only names one of them. When that one is deleted, the job names
-- the next unfinished task, else another one of its run, and lives on with its tokens and its cost; only with the last task
-- does it go. Nothing is left to name while the product itself is deleted. Definer: the caller may not write jobs.
create function private.tg_tasks__keep_batch_job()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if exists (select from public.products p where p.id = old.product_id) then
    update public.agent_jobs j
    set task_id = (
      select e.task_id from public.task_executions e
      where e.sprint_run_id = j.sprint_run_id and e.task_id <> old.id
      order by (e.status = 'RUNNING') desc, (e.status = 'PENDING') desc, e.position
      limit 1)
    where j.task_id = old.id and j.kind = 'SPRINT_IMPLEMENTATION'
      and exists (
        select from public.task_executions e where e.sprint_run_id = j.sprint_run_id and e.task_id <> old.id);
  end if;
  return old;
end;
$$;

comment on function private.tg_tasks__keep_batch_job is
  'A batch job outlives the task that it names (specification: Agent job, task_id; Sprint run).';

create trigger _160_keep_batch_job
before delete on public.tasks
for each row execute function private.tg_tasks__keep_batch_job();
