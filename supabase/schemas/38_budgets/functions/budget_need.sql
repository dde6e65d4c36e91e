-- Why: the first budget that a job at work is close to: it is used up, or one more step would exceed the job's
-- reservation. Null for a job that can simply continue, or that a person lets finish. p_usage is what a heartbeat
-- reports and is not stored yet.
create function private.budget_need(p_job public.agent_jobs, p_usage jsonb)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  v_budget public.budgets;
  v_kept public.budget_reservations;
  v_new numeric;
  v_used numeric;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    select r.* into v_kept from public.budget_reservations r
    where r.job_id = p_job.id and r.unit = v_budget.unit and r.attempt = p_job.attempt;
    v_used := private.attempt_used(p_job.id, p_job.attempt, v_budget.unit);
    v_new := greatest(0, private.usage_in_unit(p_usage, v_budget.unit) - (
      select coalesce(sum(case when v_budget.unit = 'tokens'
        then coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(s.cache_write_tokens, 0)
        when s.currency = v_budget.unit and not s.subscription then s.cost end), 0)
      from public.usage_so_far s where s.job_id = p_job.id and s.attempt = p_job.attempt));
    v_used := v_used + v_new;
    if v_used > 0 and v_used + greatest(coalesce(v_kept.step, 0), v_used - coalesce(v_kept.seen, 0)) > coalesce(v_kept.amount, 0)
      or private.budget_spent(v_budget) + v_new >= v_budget.amount then
      return v_budget.id;
    end if;
  end loop;
  return null;
end;
$$;

comment on function private.budget_need is 'The budget that a job at work comes near to, if any.';

-- Why: usage of a heartbeat in the unit of a budget, before it is stored.
create function private.usage_in_unit(p_usage jsonb, p_unit text)
returns numeric
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(sum(case
      when p_unit = 'tokens' then coalesce((u.value ->> 'input_tokens')::numeric, 0)
        + coalesce((u.value ->> 'output_tokens')::numeric, 0) + coalesce((u.value ->> 'cache_write_tokens')::numeric, 0)
      when p.currency = p_unit and (u.value ->> 'subscription')::boolean is not true then p.cost end), 0)
    from jsonb_array_elements(p_usage -> 'models') u
    cross join lateral private.price_usage(u.value) p
  );
end;
$$;

comment on function private.usage_in_unit is 'Usage of a heartbeat in tokens or in one currency.';
