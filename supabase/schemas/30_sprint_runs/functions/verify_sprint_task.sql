-- Why: in a batch each task is verified by itself, against its frozen plan and requirement.
-- Refusals: 404, 403, 409, 422. Definer: executions are written by functions only.
create function operations.verify_sprint_task(
  p_job_id uuid, p_attempt integer, p_task_id uuid, p_verify_result text default null, p_changed_files jsonb default null,
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
  return private.verify_work(v_job, private.hold_execution(v_job, p_task_id), p_verify_result, p_changed_files, p_evidence,
    p_base_sha, p_head_sha);
end;
$$;

comment on function operations.verify_sprint_task is
  'Verification of one task of a batch run (specification: Sprint run, executions).';
grant execute on function operations.verify_sprint_task to authenticated;
