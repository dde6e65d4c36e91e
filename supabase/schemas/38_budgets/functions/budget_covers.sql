-- Why: the one place that decides which jobs fall under a budget.
create function private.budget_covers(p_budget public.budgets, p_job public.agent_jobs)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return case p_budget.scope
    when 'product' then p_budget.product_id = p_job.product_id
    when 'run' then p_budget.sprint_run_id = p_job.sprint_run_id
    when 'task' then p_budget.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION'
    else p_budget.sprint_id = (select r.sprint_id from public.sprint_runs r where r.id = p_job.sprint_run_id)
  end is true;
end;
$$;

comment on function private.budget_covers is 'Whether a job falls under a budget.';
