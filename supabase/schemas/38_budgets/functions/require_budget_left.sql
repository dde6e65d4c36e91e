-- Why: a run paused by a budget cannot be resumed while the budget is used up: it would be paused again at once.
create function private.require_budget_left(p_run public.sprint_runs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_budget public.budgets;
begin
  if p_run.pause_context ->> 'reason' <> 'budget' then
    return;
  end if;
  select b.* into v_budget from public.budgets b where b.id = (p_run.pause_context ->> 'budget_id')::uuid;
  if v_budget.id is not null and private.is_budget_reached(v_budget) then
    perform private.refuse(409, format('The budget of %s is used up. Raise it, or answer the question of the run.',
      private.budget_name(v_budget)));
  end if;
end;
$$;

comment on function private.require_budget_left is 'PT409 for a run whose budget is used up (specification: Sprint run, pause).';
