-- Why: one form of a budget for all readers.
create function private.budget_json(p_budget public.budgets)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_window record;
  v_work record;
  v_spent numeric := private.budget_spent(p_budget);
  v_is_reached boolean := private.is_budget_reached(p_budget);
begin
  select * into v_window from private.budget_window(p_budget);
  select * into v_work from private.budget_at_work(p_budget);
  return jsonb_build_object(
    'id', p_budget.id, 'product_id', p_budget.product_id, 'scope', p_budget.scope, 'period', p_budget.period,
    'sprint_id', p_budget.sprint_id, 'sprint_run_id', p_budget.sprint_run_id, 'task_id', p_budget.task_id,
    'name', private.budget_name(p_budget),
    'unit', p_budget.unit, 'amount', p_budget.amount,
    'spent', round(v_spent, 6), 'reserved', round(v_work.reserved, 6), 'at_work', v_work.jobs,
    'left', round(greatest(p_budget.amount - v_spent - v_work.reserved, 0), 6),
    'overshoot', round(greatest(p_budget.overshoot, v_spent - p_budget.amount, 0), 6),
    'unreported_jobs', private.unreported_jobs(p_budget),
    'state', case when v_is_reached then 'reached' when v_spent >= 0.8 * p_budget.amount then 'warning' else 'open' end,
    'from_at', nullif(v_window.from_at, '-infinity'), 'until_at', v_window.until_at,
    'created_at', p_budget.created_at, 'updated_at', p_budget.updated_at);
end;
$$;

comment on function private.budget_json is 'A budget with what was spent, what is reserved and what is left.';

-- Why: unreported usage is not zero: a budget shows how many finished jobs under it reported none.
create function private.unreported_jobs(p_budget public.budgets)
returns integer
language plpgsql
stable
set search_path = ''
as $$
declare
  v_from timestamptz := (private.budget_window(p_budget)).from_at;
begin
  return (
    select count(*) from public.agent_jobs j
    where j.product_id = p_budget.product_id and j.status in ('DONE', 'FAILED') and j.attempt > 0 and j.finished_at >= v_from
      and private.budget_covers(p_budget, j)
      and not exists (select from public.usage_events e where e.job_id = j.id)
  );
end;
$$;

comment on function private.unreported_jobs is 'Finished jobs under a budget whose agents told no usage.';
