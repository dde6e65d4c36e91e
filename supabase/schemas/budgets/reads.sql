-- A product's budgets that matter now: its own, those of open sprints and tasks and of unfinished runs; for a
-- given run or task, all that it falls under. Definer: access is checked first.
create function operations.get_budgets(
  p_product_id uuid, p_sprint_run_id uuid default null, p_sprint_id uuid default null, p_task_id uuid default null
) returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_settings public.budget_settings;
begin
  perform private.require_product_access(p_product_id);
  v_settings := private.budget_settings_of(p_product_id);
  return json_build_object('product_id', p_product_id,
    -- Budgets are set by the owner, in a session, in a product that is not archived.
    'may_set', exists (
      select from public.product_members m
      join public.products p on p.id = m.product_id
      where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER' and p.archived_at is null)
      and not private.is_demo() and not private.is_token(),
    'settings', to_jsonb(v_settings) - 'product_id',
    'budgets', (
      select coalesce(json_agg(private.budget_json(b) order by array_position(array['run', 'sprint', 'task', 'product'], b.scope),
        array_position(array['day', 'week', 'month'], b.period), b.unit, b.created_at), '[]')
      from public.budgets b
      where b.product_id = p_product_id
        and case b.scope
          when 'product' then true
          when 'run' then case
            when p_sprint_run_id is not null then b.sprint_run_id = p_sprint_run_id
            when p_sprint_id is not null then false
            when p_task_id is not null then exists (
              select from public.agent_jobs j join public.sprint_runs r on r.id = j.sprint_run_id
              where j.task_id = p_task_id and r.id = b.sprint_run_id and r.finished_at is null)
            else (select r.finished_at is null from public.sprint_runs r where r.id = b.sprint_run_id) end
          when 'sprint' then case
            when p_sprint_run_id is not null
              then b.sprint_id = (select r.sprint_id from public.sprint_runs r where r.id = p_sprint_run_id)
            when p_sprint_id is not null then b.sprint_id = p_sprint_id
            when p_task_id is not null then b.sprint_id = (
              select s.sprint_id from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_task_id)
            else (select s.status in ('PLANNED', 'ACTIVE', 'FAILED') from public.sprints s where s.id = b.sprint_id) end
          else case
            when p_sprint_run_id is not null then exists (
              select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.task_id = b.task_id)
            when p_sprint_id is not null then exists (
              select from public.tasks t join public.stories s on s.id = t.story_id where t.id = b.task_id and s.sprint_id = p_sprint_id)
            when p_task_id is not null then b.task_id = p_task_id
            else (select t.status <> 'DONE' from public.tasks t where t.id = b.task_id) end
        end));
end;
$$;
grant execute on function operations.get_budgets to authenticated;

-- A product without settings has the defaults.
create function private.budget_settings_of(p_product_id uuid)
returns public.budget_settings language plpgsql stable set search_path = '' as $$
declare
  v_settings public.budget_settings;
begin
  select s.* into v_settings from public.budget_settings s where s.product_id = p_product_id;
  if not found then
    v_settings := (p_product_id, 'UTC', 'allow', 200000, 1);
  end if;
  return v_settings;
end;
$$;

-- One form of a budget for all readers.
create function private.budget_json(p_budget public.budgets)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_window record;
  v_work record;
  v_spent numeric := private.budget_spent(p_budget);
  v_is_reached boolean := private.is_budget_reached(p_budget);
begin
  select * into v_window from private.budget_window(p_budget);
  select * into v_work from private.budget_at_work(p_budget);
  return jsonb_build_object(
    'id', p_budget.id, 'product_id', p_budget.product_id, 'scope', p_budget.scope, 'period', p_budget.period,
    'sprint_id', p_budget.sprint_id, 'sprint_run_id', p_budget.sprint_run_id, 'task_id', p_budget.task_id,
    'name', private.budget_name(p_budget),
    'unit', p_budget.unit, 'amount', p_budget.amount,
    'spent', round(v_spent, 6), 'reserved', round(v_work.reserved, 6), 'at_work', v_work.jobs,
    'left', round(greatest(p_budget.amount - v_spent - v_work.reserved, 0), 6),
    'overshoot', round(greatest(p_budget.overshoot, v_spent - p_budget.amount, 0), 6),
    -- Unreported usage is not zero: how many finished jobs reported none.
    'unreported_jobs', (
      select count(*) from public.agent_jobs j
      where j.product_id = p_budget.product_id and j.status in ('DONE', 'FAILED') and j.attempt > 0 and j.finished_at >= v_window.from_at
        and private.budget_covers(p_budget, j) and not exists (select from public.usage_events e where e.job_id = j.id)),
    'state', case when v_is_reached then 'reached' when v_spent >= 0.8 * p_budget.amount then 'warning' else 'open' end,
    'from_at', nullif(v_window.from_at, '-infinity'), 'until_at', v_window.until_at,
    'created_at', p_budget.created_at, 'updated_at', p_budget.updated_at);
end;
$$;

-- The one place that decides which jobs fall under a budget.
create function private.budget_covers(p_budget public.budgets, p_job public.agent_jobs)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return case p_budget.scope
    when 'product' then p_budget.product_id = p_job.product_id
    when 'run' then p_budget.sprint_run_id = p_job.sprint_run_id
    when 'task' then p_budget.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION'
    else p_budget.sprint_id = (select r.sprint_id from public.sprint_runs r where r.id = p_job.sprint_run_id)
  end is true;
end;
$$;

-- A budget reached in an earlier window is open again.
create function private.is_budget_reached(p_budget public.budgets)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return p_budget.reached_at is not null and p_budget.reached_at >= (private.budget_window(p_budget)).from_at;
end;
$$;

-- A budget's day, week or month begins in the product's time zone. Without a period it has one window, of all time.
create function private.budget_window(p_budget public.budgets, out from_at timestamptz, out until_at timestamptz)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_zone text := (private.budget_settings_of(p_budget.product_id)).time_zone;
  v_local timestamp := date_trunc(p_budget.period, private.now() at time zone v_zone);
begin
  from_at := coalesce(v_local at time zone v_zone, '-infinity');
  until_at := (v_local + ('1 ' || p_budget.period)::interval) at time zone v_zone;
end;
$$;

-- Messages name what a budget is for.
create function private.budget_name(p_budget public.budgets)
returns text language plpgsql stable set search_path = '' as $$
begin
  return case p_budget.scope
    when 'run' then format('this run of %s', (
      select private.run_subject(r) from public.sprint_runs r where r.id = p_budget.sprint_run_id))
    when 'sprint' then format('sprint %s', (select s.code from public.sprints s where s.id = p_budget.sprint_id))
    when 'task' then format('task %s', (select t.code from public.tasks t where t.id = p_budget.task_id))
    else format('product %s for this %s', (select p.code from public.products p where p.id = p_budget.product_id), p_budget.period)
  end;
end;
$$;

-- An amount in a message has its unit: "12.50 USD", "200000 tokens".
create function private.budget_amount_text(p_amount numeric, p_unit text)
returns text language plpgsql immutable set search_path = '' as $$
begin
  return case when p_unit = 'tokens' then to_char(p_amount, 'FM999999999999990') || ' tokens'
    else to_char(p_amount, case when abs(p_amount) < 1 and p_amount <> round(p_amount, 2)
      then 'FM999999999990.0000' else 'FM999999999990.00' end) || ' ' || p_unit end;
end;
$$;

-- The most a claimed job may use, by unit: its budgets' smallest remainder, and what a task is expected to use.
create function private.budget_left(p_job public.agent_jobs, p_rooms private.budget_room[])
returns table (unit text, amount numeric, need numeric) language plpgsql stable set search_path = '' as $$
begin
  return query
    select r.unit, greatest(0, min(r.room)), min(r.need)
    from unnest(p_rooms) r
    join public.budgets b on b.id = r.budget_id
    where r.room is not null and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    group by r.unit;
end;
$$;

-- "why is this not moving?" for a queued job under a budget: it was stopped, no job may begin, or others have
-- reserved the rest (specification: Agent job; budgets).
create function private.budget_reasons(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_budget public.budgets;
  v_spent numeric;
  v_work record;
  v_need numeric;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    v_spent := private.budget_spent(v_budget);
    select * into v_work from private.budget_at_work(v_budget);
    v_need := private.expected_use(p_job.product_id, v_budget.unit, p_job.model_id);
    if private.is_budget_reached(v_budget)
      or (v_budget.amount - v_spent - v_work.reserved < v_need
        and (v_work.jobs > 0 or v_budget.amount - v_spent - v_work.reserved <= v_need / 10)) then
      return jsonb_build_array(jsonb_build_object('code', 'budget',
        'message', format('The budget of %s has %s of %s left%s; a task usually needs %s.', private.budget_name(v_budget),
          private.budget_amount_text(greatest(v_budget.amount - v_spent - v_work.reserved, 0), v_budget.unit),
          private.budget_amount_text(v_budget.amount, v_budget.unit),
          case when v_work.reserved > 0
            then format(', %s are reserved by jobs at work', private.budget_amount_text(v_work.reserved, v_budget.unit)) else '' end,
          private.budget_amount_text(round(v_need, 6), v_budget.unit)),
        'budget_id', v_budget.id, 'unit', v_budget.unit, 'amount', v_budget.amount, 'spent', round(v_spent, 6),
        'reserved', round(v_work.reserved, 6), 'expected', round(v_need, 6)));
    end if;
  end loop;
  return '[]';
end;
$$;

-- The same at each heartbeat: of two at once, or after a lost answer, the worker may receive either.
create function private.budget_stop_text(p_budget public.budgets)
returns text language plpgsql stable set search_path = '' as $$
begin
  return format('The budget of %s is reached: %s of %s used. The work is kept and the job is waiting for a person.',
    private.budget_name(p_budget), private.budget_amount_text(private.budget_spent(p_budget), p_budget.unit),
    private.budget_amount_text(p_budget.amount, p_budget.unit));
end;
$$;

-- A run that will probably exceed a budget is not refused, but shows a warning (docs/budgets.md).
create function private.budget_warnings(p_sprint public.sprints)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_budget public.budgets;
  v_forecast jsonb;
  v_likely jsonb;
  v_left numeric;
  v_warnings jsonb := '[]';
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_sprint.product_id and (b.scope = 'product' or b.sprint_id = p_sprint.id)
    order by b.scope desc, b.id
  loop
    v_forecast := coalesce(v_forecast, operations.get_forecast(p_sprint.product_id, p_sprint.id)::jsonb);
    if v_budget.unit = 'tokens' then
      v_likely := nullif(v_forecast -> 'tokens', 'null');
    else
      select c into v_likely from jsonb_array_elements(v_forecast -> 'costs') c where c ->> 'currency' = v_budget.unit;
    end if;
    v_left := greatest(0, v_budget.amount - private.budget_spent(v_budget) - (private.budget_at_work(v_budget)).reserved);
    if private.is_budget_reached(v_budget) or v_left = 0 then
      v_warnings := v_warnings || jsonb_build_object('type', 'budget', 'budget_id', v_budget.id,
        'message', format('The budget of %s is used up: a run pauses at once and asks you.', private.budget_name(v_budget)));
    elsif (v_likely ->> 'high')::numeric > v_left then
      v_warnings := v_warnings || jsonb_build_object('type', 'budget', 'budget_id', v_budget.id,
        'message', format('The budget of %s has %s left, and this run probably takes %s to %s. It pauses there and asks you.',
          private.budget_name(v_budget), private.budget_amount_text(v_left, v_budget.unit),
          private.budget_amount_text((v_likely ->> 'low')::numeric, v_budget.unit),
          private.budget_amount_text((v_likely ->> 'high')::numeric, v_budget.unit)));
    end if;
    v_likely := null;
  end loop;
  return v_warnings;
end;
$$;

-- The id of the last ledger line of a product.
create function private.last_line(p_product_id uuid) returns bigint language plpgsql stable set search_path = '' as $$
begin
  return coalesce((select e.id from public.usage_events e where e.product_id = p_product_id order by e.id desc limit 1), 0);
end;
$$;

-- Products with work that a claim could not do under a shared lock, or with ended windows that runs wait for.
create function private.products_with_due_budgets()
returns setof uuid language plpgsql stable set search_path = '' as $$
begin
  return query
    select distinct b.product_id from public.budgets b
    where b.due_at is not null or (b.reached_at is not null and b.period is not null and not private.is_budget_reached(b));
end;
$$;

-- Tokens belong to agents: what only people may do needs a session (specification: Authentication).
create function private.require_person() returns void language plpgsql stable set search_path = '' as $$
begin
  perform private.require_session('Only people can set budgets: sign in. An API token can only read them.');
end;
$$;
