-- Why: what was used of a budget in its window, the turns under way included.
create function private.budget_spent(p_budget public.budgets)
returns numeric
language plpgsql
stable
set search_path = ''
as $$
declare
  v_window record;
  v_is_tokens boolean := p_budget.unit = 'tokens';
  v_spent numeric;
begin
  if p_budget.scope = 'run' then
    select sum(case when v_is_tokens then u.tokens when u.currency = p_budget.unit then u.cost end) into v_spent
    from private.known_usage u where u.sprint_run_id = p_budget.sprint_run_id;
  elsif p_budget.scope = 'task' then
    select sum(case when v_is_tokens then u.tokens when u.currency = p_budget.unit then u.cost end) into v_spent
    from private.known_usage u
    join public.agent_jobs j on j.id = u.job_id
    where u.task_id = p_budget.task_id and j.kind = 'TASK_IMPLEMENTATION';
  elsif p_budget.scope = 'sprint' then
    select sum(case when v_is_tokens then u.tokens when u.currency = p_budget.unit then u.cost end) into v_spent
    from private.known_usage u
    where u.sprint_run_id in (select r.id from public.sprint_runs r where r.sprint_id = p_budget.sprint_id);
  else
    select * into v_window from private.budget_window(p_budget);
    select sum(case when v_is_tokens then u.tokens when u.currency = p_budget.unit then u.cost end) into v_spent
    from private.known_usage u where u.product_id = p_budget.product_id and u.created_at >= v_window.from_at;
  end if;
  return p_budget.spent_before + coalesce(v_spent, 0);
end;
$$;

comment on function private.budget_spent is 'What was used of a budget in its window, in its unit.';
