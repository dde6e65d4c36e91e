-- Why: messages name what a budget is for.
create function private.budget_name(p_budget public.budgets)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return case p_budget.scope
    when 'run' then format('this run of %s', (
      select private.run_subject(r) from public.sprint_runs r where r.id = p_budget.sprint_run_id))
    when 'sprint' then format('sprint %s', (select s.code from public.sprints s where s.id = p_budget.sprint_id))
    when 'task' then format('task %s', (select t.code from public.tasks t where t.id = p_budget.task_id))
    else format('product %s for this %s', (select p.code from public.products p where p.id = p_budget.product_id), p_budget.period)
  end;
end;
$$;

comment on function private.budget_name is 'Whose budget it is, in words.';
