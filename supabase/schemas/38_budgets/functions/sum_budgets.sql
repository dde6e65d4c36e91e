-- Why: the sums of budgets follow the ledger from far enough that few lines are left to add, and not at every line. Only the
-- budgets of this job have new ones. Called with the whole lock of the product.
create function private.sum_budgets(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if exists (select from public.budgets b where b.product_id = p_job.product_id) then
    perform private.sum_budget(b)
    from public.budgets b
    left join private.budget_sums s on s.budget_id = b.id
    where b.product_id = p_job.product_id and coalesce(s.last_id, 0) < private.last_line(p_job.product_id) - 100
      and private.budget_covers(b, p_job);
  end if;
end;
$$;

comment on function private.sum_budgets is 'Lets the sums of the budgets of a job follow the ledger.';
