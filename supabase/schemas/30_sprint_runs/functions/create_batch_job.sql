-- Why: a batch has one job for all its tasks. Its task_id is the first unfinished task, so that every job has exactly
-- one of task_id and idea_id (specification: Agent job). The execution records must already exist.
create function private.create_batch_job(p_run public.sprint_runs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.agent_jobs (product_id, task_id, kind, sprint_run_id, lane_id, position, branch, created_by)
  select p_run.product_id, e.task_id, 'SPRINT_IMPLEMENTATION', p_run.id, p_run.id, 1, p_run.branch, auth.uid()
  from public.task_executions e
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING')
  order by e.position
  limit 1;
end;
$$;

comment on function private.create_batch_job is
  'The one SPRINT_IMPLEMENTATION job of a batch run (specification: Starting a sprint run 2).';
