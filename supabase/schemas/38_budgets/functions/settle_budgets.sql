-- Why: the one place for the effects of budgets: one under which a claim found nothing left is reached; runs under a
-- reached budget are paused, unless a job that a person lets finish is at work; paused runs continue when their budget
-- was raised or deleted, or its window has ended. Called with the product's lock.
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

-- Why: whether one budget is reached now. A new window starts from zero and keeps the largest overshoot.
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

-- Why: a run that reached a budget asks a person, who answers with a button: raise it, finish what was begun, or stop.
-- The question names no job: its answer is for the run, and no agent reads it as instructions.
create function private.pause_for_budget(p_run public.sprint_runs, p_budget public.budgets, p_job_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_spent numeric := private.budget_spent(p_budget);
  v_raise_by numeric := private.budget_raise(p_budget);
  v_begun text;
  v_context jsonb;
  v_question_id uuid;
begin
  select string_agg(t.code, ', ' order by j.position) into v_begun
  from public.agent_jobs j join public.tasks t on t.id = j.task_id
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.stopped_by_budget_id = p_budget.id;
  v_context := jsonb_build_object('reason', 'budget', 'pr_url', null, 'conflict_files', '[]'::jsonb, 'budget_id', p_budget.id,
    'unit', p_budget.unit, 'amount', p_budget.amount, 'spent', round(v_spent, 6), 'raise_by', v_raise_by);

  insert into public.agent_questions (product_id, story_id, task_id, sprint_run_id, assignee_id, question, options)
  select p_run.product_id, t.story_id, t.id, p_run.id, p.owner_id,
    format('The budget of %s is reached: %s of %s used.%s What should happen next?', private.budget_name(p_budget),
      private.budget_amount_text(v_spent, p_budget.unit), private.budget_amount_text(p_budget.amount, p_budget.unit),
      coalesce(' ' || left(v_begun, 500) || ' was stopped; its work is kept.', '')),
    jsonb_build_array(
      jsonb_build_object('label', 'Raise by ' || private.budget_amount_text(v_raise_by, p_budget.unit),
        'description', 'To ' || private.budget_amount_text(p_budget.amount + v_raise_by, p_budget.unit) || '. The run continues.'),
      case when v_begun is not null or p_run.pr_strategy = 'SPRINT_BATCH'
        then jsonb_build_object('label', 'Finish what was begun', 'description', 'Whatever it takes; then the run waits again.')
        else jsonb_build_object('label', 'Do one more task', 'description', 'Whatever it takes; then the run waits again.') end,
      jsonb_build_object('label', 'Stop here', 'description', 'The run is cancelled. What is done stays done.'))
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  join public.products p on p.id = p_run.product_id
  where j.sprint_run_id = p_run.id
  order by (j.id is not distinct from p_job_id) desc, (j.stopped_by_budget_id is not null) desc, (j.status = 'QUEUED') desc, j.position
  limit 1
  returning id into v_question_id;

  update public.sprint_runs r
  set status = 'PAUSED', pause_context = v_context, pause_question_id = v_question_id
  where r.id = p_run.id;
end;
$$;

comment on function private.pause_for_budget is
  'Run to PAUSED because of a budget, with a question and its buttons (specification: Sprint run, pause).';

-- Why: the amount that the button offers: a quarter more, at least the expected usage of one task, rounded up to a
-- readable number.
create function private.budget_raise(p_budget public.budgets)
returns numeric
language plpgsql
stable
set search_path = ''
as $$
declare
  v_least numeric := greatest(p_budget.amount / 4, private.expected_use(p_budget.product_id, p_budget.unit, null),
    private.budget_spent(p_budget) - p_budget.amount);
  v_grain numeric := power(10::numeric, floor(log(v_least))) / 2;
begin
  return trim_scale(ceil(v_least / v_grain) * v_grain);
end;
$$;

comment on function private.budget_raise is 'By how much the button of a reached budget raises it.';
