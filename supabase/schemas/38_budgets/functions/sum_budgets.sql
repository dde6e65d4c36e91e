-- Why: stored sums follow the ledger closely enough that few lines are left to add, but not at every line. Only this
-- job's budgets have new lines. Called under the exclusive product lock.
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
