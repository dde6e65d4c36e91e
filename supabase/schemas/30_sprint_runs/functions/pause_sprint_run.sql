-- Why: a person, or a worker with a merge conflict, pauses a run (specification: Sprint run, pause_context). A worker
-- names its job and attempt; with p_release it also returns the job to the queue, without counting a retry.
-- Refusals: 404, 403, 409 (not running, lost attempt), 422. Definer: runs and jobs are written by functions only.
create function operations.pause_sprint_run(
  p_sprint_run_id uuid, p_reason text default null, p_pr_url text default null, p_conflict_files jsonb default null,
  p_job_id uuid default null, p_attempt integer default null, p_release boolean default false)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
  v_reason text := btrim(coalesce(p_reason, 'paused_by_person'));
  v_job public.agent_jobs;
begin
  perform private.require_link('pr_url', p_pr_url);
  if v_reason = '' or char_length(v_reason) > 500 then
    perform private.refuse(422, 'reason takes 1 to 500 characters.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.sprint_run_id is distinct from p_sprint_run_id then
      perform private.refuse(422, 'This job does not belong to the run. Name one of its jobs, or none.');
    end if;
  end if;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    perform private.refuse(409, format('Only a run that is queued or running can be paused; this one is %s.', lower(v_run.status::text)));
  end if;

  v_run := private.pause_run(v_run, v_reason, p_pr_url, p_conflict_files, v_job.id);
  if v_job.id is not null and p_release then
    update public.agent_jobs j
    set status = 'QUEUED', failure_class = null, pr_url = coalesce(p_pr_url, j.pr_url)
    where j.id = v_job.id;
  end if;
  return private.run_json(v_run, false);
end;
$$;

comment on function operations.pause_sprint_run is
  'QUEUED or RUNNING to PAUSED, with pause_context and a question (specification: Sprint run).';
grant execute on function operations.pause_sprint_run to authenticated;
