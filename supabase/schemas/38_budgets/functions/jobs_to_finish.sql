-- Why: "finish what was begun" means the jobs that the budget stopped and those still at work; where none was begun, the next one.
create function private.jobs_to_finish(p_run public.sprint_runs, p_budget public.budgets)
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
declare
  v_begun uuid[] := array(
    select j.id from public.agent_jobs j
    where j.sprint_run_id = p_run.id
      and (j.status in ('CLAIMED', 'RUNNING') or (j.status = 'QUEUED' and j.stopped_by_budget_id = p_budget.id)));
begin
  if v_begun <> '{}' then
    return v_begun;
  end if;
  return array(
    select j.id from public.agent_jobs j
    where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.in_turn
    order by j.claim_rank, j.created_at, j.position, j.id limit 1);
end;
$$;

comment on function private.jobs_to_finish is 'The jobs that a person lets finish beyond a budget.';
