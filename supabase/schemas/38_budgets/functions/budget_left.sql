-- Why: what a job may use at most, by unit: the smallest rest of the budgets that it falls under, less what others have reserved.
create function private.budget_left(p_job public.agent_jobs)
returns table (unit text, amount numeric)
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
    select b.unit, greatest(0, min(b.amount - private.budget_spent(b) - (private.budget_at_work(b, p_job.id)).reserved))
    from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    group by b.unit;
end;
$$;

comment on function private.budget_left is 'What is left for a job of the budgets that it falls under.';
