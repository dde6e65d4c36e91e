-- Why: what nobody told is not zero: a budget says how many finished jobs under it told no usage.
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
