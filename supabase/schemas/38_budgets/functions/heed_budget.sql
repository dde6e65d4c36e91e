-- Why: stores the usage of a heartbeat, and gives a job near a budget more of it or stops it. While other jobs are at
-- work, a job stops as soon as another step like its largest might not fit; the last one may use up the rest. So
-- overspending is at most what one task uses between two heartbeats. Returns the message for the worker, or null to
-- continue.
-- Called with the job's row locked. Stops only under the product's lock (private.lock_for_budget), else the next
-- heartbeat does.
create function private.heed_budget(p_job public.agent_jobs, p_usage jsonb)
returns text
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_budget public.budgets;
  v_is_locked boolean := current_setting('backloom.locked_product', true) = p_job.product_id::text;
  v_step numeric;
  v_left numeric;
  v_others integer;
begin
  if jsonb_typeof(p_usage -> 'models') = 'array' then
    perform private.note_usage_so_far(p_job, p_usage);
  end if;
  if not exists (select from public.budgets b where b.product_id = p_job.product_id) then
    return null;
  end if;

  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    v_step := private.note_budget_step(p_job, v_budget.unit);
    select v_budget.amount - private.budget_spent(v_budget) - w.reserved, w.jobs into v_left, v_others
    from private.budget_at_work(v_budget, p_job.id) w;
    perform private.warn_of_budget(v_budget, private.budget_spent(v_budget));
    continue when not v_is_locked;
    if v_left <= 0 or (v_others > 0 and v_left < v_step and private.budget_need(p_job, null) is not null) then
      return private.stop_for_budget(p_job, v_budget);
    end if;
    update public.budget_reservations r
    set amount = private.attempt_used(p_job.id, p_job.attempt, r.unit)
      + least(v_left, greatest(2 * v_step, private.expected_use(p_job.product_id, r.unit, p_job.model_id) / 2))
    where r.job_id = p_job.id and r.unit = v_budget.unit and r.attempt = p_job.attempt
      and r.amount < private.attempt_used(p_job.id, p_job.attempt, r.unit) + v_step;
  end loop;
  return null;
end;
$$;

comment on function private.heed_budget is 'Continue or stop, as the budgets of a job say.';

-- Why: an attempt's usage between two heartbeats tells whether one more step fits. Returns the largest so far.
create function private.note_budget_step(p_job public.agent_jobs, p_unit text)
returns numeric
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_used numeric := private.attempt_used(p_job.id, p_job.attempt, p_unit);
  v_step numeric;
begin
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, seen, step)
  values (p_job.id, p_unit, p_job.attempt, p_job.product_id, v_used, v_used)
  on conflict (job_id, unit) do update
  set step = case when r.attempt = excluded.attempt then greatest(r.step, v_used - r.seen) else v_used end,
      amount = case when r.attempt = excluded.attempt then r.amount else 0 end,
      seen = v_used, attempt = excluded.attempt
  returning r.step into v_step;
  return v_step;
end;
$$;

comment on function private.note_budget_step is 'Keeps the largest step of an attempt between two heartbeats.';

-- Why: a job that reaches a budget is requeued with the work its worker keeps, without counting a retry; the runs under
-- the budget are paused with a question, and the answer puts the job first. Called with the product's lock.
create function private.stop_for_budget(p_job public.agent_jobs, p_budget public.budgets)
returns text
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.budgets b set reached_at = private.now(), due_at = null where b.id = p_budget.id;
  update public.agent_jobs j
  set status = 'QUEUED', stopped_by_budget_id = p_budget.id, failure_class = null, failure_reason = null
  where j.id = p_job.id;
  perform private.settle_budgets(p_job.product_id, p_job.id);
  update public.agent_jobs j
  set parked_question_id = r.pause_question_id
  from public.sprint_runs r
  where j.id = p_job.id and r.id = j.sprint_run_id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  return private.budget_stop_text(p_budget);
end;
$$;

comment on function private.stop_for_budget is 'A held job back to the queue because of a budget (specification: Agent job; Sprint run, pause).';
