-- Why: a run is done once all its jobs are finished; SKIPPED and CANCELLED count as finished, and a failed job ends the
-- run through its task. A batch whose job is cancelled or deleted while some of its tasks are unfinished is cancelled,
-- not done. A paused run stays paused until it is resumed.
create function private.complete_run(p_sprint_run_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    return;
  end if;
  if exists (
    select from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  ) then
    return;
  end if;
  if exists (select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.status = 'FAILED') then
    return;
  end if;
  if exists (
    select from public.task_executions e
    where e.sprint_run_id = p_sprint_run_id and e.status in ('PENDING', 'RUNNING')
  ) then
    perform private.end_run(v_run, 'CANCELLED', 'The job of the batch was cancelled.', null);
    return;
  end if;
  perform private.end_run(v_run, 'DONE', null, null);
end;
$$;

comment on function private.complete_run is 'Running run to DONE when its jobs are finished (specification: Sprint run).';
