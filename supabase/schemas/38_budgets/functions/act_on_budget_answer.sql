-- Why: answering the question of a reached budget applies the answer, in the same transaction. Only the product's owner
-- may raise it or continue; everybody who may answer may stop. API tokens are refused. Does nothing for any other
-- question. Called with the product's lock.
create function private.act_on_budget_answer(p_question public.agent_questions, p_option integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
  v_budget public.budgets;
begin
  select r.* into v_run from public.sprint_runs r
  where r.pause_question_id = p_question.id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  if not found then
    return;
  end if;
  perform private.require_person();
  if p_option is null then
    perform private.refuse(422, 'Choose one of the options: raise the budget, finish, or stop.');
  end if;
  if p_option = 2 then
    perform private.end_run(v_run, 'CANCELLED', 'The run was stopped at its budget.', null);
    return;
  end if;

  perform private.require_product_owner(p_question.product_id);
  select b.* into v_budget from public.budgets b where b.id = (v_run.pause_context ->> 'budget_id')::uuid;
  if p_option = 0 then
    perform private.raise_budget(v_budget, v_budget.amount + (v_run.pause_context ->> 'raise_by')::numeric);
    perform private.settle_budgets(p_question.product_id);
    return;
  end if;
  v_run := private.continue_run(v_run);
  update public.budgets b
  set finish_job_ids = private.jobs_to_finish(v_run, v_budget)
  where b.id = v_budget.id;
end;
$$;

comment on function private.act_on_budget_answer is
  'Raise, finish or stop, as a person answered (specification: Agent question; Sprint run, pause).';

-- Why: "finish what was begun" means the jobs that the budget stopped and those still at work; if there are none, the
-- next one.
create function private.jobs_to_finish(p_run public.sprint_runs, p_budget public.budgets)
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
declare
  v_begun uuid[] := array(
    select j.id from public.agent_jobs j
    where j.sprint_run_id = p_run.id
      and (j.status in ('CLAIMED', 'RUNNING') or (j.status = 'QUEUED' and j.stopped_by_budget_id = p_budget.id)));
begin
  if v_begun <> '{}' then
    return v_begun;
  end if;
  return array(
    select j.id from public.agent_jobs j
    where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.in_turn
    order by j.claim_rank, j.created_at, j.position, j.id limit 1);
end;
$$;

comment on function private.jobs_to_finish is 'The jobs that a person lets finish beyond a budget.';
