-- Why: a job that has reached a budget goes back to the queue, no retry counted, with the work that its worker keeps; the runs
-- under the budget are paused with a question, and the answer brings the job back first. Called with the product's lock.
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
