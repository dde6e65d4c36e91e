-- Why: counts what still blocks a job. For a job of one task these are its task's blockers; for a batch, those of its
-- unfinished tasks that do not come with the batch.
create function private.count_open_blockers(p_job public.agent_jobs)
returns integer
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_job.kind = 'TASK_IMPLEMENTATION' then
    return (select count(*) from private.task_blockers b where b.task_id = p_job.task_id
      and (b.status <> 'done' or not private.has_arrived(b.task_id, b.kind, b.blocker_id, p_job.product_id, p_job.branch)));
  end if;
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    return 0;
  end if;
  return (
    select count(*)
    from public.task_executions e
    join private.task_blockers b on b.task_id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')
      and (b.status <> 'done' or not private.has_arrived(b.task_id, b.kind, b.blocker_id, p_job.product_id, p_job.branch))
      and not private.comes_with_batch(e.sprint_run_id, b.task_id, b.kind, b.blocker_id, false)
  );
end;
$$;

comment on function private.count_open_blockers is 'What a job waits for, counted anew (agent_jobs.open_blockers keeps it).';
