-- Why: a paused batch run whose work is unfinished does not go on itself: it becomes CANCELLED, and a new run on the same
-- branch takes over what is left, with a new job and plans frozen anew (specification: Sprint run).
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

  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, started_by)
  values (p_run.sprint_id, p_run.product_id, p_run.pr_strategy, p_run.branch, p_run.id, auth.uid())
  returning * into v_run;

  insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
  select v_run.id, e.task_id, e.position,
    case when t.implementation_plan ~ '\S' then t.implementation_plan else e.plan_snapshot end, t.verify_required
  from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED');
  -- What was at work keeps its place in the old run; here it is to do again, and comes after what it waits for by now.
  perform private.order_runs(v_run.product_id);
  perform private.create_batch_job(v_run);
  return v_run;
end;
$$;

comment on function private.resume_batch_run is
  'A paused batch run goes on as a new run (specification: Sprint run, batch mode).';
