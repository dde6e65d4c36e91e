-- A batch has one job for many tasks. Each task has its own record here, with the plan and verification
-- requirement frozen when the run began (specification: Sprint run, sprint task execution).
create table public.task_executions (
  id uuid primary key default gen_random_uuid(),
  sprint_run_id uuid not null references public.sprint_runs (id) on delete cascade,
  task_id uuid not null references public.tasks (id) on delete cascade,
  position integer not null,
  status public.task_execution_status not null default 'PENDING',
  plan_snapshot text,
  verify_required public.verify_required not null,
  verify_result public.verify_result,
  head_sha text constraint task_executions_head_sha_length check (char_length(head_sha) <= 64),
  failure_reason text constraint task_executions_failure_reason_length check (char_length(failure_reason) <= 4000),
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default private.now(),
  constraint task_executions_sprint_run_id_task_id_key unique (sprint_run_id, task_id),
  constraint task_executions_finished check (
    (status in ('DONE', 'FAILED', 'SKIPPED')) = (finished_at is not null)
  )
);

comment on table public.task_executions is
  'Sprint task executions (specification: Sprint run): one a task of a batch run, with frozen plan and verify_required.';
create index task_executions_task_id_idx on public.task_executions (task_id);
create index task_executions_order_idx on public.task_executions (sprint_run_id, position);

alter table public.task_executions enable row level security;

create policy task_executions_select on public.task_executions for select to authenticated
  using (exists (select from public.sprint_runs r
    where r.id = task_executions.sprint_run_id and r.product_id in (select private.accessible_product_ids())));
grant select on public.task_executions to authenticated;

-- Sets the times when an execution began and ended, for every writer (specification: Sprint run, executions).
create function private.tg_task_executions__stamp() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.status in ('DONE', 'FAILED', 'SKIPPED') then
    new.finished_at := coalesce(new.finished_at, private.now());
  else
    new.finished_at := null;
  end if;
  if new.status = 'RUNNING' then
    new.started_at := coalesce(new.started_at, private.now());
  end if;
  return new;
end;
$$;
create trigger _200_stamp
before insert or update on public.task_executions
for each row execute function private.tg_task_executions__stamp();

-- In a batch an execution moves its task as a job would, and the batch job names the task at work, otherwise the first
-- unfinished one (specification: Agent job, task_id). Definer: the caller may not write jobs.
create function private.tg_task_executions__advance_task()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  case new.status
    when 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
    when 'DONE' then
      update public.tasks t set status = case when private.awaits_proof(t.id, new.verify_result) then 'REVIEW' else 'DONE' end::public.task_status
      where t.id = new.task_id and t.status <> 'DONE';
    when 'SKIPPED' then
      update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
    when 'FAILED' then
      update public.agent_jobs j set task_id = new.task_id
      where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
      return null;
    else
      null;
  end case;

  update public.agent_jobs j
  set task_id = n.task_id
  from (
    select e.task_id from public.task_executions e
    where e.sprint_run_id = new.sprint_run_id and e.status in ('RUNNING', 'PENDING')
    order by (e.status = 'RUNNING') desc, e.position
    limit 1
  ) n
  where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    and j.task_id is distinct from n.task_id;
  return null;
end;
$$;
create trigger _500_advance_task
after update of status on public.task_executions
for each row when (new.status <> old.status)
execute function private.tg_task_executions__advance_task();

-- A batch is blocked by blockers of its unfinished tasks only. Definer: the caller may not write jobs.
create function private.tg_task_executions__recount()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.recount_blockers(array[new.task_id]);
  return null;
end;
$$;
create trigger _560_recount
after update of status on public.task_executions
for each row when ((new.status in ('PENDING', 'RUNNING')) <> (old.status in ('PENDING', 'RUNNING')))
execute function private.tg_task_executions__recount();

-- Pages that show a batch follow each of its tasks. Definer: no client may call private.emit (specification: Sprint
-- run, execution records).
create function private.tg_task_executions__emit()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_event jsonb := private.change_event(tg_op, 'task_execution', to_jsonb(old), to_jsonb(new));
  v_row public.task_executions := coalesce(new, old);
begin
  perform private.emit('product:' || r.product_id, v_event || jsonb_build_object('product_id', r.product_id,
    'sprint_run_id', v_row.sprint_run_id, 'task_id', v_row.task_id, 'execution_status', v_row.status))
  from public.sprint_runs r where r.id = v_row.sprint_run_id;
  return null;
end;
$$;
create trigger _900_emit
after insert or update or delete on public.task_executions
for each row execute function private.tg_task_executions__emit();

-- The worker of a batch reports each task: PENDING, RUNNING, DONE (through the gate, with the frozen requirement),
-- FAILED (fails the run too, unless another agent takes over) or SKIPPED. Reporting the same end twice is fine. A task without a plan takes the one that
-- comes with the report. The task follows by trigger.
-- Refusals: 404, 403, 409, 422. Definer: executions are written by functions only (specification: Sprint run).
create function operations.update_task_execution(
  p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text default null,
  p_failure_reason text default null, p_head_sha text default null, p_implementation_plan text default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_status text := private.require_choice('status', p_status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_execution public.task_executions := private.hold_execution(v_job, p_task_id);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next text := v_status;
  v_missing jsonb;
begin
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_execution.verify_result);
  if private.repeats_plan(v_job, v_state, p_implementation_plan) then
    return private.execution_json(v_execution);
  end if;
  if v_state = 'held' and v_status = 'RUNNING' and p_implementation_plan is not null and private.needs_approved_plan(v_job, p_task_id) then
    perform private.hand_in_plan(v_job, p_task_id, p_implementation_plan);
    return private.execution_json(v_execution);
  end if;
  if v_state = 'held' and p_implementation_plan is not null then
    perform private.keep_plan(v_job, p_task_id, p_implementation_plan);
    select e.* into v_execution from public.task_executions e where e.id = v_execution.id;
  end if;
  if v_state = 'failed' and v_status = 'FAILED' then
    return private.execution_json(v_execution);
  end if;
  if v_state in ('held', 'finished') and (v_execution.status::text = v_status
    or (v_execution.status = 'SKIPPED' and v_status = 'DONE' and v_result = 'EMPTY')) then
    return private.execution_json(v_execution);
  end if;
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  if v_execution.status not in ('PENDING', 'RUNNING') then
    perform private.refuse(409, format('This task of the batch is already %s. You still hold the job: continue with the next task.', lower(v_execution.status::text)));
  end if;
  if v_status = 'FAILED' and private.next_agent(v_job, null) is not null then
    perform operations.report_agent_job(p_job_id, p_attempt,
      jsonb_build_object('status', 'failed', 'failure_reason', coalesce(p_failure_reason, 'A task of the batch failed.')));
    return private.execution_json(v_execution);
  end if;
  if v_status = 'SKIPPED' and v_result is distinct from 'EMPTY' then
    perform private.refuse(422, 'A task can only be skipped when the verification found that the work is already present (verify_result empty).');
  end if;
  if v_status = 'RUNNING' then
    perform private.refuse_blocked(p_task_id, v_job.sprint_run_id);
  end if;
  if v_status = 'DONE' then
    v_next := private.end_after_verify(v_execution.verify_required, v_result, (select t.verify_only from public.tasks t where t.id = p_task_id));
    if v_next is null then
      perform private.refuse_gate(v_execution.verify_required, v_result);
    end if;
    if v_next = 'DONE' and private.needs_approved_plan(v_job, p_task_id) then
      perform private.refuse_unapproved();
    end if;
    v_missing := case when v_next = 'DONE' then private.proof_gap(p_task_id) end;
    if v_missing is not null then
      perform private.refuse_unproven(v_missing);
    end if;
  end if;

  update public.agent_jobs j
  set lease_until = private.now() + private.lease(), status = 'RUNNING', started_at = coalesce(j.started_at, private.now()),
      failure_reason = case when v_next = 'FAILED' then left(coalesce(p_failure_reason, 'A task of the batch failed.'), 4000) end
  where j.id = p_job_id;
  update public.task_executions e
  set status = v_next::public.task_execution_status,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      head_sha = coalesce(left(p_head_sha, 64), e.head_sha),
      failure_reason = case when v_next = 'FAILED' then left(p_failure_reason, 4000) end
  where e.id = v_execution.id
  returning e.* into v_execution;
  return private.execution_json(v_execution) || private.released();
end;
$$;
grant execute on function operations.update_task_execution to authenticated;
comment on function operations.update_task_execution is 'scope work';

-- One form of an execution record (specification: Sprint run).
create function private.execution_json(p_execution public.task_executions)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_task record;
begin
  select t.code, t.title, t.story_id, t.verify_only, s.code as story_code
  into v_task
  from public.tasks t
  join public.stories s on s.id = t.story_id
  where t.id = p_execution.task_id;

  return to_jsonb(p_execution) || jsonb_build_object(
    'status', lower(p_execution.status::text),
    'task_code', v_task.code,
    'task_title', v_task.title,
    'verify_only', v_task.verify_only,
    'story_id', v_task.story_id,
    'story_code', v_task.story_code
  );
end;
$$;

-- In a batch each task is verified by itself, against its frozen plan and requirement. Refusals: 404, 403, 409, 422.
-- Definer: executions are written by functions only (specification: Sprint run, executions).
create function operations.verify_sprint_task(
  p_job_id uuid, p_attempt integer, p_task_id uuid, p_verify_result text default null,
  p_changed_files jsonb default null, p_evidence jsonb default null, p_base_sha text default null,
  p_head_sha text default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.hold_job(p_job_id, p_attempt);
begin
  return private.verify_work(v_job, private.hold_execution(v_job, p_task_id), p_verify_result, p_changed_files, p_evidence,
    p_base_sha, p_head_sha);
end;
$$;
grant execute on function operations.verify_sprint_task to authenticated;
comment on function operations.verify_sprint_task is 'scope work';

-- A task is in at most one unfinished run. Returns which run holds which tasks of a product, optionally only runs
-- without a sprint, because an unfinished sprint run is its own blocker of the next start.
create function private.held_by_runs(p_product_id uuid, p_own_only boolean)
returns table (task_id uuid, run_id uuid, subject text, status text) language plpgsql stable set search_path = '' as $$
begin
  return query
    select x.task_id, r.id, private.run_subject(r), lower(r.status::text)
    from public.sprint_runs r
    cross join lateral private.run_tasks(r.id) x
    where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED') and (not p_own_only or r.sprint_id is null);
end;
$$;

-- Only the attempt that holds the batch job may report its tasks (specification: Sprint run, executions).
create function private.hold_execution(p_job public.agent_jobs, p_task_id uuid)
returns public.task_executions language plpgsql volatile set search_path = '' as $$
declare
  v_execution public.task_executions;
begin
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'This job is not a batch. Report it with update_job_status.');
  end if;
  select e.* into v_execution from public.task_executions e
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id for update;
  if not found then
    perform private.refuse(404, 'This task is not, or no longer, part of the batch run. You still hold the job: continue with the next task.');
  end if;
  return v_execution;
end;
$$;
