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
