-- Why: the only way to resume a paused run: RUNNING while a claim is held, else QUEUED, pause context cleared. A batch
-- with unfinished executions continues as a new run. Returns the run that continues. Called under the product lock.
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

-- Why: a paused batch with unfinished work is not resumed itself: it becomes CANCELLED, and a new run on the same
-- branch takes over the rest, with a new job and newly frozen plans (specification: Sprint run).
create function private.resume_batch_run(p_run public.sprint_runs)
returns public.sprint_runs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
begin
  perform private.end_run(p_run, 'CANCELLED', 'The run was resumed as a new one.', null);

  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, started_by)
  values (p_run.sprint_id, p_run.product_id, p_run.pr_strategy, p_run.branch, p_run.id, p_run.plan_first, auth.uid())
  returning * into v_run;

  insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
  select v_run.id, e.task_id, e.position,
    case when t.implementation_plan ~ '\S' then t.implementation_plan else e.plan_snapshot end, t.verify_required
  from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED') and e.task_id = any (private.tasks_to_start(array[e.task_id]));
  -- What was at work keeps its place in the old run; here it is to do again, and comes after what it waits for by now.
  perform private.order_runs(v_run.product_id);
  perform private.create_batch_job(v_run);
  return v_run;
end;
$$;

comment on function private.resume_batch_run is
  'A paused batch run goes on as a new run (specification: Sprint run, batch mode).';
