-- Why: "why is this not moving?" for a queued job under a budget: it was stopped, no job may begin, or others have
-- reserved the rest.
create function private.budget_reasons(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_budget public.budgets;
  v_spent numeric;
  v_work record;
  v_need numeric;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    v_spent := private.budget_spent(v_budget);
    select * into v_work from private.budget_at_work(v_budget);
    v_need := private.expected_use(p_job.product_id, v_budget.unit, p_job.model_id);
    if private.is_budget_reached(v_budget)
      or (v_budget.amount - v_spent - v_work.reserved < v_need
        and (v_work.jobs > 0 or v_budget.amount - v_spent - v_work.reserved <= v_need / 10)) then
      return jsonb_build_array(jsonb_build_object('code', 'budget',
        'message', format('The budget of %s has %s of %s left%s; a task usually needs %s.', private.budget_name(v_budget),
          private.budget_amount_text(greatest(v_budget.amount - v_spent - v_work.reserved, 0), v_budget.unit),
          private.budget_amount_text(v_budget.amount, v_budget.unit),
          case when v_work.reserved > 0
            then format(', %s are reserved by jobs at work', private.budget_amount_text(v_work.reserved, v_budget.unit)) else '' end,
          private.budget_amount_text(round(v_need, 6), v_budget.unit)),
        'budget_id', v_budget.id, 'unit', v_budget.unit, 'amount', v_budget.amount, 'spent', round(v_spent, 6),
        'reserved', round(v_work.reserved, 6), 'expected', round(v_need, 6)));
    end if;
  end loop;
  return '[]';
end;
$$;

comment on function private.budget_reasons is 'budget (specification: Agent job; budgets).';
