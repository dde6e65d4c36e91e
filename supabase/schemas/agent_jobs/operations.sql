-- A single queued job can be cancelled (specification: Starting a sprint run 4). A job at work is stopped by
-- cancelling its run; a conversation, which has no run, can be cancelled at any time before its end. Idempotent.
-- Refusals: 404, 403, 409. Definer: jobs are written by functions only.
create function operations.cancel_agent_job(p_job_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  if v_job.status = 'CANCELLED' then
    return private.job_json(v_job);
  end if;
  if v_job.status in ('CLAIMED', 'RUNNING') and v_job.kind <> 'PLAN_CHAT' then
    perform private.refuse(409, 'This job is held by a worker. Cancel its run to stop it; pausing lets it finish.');
  end if;
  if v_job.status = 'QUEUED' and v_job.phase = 'review' then
    perform private.refuse(409, 'The work of this job is done and waits for a review. Approve it, or request changes.');
  end if;
  if v_job.status not in ('QUEUED', 'CLAIMED', 'RUNNING') then
    perform private.refuse(409, format('Only a queued job can be cancelled; this one is %s.', lower(v_job.status::text)));
  end if;

  perform private.close_question(v_job.parked_question_id);
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = 'The job was cancelled.'
  where j.id = p_job_id;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return private.job_json(v_job);
end;
$$;
grant execute on function operations.cancel_agent_job to authenticated;
comment on function operations.cancel_agent_job is 'scope plan or work';

-- Before a worker reports done, it compares its diff with the plan and submits the result.
-- Refusals: 404, 403, 409, 422. Definer: jobs are written by functions only (specification: Agent job, verify_result).
create function operations.verify_task_against_plan(
  p_job_id uuid, p_attempt integer, p_verify_result text default null, p_changed_files jsonb default null,
  p_evidence jsonb default null, p_base_sha text default null, p_head_sha text default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.hold_job(p_job_id, p_attempt);
begin
  if v_job.kind <> 'TASK_IMPLEMENTATION' then
    perform private.refuse(422, 'This job is not about one task. Tasks of a batch are verified with verify_sprint_task.');
  end if;
  return private.verify_work(v_job, null, p_verify_result, p_changed_files, p_evidence, p_base_sha, p_head_sha);
end;
$$;
grant execute on function operations.verify_task_against_plan to authenticated;
comment on function operations.verify_task_against_plan is 'scope work';
