-- Why: the jobs at work under a budget, and what they have reserved but not used yet.
create function private.budget_at_work(
  p_budget public.budgets, p_except uuid default null, out jobs integer, out reserved numeric)
language plpgsql
stable
set search_path = ''
as $$
begin
  select count(*), coalesce(sum(greatest(coalesce(r.amount, 0)
    - private.attempt_used(j.id, j.attempt, p_budget.unit), 0)), 0)
  into jobs, reserved
  from public.agent_jobs j
  left join public.budget_reservations r on r.job_id = j.id and r.unit = p_budget.unit and r.attempt = j.attempt
  where j.product_id = p_budget.product_id and j.status in ('CLAIMED', 'RUNNING') and j.id is distinct from p_except
    and private.budget_covers(p_budget, j);
end;
$$;

comment on function private.budget_at_work is 'Held jobs under a budget, and what is reserved for them beyond what they used.';
