-- Why: what budgets lead to, in one place: one under which a claim found nothing left is reached; runs under a reached budget are
-- paused, but not while a job goes on that a person lets finish; runs that a budget paused go on when it was raised, taken away or its
-- day is over. Called with the product's lock.
create function private.settle_budgets(p_product_id uuid, p_job_id uuid default null)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_budget public.budgets;
  v_run public.sprint_runs;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_product_id and (b.due_at is not null or b.reached_at is not null)
    order by b.id
  loop
    v_budget := private.settle_budget(v_budget);
    continue when v_budget.reached_at is null;
    for v_run in
      select r.* from public.sprint_runs r
      where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING')
        and exists (
          select from public.agent_jobs j
          where j.sprint_run_id = r.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.phase <> 'review'
            and private.budget_covers(v_budget, j))
        and not exists (
          select from public.agent_jobs j
          where j.sprint_run_id = r.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.id = any (v_budget.finish_job_ids))
      order by r.id
    loop
      perform private.pause_for_budget(v_run, v_budget, p_job_id);
    end loop;
  end loop;

  for v_run in
    select r.* from public.sprint_runs r
    where r.product_id = p_product_id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget'
      and not exists (
        select from public.budgets b
        where b.id = (r.pause_context ->> 'budget_id')::uuid and b.reached_at is not null)
    order by r.id
  loop
    perform private.close_question(v_run.pause_question_id);
    perform private.continue_run(v_run);
  end loop;
end;
$$;

comment on function private.settle_budgets is
  'Pauses the runs of reached budgets and lets those of open ones go on (specification: Sprint run, pause).';

-- Why: whether one budget is reached now. A new window begins anew and remembers what the old one went beyond.
create function private.settle_budget(p_budget public.budgets)
returns public.budgets
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_work record;
  v_left numeric;
  v_reached_at timestamptz := case when private.is_budget_reached(p_budget) then p_budget.reached_at end;
  v_budget public.budgets;
begin
  perform private.sum_budget(p_budget);
  if v_reached_at is null and p_budget.due_at is not null then
    select * into v_work from private.budget_at_work(p_budget);
    v_left := p_budget.amount - private.budget_spent(p_budget);
    if v_work.jobs = 0 and v_left <= private.expected_use(p_budget.product_id, p_budget.unit, null) / 10 then
      v_reached_at := private.now();
    end if;
  end if;
  update public.budgets b
  set reached_at = v_reached_at, due_at = null,
      overshoot = greatest(b.overshoot, private.budget_spent(b) - b.amount)
  where b.id = p_budget.id
  returning b.* into v_budget;
  return v_budget;
end;
$$;

comment on function private.settle_budget is 'Marks a budget as reached, or open again.';
