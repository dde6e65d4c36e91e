-- Why: the stored sum of a budget plus later lines: all usage in its window, and how much of it is final in the ledger.
create function private.add_up_budget(p_budget public.budgets, out used numeric, out in_ledger numeric, out from_at timestamptz)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_sum private.budget_sums;
begin
  from_at := (private.budget_window(p_budget)).from_at;
  select s.* into v_sum from private.budget_sums s where s.budget_id = p_budget.id and s.from_at = add_up_budget.from_at;
  select coalesce(v_sum.amount, 0) + coalesce(sum(x.amount), 0),
    coalesce(v_sum.amount, 0) + coalesce(sum(x.amount) filter (where u.id < 9223372036854775807), 0)
  into used, in_ledger
  from private.usage_under(p_budget, from_at, coalesce(v_sum.last_id, 0)) u
  cross join lateral (
    select case when p_budget.unit = 'tokens' then u.tokens when u.currency = p_budget.unit then u.cost end as amount
  ) x;
end;
$$;

comment on function private.add_up_budget is 'What was used in the window of a budget, and how much of it is in the ledger.';

-- Why: the one place that decides which usage falls under a budget: that of its window, after a line of the ledger. For
-- a task, only work done for it alone, so not that of a batch; a deleted job's usage still counts.
create function private.usage_under(p_budget public.budgets, p_from_at timestamptz, p_after_id bigint)
returns setof private.known_usage
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_budget.scope = 'task' then
    return query
      select u.* from private.known_usage u
      left join public.sprint_runs r on r.id = u.sprint_run_id
      where u.task_id = p_budget.task_id and u.id > p_after_id and r.pr_strategy is distinct from 'SPRINT_BATCH';
  elsif p_budget.scope in ('run', 'sprint') then
    return query
      select u.* from private.known_usage u
      where u.id > p_after_id and u.sprint_run_id = any (
        array(select r.id from public.sprint_runs r where r.sprint_id = p_budget.sprint_id) || p_budget.sprint_run_id);
  elsif p_after_id = 0 then
    return query
      select u.* from private.known_usage u where u.product_id = p_budget.product_id and u.created_at >= p_from_at;
  else
    -- "is true" keeps the planner from the index of dates: few lines are new, and the whole window may be long.
    return query
      select u.* from private.known_usage u
      where u.product_id = p_budget.product_id and u.id > p_after_id and (u.created_at >= p_from_at) is true;
  end if;
end;
$$;

comment on function private.usage_under is 'Usage that falls under a budget, after a line of the ledger.';
