-- Why: the one way in which a paused run goes on: RUNNING while a claim is still held, else QUEUED, the context cleared. A batch run
-- with unfinished executions goes on as a new run. Answers the run that goes on. Called under the product lock.
create function private.continue_run(p_run public.sprint_runs)
returns public.sprint_runs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
begin
  if p_run.pr_strategy = 'SPRINT_BATCH' and exists (
    select from public.task_executions e
    where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED')
  ) then
    return private.resume_batch_run(p_run);
  end if;

  update public.sprint_runs r
  set pause_context = null,
      status = case when exists (
        select from public.agent_jobs j where j.sprint_run_id = r.id and j.status in ('CLAIMED', 'RUNNING')
      ) then 'RUNNING' else 'QUEUED' end::public.sprint_run_status
  where r.id = p_run.id;
  update public.agent_jobs j set claim_rank = 0
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.stopped_by_budget_id is not null;
  perform private.complete_run(p_run.id);

  select r.* into v_run from public.sprint_runs r where r.id = p_run.id;
  return v_run;
end;
$$;

comment on function private.continue_run is 'PAUSED to RUNNING or QUEUED, or a new batch run (specification: Sprint run).';
