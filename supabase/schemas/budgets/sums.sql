-- Not every claim and heartbeat should add up a ledger of a hundred thousand lines. This is the sum of the lines
-- up to last_id, for the window that begins at from_at; only later lines are added to it. Written under the exclusive
-- product lock: writers of lines hold a share of it, so no line with a smaller id can appear later. A budget without a
-- row, or with one of an earlier window, is summed from its lines.
create table private.budget_sums (
  budget_id uuid primary key references public.budgets (id) on delete cascade,
  from_at timestamptz not null,
  last_id bigint not null,
  amount numeric not null
);

comment on table private.budget_sums is 'Stored total of a budget, computed from the usage ledger up to a line (private.sum_budget).';

alter table private.budget_sums enable row level security;

-- Only for the functions of this folder, which are definer.
grant select, insert, update, delete on private.budget_sums to service_role;

-- All usage known now: the ledger, and what attempts have reported of unfinished turns. Subscription usage has tokens
-- here, but no cost. An unfinished turn has the largest id, so comes last (specification: Agent job, token usage).
create view private.known_usage with (security_invoker = true) as
select e.product_id, e.sprint_run_id, e.task_id, e.job_id, e.attempt, e.worker_id, e.created_at,
  coalesce(e.input_tokens, 0) + coalesce(e.output_tokens, 0) + coalesce(e.cache_write_tokens, 0) as tokens,
  case when not e.subscription then e.cost end as cost, e.currency, e.id
from public.usage_events e
union all
select s.product_id, s.sprint_run_id, s.task_id, s.job_id, s.attempt, s.worker_id, s.told_at,
  coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(s.cache_write_tokens, 0),
  case when not s.subscription then s.cost end, s.currency, 9223372036854775807
from public.usage_so_far s;

-- The stored sum of a budget plus later lines: all usage in its window, and how much of it is final in the ledger.
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

-- The one place that decides which usage falls under a budget: that of its window, after a line of the ledger. For
-- a task, only work done for it alone, so not that of a batch; a deleted job's usage still counts.
create function private.usage_under(p_budget public.budgets, p_from_at timestamptz, p_after_id bigint)
returns setof private.known_usage language plpgsql stable set search_path = '' as $$
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

-- One attempt's usage so far, in the unit of a budget.
create function private.attempt_used(p_job_id uuid, p_attempt integer, p_unit text)
returns numeric language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(sum(case when p_unit = 'tokens' then u.tokens when u.currency = p_unit then u.cost end), 0)
    from private.known_usage u where u.job_id = p_job_id and u.attempt = p_attempt
  );
end;
$$;

-- The jobs at work under a budget, and what they have reserved but not used yet.
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

-- What was spent of a budget in its window, including unfinished turns.
create function private.budget_spent(p_budget public.budgets)
returns numeric language plpgsql stable set search_path = '' as $$
begin
  return p_budget.spent_before + (private.add_up_budget(p_budget)).used;
end;
$$;

-- The probable usage of one task: the median of the product's finished tasks with the same model, of all its
-- finished tasks if those are too few, and the product's setting before three have finished.
create function private.expected_use(p_product_id uuid, p_unit text, p_model_id text)
returns numeric language plpgsql stable set search_path = '' as $$
declare
  v_expected numeric;
  v_settings public.budget_settings;
begin
  select coalesce(
    case when count(*) filter (where x.model_id = p_model_id) >= 3
      then percentile_cont(0.5) within group (order by x.used) filter (where x.model_id = p_model_id) end,
    case when count(*) >= 3 then percentile_cont(0.5) within group (order by x.used) end)
  into v_expected
  from (
    select f.model_id, f.used from private.finished_use(p_product_id, p_unit, 100) f
  ) x;
  if v_expected > 0 then
    return v_expected;
  end if;
  v_settings := private.budget_settings_of(p_product_id);
  return case when p_unit = 'tokens' then v_settings.expected_tokens else v_settings.expected_cost end;
end;
$$;

-- Forecasts are based on tasks that agents have finished: the usage of all attempts of each, newest first. Tasks
-- without reported usage are left out. p_limit bounds the reads, because a claim may have thousands of them.
create function private.finished_use(p_product_id uuid, p_unit text, p_limit integer)
returns table (job_id uuid, task_id uuid, model_id text, used numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
    select j.id, j.task_id, j.model_id, u.used
    from public.agent_jobs j
    cross join lateral (
      select sum(case when p_unit = 'tokens' then k.tokens when k.currency = p_unit then k.cost end)::numeric as used
      from private.known_usage k where k.job_id = j.id
    ) u
    where j.product_id = p_product_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE' and u.used is not null
    order by j.finished_at desc
    limit p_limit;
end;
$$;

-- The one place for the effects of budgets: one under which a claim found nothing left is reached; runs under a
-- reached budget are paused, unless a job that a person lets finish is at work; paused runs continue when their budget
-- was raised or deleted, or its window has ended. Called with the product's lock (specification: Sprint run, pause).
create function private.apply_budgets(p_product_id uuid, p_job_id uuid default null)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_budget public.budgets;
  v_run public.sprint_runs;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_product_id and (b.due_at is not null or b.reached_at is not null)
    order by b.id
  loop
    v_budget := private.apply_budget(v_budget);
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

-- Whether one budget is reached now. A new window starts from zero and keeps the largest overshoot.
create function private.apply_budget(p_budget public.budgets)
returns public.budgets language plpgsql volatile set search_path = '' as $$
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

-- A run that reached a budget asks a person, who answers with a button: raise it, finish what was begun, or stop. The
-- question names no job: no agent reads the answer as instructions (specification: Sprint run, pause).
create function private.pause_for_budget(p_run public.sprint_runs, p_budget public.budgets, p_job_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_spent numeric := private.budget_spent(p_budget);
  -- A quarter more, at least the expected usage of one task, rounded up to be readable.
  v_least numeric := greatest(p_budget.amount / 4, private.expected_use(p_budget.product_id, p_budget.unit, null),
    v_spent - p_budget.amount);
  v_grain numeric := power(10::numeric, floor(log(v_least))) / 2;
  v_raise_by numeric := trim_scale(ceil(v_least / v_grain) * v_grain);
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

-- Stores the sum of a budget up to the last line of its product. Called under the exclusive product lock. Under a
-- shared one it stores nothing, because it would permanently miss a line that someone else is writing.
create function private.sum_budget(p_budget public.budgets)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if current_setting('backloom.shared_product', true) = p_budget.product_id::text then
    return;
  end if;
  insert into private.budget_sums as s (budget_id, from_at, last_id, amount)
  select p_budget.id, a.from_at, private.last_line(p_budget.product_id), a.in_ledger
  from private.add_up_budget(p_budget) a
  on conflict (budget_id) do update
  set from_at = excluded.from_at, last_id = excluded.last_id, amount = excluded.amount;
end;
$$;
