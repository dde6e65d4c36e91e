-- Why: the worker of a batch reports each task: PENDING, RUNNING, DONE (through the gate, with the frozen requirement),
-- FAILED (fails the run too) or SKIPPED. Reporting the same end twice is fine. A task without a plan takes the one that
-- comes with the report. The task follows by trigger.
-- Refusals: 404, 403, 409, 422. Definer: executions are written by functions only.
create function operations.update_task_execution(
  p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text default null, p_failure_reason text default null,
  p_head_sha text default null, p_implementation_plan text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
  if v_state = 'held' and p_implementation_plan is not null then
    perform private.keep_plan(v_job, p_task_id, p_implementation_plan);
    select e.* into v_execution from public.task_executions e where e.id = v_execution.id;
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
  if v_status = 'SKIPPED' and v_result is distinct from 'EMPTY' then
    perform private.refuse(422, 'A task can only be skipped when the verification found that the work is already present (verify_result empty).');
  end if;
  if v_status = 'RUNNING' then
    perform private.refuse_waiting(p_task_id, v_job.sprint_run_id);
  end if;
  if v_status = 'DONE' then
    v_next := private.gate(v_execution.verify_required, v_result, (select t.verify_only from public.tasks t where t.id = p_task_id));
    if v_next is null then
      perform private.refuse_gate(v_execution.verify_required, v_result);
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

comment on function operations.update_task_execution is
  'PENDING, RUNNING to RUNNING, DONE, FAILED, SKIPPED for a task of a batch run (specification: Sprint run).';
grant execute on function operations.update_task_execution to authenticated;
