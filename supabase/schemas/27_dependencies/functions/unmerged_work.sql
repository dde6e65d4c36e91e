-- Why: where a product asks for it, a task that is done frees others only when its code is on the main branch. What counts is its
-- newest job: one that left no commit, or that is known to be merged, keeps nobody waiting, and neither does work by hand. A batch has one
-- head for all its tasks, at its end. Answers the job whose work is not there yet, or null. Written out by keys: one
-- statement for both kinds is planned from the wrong end.
create function private.unmerged_work(p_task_id uuid)
returns public.agent_jobs
language plpgsql
stable
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
  v_batch public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j
  where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  select j.* into v_batch
  from public.task_executions e
  join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
  where e.task_id = p_task_id and e.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  if v_job.id is null or v_batch.created_at > v_job.created_at then
    v_job := v_batch;
  end if;
  if v_job.merged_at is not null
    or (v_job.status in ('DONE', 'SKIPPED') and (v_job.head_sha is null or v_job.head_sha = v_job.base_sha)) then
    return null;
  end if;
  return v_job;
end;
$$;

comment on function private.unmerged_work is 'The job of a done task whose work is not known to be on the main branch, or null.';

grant execute on function private.unmerged_work to authenticated;
