-- Why: before a worker reports done, it compares its diff with the plan and submits the result.
-- Refusals: 404, 403, 409, 422. Definer: jobs are written by functions only.
create function operations.verify_task_against_plan(
  p_job_id uuid, p_attempt integer, p_verify_result text default null, p_changed_files jsonb default null,
  p_evidence jsonb default null, p_base_sha text default null, p_head_sha text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.hold_job(p_job_id, p_attempt);
begin
  if v_job.kind <> 'TASK_IMPLEMENTATION' then
    perform private.refuse(422, 'This job is not about one task. Tasks of a batch are verified with verify_sprint_task.');
  end if;
  return private.verify_work(v_job, null, p_verify_result, p_changed_files, p_evidence, p_base_sha, p_head_sha);
end;
$$;

comment on function operations.verify_task_against_plan is
  'Verification of a job''s diff against its plan (specification: Agent job, verify_result).';
grant execute on function operations.verify_task_against_plan to authenticated;
