-- Why: the only way to end a run: sets the final status, clears the pause and closes its question. Unless it is done,
-- its unfinished jobs are cancelled with the questions they wait for. Work that waits for a review stays reviewable. Called under the product lock.
create function private.end_run(p_run public.sprint_runs, p_status public.sprint_run_status, p_reason text, p_failure jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.sprint_runs r
  set status = p_status, pause_context = null, finished_at = private.now(), failure = p_failure
  where r.id = p_run.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');

  perform private.close_question(p_run.pause_question_id);
  if p_status = 'DONE' then
    return;
  end if;

  perform private.close_question(j.parked_question_id)
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.parked_question_id is not null;

  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = p_reason
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (j.status <> 'QUEUED' or j.phase <> 'review');

  update public.task_executions e
  set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_run.id and e.status = 'RUNNING';
end;
$$;

comment on function private.end_run is
  'Ends a run as DONE, FAILED or CANCELLED with all that belongs to it (specification: Sprint run).';
